import { AppError } from "../lib/errors.ts";
import { settingsSchema, type SettingSchema } from "./schema.ts";

/** One setting as each source spells it. */
export type Setting = SettingSchema<unknown> & {
  /** `rateLimits.authentication` */
  key: string;
  /** `AUTHSVC_RATE_LIMITS__AUTHENTICATION` */
  variable: string;
};

/** A value that a source gave, before any check. `origin` is how its author knows it: `config.yaml line 3, column 3: listen.port`, `--port`. */
export type Given = { key: string; value: unknown; origin: string };

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

/** No setting can be called `rule` itself: its group would look like one. */
function isSetting(member: Group | SettingSchema<unknown>): member is SettingSchema<unknown> {
  return "rule" in member;
}

/** `memoryKiB` → `MEMORY_KIB`: a word starts where a capital is followed by a small letter. */
function snake(name: string): string {
  return name.replace(/([a-z\d])([A-Z][a-z])/g, "$1_$2").toUpperCase();
}

/** What a text from the environment or a flag means for a setting. What does not fit stays text, and the schema names the rule. */
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

/** What is wrong with a value by itself, to stand behind its name; undefined when nothing is. */
export function problemOf({ rule }: Setting, value: unknown): string | undefined {
  return rule.accepts(value) ? undefined : rule.problemOf(value);
}

/** The same of the setting with this key, of which there must be one. */
export function settingProblem(key: string, value: unknown): string | undefined {
  const setting = settingsByKey.get(key);
  if (setting === undefined) throw new Error(`there is no setting ${key}`);
  return problemOf(setting, value);
}

/** A refused configuration. `message` names the key and the rule, never a value. */
export function invalidConfig(message: string, cause?: unknown): AppError {
  return new AppError("INVALID_CONFIG", message, { cause });
}
