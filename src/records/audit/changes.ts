/** The old and the new values of settings that the audit log shows (docs/decisions/0073). */
import { clip } from "../../lib/text.ts";
import type { SettingChanges } from "../../storage/column-types.ts";

/** The application's server can write these, so their size has a bound. */
const maxCharacters = 500;

/** A value is a list of one. Of longer ones, only what was removed and what was added is kept. */
export function changedValues(field: string, was: readonly string[], is: readonly string[]): SettingChanges {
  if (was.length === is.length && was.every((value, index) => value === is[index])) return {};
  const [removed, added] = [was.filter((value) => !is.includes(value)), is.filter((value) => !was.includes(value))];
  const isOrder = removed.length === 0 && added.length === 0;
  const text = (values: readonly string[]): string => clip(values.join(", "), maxCharacters);
  return { [field]: { from: text(isOrder ? was : removed), to: text(isOrder ? is : added) } };
}

/** Of a URL that only servers see, whose path and query may be a secret. */
export function originText(url: string | null): string[] {
  return url === null || !URL.canParse(url) ? [] : [new URL(url).origin];
}
