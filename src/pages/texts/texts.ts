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
  /** BCP 47 tag for the `lang` attribute and for Intl. */
  lang: string;
  dir: Direction;
};

const english: Localised = { texts: en, lang: "en", dir: "ltr" };

/** One line a language, the same as mails have. Keys are lower-case BCP 47 tags: the primary language, or language-region where they differ. */
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
 * The texts for a reader: the locale that the app asked for, else the first accepted language that there is, else English.
 * Both values come from outside and may be anything; what does not read as a language tag is passed over.
 */
export function textsFor(locale: string | undefined, acceptLanguage: string | undefined): Localised {
  for (const tag of [locale ?? "", ...acceptedTags(acceptLanguage ?? "")]) {
    const found = lookUp(tag);
    if (found !== undefined) return found;
  }
  return english;
}

/** RFC 4647 section 3.4: drop subtags from the end until something matches. */
function lookUp(tag: string): Localised | undefined {
  const subtags = tag.trim().toLowerCase().replaceAll("_", "-").split("-");
  for (let length = subtags.length; length > 0; length -= 1) {
    const found = pageLanguages.get(subtags.slice(0, length).join("-"));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The tags of an Accept-Language header, best first; q=0 means "not this one". */
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
