/** Whether a database and a UTF-8 peer give this string back unchanged: no NUL (PostgreSQL refuses it), no lone surrogate. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

/** At most `most` UTF-16 units, never half a character. For values that strangers choose and we only display (user agents). */
export function clip(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, most).replace(/[\uD800-\uDBFF]$/u, "");
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
