import { describe, expect, it } from "vitest";
import { waitingTime } from "../../src/look/duration.ts";
import { en, type Texts } from "../../src/look/texts/en.ts";
import { pageLanguages, textsFor } from "../../src/look/texts/texts.ts";
import { mailLanguages } from "../../src/records/mail/texts/texts.ts";

type Sentence = { name: string; sentence: string };

/** Every text of a language; each gap of those that have some holds a word of its own. */
function sentencesOf(texts: Texts): Sentence[] {
  return Object.entries(texts).map(([name, text]) => ({
    name,
    sentence: typeof text === "string" ? text : text("[one]" as never, "[two]"),
  }));
}

function gapsIn(sentence: string): string[] {
  return [...new Set(sentence.match(/\[(?:one|two)\]/gu))].toSorted();
}

const isolates = /[\u2068\u2069]/gu;
const english = new Map(sentencesOf(en).map(({ name, sentence }) => [name, sentence]));
const languages = [...pageLanguages].map(([tag, { texts }]) => [tag, texts] as const);
const others = languages.filter(([tag]) => tag !== "en");

/** What a language writes like English. */
const sameWords: Partial<Record<string, string[]>> = {
  de: ["code", "name", "optional", "organizationAdmin", "organizationDomain", "organizationDomains", "passkey"],
  fr: ["code", "organizationInvitations"],
  es: ["errorTitle", "organizationRoles", "unticked"],
};

describe.each(languages)("the texts in %s", (tag, texts) => {
  const sentences = sentencesOf(texts);

  it("all say something, without a space around it or an exclamation mark", () => {
    expect(sentences.filter(({ sentence }) => sentence.trim() !== sentence || !/\p{L}/u.test(sentence))).toEqual([]);
    expect(sentences.filter(({ sentence }) => /[!¡！]/u.test(sentence))).toEqual([]);
  });

  it("leave out no name, number or date that the English ones tell", () => {
    expect(sentences.map(({ name }) => name).toSorted()).toEqual([...english.keys()].toSorted());
    for (const { name, sentence } of sentences) expect(gapsIn(sentence), name).toEqual(gapsIn(english.get(name) ?? ""));
  });

  it("name a button that is heard without its surroundings by the words that are seen on it (WCAG 2.5.3)", () => {
    const seenAndHeard = [
      [texts.edit, texts.editProfile],
      [texts.change, texts.changePassword],
      [texts.rename, texts.renameNamed("x")],
      [texts.remove, texts.removeNamed("x")],
      [texts.signOut, texts.signOutNamed("x")],
      [texts.setUp, texts.setUpTitle],
      [texts.replace, texts.replaceTitle],
      [texts.askAgain, texts.askAgainNamed("x")],
      [texts.organizationRoles, texts.organizationRolesOf("x")],
      [texts.organizationDecline, texts.organizationDeclineNamed("x")],
      [texts.show, texts.showCharacters],
      [texts.hide, texts.hideCharacters],
    ] as const;
    for (const [seen, heard] of seenAndHeard)
      expect(heard.toLocaleLowerCase(tag)).toContain(seen.toLocaleLowerCase(tag));
    // A label that held the word would make the field's own label name two controls.
    for (const label of [texts.showCharacters, texts.hideCharacters]) expect(label).not.toContain(texts.password);
  });

  it("call things as the mails do", () => {
    const mails = mailLanguages.get(tag)?.texts;
    expect(mails?.methods.passkey).toBe(texts.passkey);
    // The mail about a changed password tells people to choose this link.
    expect(mails?.kinds["password-changed"].ifNotYou("Acme")).toContain(texts.forgotPassword);
    expect(mails?.browserOn("[one]", "[two]")).toBe(texts.browserOn("[one]", "[two]").replaceAll(isolates, ""));
  });
});

it.each(others)("no text in %s was left in English", (tag, texts) => {
  const same = sentencesOf(texts).filter(({ name, sentence }) => english.get(name) === sentence);
  expect(same.map(({ name }) => name).toSorted()).toEqual(sameWords[tag] ?? []);
});

