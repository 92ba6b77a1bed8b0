/** How texts are compared in a search for people, and what one asks (docs/decisions/0079). */
import { invalidRequest } from "../lib/errors.ts";
import { isId } from "../lib/names.ts";
import { isShowable } from "../lib/text.ts";

/** An address has up to 254 characters. */
export const maxSearchCharacters = 256;
const maxWords = 16;
/** With more people who wait to be folded, they are not counted. */
export const maxNotSearchable = 10_000;

const latinAndLike = String.raw`\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}`;
const marksOfLetters = new RegExp(String.raw`([${latinAndLike}])\p{M}+`, "gu");
const replaced: Record<string, string> = {
  ł: "l",
  ø: "o",
  ß: "ss",
  æ: "ae",
  œ: "oe",
  đ: "d",
  ð: "d",
  þ: "th",
  ħ: "h",
  ı: "i",
  // Which of the two `toLowerCase` writes depends on what follows, and a word may end anywhere.
  ς: "σ",
  "‘": "'",
  "’": "'",
  ʼ: "'",
  "‐": "-",
};
const replacedOnes = new RegExp(`[${Object.keys(replaced).join("")}]`, "gu");

/** The same for texts that people take for the same. A change of it is a new `foldNumber`. */
export function fold(text: string): string {
  return text
    .replaceAll("…", " ")
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(marksOfLetters, "$1")
    .normalize("NFC")
    .replaceAll(replacedOnes, (letter) => replaced[letter] ?? letter);
}

/** What a search reads of a user: no word of a query has a blank, so none spans two of these. */
export function foldedUser({ email, name }: { email: string | null; name: string | null }): string {
  const folded = fold(name ?? "");
  const joined = folded.replaceAll(/['-]/gu, "");
  return [fold(email ?? ""), folded, ...(joined === folded ? [] : [joined])].join(" ").trim();
}

/**
 * What a user must have: `text`, a part of what is folded, or the id. An id is found as a whole, or
 * by its beginning and its end, never by a part in the middle.
 */
export type Term = { text?: string; id?: { whole: string } | { begins: string; ends: string } };

/** The whole id of one user, or all of the terms. */
export type SearchText = { id: string } | { terms: Term[] };

/** As the service writes ids, and as the console shortens them: `usr_01kz…75xkhz`. */
const wholeId = /^usr_[\da-hjkmnp-tv-z]{26}$/u;
const shortened = /^(\S{8})…(\S{6})$/u;

/** Reads what somebody typed. Throws INVALID_REQUEST. */
export function searchText(typed: string): SearchText {
  const text = typed.trim();
  if (text === "" || text.length > maxSearchCharacters || !isShowable(text))
    throw invalidRequest("search", `1 to ${maxSearchCharacters} characters, no control characters`);
  if (wholeId.test(text.toLowerCase())) return { id: text.toLowerCase() };
  const terms = text.split(/\s+/u).flatMap(termsOf);
  const words = [...new Set(terms.flatMap((term) => (term.id ? [] : [term.text ?? ""])))];
  // A word within another one asks for nothing more.
  const asked = words.filter((word) => !words.some((other) => other !== word && other.includes(word)));
  const ids = terms.filter(({ id }) => id);
  if (asked.length + ids.length > maxWords) throw invalidRequest("search", `at most ${maxWords} words`);
  if (asked.length + ids.length === 0) throw invalidRequest("search", "a part of an address or name, or a user ID");
  // Imports bring ids of other forms, which are found as a whole.
  if (asked.length === 1 && ids.length === 0 && isId(text))
    return { terms: [{ text: asked[0] ?? "", id: { whole: text } }] };
  return { terms: [...ids, ...asked.map((word) => ({ text: word }))] };
}

function termsOf(token: string): Term[] {
  const [, begins, ends] = shortened.exec(token) ?? [];
  if (begins !== undefined && ends !== undefined) {
    const asWritten = (part: string): string => (begins.toLowerCase().startsWith("usr_") ? part.toLowerCase() : part);
    return [{ id: { begins: asWritten(begins), ends: asWritten(ends) } }];
  }
  const folded = fold(token)
    .split(/\s+/u)
    .filter((word) => word !== "");
  if (!folded[0]?.startsWith("usr_") || folded.length > 1) return folded.map((text) => ({ text }));
  return [{ text: folded[0], id: { begins: folded[0], ends: "" } }];
}

/** Whether a folded text has all of the words. */
export function matches(terms: readonly Term[], { id, folded }: { id: string; folded: string }): boolean {
  return terms.every(
    (term) =>
      (term.text !== undefined && folded.includes(term.text)) ||
      (term.id &&
        ("whole" in term.id ? id === term.id.whole : id.startsWith(term.id.begins) && id.endsWith(term.id.ends))),
  );
}
