import { textsFor } from "../look/texts/texts.ts";

/** The first language of `ui_locales` that our pages speak; null if there is none. */
export function supportedLocale(uiLocales: string | null | undefined): string | null {
  return uiLocales?.split(" ").find((tag) => tag !== "" && tag.length <= 35 && isSupported(tag)) ?? null;
}

function isSupported(tag: string): boolean {
  const [language = ""] = tag.toLowerCase().split("-");
  return textsFor(tag, undefined).lang.toLowerCase().split("-")[0] === language;
}
