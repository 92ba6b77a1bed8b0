import * as z from "zod";
import { AppError } from "../lib/errors.ts";
import { settingDocs, settingsSchema } from "./schema.ts";
import type { SettingDoc } from "./schema.ts";

/** One setting as each source spells it. */
export type Setting = {
  /** `rateLimits.authentication` */
  key: string;
  /** `AUTHSVC_RATE_LIMITS__AUTHENTICATION` */
  variable: string;
  kind: "number" | "flag" | "list" | "text";
  /** `undefined` where there is none, or where it depends on other settings. */
  defaultValue: unknown;
  doc: SettingDoc;
};

/** A value that a source gave, before any check. `origin` is how its author knows it: `config.yaml line 3, column 3: listen.port`, `--port`. */
export type Given = { key: string; value: unknown; origin: string };

/** Every setting, in the order of the schema. */
export const allSettings: readonly Setting[] = list(settingsSchema, []);
export const settingsByKey: ReadonlyMap<string, Setting> = new Map(
  allSettings.map((setting) => [setting.key, setting]),
);

function list(group: z.ZodObject, above: string[]): Setting[] {
  return Object.entries(group.shape).flatMap(([name, schema]): Setting[] => {
    const path = [...above, name];
    if (schema instanceof z.ZodObject) return list(schema, path);
    const doc = settingDocs.get(schema as z.ZodType);
    if (doc === undefined) throw new Error(`the setting ${path.join(".")} has no description`);
    const defaultValue: unknown = schema instanceof z.ZodDefault ? schema.def.defaultValue : undefined;
    return [
      {
        key: path.join("."),
        variable: `AUTHSVC_${path.map(snake).join("__")}`,
        kind: kindOf(schema),
        defaultValue,
        doc,
      },
    ];
  });
}

function kindOf(schema: unknown): Setting["kind"] {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) return kindOf(schema.def.innerType);
  if (schema instanceof z.ZodArray) return "list";
  if (schema instanceof z.ZodBoolean) return "flag";
  return schema instanceof z.ZodNumber ? "number" : "text";
}

/** `memoryKiB` → `MEMORY_KIB`: a word starts where a capital is followed by a small letter. */
function snake(name: string): string {
  return name.replace(/([a-z\d])([A-Z][a-z])/g, "$1_$2").toUpperCase();
}

/** What a text from the environment or a flag means for a setting. What does not fit stays text, and the schema names the rule. */
export function fromText(setting: Setting, value: string): unknown {
  if (setting.kind === "number") return /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  if (setting.kind === "flag") return value === "true" ? true : value === "false" ? false : value;
  if (setting.kind === "list")
    return value
      .split(",")
      .map((entry) => entry.trim())
      .filter((entry) => entry !== "");
  return value;
}

/** The rule that a value of one setting breaks by itself, or undefined. */
export function settingProblem(key: string, value: unknown): string | undefined {
  let schema: z.ZodType = settingsSchema;
  for (const name of key.split(".")) schema = (schema as z.ZodObject).shape[name] as z.ZodType;
  return schema.safeParse(value).error?.issues[0]?.message;
}

/** A refused configuration. `message` names the key and the rule, never a value. */
export function invalidConfig(message: string, cause?: unknown): AppError {
  return new AppError("INVALID_CONFIG", message, { cause });
}
