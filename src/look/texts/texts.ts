import { bestOf, languagesOf, type Localised as InLanguage } from "../../lib/languages.ts";
import { ar } from "./ar.ts";
import { de } from "./de.ts";
import { en, type Texts } from "./en.ts";
import { es } from "./es.ts";
import { fr } from "./fr.ts";
import { ja } from "./ja.ts";
import { pt } from "./pt.ts";

export type Localised = InLanguage<Texts>;

export const pageLanguages = languagesOf<Texts>({
  en: () => en,
  de: () => de,
  fr: () => fr,
  es: () => es,
  pt: () => pt,
  ja: () => ja,
  ar: () => ar,
});

/**
 * The texts for a reader: in the app's locale, else the first supported language that the browser
 * accepts, else English. Both values are untrusted; invalid tags are skipped.
 */
export function textsFor(locale: string | undefined, acceptLanguage: string | undefined): Localised {
  return bestOf(pageLanguages, [locale ?? "", ...acceptedTags(acceptLanguage ?? "")]);
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
