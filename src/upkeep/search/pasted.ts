/** Ids in what somebody pasted from a log or an address, whatever stands around them. */

export const idKinds = ["usr", "app", "cli", "whe", "key", "grp", "org", "lgn", "aud", "evt", "req"] as const;
export type IdKind = (typeof idKinds)[number];

/** `ends`: of an id that the console has shortened, which `id` begins. */
export type PastedId = { kind: IdKind; id: string; ends?: string };

const maxIds = 5;
/** A generated id, or one that an operator chose; then what the console leaves out, and the end. */
const idForm = new RegExp(
  String.raw`(?<![a-z\d])(${idKinds.join("|")})_(?:[\da-z]{26}(?![\w-])|[\w-]{1,60})(?:…([\da-z]{6}))?`,
  "giu",
);

export function pastedIds(text: string): PastedId[] {
  const found = [...decoded(text).matchAll(idForm)].map(([whole, kind = "", ends]): PastedId => {
    const [id = ""] = whole.split("…");
    // Generated ids have small letters; operators may have chosen others for an application.
    const isSmall = isGenerated(id) || ends !== undefined;
    const known = kind.toLowerCase() as IdKind;
    return { kind: known, id: isSmall ? id.toLowerCase() : id, ...(ends && { ends: ends.toLowerCase() }) };
  });
  const once = [...new Map(found.map((each) => [`${each.id}…${each.ends ?? ""}`, each])).values()];
  // In an address, the last one is what it shows.
  return /^\S+:\/\/\S+$/u.test(text.trim()) ? once.slice(-1) : once.slice(0, maxIds);
}

export function isGenerated(id: string): boolean {
  return /^[a-z]{3}_(?:[\da-z]{26}|[\da-f]{32})$/iu.test(id);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
