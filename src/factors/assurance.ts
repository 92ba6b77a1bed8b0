/** The proofs of a sign-in, and the one decision whether they are enough. */
import { minute } from "../lib/clock.ts";
import type { Acr, AppSettings, SecondFactorProof, SignInMethod, SignInProof } from "../storage/column-types.ts";

/** A sign-in, browser session or login. `proofs`: null if there is only `signedInWith`. */
export type Proven = {
  signedInWith: SignInMethod | "operator";
  proofs: SignInProof[] | null;
  secondFactor: SecondFactorProof | null;
};

/**
 * When a person was authenticated: here at `at`, or at their provider, by its claim (`elsewhereAt`;
 * null: it was here). 0: unknown (docs/decisions/0074).
 */
export function provenTime(at: number, elsewhereAt: number | null): number {
  return Math.min(at, elsewhereAt ?? at);
}

/** The requirements of a sign-in, code or page. */
export type Asked = {
  /** By the application, a group of the user, or the client. */
  isRequired: boolean;
  /** Whether the user has set up a factor; it is then asked for even if none is required. */
  hasFactor: boolean;
  acr?: Acr | null;
  /** Whether a trusted browser is enough. */
  takesTrust: boolean;
};

/** How long a proof lets users change their account (docs/spec/decisions.md, 6). */
export const proofIsFresh = 10 * minute;

/** From weak to strong. */
export const acrValues = ["urn:authsvc:acr:1", "urn:authsvc:acr:2", "phr"] as const satisfies Acr[];

/**
 * The level that was reached. A passkey is two factors, because its user was verified. A factor
 * that was set up during the sign-in does not count: anybody who knows the password could set one
 * up.
 */
export function acrOf({ signedInWith, proofs, secondFactor }: Proven): Acr {
  if (proofs === null ? signedInWith === "passkey" : proofs.includes("passkey")) return "phr";
  const isSecond = secondFactor === "totp" || secondFactor === "recovery-code" || secondFactor === "provider";
  return isSecond ? "urn:authsvc:acr:2" : "urn:authsvc:acr:1";
}

/** Whether the password is what a proof rests on: without it, it would not be one. */
export function restsOnPassword(proven: Proven): boolean {
  return acrOf(proven) !== "phr" && (proven.proofs ?? [proven.signedInWith]).includes("password");
}

export function isAtLeast(acr: Acr, asked: Acr): boolean {
  return acrValues.indexOf(acr) >= acrValues.indexOf(asked);
}

/** By the application, or (`isRequired`) by a group of the user or the client. */
export function isFactorRequired(
  { settings }: { settings: Pick<AppSettings, "secondFactor"> },
  others: { isRequired: boolean } | undefined,
): boolean {
  return settings.secondFactor === "required" || others?.isRequired === true;
}

/** Asked for every proof, code, refresh and page of the account. */
export function isEnough(proven: Proven, { isRequired, hasFactor, acr, takesTrust }: Asked): boolean {
  const reached = acrOf(proven);
  if (acr && !isAtLeast(reached, acr)) return false;
  // The provider's factor never replaces one of the user's own.
  if (reached !== "urn:authsvc:acr:1" && !(hasFactor && proven.secondFactor === "provider")) return true;
  if (!isRequired && !hasFactor) return true;
  if (proven.secondFactor === "trusted") return takesTrust;
  return proven.secondFactor === "new-totp" || proven.proofs?.includes("new-passkey") === true;
}
