import { describe, expect, it } from "vitest";
import type { MethodType } from "../../src/storage/column-types.ts";
import { addVirtualAuthenticator } from "../support/chromium.ts";
import { goodPassword, initiate, newEmail, signedUp } from "../support/person.ts";
import { said, switchOffAutofill } from "./support/passkey-steps.ts";
import { changeApp, usersOf } from "./support/records.ts";
import { describeInBrowser } from "./support/stage.ts";
import { backAtTheApp, button, createApp, field, fillAccount, heading, link, openSignIn } from "./support/steps.ts";

describeInBrowser("what an app allows", (stage) => {
  describe("closed sign-up", () => {
    it("shows no way to create an account, and lets those in who have one", async () => {
      const app = await createApp(stage);
      const { email } = await signedUp(stage.service, app);
      await changeApp(stage.service, app, { settings: { signUp: "closed" } });
      const page = await stage.newPage();
      const session = await openSignIn(stage, page, app);
      expect(await link(page, "Create account").count()).toBe(0);
      await page.goto(`${session.authUrl}/create-account`);
      expect(page.url()).toBe(session.authUrl);
      await fillAccount(page, { email, password: goodPassword }, "Sign in");
      await backAtTheApp(stage, page);
    });

    it("creates no account from a page that was open before", async () => {
      const app = await createApp(stage);
      const page = await stage.newPage();
      await addVirtualAuthenticator(page);
      const session = await initiate(stage.service, app);
      await page.goto(`${session.authUrl}/create-account`);
      await changeApp(stage.service, app, { settings: { signUp: "closed" } });
      await fillAccount(page, { email: newEmail(), password: goodPassword });
      await button(page, "Create a passkey").click();
      await said(page);
      await button(page, "Create account").click();
      await page.waitForURL(session.authUrl);
      expect(await usersOf(stage.service, app)).toEqual([]);
    });

    it("creates no account for a passkey that was made before", async () => {
      const app = await createApp(stage);
      const page = await stage.newPage();
      await addVirtualAuthenticator(page);
      const session = await initiate(stage.service, app);
      await page.goto(`${session.authUrl}/create-account`);
      await page.route("**/create-account/passkey", async (route) => {
        await changeApp(stage.service, app, { settings: { signUp: "closed" } });
        await route.continue();
      });
      await field(page, "Email").fill(newEmail());
      await button(page, "Create a passkey").click();
      await page.waitForURL(session.authUrl);
      expect(await usersOf(stage.service, app)).toEqual([]);
    });
  });

  describe.each([
    ["an app has turned on", true],
    ["an app asks for", false],
  ])("the one method that %s", (_, byApp) => {
    const limits = (method: MethodType) => (byApp ? { app: { methods: [method] } } : { ask: { authMethod: method } });

    it("is the password: no page says a word about passkeys", async () => {
      const { app: input, ask } = limits("password");
      const app = await createApp(stage, input);
      const page = await stage.newPage();
      const asked: string[] = [];
      page.on("request", (request) => asked.push(request.url()));
      await openSignIn(stage, page, app, ask);
      expect(await field(page, "Email").getAttribute("autocomplete")).toBe("username");
      expect(await page.content()).not.toMatch(/passkey/iu);
      await link(page, "Forgot password?").click();
      expect(await page.getByRole("main").innerText()).not.toMatch(/passkey/iu);
      await link(page, "Back to sign in").click();
      await link(page, "Create account").click();
      expect(await page.content()).not.toMatch(/passkey/iu);
      expect(asked.filter((url) => url.endsWith("/options"))).toEqual([]);
      await fillAccount(page, { email: newEmail(), password: goodPassword }, "Create account");
      await backAtTheApp(stage, page);
    });

    it("is the passkey: no page has a password field, and both ceremonies work", async () => {
      const { app: input, ask } = limits("passkey");
      const app = await createApp(stage, input);
      const page = await stage.newPage();
      await addVirtualAuthenticator(page);
      await switchOffAutofill(page);
      await openSignIn(stage, page, app, ask);
      expect(await page.locator("input:visible").count()).toBe(0);
      await link(page, "Create account").click();
      expect(await page.locator("[type=password]").count()).toBe(0);
      await field(page, "Email").fill(newEmail());
      await field(page, "Name").fill("Ada");
      await button(page, "Create a passkey").click();
      await backAtTheApp(stage, page);
      expect(await usersOf(stage.service, app)).toMatchObject([{ name: "Ada" }]);
      await openSignIn(stage, page, app, ask);
      await button(page, "Sign in with a passkey").click();
      await backAtTheApp(stage, page);
    });
  });

  it("says so, with a way back, where an app has turned on no method", async () => {
    const app = await createApp(stage, { name: "Acme", methods: [] });
    const page = await stage.newPage();
    const session = await initiate(stage.service, app);
    for (const path of ["", "/create-account"]) {
      expect((await page.goto(session.authUrl + path))?.status()).toBe(400);
      expect(await heading(page).textContent()).toBe("There's no way to sign in yet");
    }
    await link(page, "Back to Acme").click();
    expect(page.url()).toBe(`${stage.site.origin}/`);
  });
});
