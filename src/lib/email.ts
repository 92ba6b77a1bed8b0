export const maxEmailCharacters = 254;
// ASCII only, as in <input type=email>. Mail servers normalise other forms differently, which has
// let attackers take over accounts (GHSA-7rqj-j65f-68wh, CVE-2026-40574).
const emailForm =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/u;

/**
 * The form in which addresses are stored and compared: trimmed, lower case, the domain as its
 * A-label. Undefined if invalid.
 */
export function canonicalEmail(text: string): string | undefined {
  const trimmed = text.trim();
  const at = trimmed.lastIndexOf("@");
  // Checked before it is lower-cased: "K" (U+212A) becomes "k".
  const local = at < 1 ? "" : trimmed.slice(0, at);
  if (trimmed.length > maxEmailCharacters || !/^[\x21-\x7E]+$/u.test(local)) return undefined;
  const email = `${local.toLowerCase()}@${canonicalDomain(trimmed.slice(at + 1)) ?? ""}`;
  return email.length <= maxEmailCharacters && emailForm.test(email) ? email : undefined;
}

/** IDNA 2003 reads `ss` and another sigma, and Node 20 does for the capital one. */
const hasTwoReadings = /[ßẞς]/u;

/**
 * A domain in lower case, in ASCII by UTS 46. Undefined if that is not possible, or if it would
 * turn a character into an ASCII one or into nothing: other programs may read it differently.
 */
export function canonicalDomain(domain: string): string | undefined {
  if (/^[\x21-\x7E]*$/u.test(domain)) return domain.toLowerCase();
  if (!/^(?:(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{M}\p{N}.-])+$/u.test(domain)) return undefined;
  if ([...domain].some((sign) => sign > "\x7F" && /[\0-\x7F]/u.test(sign.normalize("NFKC").toLowerCase())))
    return undefined;
  if (hasTwoReadings.test(domain)) return undefined;
  // `url.domainToASCII` is the same, but also reads numbers, ports and paths of an ASCII domain.
  const url = `http://${domain}`;
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}

/** Refused in new addresses: characters with a meaning in shells or mail routing. */
const actsElsewhere = /[`${}|!%]|^-/u;
/** Many programs treat such a domain as an IP address. */
const endsInNumber = /\.(?:\d+|0x[\da-f]*)$/iu;

/**
 * The canonical form of a new address; undefined if it is invalid or dangerous for other programs.
 */
export function newEmail(text: string): string | undefined {
  const email = canonicalEmail(text);
  return email === undefined || actsElsewhere.test(email) || endsInNumber.test(email) ? undefined : email;
}

export type EmailProblem = "missing" | "invalid" | "unsupported";

/**
 * The error for a text that `canonicalEmail` or `newEmail` refuses. `unsupported`: only the part
 * before the `@` is invalid here, and such an address may exist.
 */
export function emailProblem(text: string): EmailProblem {
  const trimmed = text.trim();
  if (trimmed === "") return "missing";
  const other = trimmed.replace(/^[^\s\p{Cc}@]{1,64}@/u, "a@");
  return canonicalEmail(other) === undefined || endsInNumber.test(other) ? "invalid" : "unsupported";
}

/** `a…@e….org`: its owner can recognise it. */
export function maskedEmail(email: string): string {
  const [local = "", domain = ""] = email.split("@");
  return `${local.slice(0, 1)}…@${domain.slice(0, 1)}…${domain.slice(domain.lastIndexOf("."))}`;
}
