import { ar } from "./ar.ts";
import { de } from "./de.ts";
import { en, type Texts } from "./en.ts";
import { es } from "./es.ts";
import { fr } from "./fr.ts";
import { ja } from "./ja.ts";
import { pt } from "./pt.ts";

export type Direction = "ltr" | "rtl";

export type Localised = {
  texts: Texts;
  /** The BCP 47 tag for the `lang` attribute and Intl. */
  lang: string;
  dir: Direction;
};

const english: Localised = { texts: en, lang: "en", dir: "ltr" };

/**
 * One line per language, the same as for mails. Keys are lower-case BCP 47 tags: the language, or
 * language-region where regions differ.
 */
export const pageLanguages: ReadonlyMap<string, Localised> = new Map([
  ["en", english],
  ["de", { texts: de, lang: "de", dir: "ltr" }],
  ["fr", { texts: fr, lang: "fr", dir: "ltr" }],
  ["es", { texts: es, lang: "es", dir: "ltr" }],
  ["pt", { texts: pt, lang: "pt", dir: "ltr" }],
  ["ja", { texts: ja, lang: "ja", dir: "ltr" }],
  ["ar", { texts: ar, lang: "ar", dir: "rtl" }],
]);

/**
 * The texts for a reader: in the app's locale, else the first supported language that the browser
 * accepts, else English. Both values are untrusted; invalid tags are skipped.
 */
export function textsFor(locale: string | undefined, acceptLanguage: string | undefined): Localised {
  for (const tag of [locale ?? "", ...acceptedTags(acceptLanguage ?? "")]) {
    const match = lookUp(tag);
    if (match !== undefined) return match;
  }
  return english;
}

/** RFC 4647 section 3.4: remove subtags from the end until something matches. */
function lookUp(tag: string): Localised | undefined {
  const subtags = tag.trim().toLowerCase().replaceAll("_", "-").split("-");
  for (let length = subtags.length; length > 0; length -= 1) {
    const match = pageLanguages.get(subtags.slice(0, length).join("-"));
    if (match !== undefined) return match;
  }
  return undefined;
}

/** The tags of an Accept-Language header, best first. q=0 excludes a language. */
function acceptedTags(header: string): string[] {
  return header
    .slice(0, 1000)
    .split(",")
    .map((entry) => {
      const [tag = "", ...parameters] = entry.split(";").map((part) => part.trim());
      const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
      return { tag, quality: quality === undefined ? 1 : Number(quality) };
    })
    .filter(({ tag, quality }) => tag !== "" && quality > 0)
    .toSorted((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag);
}
