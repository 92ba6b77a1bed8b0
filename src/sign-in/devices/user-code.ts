import type { Random } from "../../lib/random.ts";
import { plainCode } from "../../lib/typed-code.ts";

/** No vowels, and nothing that looks like another letter (RFC 8628 §6.1). */
const letters = "BCDFGHJKLMNPQRSTVWXZ";
const half = 4;
const codeForm = new RegExp(`^[${letters}]{${2 * half}}$`, "u");

/** Bytes from here on would make the first letters more likely. */
const fairBytes = 256 - (256 % letters.length);

/** Eight letters, shown as `WDJB-MJHT`. */
export function newUserCode(random: Random): string {
  let code = "";
  while (code.length < 2 * half) {
    const [byte = 0] = random(1);
    if (byte < fairBytes) code += letters.charAt(byte % letters.length);
  }
  return code;
}

export function shownUserCode(code: string): string {
  return `${code.slice(0, half)}-${code.slice(half)}`;
}

/** The half by which codes are near each other (docs/decisions/0059). */
export function firstHalf(code: string): string {
  return code.slice(0, half);
}

/** The normalised code; undefined if the text cannot be one. */
export function typedUserCode(text: string): string | undefined {
  const code = plainCode(text);
  return codeForm.test(code) ? code : undefined;
}
