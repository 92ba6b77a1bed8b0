import { join } from "node:path";
import type { Page } from "playwright-core";
import { rolldown } from "rolldown";
import { expect, it } from "vitest";
import { goodPassword, newEmail } from "../support/person.ts";
import { describeInBrowser } from "./support/stage.ts";
import { button, createApp, fillAccount, inPage } from "./support/steps.ts";

describeInBrowser("a page with the package's browser helper", (stage) => {
  async function shown(): Promise<{ page: Page; url: string }> {
    const app = await createApp(stage, {
      redirectUris: [`${stage.site.origin}/spa`],
      settings: { publicClients: true },
    });
    stage.service.clock.advance(1000);
    const input = join(import.meta.dirname, "../../packages/sdk/src/browser.ts");
    const bundle = await rolldown({ input, tsconfig: false });
    const { output } = await bundle.generate({ format: "iife", name: "sdk" });
    const settings = JSON.stringify({ issuer: stage.service.url, appId: app.id });
    const source = `<!doctype html><p id="user"></p><button onclick="auth.signIn()">Sign in</button>
<button onclick="auth.signOut()">Sign out</button><script>${output[0].code}
const auth = sdk.createBrowserAuth(${settings});
const show = (user) => document.querySelector("#user").textContent = user ? user.name : "Nobody";
auth.onChange(show);
auth.start().then(show);</script>`;
    const url = stage.site.show("/spa", source, "text/html; charset=utf-8");
    const page = await stage.newPage();
    await page.goto(`${url}?tab=1#part`);
    return { page, url };
  }
  const user = (page: Page) => page.locator("#user");

  it("signs in, keeps tokens in memory only, renews them silently, and signs out", async () => {
    const { page, url } = await shown();
    await button(page, "Sign in").click();
    await page.getByRole("link", { name: "Create account" }).click();
    await fillAccount(page, { email: newEmail(), name: "Ada", password: goodPassword });
    await button(page, "Create account").click();
    await expect.poll(() => user(page).textContent()).toBe("Ada");
    expect(page.url()).toBe(`${url}?tab=1#part`);
    const stored = await inPage(page, "() => sessionStorage.length + localStorage.length + document.cookie.length");
    expect(stored).toBe(0);
    const before = await inPage<string>(page, "() => auth.getAccessToken()");
    // Sixteen minutes later, for the page and for the service.
    stage.service.clock.advance(16 * 60_000);
    await inPage(
      page,
      "() => { const real = performance.now.bind(performance); performance.now = () => real() + 960_000 }",
    );
    const [one, two] = await inPage<string[]>(
      page,
      "() => Promise.all([auth.getAccessToken(), auth.getAccessToken()])",
    );
    expect(one === two && one !== before).toBe(true);
    await button(page, "Sign out").click();
    await expect.poll(() => user(page).textContent()).toBe("Nobody");
    expect(await inPage(page, "async () => (await auth.getAccessToken()) ?? null")).toBe(null);
  });

  it("refuses a redirect that it did not begin", async () => {
    const { page, url } = await shown();
    const calls: string[] = [];
    page.on("request", (request) => calls.push(new URL(request.url()).pathname));
    await page.goto(`${url}?code=c&state=s&sessionId=sis_1`);
    await expect.poll(() => user(page).textContent()).toBe("Nobody");
    expect(page.url()).toBe(url);
    expect(calls.filter((path) => path.startsWith("/auth/"))).toEqual([]);
  });
});
