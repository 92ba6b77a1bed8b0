import { ar } from "./ar.ts";
import { de } from "./de.ts";
import { en, type MailTexts } from "./en.ts";
import { es } from "./es.ts";
import { fr } from "./fr.ts";
import { ja } from "./ja.ts";
import { pt } from "./pt.ts";

export type LocalisedMail = {
  texts: MailTexts;
  /** The BCP 47 tag for the `lang` attribute and Intl. */
  lang: string;
  dir: "ltr" | "rtl";
};

const english: LocalisedMail = { texts: en, lang: "en", dir: "ltr" };

/** One line per language. Keys are lower-case BCP 47 tags. */
export const mailLanguages: ReadonlyMap<string, LocalisedMail> = new Map([
  ["en", english],
  ["de", { texts: de, lang: "de", dir: "ltr" }],
  ["fr", { texts: fr, lang: "fr", dir: "ltr" }],
  ["es", { texts: es, lang: "es", dir: "ltr" }],
  ["pt", { texts: pt, lang: "pt", dir: "ltr" }],
  ["ja", { texts: ja, lang: "ja", dir: "ltr" }],
  ["ar", { texts: ar, lang: "ar", dir: "rtl" }],
]);

/**
 * The texts for a reader's locale, which is untrusted; English if there is none (RFC 4647 section
 * 3.4).
 */
export function mailTextsFor(locale: string | null): LocalisedMail {
  const subtags = (locale ?? "").trim().toLowerCase().replaceAll("_", "-").split("-");
  for (let length = subtags.length; length > 0; length -= 1) {
    const language = mailLanguages.get(subtags.slice(0, length).join("-"));
    if (language !== undefined) return language;
  }
  return english;
}
