import { browserSupportsWebAuthn, platformAuthenticatorIsAvailable } from "@simplewebauthn/browser";
import type { PasskeySignal } from "../../../credentials/passkeys/passkey-signal.ts";
import { createPasskey, createQuietly } from "./create-passkey.ts";
import { all, first } from "./page.ts";
import { offerInAutofill, usePasskey } from "./use-passkey.ts";

/** Shows and wires the passkey parts of a page, in browsers that support passkeys. */
export function offerPasskeys(): void {
  const supported = browserSupportsWebAuthn();
  if (supported) void tellThatItCan();
  const form = first<HTMLFormElement>("form[data-passkey]");
  if (!form) return;
  for (const part of all(supported ? "[data-passkeys]" : "[data-no-passkeys]")) part.hidden = false;
  if (!supported) return;

  const press = form.dataset.passkey === "create" ? createPasskey : usePasskey;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void press(form);
  });
  if (form.elements.namedItem("conditional")) void createQuietly(form);
  // On every show, also from the back-forward cache: the previous request for autofill has ended.
  if (press === usePasskey) addEventListener("pageshow", () => void offerInAutofill(form));
}

/** Tells the service through the password form that this device can create a passkey. */
async function tellThatItCan(): Promise<void> {
  const said = first<HTMLInputElement>("input[name=passkeys]");
  if (said && (await platformAuthenticatorIsAvailable())) said.disabled = false;
}

/** The browser's Signal API (WebAuthn section 5.1.10); every part is optional. */
type Signals = Partial<{
  signalUnknownCredential(options: object): Promise<void>;
  signalAllAcceptedCredentials(options: object): Promise<void>;
  signalCurrentUserDetails(options: object): Promise<void>;
}>;

/**
 * Tells the browser which passkeys and names are current, so that it stops offering outdated ones.
 */
export function tellCurrentPasskeys(): void {
  const text = first("[data-signal]")?.dataset.signal;
  const signals = (globalThis as { PublicKeyCredential?: Signals }).PublicKeyCredential;
  if (text === undefined || !signals) return;
  const { unknown, all, user } = JSON.parse(text) as PasskeySignal;
  const quietly = (): void => {};
  if (unknown) signals.signalUnknownCredential?.(unknown).catch(quietly);
  if (all) signals.signalAllAcceptedCredentials?.(all).catch(quietly);
  if (user) signals.signalCurrentUserDetails?.(user).catch(quietly);
}
