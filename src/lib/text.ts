/** Whether a database and a UTF-8 peer give this string back unchanged: no NUL (PostgreSQL refuses it), no lone surrogate. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

/** Embeddings, overrides and isolates: what follows them in a page or a mail reads in another order than it stands there. ZWJ and ZWNJ belong to names. */
const turnsText = /[\u202A-\u202E\u2066-\u2069]/u;

/** Whether a text can stand within others: storable, on one line, and without characters that turn the direction of what follows. */
export function isShowable(text: string): boolean {
  return isStorable(text) && !/\p{Cc}/u.test(text) && !turnsText.test(text);
}

/** At most `most` UTF-16 units, never half a character. For values that strangers choose and we only display (user agents). */
export function clip(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, most).replace(/[\uD800-\uDBFF]$/u, "");
}

/** RFC 3986 has no place for them, and whoever puts an address into markup unescaped is undone by them. */
const notInAddresses = /["<>\\^`{|}]/u;

/** Whether a page may be told to fetch a picture from here: an https address as browsers write them, at most 2,048 characters, without a user. */
export function isHttpsAddress(text: string): boolean {
  if (text.length > 2048 || !/^https:\/\/[\x21-\x7E]+$/u.test(text) || notInAddresses.test(text) || !URL.canParse(text))
    return false;
  const { username, password } = new URL(text);
  return username === "" && password === "";
}

/** The text without line breaks or other control characters: what becomes one header, or one line of a mail. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
}

export const mostNameCharacters = 200;

/** A display name, trimmed; null when empty, undefined when it is too long or not showable. */
export function displayName(text: string): string | null | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  return trimmed.length > mostNameCharacters || !isShowable(trimmed) ? undefined : trimmed;
}
