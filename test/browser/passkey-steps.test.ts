import { decodeJwt } from "jose";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import * as applications from "../../src/applications/service.ts";
import { addingSession, signedUpIn } from "../support/adding.ts";
import { addVirtualAuthenticator } from "../support/chromium.ts";
import { isLongRun } from "../support/long-run.ts";
import { goodPassword, newEmail, redeem, type Session, signedUp } from "../support/person.ts";
import type { TestApp } from "../support/service.ts";
import { createPasskeyAccount, switchOffAutofill } from "./support/passkey-steps.ts";
import { deleteUser, usersOf } from "./support/records.ts";
import { describeInBrowser, type Stage } from "./support/stage.ts";
import {
  backAtTheApp,
  button,
  createApp,
  fillAccount,
  heading,
  inPage,
  openSignIn,
  summary,
  startSignIn,
} from "./support/steps.ts";
import { runsLong } from "../support/left-out.ts";

/** An app of which a person has an account by password. */
async function appWithAccount(stage: Stage): Promise<{ app: TestApp; email: string }> {
  const app = await createApp(stage, { name: "Acme" });
  const { email } = await signedUp(stage.service, app);
  return { app, email };
}

async function signInByPassword(stage: Stage, page: Page, app: TestApp, email: string): Promise<Session> {
  const session = await openSignIn(stage, page, app);
  await page.waitForLoadState("networkidle");
  await fillAccount(page, { email, password: goodPassword }, "Sign in");
  return session;
}

async function requirePasskey(stage: Stage, app: TestApp): Promise<void> {
  const change = { authMethods: { passkey: { required: true } } };
  await applications.update(stage.service.server.app.ctx, app.id, change, { kind: "cli", name: "test" });
}

/**
 * Makes the browser create passkeys conditionally, as WebAuthn §5.1.3 says: never for pages that
 * require verification, and with flags that `change` changes.
 */
async function createConditionally(page: Page, change: string): Promise<void> {
  await page.addInitScript(`
    PublicKeyCredential.getClientCapabilities = async () => ({ conditionalCreate: true });
    const create = navigator.credentials.create.bind(navigator.credentials);
    navigator.credentials.create = async ({ mediation, ...options }) => {
      const conditional = mediation === "conditional";
      if (conditional && options.publicKey.authenticatorSelection.userVerification === "required")
        throw new DOMException("", "ConstraintError");
      const credential = await create(options);
      if (!conditional) return credential;
      const bytes = new Uint8Array(credential.response.attestationObject);
      // After the key "authData", a length of one byte and the digest of the relying party's id.
      const flags = bytes.subarray(new TextDecoder("latin1").decode(bytes).indexOf("authData") + 8 + 2 + 32);
      ${change};
      Object.defineProperty(credential.response, "attestationObject", { value: bytes.buffer });
      return credential;
    };
  `);
}

describeInBrowser("a passkey offered after a password", (stage) => {
  it("is created at a press, and signs in to the app", async () => {
    const { app, email } = await appWithAccount(stage);
    const page = await stage.newPage();
    const authenticator = await addVirtualAuthenticator(page);
    const session = await signInByPassword(stage, page, app, email);
    expect(await heading(page).textContent()).toBe("Sign in faster next time");
    await button(page, "Create a passkey").click();
    const code = (await backAtTheApp(stage, page)).get("code") ?? "";
    const { user } = await redeem(stage.service, app, { session, code });
    expect(user["authMethods"]).toEqual({ passkey: true, oauth: [], password: true });
    expect(await authenticator.credentials()).toHaveLength(1);
  });

  it("is created without a press where the browser does so after a stored password", async () => {
    const { app, email } = await appWithAccount(stage);
    const page = await stage.newPage();
    const authenticator = await addVirtualAuthenticator(page);
    await createConditionally(page, "flags[0] &= ~5");
    const session = await signInByPassword(stage, page, app, email);
    const code = (await backAtTheApp(stage, page)).get("code") ?? "";
    const { user } = await redeem(stage.service, app, { session, code });
    expect(user["authMethods"]).toEqual({ passkey: true, oauth: [], password: true });
    expect(await authenticator.credentials()).toHaveLength(1);
    // The passkey signs in from now on, verified.
    await startSignIn(stage, page, app);
    await backAtTheApp(stage, page);
  });

  it("can wait, and is not offered again for a while", async ({ skip }) => {
    skip(!isLongRun, runsLong);
    const { app, email } = await appWithAccount(stage);
    const page = await stage.newPage();
    await addVirtualAuthenticator(page);
    await signInByPassword(stage, page, app, email);
    await button(page, "Not now").click();
    await backAtTheApp(stage, page);
    await signInByPassword(stage, page, app, email);
    await backAtTheApp(stage, page);
    stage.service.clock.advance(61 * 24 * 3_600_000);
    await signInByPassword(stage, page, app, email);
    expect(await heading(page).textContent()).toBe("Sign in faster next time");
  });

  it("is not offered where the device can make none", async () => {
    const { app, email } = await appWithAccount(stage);
    const page = await stage.newPage();
    await signInByPassword(stage, page, app, email);
    await backAtTheApp(stage, page);
  });

  it("is not offered to who has one", async ({ skip }) => {
    skip(!isLongRun, runsLong);
    const { app, page, email } = await createPasskeyAccount(stage);
    await switchOffAutofill(page);
    const session = await addPassword(stage, app, page);
    expect(session).toBeDefined();
    await signInByPassword(stage, page, app, email);
    await backAtTheApp(stage, page);
  });
});

