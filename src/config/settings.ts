import { AppError } from "../lib/errors.ts";
import { settingsSchema, type SettingSchema } from "./schema.ts";

/** One setting with its name in each source. */
export type Setting = SettingSchema<unknown> & {
  /** `rateLimits.authentication` */
  key: string;
  /** `AUTHSVC_RATE_LIMITS__AUTHENTICATION` */
  variable: string;
};

/**
 * An unchecked value from a source. `origin` is where its author gave it: `config.yaml line 3,
 * column 3: listen.port`, `--port`. `file` is the file that a secret was read from.
 */
export type Given = { key: string; value: unknown; origin: string; file?: string };

/** Every setting, in the order of the schema. */
export const allSettings: readonly Setting[] = settingsOf(settingsSchema, []);
export const settingsByKey: ReadonlyMap<string, Setting> = new Map(
  allSettings.map((setting) => [setting.key, setting]),
);

type Group = { readonly [name: string]: Group | SettingSchema<unknown> };

function settingsOf(group: Group, above: string[]): Setting[] {
  return Object.entries(group).flatMap(([name, member]) => {
    const path = [...above, name];
    return isSetting(member)
      ? [{ ...member, key: path.join("."), variable: `AUTHSVC_${path.map(snake).join("__")}` }]
      : settingsOf(member, path);
  });
}

/** No setting can be called `rule`: its group would be mistaken for a setting. */
function isSetting(member: Group | SettingSchema<unknown>): member is SettingSchema<unknown> {
  return "rule" in member;
}

/** `memoryKiB` → `MEMORY_KIB`: a word starts at a capital followed by a lower-case letter. */
function snake(name: string): string {
  return name.replace(/([a-z\d])([A-Z][a-z])/g, "$1_$2").toUpperCase();
}

/**
 * Converts text from the environment or a flag to the type of the setting. Text that does not fit
 * is returned unchanged, and the schema rejects it.
 */
export function fromText({ rule: { kind } }: Setting, value: string): unknown {
  if (kind === "number") return /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  if (kind === "flag") return value === "true" ? true : value === "false" ? false : value;
  if (kind === "list")
    return value
      .split(",")
      .map((entry) => entry.trim())
      .filter((entry) => entry !== "");
  return value;
}

/** What is wrong with a value, as a phrase to follow its name; undefined if it is valid. */
export function problemOf({ rule }: Setting, value: unknown): string | undefined {
  return rule.accepts(value) ? undefined : rule.problemOf(value);
}

/** The rejected value as it was read, with hidden characters made visible. Never a secret. */
export function asRead({ rule, doc }: Setting, value: unknown): string {
  const rejected: unknown = Array.isArray(value) ? value.find((part) => !rule.accepts([part])) : value;
  if (typeof rejected !== "string" && typeof rejected !== "number" && typeof rejected !== "boolean") return "";
  const text = String(rejected);
  const hint = isQuoted(text)
    ? "; the quotes are part of it: remove them"
    : /[\r\n]$/u.test(text)
      ? "; it ends with a line break (a file with Windows line ends?)"
      : "";
  // A user name and password in a URL are secret as well.
  if (doc.secret || /:\/\/[^/]*@/u.test(text)) return hint;
  return `; it is ${JSON.stringify(rejected).slice(0, 200)}${hint}`;
}

/** `docker --env-file` and others keep the quotes of a shell. */
export function isQuoted(text: string): boolean {
  return /^(["']).*\1$/su.test(text);
}

/** Like `problemOf`, for a key that must exist. */
export function settingProblem(key: string, value: unknown): string | undefined {
  const setting = settingsByKey.get(key);
  if (setting === undefined) throw new Error(`there is no setting ${key}`);
  return problemOf(setting, value);
}

/** A rejected configuration. `message` names the key and the rule, never a secret. */
export function invalidConfig(message: string, cause?: unknown): AppError {
  return new AppError("INVALID_CONFIG", message, { cause });
}
