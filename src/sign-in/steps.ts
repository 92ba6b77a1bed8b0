import type { Application } from "../applications/application.ts";
import { isEnough, type Asked, type Proven } from "../factors/assurance.ts";
import { isConfined } from "../organizations/provider/provider.ts";
import type { SignInMethod } from "../storage/column-types.ts";
import type { WaitingStep } from "../users/waiting-steps.ts";
import type { SignInSession } from "./session.ts";

/**
 * The session's next requirement after a proof. `prove-anew`: another proof, given now, or of the
 * address. `new-password`: the password must be replaced, and proves nothing else. `see-codes`: all
 * is proven, and the person continues after saving their recovery codes. `company-sign-in`: the
 * organization's provider, too. `own-proof`: what is asked takes more than that provider's word.
 */
export type Step =
  | "done"
  | "use-passkey"
  | "prove-anew"
  | "new-password"
  | "second-factor"
  | "set-up-factor"
  | "see-codes"
  | "create-passkey"
  | "offer-passkey"
  | "add-method"
  | WaitingStep
  | "choose-organization"
  | "company-sign-in"
  | "own-proof"
  | "ask-consent";

/**
 * `hasPasskey`: whether the user has one by now, if that matters (`dependsOnPasskeys`). `mayOffer`:
 * whether the browser can create one and the person has not declined recently. `factor`: what is
 * missing besides the first proof. `isLate`: the provider does not confirm a recent sign-in, and
 * the session requires one. `mustProve`: nothing is issued before the address is proved.
 */
export type StepFacts = {
  signedInWith: SignInMethod;
  hasPasskey: boolean;
  mayOffer: boolean;
  factor: FactorStep | undefined;
  isLate: boolean;
  mustProve: boolean;
  /** The second factor was not asked for, because the browser is trusted. */
  isTrusted: boolean;
  /** The proof rests on a password that must be replaced. `recovers`: by a recovery link, too. */
  mustChange: boolean;
  recovers: boolean;
};

export type FactorStep = "use-passkey" | "second-factor" | "set-up-factor" | "own-proof";

/**
 * The step that makes a proof sufficient; undefined if it is. "unmet": the user cannot reach the
 * level. If a factor is required and missing, the user sets one up.
 */
export function factorStep(proven: Proven, asked: Asked, hasPasskey: boolean): FactorStep | "unmet" | undefined {
  if (isEnough(proven, asked)) return undefined;
  if (asked.acr === "phr") return hasPasskey ? "use-passkey" : "unmet";
  if (asked.hasFactor) return "second-factor";
  if (hasPasskey) return "use-passkey";
  if (!asked.isRequired) return "unmet";
  // Nothing is added to an account on the word of an organization's provider.
  return isConfined(proven) ? "own-proof" : "set-up-factor";
}

/**
 * The step after a proof. If passkeys are required, a password or provider alone yields no code
 * (docs/spec/decisions.md, 6). Nothing is added to an account before its existing factors are
 * proven: otherwise a thief could use a stolen password to add their own passkey.
 */
export function stepAfter(
  purpose: SignInSession["purpose"],
  application: Application,
  proven: StepFacts,
): Exclude<Step, "ask-consent" | "see-codes" | "choose-organization" | "company-sign-in" | WaitingStep> {
  const { signedInWith, hasPasskey, mayOffer, factor, isLate, mustProve, isTrusted, mustChange, recovers } = proven;
  // A recovery link counts only together with a password that proves something.
  if (mustChange && recovers) return "new-password";
  const lacksPasskey = isPasskeyRequired(application) && signedInWith !== "passkey";
  if (lacksPasskey && hasPasskey) return "use-passkey";
  if (factor === "second-factor" || factor === "use-passkey") return factor;
  if (isLate || mustProve) return "prove-anew";
  if (mustChange) return isTrusted ? "second-factor" : "new-password";
  if (purpose === "add-method") return "add-method";
  // Trust adds nothing to an account.
  if (lacksPasskey && signedInWith === "organization") return "own-proof";
  if (lacksPasskey) return isTrusted ? "second-factor" : "create-passkey";
  if (factor !== undefined) return factor;
  const offers =
    mayOffer && !isTrusted && signedInWith === "password" && !hasPasskey && application.authMethods.passkey.enabled;
  return offers ? "offer-passkey" : "done";
}

/**
 * Whether the session begins something for its person. A new proof within the account page, and a
 * method to add, belong to what runs.
 */
export function begins({
  purpose,
  accountUserId,
  recoveryDigest,
}: Pick<SignInSession, "purpose" | "accountUserId" | "recoveryDigest">): boolean {
  if (purpose === "sign-in" || purpose === "tile") return true;
  return purpose === "account" && (accountUserId === null || recoveryDigest !== null);
}

/**
 * Whether the next step depends on the user's passkeys. For most sign-ins it does not, which saves
 * a query.
 */
export function dependsOnPasskeys(
  { authMethods: { passkey } }: Application,
  { signedInWith, mayOffer }: Pick<StepFacts, "signedInWith" | "mayOffer">,
): boolean {
  return passkey.enabled && signedInWith !== "passkey" && (passkey.required || mayOffer);
}

export function isPasskeyRequired({ authMethods: { passkey } }: Application): boolean {
  return passkey.enabled && passkey.required;
}
