import type { Page } from "playwright-core";
import { addVirtualAuthenticator, type StoredCredential, type VirtualAuthenticator } from "../../support/chromium.ts";
import { initiate, newEmail, type Session } from "../../support/person.ts";
import type { TestApp } from "../../support/service.ts";
import type { Attestation } from "./passkeys.ts";
import { answerPostedDuring } from "./passkeys.ts";
import type { Stage } from "./stage.ts";
import { backAtTheApp, button, createApp, field } from "./steps.ts";

export type PasskeyAccount = {
  app: TestApp;
  page: Page;
  authenticator: VirtualAuthenticator;
  email: string;
  /** What the browser posted when the passkey was made. */
  attestation: Attestation;
  credential: StoredCredential;
};

/** A person with a passkey, whose browser is back at the app. */
export async function createPasskeyAccount(stage: Stage, given: { app?: TestApp } = {}): Promise<PasskeyAccount> {
  const app = given.app ?? (await createApp(stage, { name: "Acme" }));
  const page = await stage.newPage();
  const authenticator = await addVirtualAuthenticator(page);
  const email = newEmail();
  const session = await initiate(stage.service, app);
  await page.goto(`${session.authUrl}/create-account`);
  await field(page, "Email").fill(email);
  const attestation = await answerPostedDuring<Attestation>(page, () => button(page, "Create a passkey").click());
  await backAtTheApp(stage, page);
  const [credential] = await authenticator.credentials();
  if (!credential) throw new Error("the authenticator holds no passkey");
  return { app, page, authenticator, email, attestation, credential };
}

/** Opens a sign-in page whose authenticator waits, so that autofill does not sign in by itself; it answers the next request. */
export async function openSignInUntouched(
  stage: Stage,
  page: Page,
  app: TestApp,
  authenticator: VirtualAuthenticator,
): Promise<Session> {
  await authenticator.setAutomaticPresence(false);
  const session = await initiate(stage.service, app);
  await Promise.all([page.waitForResponse("**/passkey/options"), page.goto(session.authUrl)]);
  await settled(page);
  await authenticator.setAutomaticPresence(true);
  return session;
}

/** What the page says beside its passkey button, once it says something. */
export async function said(page: Page): Promise<string> {
  const notice = page.getByRole("status").filter({ hasText: /./u });
  await notice.waitFor();
  return ((await notice.textContent()) ?? "").trim();
}

/** The request for autofill is under way: the page asked for its challenge, and had a moment to use it. */
async function settled(page: Page): Promise<void> {
  await page.waitForLoadState("networkidle");
}
