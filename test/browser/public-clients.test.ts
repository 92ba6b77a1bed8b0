import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { addVirtualAuthenticator } from "../support/chromium.ts";
import { goodPassword, newEmail } from "../support/person.ts";
import type { TestApp } from "../support/service.ts";
import { describeInBrowser } from "./support/stage.ts";
import { button, createApp, field, fillAccount } from "./support/steps.ts";

const example = readFileSync(join(import.meta.dirname, "../../docs/examples/browser/index.html"), "utf8");

describeInBrowser("a page without a server (docs/examples/browser)", (stage) => {
  /** The example at the app's redirect URI, as a developer would set it up. */
  async function shown(settings = { publicClients: true }): Promise<{ app: TestApp; page: Page; url: string }> {
    const app = await createApp(stage, { redirectUris: [`${stage.site.origin}/spa`], settings });
    stage.service.clock.advance(1000);
    const source = example.replace("http://localhost:8080", stage.service.url).replace("app_demo", app.id);
    const url = stage.site.show("/spa", source, "text/html; charset=utf-8");
    const page = await stage.newPage();
    await page.goto(url);
    return { app, page, url };
  }
  const user = (page: Page) => page.locator("#user");

  it("signs in by password, refreshes and signs out, with nothing but its App ID", async () => {
    const { page, url } = await shown();
    const calls: [string, string | undefined][] = [];
    page.on("response", (response) => {
      const { pathname } = new URL(response.url());
      if (response.request().method() === "POST" && pathname.startsWith("/auth/"))
        calls.push([`${pathname} ${response.status()}`, response.request().headers()["authorization"]?.slice(0, 10)]);
    });
    // Twenty minutes ago: the access token has expired when it is used.
    stage.service.clock.now = Date.now() - 20 * 60_000;
    await button(page, "Sign in").click();
    await page.getByRole("link", { name: "Create account" }).click();
    await fillAccount(page, { email: newEmail(), name: "Ada", password: goodPassword }, "Create account");
    await expect.poll(() => user(page).textContent()).toBe("Hello, Ada");
    expect(page.url()).toBe(url);
    stage.service.clock.now = Date.now();
    await button(page, "Sign out").click();
    await expect.poll(() => user(page).textContent()).toBe("Nobody is signed in.");
    expect(calls).toEqual([
      ["/auth/initiate 200", undefined],
      ["/auth/callback 200", undefined],
      ["/auth/refresh 200", undefined],
      ["/auth/logout 200", "Bearer eyJ"],
    ]);
  });

  it("signs in by passkey", async () => {
    const { page } = await shown();
    await addVirtualAuthenticator(page);
    await button(page, "Sign in").click();
    await page.getByRole("link", { name: "Create account" }).click();
    const email = newEmail();
    await field(page, "Email").fill(email);
    await button(page, "Create a passkey").click();
    await expect.poll(() => user(page).textContent()).toBe(`Hello, ${email}`);
    await page.reload();
    await expect.poll(() => user(page).textContent()).toBe("Nobody is signed in.");
  });

  it("takes no code that it did not ask for", async () => {
    const { page, url } = await shown();
    await page.goto(`${url}?code=${"x".repeat(43)}&state=theirs&sessionId=sis_${"x".repeat(43)}`);
    await expect.poll(() => user(page).textContent()).toBe("This sign-in was not started here.");
    expect(page.url()).toBe(url);
  });

  it("reads why it may not start, and a page of another origin reads nothing", async () => {
    const { app, page } = await shown({ publicClients: false });
    await button(page, "Sign in").click();
    await expect.poll(() => user(page).textContent()).toContain("INVALID_API_KEY");
    await expect.poll(() => user(page).textContent()).toContain("allow public clients");
    const other = await createApp(stage, { settings: { publicClients: true } });
    stage.allowOrigin(`http://elsewhere.localhost:${stage.site.port}`);
    stage.expectComplaint(/blocked by CORS policy|Failed to load resource: net::ERR_FAILED/u);
    const source = example.replace("http://localhost:8080", stage.service.url).replace("app_demo", other.id);
    stage.site.show("/foreign", source, "text/html; charset=utf-8");
    await page.goto(`http://elsewhere.localhost:${stage.site.port}/foreign`);
    await button(page, "Sign in").click();
    await expect.poll(() => user(page).textContent()).toBe("Failed to fetch");
    expect(app.id).not.toBe(other.id);
  });
});
