import { day, hour, minute } from "../../lib/clock.ts";
import { AppError } from "../../lib/errors.ts";
import type { EmailTokenPurpose } from "../../storage/column-types.ts";

/** How long a mail's link and code are valid. */
export const emailTokenLasts: Record<EmailTokenPurpose, number> = {
  "sign-up": 24 * hour,
  "sign-in": 10 * minute,
  verify: 24 * hour,
  reset: 30 * minute,
  change: hour,
  // Longer than its link is valid: a return to the address is told apart from another change.
  undo: 30 * day,
  invite: 7 * day,
  // The longest time that an operator may choose.
  recovery: day,
};

/** How long the link that restores an earlier address is valid. */
export const undoLinkLasts = 7 * day;

/**
 * Together with `maxMailsOfAddress`: a hundred guesses per hour at 100,000,000 codes of one
 * purpose.
 */
export const maxCodeTries = 5;

const codeDigits = 8;

/** An eight-digit code from eight random bytes; the modulo bias is below 2⁻³⁷. */
export function codeFrom(bytes: Uint8Array): string {
  const number = Buffer.from(bytes).readBigUInt64BE() % 10n ** BigInt(codeDigits);
  return number.toString().padStart(codeDigits, "0");
}

const secretForm = /^[A-Za-z0-9_-]{43}$/u;

/**
 * Whether a text has the form of a link's secret; anything else is refused without reading storage.
 */
export function isLinkSecret(text: string): boolean {
  return secretForm.test(text);
}

/** "taken" if another user got the address while the transaction ran. */
export async function orTaken<T>(outcome: Promise<T>): Promise<T | "taken"> {
  try {
    return await outcome;
  } catch (error) {
    if (error instanceof AppError && error.code === "CONFLICT") return "taken";
    throw error;
  }
}
