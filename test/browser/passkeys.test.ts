import { expect, it } from "vitest";
import { addVirtualAuthenticator } from "../support/chromium.ts";
import { goodPassword, newEmail, redeem, signedUp } from "../support/person.ts";
import { createPasskeyAccount, said, switchOffAutofill } from "./support/passkey-steps.ts";
import { askForChallenge, assertIn, postCredential } from "./support/passkeys.ts";
import { changeApp, disableUser, storedSession, usersOf } from "./support/records.ts";
import { describeInBrowser } from "./support/stage.ts";
import {
  backAtTheApp,
  button,
  createApp,
  field,
  fillAccount,
  focused,
  link,
  openSignIn,
  startSignIn,
  summary,
  newSignIn,
} from "./support/steps.ts";

const notUsed = "No passkey was used. Try again when you're ready, or sign in another way.";

describeInBrowser("passkeys in a browser", (stage) => {
  it("signs in by the button, which takes over from the autofill that waits", async () => {
    const { app, page, authenticator, email } = await createPasskeyAccount(stage);
    // An authenticator without presence leaves autofill waiting, as people do who have not touched
    // the field yet.
    await authenticator.setAutomaticPresence(false);
    const autofill = page.waitForResponse("**/passkey/options");
    const session = await openSignIn(stage, page, app);
    await autofill;
    await page.waitForLoadState("networkidle");
    await authenticator.setAutomaticPresence(true);
    expect(page.url()).toBe(session.authUrl);
    await button(page, "Sign in with a passkey").click();
    const code = (await backAtTheApp(stage, page)).get("code") ?? "";
    expect((await redeem(stage.service, app, { session, code })).user["email"]).toBe(email);
  });

  it("signs in by autofill, without a press of any button", async () => {
    const { app, page, email } = await createPasskeyAccount(stage);
    const session = await startSignIn(stage, page, app);
    const code = (await backAtTheApp(stage, page)).get("code") ?? "";
    expect((await redeem(stage.service, app, { session, code })).user["email"]).toBe(email);
  });

  it("says what to do when the device could not check who it is, and signs nobody in", async () => {
    const { app, page, authenticator } = await createPasskeyAccount(stage);
    await authenticator.setUserVerified(false);
    const session = await openSignIn(stage, page, app);
    await button(page, "Sign in with a passkey").click();
    expect(await said(page)).toBe(notUsed);
    expect(page.url()).toBe(session.authUrl);
    expect(stage.site.callbacks).toHaveLength(1);
    expect(await focused(page)).toMatchObject({ tag: "button", text: "Sign in with a passkey" });
    await authenticator.setUserVerified(true);
    await button(page, "Sign in with a passkey").click();
    await backAtTheApp(stage, page);
  });

  it.each([
    ["the device could not check who it is", { isUserVerified: false }],
    ["the device has no screen lock", { hasUserVerification: false, isUserVerified: false }],
  ])("creates neither passkey nor account when %s", async (_, options) => {
    const app = await createApp(stage);
    const page = await stage.newPage();
    const authenticator = await addVirtualAuthenticator(page, options);
    await openSignIn(stage, page, app);
    await link(page, "Create account").click();
    await field(page, "Email").fill(newEmail());
    await button(page, "Create a passkey").click();
    expect(await said(page)).toBe("No passkey was created. Try again when you're ready.");
    expect(await authenticator.credentials()).toEqual([]);
    expect(await usersOf(stage.service, app)).toEqual([]);
  });

  it.each(["usb", "internal"] as const)(
    "creates no account with a passkey that can never sign in: %s authenticator that remembers none",
    async (transport) => {
      const app = await createApp(stage);
      const page = await stage.newPage();
      await addVirtualAuthenticator(page, { hasResidentKey: false, transport });
      await switchOffAutofill(page);
      await openSignIn(stage, page, app);
      await link(page, "Create account").click();
      const email = newEmail();
      await field(page, "Email").fill(email);
      await button(page, "Create a passkey").click();
      await Promise.race([page.waitForURL("**/callback?*"), said(page)]);
      const accounts = await usersOf(stage.service, app);
      await openSignIn(stage, page, app);
      await field(page, "Email").fill(email);
      await button(page, "Sign in with a passkey").click();
      const signsIn = await Promise.race([
        page.waitForURL("**/callback?*").then(() => true),
        said(page).then(() => false),
      ]);
      expect(signsIn).toBe(accounts.length === 1);
    },
  );

  it("says so when nobody answers in time, and works at the next press", async () => {
    const { app, page, authenticator } = await createPasskeyAccount(stage);
    await page.route("**/passkey/options", async (route) => {
      const response = await route.fetch();
      const { options } = (await response.json()) as { options: object };
      await route.fulfill({ response, json: { options: { ...options, timeout: 300 } } });
    });
    await authenticator.setAutomaticPresence(false);
    await openSignIn(stage, page, app);
    await button(page, "Sign in with a passkey").click();
    expect(await said(page)).toBe(notUsed);
    await page.unroute("**/passkey/options");
    await authenticator.setAutomaticPresence(true);
    await button(page, "Sign in with a passkey").click();
    await backAtTheApp(stage, page);
  });

  it("says that no passkey was used when the device has none for this app, and leaves the password", async () => {
    const app = await createApp(stage);
    const { email } = await signedUp(stage.service, app);
    const page = await stage.newPage();
    await addVirtualAuthenticator(page);
    await openSignIn(stage, page, app);
    await button(page, "Sign in with a passkey").click();
    expect(await said(page)).toBe(notUsed);
    await fillAccount(page, { email, password: goodPassword }, "Sign in");
    await button(page, "Not now").click();
    await backAtTheApp(stage, page);
  });

  it("refuses what a page of another origin obtained from a real authenticator", async () => {
    const { app, credential } = await createPasskeyAccount(stage);
    const page = await stage.newPage();
    const session = await openSignIn(stage, page, app);
    const challenge = await askForChallenge(page);
    const elsewhere = await stage.newPage();
    const authenticator = await addVirtualAuthenticator(elsewhere);
    await authenticator.addCredential(credential);
    await elsewhere.goto(stage.site.show("/looks-like-sign-in", "<h1>Sign in to Acme</h1>"));
    await postCredential(page, await assertIn(elsewhere, challenge));
    await summary(page).filter({ hasText: "That passkey couldn't be checked." }).waitFor();
    expect((await storedSession(stage.service, session)).signedInAt).toBeNull();
  });

  it("signs no disabled user in", async () => {
    const { app, page, email } = await createPasskeyAccount(stage);
    await disableUser(stage.service, email);
    await switchOffAutofill(page);
    await openSignIn(stage, page, app);
    await button(page, "Sign in with a passkey").click();
    await summary(page).waitFor();
    expect(stage.site.callbacks).toHaveLength(1);
  });

  it("asks for the address before the browser's dialog, and says what is wrong with it beside the field", async () => {
    const app = await createApp(stage);
    const page = await stage.newPage();
    const authenticator = await addVirtualAuthenticator(page);
    await openSignIn(stage, page, app);
    await link(page, "Create account").click();
    await button(page, "Create a passkey").click();
    await page.getByText("Enter your email address.", { exact: true }).waitFor();
    expect(await focused(page)).toMatchObject({ id: "email" });
    await field(page, "Email").fill("ada at example");
    await button(page, "Create a passkey").click();
    await page.getByText("Enter an address like name@example.com.", { exact: true }).waitFor();
    expect(await authenticator.credentials()).toEqual([]);
  });

  it("says that there is no connection, and that a sign-in timed out, where the button needs the service", async () => {
    const { page } = await newSignIn(stage);
    stage.expectComplaint(/ERR_INTERNET_DISCONNECTED/u);
    await page.context().setOffline(true);
    await button(page, "Sign in with a passkey").click();
    expect(await said(page)).toBe("There's no connection right now. Check your network, then try again.");
    await page.context().setOffline(false);
    stage.service.clock.advance(600_000);
    await button(page, "Sign in with a passkey").click();
    await page.getByText("This sign-in has timed out. Go back to Acme").waitFor();
  });

  it("offers no passkey where the browser has none, and explains itself where there is nothing else", async () => {
    const app = await createApp(stage);
    const page = await stage.newPage();
    await page.addInitScript("delete window.PublicKeyCredential");
    const { authUrl } = await openSignIn(stage, page, app);
    expect(await button(page, "Sign in with a passkey").isVisible()).toBe(false);
    expect(await button(page, "Sign in").isVisible()).toBe(true);
    await changeApp(stage.service, app, { methods: { password: false } });
    await page.goto(authUrl);
    expect(await page.getByText("This browser can't use passkeys.").isVisible()).toBe(true);
    const plain = await stage.newPage({ javaScriptEnabled: false });
    await plain.goto(authUrl);
    // Playwright's text locators do not look into noscript.
    expect(await plain.getByRole("main").innerText()).toContain("Passkeys need JavaScript, and it's turned off");
  });
});
