import { expect, it } from "vitest";
import { initiate, newEmail } from "../support/person.ts";
import type { TestApp } from "../support/service.ts";
import {
  askForChallenge,
  authenticatorDataIn,
  forgeAssertion,
  postAnswer,
  withAttestationObject,
  withClientData,
} from "./support/passkeys.ts";
import { createPasskeyAccount, openForgery, switchOffAutofill, type PasskeyAccount } from "./support/passkey-steps.ts";
import { auditOf, usersOf } from "./support/records.ts";
import { describeInBrowser } from "./support/stage.ts";
import { backAtTheApp, button, createApp, openSignIn, summary } from "./support/steps.ts";

describeInBrowser("passkeys that are copied or made up", (stage) => {
  let account: PasskeyAccount | undefined;

  /** One person, whose passkey others would like to have. */
  async function somebody(): Promise<PasskeyAccount> {
    account ??= await createPasskeyAccount(stage);
    return account;
  }

  it("lets a passkey sign in whose counter went back, and writes it into the audit log", async () => {
    const { app, page, authenticator } = await createPasskeyAccount(stage);
    await switchOffAutofill(page);
    const signIn = async () => {
      await openSignIn(stage, page, app);
      await button(page, "Sign in with a passkey").click();
      return await backAtTheApp(stage, page);
    };
    await signIn();
    await signIn();
    expect(await flags(app)).toBe(0);

    const [credential] = await authenticator.credentials();
    if (!credential) throw new Error("the passkey is gone");
    await authenticator.clearCredentials();
    await authenticator.addCredential({ ...credential, signCount: 1 });
    expect((await signIn()).get("code")).toMatch(/^[\w-]{43}$/u);
    expect(await flags(app)).toBe(1);
  });

  async function flags(app: TestApp): Promise<number> {
    return (await auditOf(stage.service, app)).filter((event) => event === "passkey.counter failure").length;
  }

  it.each([
    ["does not flag a counter that always stays at zero, as synced passkeys have it", [0, 0], 0],
    ["flags a counter that stands still", [7, 7], 1],
  ])("%s", async (_, counts, flagged) => {
    const { app, credential } = await somebody();
    let before = 0;
    for (const signCount of counts) {
      // The first of the two may be a step back itself: only the second counts.
      before = await flags(app);
      const { page, challenge, origin } = await openForgery(stage, app);
      await postAnswer(page, forgeAssertion(credential, { challenge, origin }, { signCount }));
      await backAtTheApp(stage, page);
    }
    expect((await flags(app)) - before).toBe(flagged);
  });

  it.each([
    ["of the same app", true],
    ["of two apps", false],
  ])("refuses the same credential for two accounts %s", async (_, sameApp) => {
    const { app, attestation, email } = await somebody();
    const target = sameApp ? app : await createApp(stage);
    const page = await stage.newPage();
    const session = await initiate(stage.service, target);
    await page.goto(`${session.authUrl}/create-account`);
    const challenge = await askForChallenge(page, { email: newEmail(), name: "Mallory" });
    await postAnswer(page, withClientData(attestation, { challenge }));
    await summary(page).waitFor();
    expect(await summary(page).textContent()).toContain("This device already has a passkey for this account.");
    expect((await usersOf(stage.service, target)).map((user) => user.email)).toEqual(sameApp ? [email] : []);
    expect(stage.site.callbacks).toEqual([]);
  });

  it.each([
    ["whose maker was not verified", (data: Buffer) => (data[32] = (data[32] ?? 0) & ~4)],
    ["for another relying party", (data: Buffer) => (data[0] = (data[0] ?? 0) ^ 1)],
    // Ed25519 under its newer number -19, which was not offered.
    ["of an algorithm that was not offered", (data: Buffer) => (data[data.indexOf(Buffer.from([3, 0x27])) + 1] = 0x32)],
  ])("refuses a new passkey %s", async (_, change) => {
    const { app, attestation } = await somebody();
    const changed = withAttestationObject(attestation, (bytes) => change(authenticatorDataIn(bytes)));
    expect(changed).not.toEqual(attestation);
    const page = await stage.newPage();
    const session = await initiate(stage.service, app);
    await page.goto(`${session.authUrl}/create-account`);
    const challenge = await askForChallenge(page, { email: newEmail(), name: "" });
    await postAnswer(page, withClientData(changed, { challenge }));
    await summary(page).waitFor();
    expect(await summary(page).textContent()).toContain("That passkey couldn't be saved. Try again.");
    expect(await usersOf(stage.service, app)).toHaveLength(1);
  });

  it.each([
    ["on another origin", { origin: "http://localhost:1" }],
    ["in a frame of another site", { crossOrigin: true }],
    ["by the other ceremony", { type: "webauthn.get" }],
  ])("refuses a new passkey that was made %s", async (_, changes) => {
    const { app, attestation } = await somebody();
    const page = await stage.newPage();
    const session = await initiate(stage.service, app);
    await page.goto(`${session.authUrl}/create-account`);
    const challenge = await askForChallenge(page, { email: newEmail(), name: "" });
    await postAnswer(page, withClientData(attestation, { challenge, ...changes }));
    await summary(page).waitFor();
    expect(await summary(page).textContent()).toContain("That passkey couldn't be saved. Try again.");
    expect(await usersOf(stage.service, app)).toHaveLength(1);
  });
});
