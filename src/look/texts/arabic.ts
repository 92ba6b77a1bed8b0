const plural = new Intl.PluralRules("ar");

const characterForms: Record<Intl.LDMLPluralRule, (count: number) => string> = {
  zero: (count) => `${count} حرف`,
  one: () => "حرف واحد",
  two: () => "حرفان",
  few: (count) => `${count} أحرف`,
  many: (count) => `${count} حرفًا`,
  other: (count) => `${count} حرف`,
};

const dayForms: Record<Intl.LDMLPluralRule, (count: number) => string> = {
  zero: (count) => `${count} يوم`,
  one: () => "يوم واحد",
  two: () => "يومان",
  few: (count) => `${count} أيام`,
  many: (count) => `${count} يومًا`,
  other: (count) => `${count} يوم`,
};

/** A number of days, in the nominative. */
export function days(count: number): string {
  return dayForms[plural.select(count)](count);
}

/** A number of characters, in the nominative. */
export function characters(count: number): string {
  return characterForms[plural.select(count)](count);
}

/**
 * Isolates a name, usually in Latin letters, so that it does not reorder its neighbours: FIRST
 * STRONG ISOLATE … POP DIRECTIONAL ISOLATE (UAX 9).
 */
export function isolated(name: string): string {
  return `\u2068${name}\u2069`;
}
