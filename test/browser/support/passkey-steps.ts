import type { Page } from "playwright-core";
import { addVirtualAuthenticator, type StoredCredential, type VirtualAuthenticator } from "../../support/chromium.ts";
import { initiate, newEmail } from "../../support/person.ts";
import type { TestApp } from "../../support/service.ts";
import type { Stage } from "./stage.ts";
import { backAtTheApp, button, createApp, field } from "./steps.ts";

export type PasskeyAccount = {
  app: TestApp;
  page: Page;
  authenticator: VirtualAuthenticator;
  email: string;
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
  await button(page, "Create a passkey").click();
  await backAtTheApp(stage, page);
  const [credential] = await authenticator.credentials();
  if (!credential) throw new Error("the authenticator holds no passkey");
  return { app, page, authenticator, email, credential };
}

/**
 * From the next page on, the browser offers no passkeys by autofill: only a press of the button
 * uses one.
 */
export async function switchOffAutofill(page: Page): Promise<void> {
  await page.addInitScript("PublicKeyCredential.isConditionalMediationAvailable = async () => false");
}

/** What the page says beside its passkey button, once it says something. */
export async function said(page: Page): Promise<string> {
  const notice = page.locator(".notice").and(page.getByRole("status")).filter({ hasText: /./u });
  await notice.waitFor();
  return ((await notice.textContent()) ?? "").trim();
}
