import { invalidRequest } from "../lib/errors.ts";
import { isShowable } from "../lib/text.ts";
import { profileFieldTypes, type ApplicationClaim, type Labels, type ProfileField } from "../storage/column-types.ts";

/** As an operator gives a field: what is left out has its default. */
export type NewProfileField = Pick<ProfileField, "name" | "type" | "label"> & Partial<ProfileField>;

const maxFields = 20;
const maxOptions = 100;
const maxLabelCharacters = 200;
const textLengths = { least: 1, most: 1000, usual: 200 };
/** Members of every object: they cannot be keys of values. */
const notAName = new Set(["__proto__", "constructor", "prototype"]);

/** Null for none. Throws INVALID_REQUEST naming the field and its place. */
export function checkedProfileFields(given: readonly NewProfileField[] | null | undefined): ProfileField[] | null {
  if (!given || given.length === 0) return null;
  if (given.length > maxFields) throw invalidRequest("settings.profileFields", `at most ${maxFields}`);
  return given.map((field, index) => {
    const before = given.slice(0, index).map(({ name }) => name.toLowerCase());
    return checkedField(field, `settings.profileFields[${index}]`, before);
  });
}

function checkedField(field: NewProfileField, place: string, before: readonly string[]): ProfileField {
  const { name, type, label, askAt = "never", required = false, editableBy = "user", maxLength, options } = field;
  if (!/^[A-Za-z0-9_]{1,32}$/u.test(name) || notAName.has(name))
    throw invalidRequest(`${place}.name`, "1 to 32 letters, digits or '_'");
  if (before.includes(name.toLowerCase())) throw invalidRequest(`${place}.name`, `${name} is given twice`);
  if (!profileFieldTypes.includes(type))
    throw invalidRequest(`${place}.type`, `one of ${profileFieldTypes.join(", ")}`);
  checkLabels(label, `${place}.label`);
  const { least, most, usual } = textLengths;
  const length = type === "text" ? (maxLength ?? usual) : maxLength;
  if (length !== undefined && type !== "text") throw invalidRequest(`${place}.maxLength`, "only of a text");
  if (length !== undefined && !(Number.isInteger(length) && length >= least && length <= most))
    throw invalidRequest(`${place}.maxLength`, `a whole number from ${least} to ${most}`);
  checkOptions(type, options, `${place}.options`);
  return {
    name,
    type,
    label,
    askAt,
    required,
    editableBy,
    ...(length !== undefined && { maxLength: length }),
    ...(options && { options }),
  };
}

function checkOptions(type: ProfileField["type"], options: ProfileField["options"], place: string): void {
  if (type !== "choice") {
    if (options) throw invalidRequest(place, "only of a choice");
    return;
  }
  if (!options || options.length === 0 || options.length > maxOptions)
    throw invalidRequest(place, `1 to ${maxOptions} of value and label`);
  for (const [index, { value, label }] of options.entries()) {
    if (value !== value.trim() || !isLabel(value))
      throw invalidRequest(`${place}[${index}].value`, `1 to ${maxLabelCharacters} characters, no control characters`);
    if (options.findIndex((other) => other.value === value) < index)
      throw invalidRequest(`${place}[${index}].value`, `${value} is given twice`);
    checkLabels(label, `${place}[${index}].label`);
  }
}

function checkLabels(labels: Labels, place: string): void {
  const all = Object.entries(labels);
  if (all.length === 0 || !all.every(([lang, text]) => /^[a-z]{2,3}$/u.test(lang) && isLabel(text)))
    throw invalidRequest(
      place,
      `by language, such as en: 1 to ${maxLabelCharacters} characters each, no control characters`,
    );
}

function isLabel(text: string): boolean {
  return text.trim() !== "" && text.length <= maxLabelCharacters && isShowable(text);
}

const ofProfile = "profile.";

/** The fields that claims, or headers for a protected program, are made of. */
export function fieldsInClaims(claims: readonly Pick<ApplicationClaim, "from">[] | null): string[] {
  const names = (claims ?? []).flatMap(({ from }) =>
    from.startsWith(ofProfile) ? [from.slice(ofProfile.length)] : [],
  );
  return [...new Set(names)];
}

/** Names of the fields that only the server writes. */
export function fieldsOfServer(fields: readonly ProfileField[] | null | undefined): string[] {
  return (fields ?? []).filter(({ editableBy }) => editableBy === "server").map(({ name }) => name);
}

/** Both terms and their address, or neither; and claims only of fields that exist. */
export function refuseHalves(
  settings: {
    profileFields?: ProfileField[] | null | undefined;
    termsVersion?: string | null | undefined;
    termsUrl?: string | null | undefined;
  },
  claims: readonly ApplicationClaim[] | null,
): void {
  const { profileFields, termsVersion, termsUrl } = settings;
  if (termsVersion && !termsUrl) throw invalidRequest("settings.termsUrl", "required with a version of terms");
  if (termsUrl && !termsVersion) throw invalidRequest("settings.termsVersion", "required with the URL of terms");
  const missing = fieldsInClaims(claims).find((name) => !profileFields?.some((field) => field.name === name));
  if (missing !== undefined)
    throw invalidRequest("settings.profileFields", `a claim is made of profile.${missing}, which must be one of them`);
}
