import { html, type Html } from "../../lib/html.ts";

/**
 * What a page tells the browser about passkeys through the Signal API (WebAuthn section 5.1.10).
 * Ids and handles are base64url.
 */
export type PasskeySignal = {
  /** A passkey that does not exist here. */
  unknown?: { rpId: string; credentialId: string };
  /** All passkeys of a user: the browser can forget others it has for this user. */
  all?: { rpId: string; userId: string; allAcceptedCredentialIds: string[] };
  user?: { rpId: string; userId: string; name: string; displayName: string };
};

/** Data for the browser code. */
export function passkeySignal(signal: PasskeySignal | undefined): Html | undefined {
  return signal && html`<div hidden data-signal="${JSON.stringify(signal)}"></div>`;
}
