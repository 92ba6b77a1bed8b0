/** Values of the profile fields that an application defines (docs/decisions/0101). */
import { isOnRealDay } from "../lib/clock.ts";
import { invalidRequest } from "../lib/errors.ts";
import { isShowable } from "../lib/text.ts";
import type { Labels, ProfileField, ProfileValues } from "../storage/column-types.ts";

type Value = string | number | boolean;

export type ShownProfile = Record<string, Value>;

/** Who writes: the person what is theirs to edit; servers, operators and an import everything. */
export type ProfileWriter = "user" | "server" | "import";

const maxNumberCharacters = 24;

/** Labels are in base languages: `en`, `pt`. */
export function labelIn(labels: Labels, lang: string): string {
  return labels[lang] ?? labels["en"] ?? Object.values(labels)[0] ?? "";
}

/** The rule of a field's values, in words. */
function ruleOf({ type, maxLength, options = [] }: ProfileField): string {
  const rules: Record<ProfileField["type"], string> = {
    text: `1 to ${maxLength} characters, no control characters`,
    number: "a number",
    date: "a date such as 2026-01-31",
    choice: `one of ${options.map(({ value }) => value).join(", ")}`,
    checkbox: "true or false",
    phone: "a phone number: 4 to 15 digits, with + in front of a country code",
  };
  return rules[type];
}

/** The stored form of a value; undefined if it breaks the field's rule. */
function read({ type, maxLength = 0, options = [] }: ProfileField, value: unknown): Value | undefined {
  if (type === "number") return typeof value === "number" && Number.isFinite(value) ? value : undefined;
  if (type === "checkbox") return typeof value === "boolean" ? value : undefined;
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  switch (type) {
    case "date":
      return /^\d{4}-\d\d-\d\d$/u.test(text) && isOnRealDay(text) ? text : undefined;
    case "choice":
      return options.some((option) => option.value === text) ? text : undefined;
    case "phone": {
      const digits = text.replaceAll(/[\s().\-/]/gu, "");
      return /^\+?\d{4,15}$/u.test(digits) ? digits : undefined;
    }
    case "text":
      return text !== "" && text.length <= maxLength && isShowable(text) ? text : undefined;
  }
}

const switches: Record<string, boolean> = { true: true, on: true, yes: true, false: false, off: false, no: false };

/** What a field of a form or a flag means: null for an empty text. */
export function valueFromText({ type }: ProfileField, text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  if (type === "checkbox") return Object.hasOwn(switches, trimmed) ? switches[trimmed] : trimmed;
  if (type !== "number") return trimmed;
  const isNumber = /^-?\d+(?:\.\d+)?$/u.test(trimmed) && trimmed.length <= maxNumberCharacters;
  return isNumber ? Number(trimmed) : trimmed;
}

/** A value as a form shows it. */
export function textOfValue(value: Value | null | undefined): string {
  return value === null || value === undefined ? "" : String(value);
}

/** A required checkbox is answered by a tick only. */
function isAnswered({ required }: ProfileField, value: Value | null | undefined): boolean {
  return required ? value !== undefined && value !== null && value !== false : value !== undefined;
}

/** What a sign-in asks for: only what the person can answer. */
export function fieldsToAsk(
  fields: readonly ProfileField[] | null | undefined,
  { profile, lastLoginAt }: { profile: ProfileValues | null; lastLoginAt: number | null },
): ProfileField[] {
  return (fields ?? []).filter(
    (field) =>
      field.editableBy === "user" &&
      (field.askAt === "nextSignIn" || (field.askAt === "signUp" && lastLoginAt === null)) &&
      !isAnswered(field, storedValue(profile, field)),
  );
}

/** A value of another type is from before the field had this one. */
function storedValue(profile: ProfileValues | null, { name, type }: ProfileField): Value | null | undefined {
  const value = profile && Object.hasOwn(profile, name) ? profile[name] : undefined;
  const jsType = type === "number" ? "number" : type === "checkbox" ? "boolean" : "string";
  return value === null || typeof value === jsType ? value : undefined;
}

/** The values that a person has, in the order of the fields; undefined if there are none. */
export function shownProfile(
  fields: readonly ProfileField[] | null | undefined,
  profile: ProfileValues | null,
): ShownProfile | undefined {
  const values = (fields ?? []).flatMap((field): [string, Value][] => {
    const value = storedValue(profile, field);
    return value === undefined || value === null ? [] : [[field.name, value]];
  });
  return values.length === 0 ? undefined : Object.fromEntries(values);
}

/**
 * The values after a change, which has only what is to change: null clears. Throws INVALID_REQUEST
 * naming the field, such as `profile.team`.
 */
export function changedProfile(
  fields: readonly ProfileField[] | null | undefined,
  before: ProfileValues | null,
  change: unknown,
  by: ProfileWriter,
): ProfileValues | null {
  if (typeof change !== "object" || change === null || Array.isArray(change))
    throw invalidRequest("profile", "an object with values by the names of fields");
  const after = new Map(Object.entries(before ?? {}));
  for (const [name, value] of Object.entries(change) as [string, unknown][]) {
    const field = (fields ?? []).find((each) => each.name === name);
    if (!field) throw invalidRequest(`profile.${name.slice(0, 64)}`, "not a profile field of this application");
    const checked = checkedValue(field, value, by);
    // The person's null is an answer: they are not asked again. The server's removes the value.
    if (checked === null && by === "server") after.delete(name);
    else after.set(name, checked);
  }
  return after.size === 0 ? null : Object.fromEntries(after);
}

/** Throws INVALID_REQUEST naming the field. */
function checkedValue(field: ProfileField, value: unknown, by: ProfileWriter): Value | null {
  const place = `profile.${field.name}`;
  if (by === "user" && field.editableBy !== "user")
    throw invalidRequest(place, "only the application's server changes it");
  const checked = value === null ? null : read(field, value);
  if (checked === undefined) throw invalidRequest(place, `${ruleOf(field)}, or null`);
  if (by === "user" && !isAnswered(field, checked)) throw invalidRequest(place, "required");
  return checked;
}

/** Why a person's value is refused. */
export type FieldProblem = "missing" | "refused";

export function problemOfValue(field: ProfileField, value: unknown): FieldProblem | undefined {
  const checked = value === null ? null : read(field, value);
  if (checked === undefined) return "refused";
  return isAnswered(field, checked) ? undefined : "missing";
}
