import type { Page } from "playwright-core";
import { inPage } from "./steps.ts";

/** Asks the service for a challenge, as the script of the page does. */
export async function askForChallenge(page: Page): Promise<string> {
  return await inPage<string>(
    page,
    `async () => {
      const form = document.querySelector("form[data-passkey]");
      const body = new URLSearchParams({ token: form.elements.token.value });
      const answer = await fetch(form.dataset.options, { method: "POST", body });
      return (await answer.json()).options.challenge;
    }`,
  );
}

/** Posts a credential, as JSON, through the page's own form. */
export async function postCredential(page: Page, credential: string): Promise<void> {
  await Promise.all([
    page.waitForEvent("framenavigated"),
    inPage(
      page,
      `(credential) => {
        const form = document.querySelector("form[data-passkey]");
        form.elements.credential.value = credential;
        form.submit();
      }`,
      credential,
    ),
  ]);
}

/** Runs a ceremony by hand in whatever page is open; its result, as JSON, is not sent anywhere. */
export async function assertIn(page: Page, challenge: string): Promise<string> {
  return await inPage<string>(
    page,
    `async (challenge) => {
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON({ challenge, rpId: "localhost", userVerification: "required" });
      return JSON.stringify(await navigator.credentials.get({ publicKey }));
    }`,
    challenge,
  );
}
