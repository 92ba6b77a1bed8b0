/** What a sign-in has proven, and the one decision whether that is enough. */
import { minute } from "../lib/clock.ts";
import type { Acr, AppSettings, SecondFactorProof, SignInMethod, SignInProof } from "../storage/column-types.ts";

/** A sign-in, browser session or login. `proofs`: null if there is only `signedInWith`. */
export type Proven = {
  signedInWith: SignInMethod | "operator";
  proofs: SignInProof[] | null;
  secondFactor: SecondFactorProof | null;
};

/**
 * When a person was proven: here at `at`, or when their provider says that it did (`elsewhereAt`;
 * null: it was here). 0: nobody knows (docs/decisions/0074).
 */
export function provenTime(at: number, elsewhereAt: number | null): number {
  return Math.min(at, elsewhereAt ?? at);
}

/** What a door asks for. */
export type Asked = {
  /** By the application, a group of the user, or the client. */
  isRequired: boolean;
  /** Whether the user has set up a factor, which is then asked for where none is required. */
  hasFactor: boolean;
  acr?: Acr | null;
  /** Whether a trusted browser will do. */
  takesTrust: boolean;
};

/** How long a proof lets users change their account (docs/spec/decisions.md, 6). */
export const proofIsFresh = 10 * minute;

/** From weak to strong. */
export const acrValues = ["urn:authsvc:acr:1", "urn:authsvc:acr:2", "phr"] as const satisfies Acr[];

/**
 * What was done, and never more. A passkey is two factors, because its user was verified. A factor
 * that was set up during the sign-in is not counted: who knows the password could do that.
 */
export function acrOf({ signedInWith, proofs, secondFactor }: Proven): Acr {
  if (proofs === null ? signedInWith === "passkey" : proofs.includes("passkey")) return "phr";
  const isSecond = secondFactor === "totp" || secondFactor === "recovery-code" || secondFactor === "provider";
  return isSecond ? "urn:authsvc:acr:2" : "urn:authsvc:acr:1";
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

/** Every door asks here: each proof, each code, each refresh, each page of the account. */
export function isEnough(proven: Proven, { isRequired, hasFactor, acr, takesTrust }: Asked): boolean {
  const reached = acrOf(proven);
  if (acr && !isAtLeast(reached, acr)) return false;
  // The provider's factor never stands in for one of the user's own.
  if (reached !== "urn:authsvc:acr:1" && !(hasFactor && proven.secondFactor === "provider")) return true;
  if (!isRequired && !hasFactor) return true;
  if (proven.secondFactor === "trusted") return takesTrust;
  return proven.secondFactor === "new-totp" || proven.proofs?.includes("new-passkey") === true;
}
