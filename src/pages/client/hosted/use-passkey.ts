import {
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  type PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/browser";
import { runCeremony, send } from "./ceremony.ts";
import { first } from "./page.ts";
import { requestOptions } from "./passkey-options.ts";
import { isBusy, setBusy } from "./send-once.ts";

/** A challenge expires after five minutes. */
const renewMilliseconds = 240_000;

/** The button: opens the browser's dialog with every matching passkey. */
export async function usePasskey(form: HTMLFormElement): Promise<void> {
  const sent = await runCeremony<PublicKeyCredentialRequestOptionsJSON>(
    form,
    // With an address, includes passkeys that authenticators do not list by themselves.
    () => requestOptions(form, { email: first<HTMLInputElement>("#email")?.value.trim() ?? "" }),
    // Starting this cancels the request for autofill.
    (optionsJSON) => startAuthentication({ optionsJSON }),
  );
  if (!sent) void offerInAutofill(form);
}

let renewal: ReturnType<typeof setTimeout>;

/** Offers passkeys in the email field, and keeps the challenge fresh. */
export async function offerInAutofill(form: HTMLFormElement): Promise<void> {
  clearTimeout(renewal);
  if (!first("[autocomplete$=webauthn]") || !(await browserSupportsWebAuthnAutofill())) return;
  const answer = await requestOptions<PublicKeyCredentialRequestOptionsJSON>(form, {});
  // The button may have been pressed by now; starting now would close its dialog.
  if (!("options" in answer) || isBusy(form)) return;
  renewal = setTimeout(offerInAutofill, renewMilliseconds, form);
  try {
    const credential = await startAuthentication({ optionsJSON: answer.options, useBrowserAutofill: true });
    setBusy(form, true);
    send(form, credential);
  } catch {
    // Cancelled by the button, by a renewal or by leaving the page.
  }
}
