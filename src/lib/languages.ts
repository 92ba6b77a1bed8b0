export type Direction = "ltr" | "rtl";

export type Localised<Texts> = {
  readonly texts: Texts;
  /** The BCP 47 tag for the `lang` attribute and Intl. */
  lang: string;
  dir: Direction;
};

/**
 * The languages of pages and mails. Keys are lower-case BCP 47 tags: the language, or
 * language-region where regions differ.
 */
const directions = { en: "ltr", de: "ltr", fr: "ltr", es: "ltr", pt: "ltr", ja: "ltr", ar: "rtl" } as const;

export type Languages<Texts> = ReadonlyMap<string, Localised<Texts>>;

type Tag = keyof typeof directions;

/** `texts`: read when first shown, so that the executable loads a language only then. */
export function languagesOf<Texts>(texts: Record<Tag, () => Texts>): Languages<Texts> {
  const localised = (lang: Tag): Localised<Texts> => ({
    get texts() {
      return texts[lang]();
    },
    lang,
    dir: directions[lang],
  });
  return new Map((Object.keys(directions) as Tag[]).map((lang) => [lang, localised(lang)]));
}

/** The first supported language of untrusted tags, else English. Invalid tags are skipped. */
export function bestOf<Texts>(languages: Languages<Texts>, tags: readonly string[]): Localised<Texts> {
  for (const tag of tags) {
    // RFC 4647 section 3.4: remove subtags from the end until something matches.
    const subtags = tag.trim().toLowerCase().replaceAll("_", "-").split("-");
    for (let length = subtags.length; length > 0; length -= 1) {
      const match = languages.get(subtags.slice(0, length).join("-"));
      if (match !== undefined) return match;
    }
  }
  return languages.get("en") as Localised<Texts>;
}
