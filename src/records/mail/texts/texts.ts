import { bestOf, languagesOf, type Localised } from "../../../lib/languages.ts";
import { ar } from "./ar.ts";
import { de } from "./de.ts";
import { en, type MailTexts } from "./en.ts";
import { es } from "./es.ts";
import { fr } from "./fr.ts";
import { ja } from "./ja.ts";
import { pt } from "./pt.ts";

export type LocalisedMail = Localised<MailTexts>;

export const mailLanguages = languagesOf<MailTexts>({
  en: () => en,
  de: () => de,
  fr: () => fr,
  es: () => es,
  pt: () => pt,
  ja: () => ja,
  ar: () => ar,
});

/** The texts for a reader's locale, which is untrusted; English if there is none. */
export function mailTextsFor(locale: string | null): LocalisedMail {
  return bestOf(mailLanguages, [locale ?? ""]);
}