/** Gives the account of this browser a password, through the page for it. */
async function addPassword(stage: Stage, app: TestApp, page: Page): Promise<Session> {
  const signedIn = await openSignIn(stage, page, app);
  await button(page, "Sign in with a passkey").click();
  const code = (await backAtTheApp(stage, page)).get("code") ?? "";
  const { accessToken } = await redeem(stage.service, app, { session: signedIn, code });
  const session = await addingSession(stage.service, app, accessToken, { type: "password" });
  await page.goto(session.authUrl);
  expect(await heading(page).textContent()).toBe("Add a password");
  await page.getByLabel("New password").fill(goodPassword);
  await button(page, "Save password").click();
  expect((await backAtTheApp(stage, page)).get("status")).toBe("added");
  return session;
}

describeInBrowser("authMethods.passkey.required", (stage) => {
  it("gives nobody a code for a password: first the passkey is created", async () => {
    const { app, email } = await appWithAccount(stage);
    await requirePasskey(stage, app);
    const page = await stage.newPage();
    await addVirtualAuthenticator(page);
    const session = await signInByPassword(stage, page, app, email);
    expect(await heading(page).textContent()).toBe("Create a passkey to continue");
    expect(stage.site.callbacks).toHaveLength(0);
    expect(await page.getByRole("button", { name: "Not now" }).count()).toBe(0);
    const skipped = await inPage<string>(
      page,
      `async () => (await fetch(location.href + "/step/skip", { method: "POST", redirect: "manual",
        body: new URLSearchParams({ token: document.querySelector("[name=token]").value }) })).type`,
    );
    expect(skipped).toBe("opaqueredirect");
    await page.goto(session.authUrl);
    expect(await heading(page).textContent()).toBe("Create a passkey to continue");
    await button(page, "Create a passkey").click();
    const code = (await backAtTheApp(stage, page)).get("code") ?? "";
    const { accessToken } = await redeem(stage.service, app, { session, code });
    const claims = decodeJwt(accessToken) as {
      amr: string[];
    };
    // A passkey made on the strength of a password is no second factor yet.
    expect(claims.amr).toEqual(["pwd", "pop", "user"]);
  });

  it("asks for the passkey that there is, and takes nobody else's", async ({ skip }) => {
    skip(!isLongRun, runsLong);
    const { app, page, authenticator, email, credential } = await createPasskeyAccount(stage);
    await switchOffAutofill(page);
    await addPassword(stage, app, page);
    await requirePasskey(stage, app);
    await signInByPassword(stage, page, app, email);
    expect(await heading(page).textContent()).toBe("Now use your passkey");
    await button(page, "Use your passkey").click();
    await backAtTheApp(stage, page);

    const stranger = await createPasskeyAccount(stage, { app });
    await switchOffAutofill(stranger.page);
    await signInByPassword(stage, stranger.page, app, email);
    const allowed = stranger.page.waitForResponse("**/step/passkey/options");
    await stranger.page.waitForLoadState("networkidle");
    await button(stranger.page, "Use your passkey").click();
    const { options } = (await (await allowed).json()) as { options: { allowCredentials: { id: string }[] } };
    expect(options.allowCredentials.map(({ id }) => id)).toEqual([
      Buffer.from(credential.credentialId, "base64").toString("base64url"),
    ]);
    await stranger.page.getByRole("status").filter({ hasText: "No passkey was used" }).waitFor();
    expect(await authenticator.credentials()).toHaveLength(1);
  });

  it("makes a new account by password create its passkey first", async ({ skip }) => {
    skip(!isLongRun, runsLong);
    const app = await createApp(stage, { name: "Acme" });
    await requirePasskey(stage, app);
    const page = await stage.newPage();
    await addVirtualAuthenticator(page);
    const session = await openSignIn(stage, page, app);
    await page.goto(`${session.authUrl}/create-account`);
    await fillAccount(page, { email: newEmail(), password: goodPassword }, "Create account");
    await heading(page).filter({ hasText: "Create a passkey to continue" }).waitFor();
    await button(page, "Create a passkey").click();
    expect((await backAtTheApp(stage, page)).get("code")).toHaveLength(43);
    expect(await usersOf(stage.service, app)).toHaveLength(1);
  });
});

