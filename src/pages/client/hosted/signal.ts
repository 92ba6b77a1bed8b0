import type { PasskeySignal } from "../../../credentials/passkeys/passkey-signal.ts";
import { first } from "./page.ts";

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
