import { digestOf, type Random } from "../lib/random.ts";
import { plainCode } from "../lib/typed-code.ts";
import { encodeBase32, inGroups } from "./base32.ts";

export const recoveryCodeCount = 10;
/** 120 bits: nobody guesses one, so a plain digest is stored. */
const recoveryCodeBytes = 15;

/** In the displayed form: 24 characters in groups of four. */
export function newRecoveryCode(random: Random): string {
  return inGroups(encodeBase32(random(recoveryCodeBytes)), "-");
}

/** The digest of a code, in any spelling that `typedFactor` accepts. */
export function recoveryCodeDigest(code: string): string {
  return digestOf(plainCode(code));
}

/** A code that a person typed, normalised. */
export type TypedFactor = { kind: "totp"; code: string } | { kind: "recovery-code"; digest: string };

/** Before anything is looked up by the text. Undefined for what cannot be a code. */
export function typedFactor(text: string): TypedFactor | undefined {
  const code = plainCode(text);
  if (/^[0-9]{6}$/u.test(code)) return { kind: "totp", code };
  return /^[A-Z2-7]{24}$/u.test(code) ? { kind: "recovery-code", digest: digestOf(code) } : undefined;
}
