export const maxEmailCharacters = 254;
// ASCII only, as in <input type=email>. Mail servers normalise other forms differently, which has
// let attackers take over accounts (GHSA-7rqj-j65f-68wh, CVE-2026-40574).
const emailForm =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/u;

/**
 * The form in which addresses are stored and compared: trimmed, lower case. Undefined if invalid.
 */
export function canonicalEmail(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed.length > maxEmailCharacters || !/^[\x21-\x7E]+$/u.test(trimmed)) return undefined;
  const email = trimmed.toLowerCase();
  return emailForm.test(email) ? email : undefined;
}

/** Refused in new addresses: characters with a meaning in shells or mail routing. */
const actsElsewhere = /[`${}|&!'%]|^-/u;

/**
 * The canonical form of a new address; undefined if it is invalid or dangerous for other programs.
 */
export function newEmail(text: string): string | undefined {
  const email = canonicalEmail(text);
  if (email === undefined || actsElsewhere.test(email)) return undefined;
  // Many programs treat a domain with a numeric last label as an IP address.
  return /\.(?:[0-9]+|0x[0-9a-f]*)$/u.test(email) ? undefined : email;
}

/** `a…@e….org`: its owner can recognise it. */
export function maskedEmail(email: string): string {
  const [local = "", domain = ""] = email.split("@");
  return `${local.slice(0, 1)}…@${domain.slice(0, 1)}…${domain.slice(domain.lastIndexOf("."))}`;
}
