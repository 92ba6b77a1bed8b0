import type { Application } from "../applications/application.ts";
import type { SignInMethod } from "../storage/column-types.ts";
import type { SignInSession } from "./session.ts";

/** What a session requires after a proof. */
export type Step = "done" | "use-passkey" | "create-passkey" | "offer-passkey" | "add-method" | "ask-consent";

/**
 * `hasPasskey`: whether the user has one by now, if that matters (`dependsOnPasskeys`). `mayOffer`:
 * whether the browser can create one and the person has not declined recently.
 */
export type StepFacts = { signedInWith: SignInMethod; hasPasskey: boolean; mayOffer: boolean };

/**
 * The step after a proof. Where passkeys are required, a password or provider alone yields no code
 * (docs/spec/decisions.md, 6), and adds nothing to an account with a passkey: otherwise a thief
 * could use a stolen password to add their own passkey.
 */
export function stepAfter(
  purpose: SignInSession["purpose"],
  application: Application,
  proven: StepFacts,
): Exclude<Step, "ask-consent"> {
  const { signedInWith, hasPasskey, mayOffer } = proven;
  const lacksPasskey = isPasskeyRequired(application) && signedInWith !== "passkey";
  if (lacksPasskey && hasPasskey) return "use-passkey";
  if (purpose === "add-method") return "add-method";
  if (lacksPasskey) return "create-passkey";
  const offers = mayOffer && signedInWith === "password" && !hasPasskey && application.authMethods.passkey.enabled;
  return offers ? "offer-passkey" : "done";
}

/**
 * Whether the next step depends on the user's passkeys. For most sign-ins it does not, which saves
 * a query.
 */
export function dependsOnPasskeys(
  { authMethods: { passkey } }: Application,
  { signedInWith, mayOffer }: Omit<StepFacts, "hasPasskey">,
): boolean {
  return passkey.enabled && signedInWith !== "passkey" && (passkey.required || mayOffer);
}

export function isPasskeyRequired({ authMethods: { passkey } }: Application): boolean {
  return passkey.enabled && passkey.required;
}
