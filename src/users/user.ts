/** Somebody who signs in to one application. Instants are epoch milliseconds. */
export type User = {
  id: string;
  appId: string;
  email: string | null;
  emailVerified: boolean;
  name: string | null;
  picture: string | null;
  handle: string;
  createdAt: number;
  updatedAt: number;
  disabledAt: number | null;
  lastLoginAt: number | null;
  loginCount: number;
  lastIpAddress: string | null;
  lastUserAgent: string | null;
};

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

export const mostNameCharacters = 200;

/** A display name, trimmed; null when empty, undefined when it is too long or holds control characters. */
export function canonicalName(text: string): string | null | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  return trimmed.length > mostNameCharacters || !trimmed.isWellFormed() || /\p{Cc}/u.test(trimmed)
    ? undefined
    : trimmed;
}
