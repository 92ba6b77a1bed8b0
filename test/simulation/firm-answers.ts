/** Answers as they are compared: the order of an object's keys means nothing. */
export const inOrder = (_key: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value;

export function textOf(value: unknown): string {
  return JSON.stringify(value, inOrder);
}

export function sameText(one: unknown, other: unknown): boolean {
  return textOf(one) === textOf(other);
}

/** Without these fields, such as times. */
export function without(row: Record<string, unknown>, ...names: string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));
}

/** Each as often as it is not in `others`. */
export function surplus(some: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return some.filter((each) => {
    const at = left.indexOf(each);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

/** A plain value as an entry of the log shows it. */
export function shownText(value: unknown): string {
  if (Array.isArray(value)) return value.join(", ");
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

const settings = ["issuer", "clientId", "fixedAddresses", "trustsSecondFactor", "sessionSeconds"] as const;
type Provider = Record<(typeof settings)[number], unknown>;

/** What an entry says of a provider that was changed. */
export function changesOf(before: Provider | undefined, after: Provider): Record<string, unknown> {
  const changed = settings.filter((name) => shownText(before?.[name]) !== shownText(after[name]));
  return Object.fromEntries(
    changed.map((name) => [name, { from: shownText(before?.[name]), to: shownText(after[name]) }]),
  );
}
