/** The row of a setting: its texts in every interface, and the form of its value. */
import { day, second } from "../lib/clock.ts";
import { durationText, parseDuration } from "../lib/durations.ts";
import { changedValues } from "../records/audit/changes.ts";
import type { SettingChanges } from "../storage/column-types.ts";

/** `T` for a setting of that type. A new field of a change does not compile without its row. */
export type Setting<T = unknown> = {
  label: string;
  /** One sentence, for help, forms, the schema of state files and the reference page. */
  about: string;
  kind: KindOf<T>;
  /** The values of `choice` and `choices`, each with the words that a form shows for it. */
  options?: T extends readonly (infer Each extends string)[]
    ? Record<Each, string>
    : T extends string
      ? Record<T, string>
      : Record<string, string>;
  /** The unit of a number. For a `duration`: the unit in which it is stored. */
  unit?: string;
  /** The range of a number, or of a duration in its units. */
  range?: { least: number; most: number };
  /** The rule in words, if `kind`, `options` and `range` do not state it. */
  rule?: string;
  /** Why a value is refused; undefined if it is not. `before`: the present value. */
  problem?(value: NonNullable<T>, before: unknown): string | undefined;
  /** The value that applies if nothing is set. */
  default?: T | null;
  /** The meaning of an empty value, in words. */
  empty?: string;
  /** The word for no value, in flags and forms. */
  none?: string;
  /** The default is stored as a missing value. */
  leavesOutDefault?: true;
  /**
   * Decides who can sign in and how, the content of tokens, or where people, tokens and data are
   * sent.
   */
  opensAccess: boolean;
  /** In forms, and of `settings` in state files, if it is not the last part of its field. */
  name?: string;
  /** The flag of `create` and `update`, with the name of its value. */
  flag?: string;
  /** Only clients of kind `proxy` have it. */
  onlyProxy?: true;
  /** `app create` has the flag too. */
  atCreation?: true;
  /** The form of the console, if it has its own field there. */
  form?: string;
  /** API keys may set it too. */
  byApiKey?: true;
  /**
   * The audit log shows its values, because anybody may see them. It does so for every value that
   * is chosen or counted; a text, a list or other value may be a secret or about a person.
   */
  isPublic?: true;
  /** What the audit log shows of a value that is public in part. */
  publicPart?(value: NonNullable<T>): string[];
};

/**
 * `duration`: a number of units, written as in 12h. `lines`: a repeatable flag, or lines. `list`:
 * separated by commas. `other`: every interface has its own code for it.
 */
export type SettingKind = "text" | "number" | "duration" | "switch" | "choice" | "choices" | "lines" | "list" | "other";

type KindOf<T> = unknown extends T
  ? SettingKind
  : [T] extends [boolean]
    ? "switch"
    : [T] extends [number]
      ? "number" | "duration"
      : [T] extends [string]
        ? string extends T
          ? "text"
          : "choice"
        : [T] extends [string[]]
          ? "lines" | "list" | "choices" | "other"
          : "other";

/** The paths of a change's fields: `settings.signUp`. */
export type PathsOf<Change> = {
  [Field in keyof Change & string]-?: NonNullable<Change[Field]> extends readonly unknown[] | string | number | boolean
    ? Field
    : `${Field}.${PathsOf<NonNullable<Change[Field]>>}`;
}[keyof Change & string];

/** The type of the field at a path. */
export type At<Change, Path extends string> = Path extends `${infer Field}.${infer Rest}`
  ? At<NonNullable<Change[Field & keyof Change]>, Rest>
  : NonNullable<Change[Path & keyof Change]>;

export type SettingsOf<Change> = { [Path in PathsOf<Change>]: Setting<At<Change, Path>> };

const milliseconds: Record<string, number> = { seconds: second, days: day };

/** Whether a duration may be `off`, which is stored as 0. */
export function canBeOff({ range }: Setting): boolean {
  return range?.least === 0;
}

/** `12h`, `30d` or `off`. */
function durationOf(row: Setting, amount: number): string {
  if (amount === 0 && canBeOff(row)) return "off";
  return row.unit === "days" ? `${amount}d` : durationText(amount * (milliseconds[row.unit ?? ""] ?? 1));
}

/** The inverse: 0 for `off`, NaN for an invalid duration. */
export function amountOf({ unit = "" }: Setting, text: string): number {
  return text === "off" ? 0 : (parseDuration(text) ?? Number.NaN) / (milliseconds[unit] ?? 1);
}

/** A value as people read and write it, in one line. Empty for none. */
export function valueText(row: Setting, value: unknown): string {
  if (value === null || value === undefined) return row.none ?? "";
  if (row.kind === "switch") return value === true ? "on" : "off";
  if (row.kind === "duration") return durationOf(row, value as number);
  if (!Array.isArray(value)) return `${value as string | number}`;
  return (row.publicPart?.(value as never) ?? value).join(", ");
}

/** The field of an application or a client, or what applies while it is not set. */
export function valueIn(thing: object, field: string, row: Setting): unknown {
  const value = field
    .split(".")
    .reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], thing);
  return value === undefined ? row.default : value;
}

/** For the audit log: the old and new values of settings that are neither secret nor personal. */
export function changesIn(
  rows: readonly (readonly [field: string, row: Setting])[],
  before: object,
  after: object,
): SettingChanges {
  return Object.assign(
    {},
    ...rows.map(([field, row]) => {
      const [was, is] = [valueIn(before, field, row), valueIn(after, field, row)];
      return changedValues(field, publicTexts(row, was), publicTexts(row, is));
    }),
  ) as SettingChanges;
}

const chosenOrCounted: readonly SettingKind[] = ["number", "duration", "switch", "choice", "choices"];

function publicTexts(row: Setting, value: unknown): string[] {
  if (value === null || value === undefined) return [];
  if (row.publicPart) return row.publicPart(value);
  if (!row.isPublic && !chosenOrCounted.includes(row.kind)) return [];
  return Array.isArray(value) ? value.map(String) : [valueText(row, value)];
}

/** The object with these values at these paths: `settings.signUp`. It leaves out undefined ones. */
export function objectOf(values: readonly (readonly [path: string, value: unknown])[]): object {
  const whole: Record<string, unknown> = {};
  for (const [path, value] of values) {
    if (value === undefined) continue;
    const names = path.split(".");
    const last = names.pop() ?? "";
    const part = names.reduce((above, name) => (above[name] ??= {}) as Record<string, unknown>, whole);
    part[last] = value;
  }
  return whole;
}

/** Its key in state files: `singleSignOn`, `branding.logo`. */
export function fileKeyOf(field: string, { name }: Setting): string {
  const key = field.replace(/^settings\./u, "");
  return key === field ? field : (name ?? key);
}

/** Without the name of its value. */
export function flagOf({ flag = "" }: Setting): string {
  return flag.split(" ")[0] ?? "";
}

/** Whether a value is a whole number within the setting's range. */
export function isInRange({ range: { least, most } = { least: 0, most: 0 } }: Setting, value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
}

/** Why a setting cannot have a value; undefined if it can. It always may have none. */
export function problemWith(row: Setting, value: unknown, before?: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  const { range, options = {}, rule } = row;
  if (range && !isInRange(row, value)) return rule ?? `a whole number from ${range.least} to ${range.most}`;
  const names = Object.keys(options);
  if (row.kind === "choices" && !names.some((name) => (value as string[]).includes(name)))
    return `at least one of ${names.join(", ")}`;
  return row.problem?.(value, before);
}
