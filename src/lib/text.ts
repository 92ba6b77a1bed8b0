/** Whether a database and a UTF-8 peer give this string back unchanged: no NUL (PostgreSQL refuses it), no lone surrogate. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

/** At most `most` UTF-16 units, never half a character. For values that strangers choose and we only display (user agents). */
export function clip(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, most).replace(/[\uD800-\uDBFF]$/u, "");
}

/** Whether a page may be told to fetch a picture from here: an https address as browsers write them, at most 2,048 characters, without a user. */
export function isHttpsAddress(text: string): boolean {
  if (text.length > 2048 || !/^https:\/\/[\x21-\x7E]+$/u.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === "" && password === "";
}

/** The text without line breaks or other control characters: what becomes one header, or one line of a mail. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
}

export const mostNameCharacters = 200;

/** A display name, trimmed; null when empty, undefined when it is too long or holds control characters. */
export function displayName(text: string): string | null | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  return trimmed.length > mostNameCharacters || !trimmed.isWellFormed() || /\p{Cc}/u.test(trimmed)
    ? undefined
    : trimmed;
}
