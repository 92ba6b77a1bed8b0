import { invalidRequest, type AppError } from "../lib/errors.ts";
import { didYouMean, nearest } from "../lib/nearest.ts";
import { clip, escapeUnseen, isHttpsAddress, isShowable } from "../lib/text.ts";
import { canonicalEmail } from "../lib/email.ts";
import { mailPlaceholders, type Placeholder } from "../look/own-words.ts";
import { pageLanguages } from "../look/texts/texts.ts";
import type { Labels, OwnText } from "../storage/column-types.ts";

type Rule = { most: number; placeholders: readonly Placeholder[] };

const lengths = { title: 120, subject: 120, intro: 500, footer: 500, label: 60 };
const linkPlace = "footer.link";
const maxLinks = 5;
const maxCharacters = 50_000;

/** Every place, with its rule, in the order of the documentation. */
const places = new Map<string, Rule>([
  ["sign-in.title", { most: lengths.title, placeholders: ["app"] }],
  ["sign-in.intro", { most: lengths.intro, placeholders: ["app"] }],
  ["sign-up.title", { most: lengths.title, placeholders: ["app"] }],
  ["sign-up.intro", { most: lengths.intro, placeholders: ["app"] }],
  ["account.title", { most: lengths.title, placeholders: ["app", "name", "email"] }],
  ["account.intro", { most: lengths.intro, placeholders: ["app", "name", "email"] }],
  ["footer.text", { most: lengths.footer, placeholders: [] }],
  [linkPlace, { most: lengths.label, placeholders: [] }],
  ...Object.entries(mailPlaceholders).flatMap(([kind, placeholders]): [string, Rule][] => [
    [`mail.${kind}.subject`, { most: lengths.subject, placeholders }],
    [`mail.${kind}.intro`, { most: lengths.intro, placeholders }],
  ]),
]);

const placeNames = [...places.keys()];

/** The rule of a place in words, for a form. */
export function ruleOfPlace(place: string): string {
  const { most = 0, placeholders = [] } = places.get(place) ?? {};
  const names = placeholders.map((name) => `{${name}}`).join(", ");
  return `One line of plain text, at most ${most} characters. ${names === "" ? "No placeholders." : `Placeholders: ${names}.`}`;
}

function refused(rule: string): AppError {
  return invalidRequest("settings.texts", rule);
}

/** Null for none. Throws INVALID_REQUEST, whose rule begins with the place. */
export function checkedOwnWords(given: readonly OwnText[] | null | undefined): OwnText[] | null {
  if (!given || given.length === 0) return null;
  const checked = given.map((each, index) => {
    const { place, url } = each;
    // As PostgreSQL stores them.
    const text = Object.fromEntries(Object.entries(each.text).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    const rule = places.get(place);
    if (!rule)
      throw refused(`${escapeUnseen(clip(place, 60))} is not a place${didYouMean(nearest(place, placeNames))}`);
    checkTexts(place, text, rule);
    if (place !== linkPlace) {
      if (url !== undefined) throw refused(`${place}: no url, which only ${linkPlace} has`);
      if (given.findIndex((other) => other.place === place) < index) throw refused(`${place} is given twice`);
      return { place, text };
    }
    if (url === undefined || !isLink(url))
      throw refused(`${place}: url must be an https URL of at most 2048 characters, or mailto: and one address`);
    return { place, text, url };
  });
  if (checked.filter(({ url }) => url !== undefined).length > maxLinks)
    throw refused(`${linkPlace}: at most ${maxLinks}`);
  if (checked.flatMap(({ text }) => Object.values(text)).join("").length > maxCharacters)
    throw refused(`at most ${maxCharacters} characters in all texts together`);
  return checked;
}

function checkTexts(place: string, texts: Labels, { most, placeholders }: Rule): void {
  const languages = [...pageLanguages.keys()];
  const all = Object.entries(texts);
  if (all.length === 0 || !all.every(([lang]) => languages.includes(lang)))
    throw refused(`${place}: text by language, of ${languages.join(", ")}`);
  for (const [lang, text] of all) {
    const problem = problemOf(text, most, placeholders);
    if (problem !== undefined) throw refused(`${place} (${lang}): ${problem}`);
  }
}

function problemOf(text: string, most: number, placeholders: readonly Placeholder[]): string | undefined {
  if (text.trim() === "" || text.length > most || !isShowable(text))
    return `1 to ${most} characters in one line, no control characters`;
  if (/<[a-z/!]/iu.test(text)) return "plain text, no HTML";
  const named = placeholders.map((name) => `{${name}}`);
  if (!/[{}]/u.test(named.reduce((rest, name) => rest.replaceAll(name, ""), text))) return undefined;
  return named.length === 0 ? "no '{' or '}'" : `no '{' or '}' except in ${named.join(", ")}`;
}

/** An address alone: with a subject or text, a mail would begin in somebody else's words. */
function isLink(url: string): boolean {
  const address = /^mailto:([\x21-\x7E]+)$/u.exec(url)?.[1];
  if (address === undefined) return isHttpsAddress(url);
  return !/[?#%&]/u.test(address) && canonicalEmail(address) !== undefined;
}
