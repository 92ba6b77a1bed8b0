import { html, type Html } from "../lib/html.ts";

/** What a page tells the browser about passkeys, in the words of the Signal API (WebAuthn section 5.1.10). Ids and handles are base64url. */
export type PasskeySignal = {
  /** A passkey that nobody here has. */
  unknown?: { rpId: string; credentialId: string };
  /** Every passkey that a user has: what else the browser keeps for this user is gone. */
  all?: { rpId: string; userId: string; allAcceptedCredentialIds: string[] };
  user?: { rpId: string; userId: string; name: string; displayName: string };
};

/** For the browser code to read. */
export function passkeySignal(signal: PasskeySignal | undefined): Html | undefined {
  return signal && html`<div hidden data-signal="${JSON.stringify(signal)}"></div>`;
}
