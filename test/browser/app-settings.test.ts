import { describe, expect, it } from "vitest";
import type { SignInMethod } from "../../src/storage/column-types.ts";
import { addVirtualAuthenticator } from "../support/chromium.ts";
import { goodPassword, initiate, newEmail, signUp } from "../support/person.ts";
import { createPasskeyAccount, said, switchOffAutofill } from "./support/passkey-steps.ts";
import { changeApp, storedSession, usersOf } from "./support/records.ts";
import { describeInBrowser } from "./support/stage.ts";
import {
  backAtTheApp,
  button,
  createApp,
  field,
  fillAccount,
  heading,
  link,
  openSignIn,
  startSignIn,
  summary,
} from "./support/steps.ts";

describeInBrowser("what an app allows", (stage) => {
  describe("closed sign-up", () => {
    it("shows no way to create an account, and lets those in who have one", async () => {
      const app = await createApp(stage);
      const email = newEmail();
      await signUp(stage.service, app, { email });
      await changeApp(stage.service, app, { settings: { signUp: "closed" } });
      const page = await stage.newPage();
      const session = await openSignIn(stage, page, app);
      expect(await link(page, "Create account").count()).toBe(0);
      await page.goto(`${session.authUrl}/create-account`);
      expect(page.url()).toBe(session.authUrl);
      await fillAccount(page, { email, password: goodPassword });
      await button(page, "Sign in").click();
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
    const limits = (method: SignInMethod) => (byApp ? { app: { methods: [method] } } : { ask: { authMethod: method } });

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
      await fillAccount(page, { email: newEmail(), password: goodPassword });
      await button(page, "Create account").click();
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

  describe("a method that is turned off after the page was shown", () => {
    it.each([
      ["signing in by password", "", "Sign in", "password"],
      ["creating an account by password", "/create-account", "Create account", "password"],
      ["creating an account by passkey", "/create-account", "Create a passkey", "passkey"],
    ] as const)("takes the person back to the app when they are %s", async (_, path, name, method) => {
      const app = await createApp(stage);
      const page = await stage.newPage();
      await addVirtualAuthenticator(page);
      const session = await initiate(stage.service, app, { state: "kept" });
      await page.goto(session.authUrl + path);
      // Between the press and its post: a passkey's challenge was asked for in good time.
      await page.route(/\/(?:password|passkey|create-account)$/u, async (route) => {
        await changeApp(stage.service, app, { methods: { [method]: false } });
        await route.continue();
      });
      await fillAccount(page, { email: newEmail(), password: goodPassword });
      await button(page, name).click();
      const brought = Object.fromEntries(await backAtTheApp(stage, page));
      expect(brought).toEqual({
        error: "method_disabled",
        error_description: expect.any(String),
        state: "kept",
        sessionId: session.sessionId,
      });
      expect(await usersOf(stage.service, app)).toEqual([]);
    });

    it("takes the person back to the app when they are signing in by passkey", async () => {
      const { app, page } = await createPasskeyAccount(stage);
      await page.route(/\/passkey$/u, async (route) => {
        await changeApp(stage.service, app, { methods: { passkey: false } });
        await route.continue();
      });
      const session = await startSignIn(stage, page, app);
      const brought = await backAtTheApp(stage, page);
      expect(brought.get("error")).toBe("method_disabled");
      expect((await storedSession(stage.service, session)).signedInAt).toBeNull();
    });

    it("no longer stands on the page when it is loaded again", async () => {
      const app = await createApp(stage);
      const page = await stage.newPage();
      await openSignIn(stage, page, app);
      await changeApp(stage.service, app, { methods: { password: false } });
      await page.reload();
      expect(await field(page, "Password").count()).toBe(0);
      expect(await button(page, "Sign in with a passkey").isVisible()).toBe(true);
    });
  });

  describe("a redirect address that the app takes back meanwhile", () => {
    it("is visited by nobody: not after the right password, not by a cancel, not by a link", async () => {
      const app = await createApp(stage, { name: "Acme" });
      const email = newEmail();
      await signUp(stage.service, app, { email });
      stage.site.forget();
      const page = await stage.newPage();
      const session = await openSignIn(stage, page, app);
      await fillAccount(page, { email, password: goodPassword });
      await changeApp(stage.service, app, { redirectUris: ["https://elsewhere.example/callback"] });
      await button(page, "Sign in").click();
      await page.getByRole("heading", { name: "This sign-in link doesn't work" }).waitFor();
      for (const path of ["", "/create-account", "/cancel"]) {
        expect((await page.goto(session.authUrl + path))?.status()).toBe(400);
        expect(await heading(page).textContent()).toBe("This sign-in link doesn't work");
      }
      expect(stage.site.callbacks).toEqual([]);
      expect((await storedSession(stage.service, session)).signedInAt).toBeNull();
    });

    it("is not linked to by the page that says so", async () => {
      const app = await createApp(stage, { name: "Acme" });
      const page = await stage.newPage();
      const session = await initiate(stage.service, app);
      await changeApp(stage.service, app, { redirectUris: [] });
      await page.goto(session.authUrl);
      expect(await heading(page).textContent()).toBe("This sign-in link doesn't work");
      expect(await page.content()).not.toContain(stage.site.origin);
    });
  });

  it("says in another app's name what is wrong there, not in this one's", async () => {
    const acme = await createApp(stage, { name: "Acme" });
    const umbrella = await createApp(stage, { name: "Umbrella" });
    const email = newEmail();
    await signUp(stage.service, acme, { email });
    const page = await stage.newPage();
    await openSignIn(stage, page, umbrella);
    expect(await heading(page).textContent()).toBe("Sign in to Umbrella");
    await fillAccount(page, { email, password: goodPassword });
    await button(page, "Sign in").click();
    expect(await summary(page).textContent()).toContain("That email and password don't match.");
  });
});
