import { crc32 } from "node:zlib";
import type { Random } from "./random.ts";

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const ourForm = /^(?:ak|cs)_([0-9A-Za-z]{43})_([0-9A-Za-z]{6})$/u;
const personalForm = /^pat_([0-9A-Za-z]{43})_([0-9A-Za-z]{6})$/u;
/**
 * For credentials that operators choose, such as for a pipeline written before the service first
 * runs. 32 characters have at least 160 random bits.
 */
const acceptedForm = /^[A-Za-z0-9_.-]{32,256}$/u;

/** The rule for one that an operator chose. */
export const credentialRule =
  "32 to 256 letters, digits, '.', '_' or '-' (one in authsvc's own form must be complete); to make one: authsvc key generate";

/**
 * An API key (`ak`), client secret (`cs`) or personal access token (`pat`): prefix + 256 random
 * bits + CRC-32, letters and digits only: selected by a double click, and recognised reliably by
 * secret scanners.
 */
export function newCredential(prefix: "ak" | "cs" | "pat", random: Random): string {
  const body = base62(BigInt(`0x${Buffer.from(random(32)).toString("hex")}`), 43);
  return `${prefix}_${body}_${checksum(body)}`;
}

/**
 * Whether an API key or client secret can exist: refuses mistyped ones and forms that no command
 * accepts, without reading storage.
 */
export function isPossibleCredential(text: string): boolean {
  const parts = ourForm.exec(text);
  if (parts?.[1] !== undefined) return checksum(parts[1]) === parts[2];
  return acceptedForm.test(text) && !personalForm.test(text);
}

/** Whether a text has the form of a personal access token, with the right check digits. */
export function isPersonalToken(text: string): boolean {
  const [, body, digits] = personalForm.exec(text) ?? [];
  return body !== undefined && checksum(body) === digits;
}

/** Every secret of ours has this form, whatever its prefix. */
const anyOfOurs = /[a-z]{2,4}_([0-9A-Za-z]{43})_([0-9A-Za-z]{6})/gu;

/** Whether a text contains a credential of this form with right check digits, live or not. */
export function containsCredential(text: string): boolean {
  return [...text.matchAll(anyOfOurs)].some(([, body = "", check]) => checksum(body) === check);
}

/** Computed on every call with a key. 32 bits fit into a number. */
function checksum(body: string): string {
  let text = "";
  for (let rest = crc32(body); text.length < 6; rest = Math.floor(rest / 62)) text = digits.charAt(rest % 62) + text;
  return text;
}

function base62(value: bigint, length: number): string {
  let text = "";
  for (let rest = value; text.length < length; rest /= 62n) text = digits.charAt(Number(rest % 62n)) + text;
  return text;
}
