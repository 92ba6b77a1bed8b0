import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { addVirtualAuthenticator } from "../support/chromium.ts";
import { initiate, newEmail, type Session } from "../support/person.ts";
import type { TestApp } from "../support/service.ts";
import {
  assertIn,
  askForChallenge,
  forgeAssertion,
  postAnswer,
  present,
  verified,
  type Twist,
} from "./support/passkeys.ts";
import { createPasskeyAccount, openForgery, type PasskeyAccount } from "./support/passkey-steps.ts";
import { auditOf, storedSession } from "./support/records.ts";
import { describeInBrowser } from "./support/stage.ts";
import { backAtTheApp, createApp, inPage, openSignIn, summary } from "./support/steps.ts";

describeInBrowser("assertions that prove nothing", (stage) => {
  let account: PasskeyAccount | undefined;

  /** One person for all of these: their authenticator makes nothing but the key. */
  async function somebody(): Promise<PasskeyAccount> {
    account ??= await createPasskeyAccount(stage);
    return account;
  }

  /** The page says that the passkey could not be checked, and the session is as open as before. */
  async function expectRefusal(page: Page, session: Session): Promise<void> {
    await summary(page).waitFor();
    expect(await summary(page).textContent()).toContain("That passkey couldn't be checked.");
    expect((await storedSession(stage.service, session)).signedInAt).toBeNull();
    expect(page.url()).toContain(session.sessionId);
  }

  async function signIns(app: TestApp): Promise<string[]> {
    return (await auditOf(stage.service, app)).filter((event) => event === "sign-in success");
  }

  it("accepts what a test signs honestly, so that the refusals below mean something", async () => {
    const { app, credential } = await somebody();
    const { page, challenge, origin } = await openForgery(stage, app);
    await postAnswer(page, forgeAssertion(credential, { challenge, origin }));
    expect((await backAtTheApp(stage, page)).get("code")).toMatch(/^[\w-]{43}$/u);
  });

  describe("refuses an assertion", () => {
    const twists: [string, Twist][] = [
      ["without user verification", { flags: present }],
      ["without user presence", { flags: verified }],
      ["of no flag at all", { flags: 0 }],
      ["that is backed up although it never can be", { flags: present | verified | 16 }],
      ["for another relying party", { rpId: "evil.localhost" }],
      ["made on another port", { clientData: { origin: "http://localhost:1" } }],
      ["made on another site", { clientData: { origin: "https://acme.example" } }],
      ["made in a frame of another site", { clientData: { crossOrigin: true } }],
      ["made in a frame of a named site", { clientData: { crossOrigin: true, topOrigin: "https://evil.example" } }],
      ["of another ceremony", { clientData: { type: "webauthn.create" } }],
      ["whose signature is not of what is sent", { breakSignature: true }],
      ["with something left over behind its data", { leftover: Buffer.from("more") }],
      ["for another user's handle", { userHandle: Buffer.alloc(32, 1).toString("base64url") }],
    ];

    it.each(twists)("%s", async (_, twist) => {
      const { app, credential } = await somebody();
      const { page, session, challenge, origin } = await openForgery(stage, app);
      await postAnswer(page, forgeAssertion(credential, { challenge, origin }, twist));
      await expectRefusal(page, session);
    });

    it("signed by another passkey's key", async () => {
      const { app, credential } = await somebody();
      const { credential: other } = await createPasskeyAccount(stage, { app });
      const { page, session, challenge, origin } = await openForgery(stage, app);
      const mixed = { ...credential, privateKey: other.privateKey };
      await postAnswer(page, forgeAssertion(mixed, { challenge, origin }));
      await expectRefusal(page, session);
    });

    it("for a challenge that the service never gave", async () => {
      const { app, credential } = await somebody();
      const { page, session, origin } = await openForgery(stage, app);
      const challenge = Buffer.alloc(32, 9).toString("base64url");
      await postAnswer(page, forgeAssertion(credential, { challenge, origin }));
      await expectRefusal(page, session);
    });

    it("for a challenge that is older than five minutes", async () => {
      const { app, credential } = await somebody();
      const { page, session, challenge, origin } = await openForgery(stage, app);
      stage.service.clock.advance(5 * 60_000);
      await postAnswer(page, forgeAssertion(credential, { challenge, origin }));
      await expectRefusal(page, session);
    });

    it("for a challenge that was given to create a passkey", async () => {
      const { app, credential } = await somebody();
      const { page, session, origin } = await openForgery(stage, app);
      await page.goto(`${session.authUrl}/create-account`);
      const challenge = await askForChallenge(page, { email: newEmail(), name: "" });
      await page.goto(session.authUrl);
      await postAnswer(page, forgeAssertion(credential, { challenge, origin }));
      await expectRefusal(page, session);
    });

    it("for the challenge of another session in the same browser", async () => {
      const { app, credential } = await somebody();
      const { page, challenge, origin } = await openForgery(stage, app);
      const second = await openSignIn(stage, page, app);
      await postAnswer(page, forgeAssertion(credential, { challenge, origin }));
      await expectRefusal(page, second);
    });

    it("for the challenge of another browser in the same session", async () => {
      const { app, credential } = await somebody();
      const { session, challenge, origin } = await openForgery(stage, app);
      const page = await stage.newPage();
      await page.goto(session.authUrl);
      await postAnswer(page, forgeAssertion(credential, { challenge, origin }));
      await expectRefusal(page, session);
    });

    it("that has signed somebody in before", async () => {
      const { app, credential } = await somebody();
      const { page, session, challenge, origin } = await openForgery(stage, app);
      const assertion = forgeAssertion(credential, { challenge, origin });
      await postAnswer(page, assertion);
      await backAtTheApp(stage, page);
      const second = await openSignIn(stage, page, app);
      await postAnswer(page, assertion);
      await expectRefusal(page, second);
      const elsewhere = await stage.newPage();
      const third = await openSignIn(stage, elsewhere, app);
      await postAnswer(elsewhere, assertion);
      await expectRefusal(elsewhere, third);
      expect((await storedSession(stage.service, session)).signedInAt).not.toBeNull();
      expect(await auditOf(stage.service, app)).toContain("sign-in failure");
    });

    it("that was refused before, also when it is put right", async () => {
      const { app, credential } = await somebody();
      const { page, session, challenge, origin } = await openForgery(stage, app);
      await postAnswer(page, forgeAssertion(credential, { challenge, origin }, { flags: present }));
      await expectRefusal(page, session);
      await postAnswer(page, forgeAssertion(credential, { challenge, origin }));
      await expectRefusal(page, session);
    });

    it("that a page of another origin obtained from a real authenticator", async () => {
      const { app, credential } = await somebody();
      const { page, session, challenge } = await openForgery(stage, app);
      const elsewhere = await stage.newPage();
      const authenticator = await addVirtualAuthenticator(elsewhere);
      await authenticator.addCredential(credential);
      await elsewhere.goto(stage.site.show("/looks-like-sign-in", "<h1>Sign in to Acme</h1>"));
      const stolen = await assertIn(elsewhere, challenge);
      await postAnswer(page, stolen);
      await expectRefusal(page, session);
    });
  });

  it("signs in once when the same assertion is posted twenty times at once", async () => {
    const { app, credential } = await somebody();
    const { page, challenge, origin } = await openForgery(stage, app);
    const credentialText = JSON.stringify(forgeAssertion(credential, { challenge, origin }));
    const before = (await signIns(app)).length;
    const answers = await inPage<string[]>(
      page,
      `(credential) => {
        const form = document.querySelector("form[data-passkey]");
        const post = async () => {
          const body = new URLSearchParams({ token: form.elements.token.value, credential });
          const { type, status } = await fetch(form.action, { method: "POST", body, redirect: "manual" });
          return type + " " + status;
        };
        return Promise.all(Array.from({ length: 20 }, post));
      }`,
      credentialText,
    );
    expect(answers.filter((answer) => answer === "opaqueredirect 0")).toHaveLength(1);
    expect(await signIns(app)).toHaveLength(before + 1);
  });

  it.each([
    ["nothing", ""],
    ["no JSON", "{"],
    ["another shape", '{"id":1}'],
    ["an endless id", JSON.stringify({ id: "A".repeat(2000), rawId: "A", type: "public-key", response: {} })],
  ])("answers %s instead of a passkey with a page, not a failure", async (_, credential) => {
    const app = await createApp(stage);
    const page = await stage.newPage();
    const session = await initiate(stage.service, app);
    await page.goto(session.authUrl);
    await postAnswer(page, credential);
    await expectRefusal(page, session);
  });
});