describe("typography", () => {
  function found(tag: string, pattern: RegExp): Sentence[] {
    const texts = pageLanguages.get(tag)?.texts;
    return texts ? sentencesOf(texts).filter(({ sentence }) => pattern.test(sentence)) : [];
  }

  it("in French has narrow no-break spaces before and inside of what stands high", () => {
    expect(found("fr", /[^\u202f][;?»]|[^\u202f]:(?!\/\/)|«[^\u202f]|'/u)).toEqual([]);
    expect(found("fr", /«\u202f.*\u202f»\u202f\?/u)).toHaveLength(1);
  });

  it("in Spanish opens its questions", () => {
    expect(found("es", /\?/u).length).toBeGreaterThan(5);
    expect(found("es", /^[^¿]*\?/u)).toEqual([]);
  });

  it("in Japanese and Arabic has their own signs", () => {
    expect(found("ja", /[?;,]|:(?!\/\/)|\.(?![a-z])/u)).toEqual([]);
    expect(found("ar", /[?;,]/u)).toEqual([]);
  });

  it("in Arabic keeps every name from turning its neighbours round", () => {
    const others =
      /^(errorTitle|password(Rule|TooShort|TooLong)|nameTooLong|fieldText|tooMany.*|addedOn|changedOn|lastUsed|signedInOn|lastSeen|unproven(Passkeys|Programs|Logins)|trustBrowser|codesLeft|recoveryCodesLeft)$/u;
    const bare = found("ar", /(?<!\u2068)\[(?:one|two)\]|\[(?:one|two)\](?!\u2069)/u);
    expect(bare.filter(({ name }) => !others.test(name))).toEqual([]);
    for (const { sentence, name } of found("ar", /[\u2068\u2069]/u))
      expect(sentence.match(isolates)?.join(""), name).toMatch(/^(\u2068\u2069)+$/u);
  });

  it("in Arabic counts characters as one does", () => {
    const { passwordTooShort } = textsFor("ar", undefined).texts;
    const forms = [1, 2, 8, 15, 100].map((length) => passwordTooShort(length).split(": ")[1]);
    expect(forms).toEqual(["حرف واحد.", "حرفان.", "8 أحرف.", "15 حرفًا.", "100 حرف."]);
  });
});

describe("the English texts", () => {
  it("fill their gaps", () => {
    for (const [name, text] of Object.entries(en))
      expect(gapsIn(english.get(name) ?? ""), name).toHaveLength(typeof text === "string" ? 0 : text.length);
  });

  it("keep to the house's words: no exclamation marks, no please, no log in, no codes", () => {
    const words = /!|\bplease\b|\boops\b|\bsorry\b|\blog ?in\b|\blog ?out\b|\bregister\b|\binvalid\b|\berror \d/i;
    expect([...english].filter(([, sentence]) => words.test(sentence))).toEqual([]);
  });
});

describe("choosing a language", () => {
  it("takes what the app asked for, else what the browser accepts first, without the region where there is no other", () => {
    const chosen = [
      ["de", "fr"],
      ["DE_at", undefined],
      ["pt-BR", "en"],
      [undefined, "fr-CA,fr;q=0.9,en;q=0.8"],
      [undefined, "en;q=0.5, ja"],
      ["xx", "es-419"],
      [undefined, "it, ar;q=0.7, de;q=0.6"],
      [undefined, "de;q=0, en"],
    ].map(([locale, accepted]) => textsFor(locale, accepted).lang);
    expect(chosen).toEqual(["de", "de", "pt", "fr", "ja", "es", "ar", "en"]);
    expect([...pageLanguages.values()].filter(({ dir }) => dir === "rtl").map(({ lang }) => lang)).toEqual(["ar"]);
  });

  it("answers English for whatever it does not know", () => {
    for (const header of [undefined, "", "xx", "it;q=0.9, *;q=0.1", "en-GB,en;q=0.5", ";;;,,,q=", "de;q=x"]) {
      expect(textsFor(undefined, header)).toMatchObject({ lang: "en", dir: "ltr" });
    }
    expect(textsFor("it-CH", "en")).toMatchObject({ lang: "en" });
    expect(textsFor("__proto__", "constructor").texts).toBe(en);
  });

  it("knows the same ones for pages and for mails", () => {
    expect([...pageLanguages].map(([tag, { lang, dir }]) => [tag, lang, dir])).toEqual(
      [...mailLanguages].map(([tag, { lang, dir }]) => [tag, lang, dir]),
    );
  });
});

describe("a waiting time", () => {
  it("is rounded up and has the right plural", () => {
    const times: [number, string][] = [
      [0, "1 second"],
      [1, "1 second"],
      [44.2, "45 seconds"],
      [60, "1 minute"],
      [61, "2 minutes"],
      [240, "4 minutes"],
      [3600, "1 hour"],
      [3700, "2 hours"],
    ];
    for (const [seconds, words] of times) expect(waitingTime(seconds, "en")).toBe(words);
  });

  it("is told in every language", () => {
    const words = [...pageLanguages.keys()].map((lang) => waitingTime(240, lang));
    expect(words.map((word) => word.replaceAll(/\s/gu, " "))).toEqual([
      "4 minutes",
      "4 Minuten",
      "4 minutes",
      "4 minutos",
      "4 minutos",
      "4 分",
      "4 دقائق",
    ]);
  });
});
