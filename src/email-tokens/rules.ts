import { hour, minute } from "../lib/clock.ts";
import type { EmailTokenPurpose } from "./email-token.ts";

/** How long link and code of a mail hold (decision 7). */
export const emailTokenLasts: Record<EmailTokenPurpose, number> = {
  "sign-up": 24 * hour,
  verify: 24 * hour,
  reset: 30 * minute,
};

/** 25 guesses an hour at the codes of one purpose at most, with `mostMails`, of 100,000,000 codes. */
export const mostCodeTries = 5;

/** Mails of one purpose that anybody can have sent to one address of one application, in `mailWindow`. */
export const mostMails = 5;
/** And that one network can have sent to all addresses of all applications in it: an office signs up at once, a list of strangers is not mailed. */
export const mostMailsOfNetwork = 50;
export const mailWindow = hour;

const codeDigits = 8;

/** An eight-digit code out of eight random bytes; the bias of the remainder is below 2⁻³⁷. */
export function codeFrom(bytes: Uint8Array): string {
  const number = Buffer.from(bytes).readBigUInt64BE() % 10n ** BigInt(codeDigits);
  return number.toString().padStart(codeDigits, "0");
}

const secretForm = /^[A-Za-z0-9_-]{43}$/u;

/** Whether a text can be the secret of a link at all; anything else is refused without reading storage. */
export function isLinkSecret(text: string): boolean {
  return secretForm.test(text);
}
