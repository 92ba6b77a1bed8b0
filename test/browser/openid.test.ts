import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { authorizeUrl, createTestClient } from "../support/openid.ts";
import { goodPassword, newEmail, signUp } from "../support/person.ts";
import { describeInBrowser } from "./support/stage.ts";
import { backAtTheApp, button, createApp, fillAccount, heading } from "./support/steps.ts";

describeInBrowser("OpenID Connect in a browser", (stage) => {
  async function prepared(changes: Parameters<typeof createTestClient>[2] = {}) {
    const app = await createApp(stage, { name: "Acme" });
    const email = newEmail();
    await signUp(stage.service, app, { email, name: "Ada" });
    const redirectUris = [`${stage.site.origin}/callback`];
    return { app, email, client: await createTestClient(stage.service, app, { redirectUris, ...changes }) };
  }

  async function signIn(page: Page, email: string): Promise<void> {
    await fillAccount(page, { email, password: goodPassword }, "Sign in");
  }

  async function posted(page: Page): Promise<Record<string, string>> {
    await page.waitForURL(`${stage.site.origin}/callback`);
    await expect.poll(() => stage.site.callbacks.length).toBeGreaterThan(0);
    return Object.fromEntries(stage.site.callbacks.at(-1) ?? []);
  }

  const answer = () => ({ code: expect.any(String), state: "st", iss: stage.service.url });

  it("brings a code back by redirect, and by a form that submits itself", async () => {
    const { client, email } = await prepared();
    const page = await stage.newPage();
    await page.goto(authorizeUrl(stage.service, client));
    await signIn(page, email);
    expect(Object.fromEntries(await backAtTheApp(stage, page))).toEqual(answer());
    stage.site.forget();
    const other = await stage.newPage();
    await other.goto(authorizeUrl(stage.service, client, { response_mode: "form_post" }));
    await signIn(other, email);
    expect(await posted(other)).toEqual(answer());
  });

  it("has a button in place of that form's script", async () => {
    const { client, email } = await prepared();
    const page = await stage.newPage({ javaScriptEnabled: false });
    await page.goto(authorizeUrl(stage.service, client, { response_mode: "form_post" }));
    await signIn(page, email);
    await button(page, "Continue to Acme").click();
    expect(await posted(page)).toEqual(answer());
  });

  it("signs in once for all clients, also when another site posts the request", async () => {
    const { client, email } = await prepared();
    const page = await stage.newPage();
    await page.goto(authorizeUrl(stage.service, client));
    await signIn(page, email);
    await backAtTheApp(stage, page);
    stage.site.forget();
    const { searchParams } = new URL(authorizeUrl(stage.service, client, { prompt: "none" }));
    const inputs = [...searchParams].map(([name, value]) => `<input type="hidden" name="${name}" value="${value}">`);
    const action = `${stage.service.url}/oauth2/authorize`;
    const form = `<form method="post" action="${action}">${inputs.join("")}</form>`;
    // Another host name: another site, whose posts carry no cookie with SameSite=Lax.
    stage.allowOrigin(`http://elsewhere.localhost:${stage.site.port}`);
    stage.site.show("/start", `${form}<script>document.forms[0].submit()</script>`);
    await page.goto(`http://elsewhere.localhost:${stage.site.port}/start`);
    expect(Object.fromEntries(await backAtTheApp(stage, page))).toEqual(answer());
  });

  it("asks for consent, and brings back either answer", async () => {
    const { client, email } = await prepared({ consent: "ask", name: "Grafana" });
    const page = await stage.newPage();
    await page.goto(authorizeUrl(stage.service, client));
    await signIn(page, email);
    await button(page, "Deny").click();
    expect((await backAtTheApp(stage, page)).get("error")).toBe("access_denied");
    stage.site.forget();
    const other = await stage.newPage();
    await other.goto(authorizeUrl(stage.service, client));
    await signIn(other, email);
    await button(other, "Allow").waitFor();
    expect(await heading(other).textContent()).toBe("Grafana asks for access");
    await button(other, "Allow").click();
    expect(Object.fromEntries(await backAtTheApp(stage, other))).toEqual(answer());
  });
});
