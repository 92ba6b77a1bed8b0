import type { Application, SignInMethod } from "../applications/application.ts";
import type { SignInSession } from "./session.ts";

/** What a session wants after somebody has proven who they are. */
export type Step = "done" | "use-passkey" | "create-passkey" | "offer-passkey" | "add-method";

/** `hasPasskey`: whether the user has one by now, where that matters (`dependsOnPasskeys`); `mayOffer`: whether the browser can make one and the person has not just said no. */
export type Proven = { signedInWith: SignInMethod; hasPasskey: boolean; mayOffer: boolean };

/**
 * The step after a proof. Where passkeys are required, a password or a provider alone gets nobody a code (decision 6), and adds nothing to an
 * account that has a passkey: whoever stole a password would add a passkey of their own.
 */
export function stepAfter(purpose: SignInSession["purpose"], application: Application, proven: Proven): Step {
  const { signedInWith, hasPasskey, mayOffer } = proven;
  const lacksPasskey = isPasskeyRequired(application) && signedInWith !== "passkey";
  if (lacksPasskey && hasPasskey) return "use-passkey";
  if (purpose === "add-method") return "add-method";
  if (lacksPasskey) return "create-passkey";
  const offers = mayOffer && signedInWith === "password" && !hasPasskey && application.authMethods.passkey.enabled;
  return offers ? "offer-passkey" : "done";
}

/** Whether the step after a proof depends on the user's passkeys: most sign-ins need not ask for them. */
export function dependsOnPasskeys(
  { authMethods: { passkey } }: Application,
  { signedInWith, mayOffer }: Omit<Proven, "hasPasskey">,
): boolean {
  return passkey.enabled && signedInWith !== "passkey" && (passkey.required || mayOffer);
}

export function isPasskeyRequired({ authMethods: { passkey } }: Application): boolean {
  return passkey.enabled && passkey.required;
}
