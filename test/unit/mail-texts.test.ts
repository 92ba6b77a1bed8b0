import { describe, expect, it } from "vitest";
import { en, type MailTexts } from "../../src/records/mail/texts/en.ts";
import { mailLanguages, mailTextsFor } from "../../src/records/mail/texts/texts.ts";

type Sentence = { name: string; text: string };

/**
 * Every text of a language by its name; each gap of those that have some holds a word of its own.
 */
function sentencesOf(texts: MailTexts): Sentence[] {
  const collect = (value: unknown, name: string): Sentence[] => {
    if (typeof value === "string") return [{ name, text: value }];
    if (typeof value === "function") return [{ name, text: String(value("«one»", "«two»")) }];
    return Object.entries(value as object).flatMap(([key, inner]) => collect(inner, `${name}.${key}`));
  };
  return collect(texts, "");
}

const english = sentencesOf(en);
const others = [...mailLanguages].filter(([tag]) => tag !== "en");

describe("the texts of mails", () => {
  it.each(others)("in %s say everything that the English ones say, and leave no gap out", (_tag, { texts }) => {
    const gaps = (sentences: Sentence[]): Record<string, string[]> =>
      Object.fromEntries(sentences.map(({ name, text }) => [name, text.match(/«(?:one|two)»/gu)?.toSorted() ?? []]));
    const said = gaps(sentencesOf(texts));
    for (const [name, needed] of Object.entries(gaps(english)))
      expect(new Set(said[name]), name).toEqual(new Set(needed));
    expect(Object.keys(said).toSorted()).toEqual(english.map(({ name }) => name).toSorted());
  });

  it.each([...mailLanguages])("in %s are each more than nothing, with no space around", (_tag, { texts }) => {
    const bare = sentencesOf(texts).filter(({ text }) => text === "" || text.trim() !== text);
    expect(bare).toEqual([]);
  });

  it.each(others)("in %s are not the English ones", (_tag, { texts }) => {
    const same = new Map(english.map(({ name, text }) => [name, text]));
    // "Passkey" is the German word, too.
    const untranslated = sentencesOf(texts).filter(({ name, text }) => text.length > 12 && same.get(name) === text);
    expect(untranslated).toEqual([]);
  });

  it("name the app in every subject", () => {
    for (const [tag, { texts }] of mailLanguages)
      for (const [kind, { subject }] of Object.entries(texts.kinds))
        expect(subject("Acme"), `${tag} ${kind}`).toContain("Acme");
  });

  it("keep to the house's words: no exclamation marks, no please, no log in", () => {
    const words = /!|\bplease\b|\boops\b|\bsorry\b|\blog ?in\b|\blog ?out\b|\bregister\b|\binvalid\b/iu;
    expect(english.filter(({ text }) => words.test(text))).toEqual([]);
    for (const [tag, { texts }] of mailLanguages)
      expect(
        sentencesOf(texts).filter(({ text }) => /[!¡！]/u.test(text)),
        tag,
      ).toEqual([]);
  });
});

describe("choosing the language of a mail", () => {
  it("takes the locale, without its region where there is no other", () => {
    const chosen = ["de", "de-AT", "DE_ch", "fr-CA", "pt-BR", "ar-EG", "ja", " es "].map(
      (locale) => mailTextsFor(locale).lang,
    );
    expect(chosen).toEqual(["de", "de", "de", "fr", "pt", "ar", "ja", "es"]);
    expect(mailTextsFor("ar").dir).toBe("rtl");
  });

  it("answers English for whatever it does not know", () => {
    for (const locale of [null, "", "xx", "-", "__proto__", "de;q=1", "\r\nX: y"])
      expect(mailTextsFor(locale)).toMatchObject({ lang: "en", dir: "ltr" });
  });
});