describeInBrowser("adding a passkey", (stage) => {
  it("names the account, asks for a proof in this browser, then signs in with the new passkey", async () => {
    const app = await createApp(stage, { name: "Acme" });
    const { accessToken, email } = await signedUpIn(stage.service, app);
    const session = await addingSession(stage.service, app, accessToken, { type: "passkey", state: "back" });
    const page = await stage.newPage();
    const authenticator = await addVirtualAuthenticator(page);
    await page.goto(session.authUrl);
    expect(await heading(page).textContent()).toBe("Confirm it's you");
    // In full only to a browser that is signed in as its user.
    expect(await page.getByText(`${email.slice(0, 1)}…@e….org`).isVisible()).toBe(true);
    await fillAccount(page, { email, password: goodPassword }, "Sign in");
    expect(await heading(page).textContent()).toBe("Add a passkey");
    expect(await page.getByText(email).isVisible()).toBe(true);
    await button(page, "Create a passkey").click();
    const brought = await backAtTheApp(stage, page);
    expect(Object.fromEntries(brought)).toEqual({
      status: "added",
      methodId: expect.stringMatching(/^mth_/u),
      state: "back",
      sessionId: session.sessionId,
    });
    expect(await authenticator.credentials()).toHaveLength(1);
    const [user] = await usersOf(stage.service, app);
    const [credential] = await authenticator.credentials();
    expect(Buffer.from(credential?.userHandle ?? "", "base64").toString("base64url")).toBe(user?.handle);

    // By autofill: the authenticator answers by itself.
    const signedIn = await startSignIn(stage, page, app);
    const code = (await backAtTheApp(stage, page)).get("code") ?? "";
    expect((await redeem(stage.service, app, { session: signedIn, code })).user["email"]).toBe(email);
  });

  it("is refused by an authenticator that holds one already", async () => {
    const { app, page, authenticator } = await createPasskeyAccount(stage);
    await switchOffAutofill(page);
    const signedIn = await openSignIn(stage, page, app);
    await button(page, "Sign in with a passkey").click();
    const code = (await backAtTheApp(stage, page)).get("code") ?? "";
    const { accessToken } = await redeem(stage.service, app, { session: signedIn, code });
    const session = await addingSession(stage.service, app, accessToken, { type: "passkey" });
    await page.goto(session.authUrl);
    await button(page, "Create a passkey").click();
    await page.getByRole("status").filter({ hasText: "already has a passkey" }).waitFor();
    expect(await authenticator.credentials()).toHaveLength(1);
  });
});

describeInBrowser("a passkey that is unknown here", (stage) => {
  /** What the page tells the browser's Signal API after a sign-in with this app. */
  async function signalled(page: Page, app: TestApp): Promise<unknown[]> {
    const signals: unknown[] = [];
    await page.exposeFunction("recordSignal", (options: unknown) => void signals.push(options));
    await page.addInitScript("PublicKeyCredential.signalUnknownCredential = (options) => recordSignal(options)");
    await openSignIn(stage, page, app);
    await button(page, "Sign in with a passkey").click();
    await summary(page).filter({ hasText: "isn't linked to an account" }).waitFor();
    await page.waitForLoadState("networkidle");
    return signals;
  }

  it("is told to the browser, so that it stops offering it (Signal API)", async () => {
    const { app, page, email, credential } = await createPasskeyAccount(stage);
    await switchOffAutofill(page);
    await deleteUser(stage.service, email);
    const credentialId = Buffer.from(credential.credentialId, "base64").toString("base64url");
    expect(await signalled(page, app)).toEqual([{ rpId: "localhost", credentialId }]);
  });

  it("is left alone when another application of the same relying party knows it", async ({ skip }) => {
    skip(!isLongRun, runsLong);
    const { page } = await createPasskeyAccount(stage);
    await switchOffAutofill(page);
    expect(await signalled(page, await createApp(stage))).toEqual([]);
  });
});
