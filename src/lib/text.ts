/**
 * Whether databases and UTF-8 peers preserve this string: no NUL (PostgreSQL refuses it), no lone
 * surrogate.
 */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

/**
 * Invisible characters, and characters that change how others are shown: controls, line separators,
 * direction marks, fillers, tags.
 */
const unseen = /\p{Cc}|\p{Zl}|\p{Zp}|\p{Bidi_Control}|\p{Default_Ignorable_Code_Point}|\p{Noncharacter_Code_Point}/u;

/**
 * Joiners in scripts and emoji: ZWJ and ZWNJ between letters, ZWJ between pictures, the variation
 * selector that turns a character into a picture.
 */
const joiner =
  /(?<=[\p{L}\p{M}])[\u200C\u200D](?=[\p{L}\p{M}])|(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])\u200D(?=\p{Extended_Pictographic})|(?<=\p{Emoji})\uFE0F/u;

const joinersOrUnseen = new RegExp(`(?<joiner>${joiner.source})|${unseen.source}`, "gu");

/** Whether a text can be shown within other text: storable, one line, no invisible characters. */
export function isShowable(text: string): boolean {
  return isStorable(text) && escapeUnseen(text) === text;
}

/**
 * Escapes invisible characters as `\\u001b`, in UTF-16 units as JSON does. Characters in `kept` are
 * not escaped.
 */
export function escapeUnseen(text: string, kept = ""): string {
  return text.replace(joinersOrUnseen, (character, joins: string | undefined) =>
    joins !== undefined || kept.includes(character) ? character : escaped(character),
  );
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/**
 * At most `most` UTF-16 units, without splitting a character. For values that strangers choose and
 * we only display, such as user agents.
 */
export function clip(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, most).replace(/[\uD800-\uDBFF]$/u, "");
}

/** Why a text is not a URL in its normalised form; undefined if it is one. */
export function plainTextProblem(text: string): string | undefined {
  if (/^[\x21-\x7E]*$/u.test(text)) return undefined;
  return "ASCII without spaces: a host with other letters is written with xn--, other characters as in %C3%BC";
}

/** RFC 3986 does not allow them, and they are dangerous in markup that forgets to escape. */
const notInAddresses = /["<>\\^`{|}]/u;

/**
 * Whether pages may load a picture from this URL: https, normalised, at most 2,048 characters, no
 * user name.
 */
export function isHttpsAddress(text: string): boolean {
  if (text.length > 2048 || !/^https:\/\/[\x21-\x7E]+$/u.test(text) || notInAddresses.test(text) || !URL.canParse(text))
    return false;
  const { username, password } = new URL(text);
  return username === "" && password === "";
}

/**
 * Whether a URL's host consists of letters, digits, dots and hyphens (IDN as xn--) or is an IP
 * address. The URL class allows `;` and `,`.
 */
export function hasPlainHost({ hostname }: URL): boolean {
  return /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])$/u.test(hostname);
}

/** Removes line breaks and other control characters from text for a header or a line of a mail. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
}

/** `one, two or three` */
export function listInWords(words: readonly string[], last: "and" | "or"): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
}

export const maxNameCharacters = 200;

/** A display name, trimmed. Null if empty; undefined if too long or not showable. */
export function displayName(text: string): string | null | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  return trimmed.length > maxNameCharacters || !isShowable(trimmed) ? undefined : trimmed;
}

/**
 * A value of a header without the space and tab around it (RFC 9110 §5.6.3). `trim()` also removes
 * byte 0xA0 (docs/decisions/0047), and a regular expression takes quadratic time.
 */
export function withoutBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text[start])) start += 1;
  while (end > start && isBlank(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

function isBlank(character: string | undefined): boolean {
  return character === " " || character === "\t";
}

/** The first letter as people see it: one grapheme, possibly several code points. */
export function initialOf(name: string): string {
  // Created here, not at import: the first segmenter of a process takes 11 ms, further ones 6 µs.
  const [first] = new Intl.Segmenter().segment(name.trim());
  return first?.segment.toUpperCase() ?? "";
}

/** With a capital at the start, as a sentence or a label has it. */
export function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
