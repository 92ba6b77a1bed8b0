export const mostEmailCharacters = 254;
// The form that browsers accept in <input type=email> (HTML Living Standard), which is ASCII only; anything more exotic is refused
// rather than compared after some normalisation that the mail server does not share (GHSA-7rqj-j65f-68wh, CVE-2026-40574).
const emailForm =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/u;

/** The one form in which an address is stored and compared: trimmed, lower-case. Undefined when it is not an address. */
export function canonicalEmail(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed.length > mostEmailCharacters || !/^[\x21-\x7E]+$/u.test(trimmed)) return undefined;
  const email = trimmed.toLowerCase();
  return emailForm.test(email) ? email : undefined;
}
