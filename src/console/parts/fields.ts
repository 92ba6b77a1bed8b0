/** The fields of a form: filled in, read, and refused one by one. */
import { AppError } from "../../lib/errors.ts";
import { html, type Html, type HtmlValue } from "../../lib/html.ts";
import { capitalized, escapeUnseen } from "../../lib/text.ts";
import { parseColour } from "../../look/colours.ts";
import type { Act, Post, Visit } from "../route.ts";
import { actForm, openForm, type ActButton, type ActForm } from "./act-form.ts";
import { shown } from "./data.ts";

export type Options = readonly (readonly [value: string, label: string])[];

export type Field = {
  name: string;
  label: string;
  hint?: string;
  /** What it is, in one sentence, where it is only shown. */
  about?: string;
  /** A line of text, unless `kind` says otherwise. The value of a secret is never shown. */
  kind?: "number" | "colour" | "secret" | "secret-lines" | "lines" | "one-of" | "some-of";
  options?: Options;
  /** Few need it: it stands folded at the end. */
  isAdvanced?: boolean;
  /** The meaning of an empty value. */
  empty?: string;
  /** Its name in the service's refusals, if not `name`. */
  refusedAs?: string;
};

/** The values of fields, by name. Lines are separated by `\n`, selected options by commas. */
export type Values = Readonly<Record<string, string>>;

/** Why input was refused; without a field, it concerns the whole form. */
export type FieldRefusal = { field: string | undefined; text: string };

/** The state of a form: new, refused, or checked, with the command. */
export type Answered = {
  values: Values;
  was?: Values;
  refusal?: FieldRefusal;
  command?: readonly string[];
  note?: string;
};

/** The values of a posted form. Fields that were not posted keep the page's value. */
export function entered(fields: readonly Field[], { form }: Post): Values {
  return Object.fromEntries(
    fields.map((field) => {
      const { name, kind } = field;
      if (kind === "some-of") return [name, optionsOf(field, (option) => form.has(`${name}.${option}`))];
      return [name, clean(form.get(name) ?? form.get(`was.${name}`) ?? "")];
    }),
  );
}

/** The values that the page had, to detect changes. */
export function before(fields: readonly Field[], { form }: Post): Values {
  return Object.fromEntries(
    fields.map((field) => {
      const was = form.get(`was.${field.name}`) ?? "";
      return [field.name, asPosted(field, clean(was))];
    }),
  );
}

/** A value as its form posts it. */
export function asPosted(field: Pick<Field, "kind" | "options">, value: string): string {
  return field.kind === "some-of" ? optionsOf(field, (option) => listOf(value).includes(option)) : value;
}

/** The chosen options, in the order of the form. */
function optionsOf({ options = [] }: Pick<Field, "options">, isChosen: (option: string) => boolean): string {
  return options
    .map(([option]) => option)
    .filter(isChosen)
    .join(",");
}

function clean(value: string): string {
  return value.replaceAll("\r\n", "\n").trim();
}

/** The lines of a value that are not empty. */
export function linesOf(value: string): string[] {
  return value
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** The parts of a value between commas. */
export function listOf(value: string): string[] {
  return value
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

/** Of a name whose label is not known: `redirectUris` is "Redirect URIs". */
export function labelOf(name: string): string {
  const words = name.replaceAll(/[._]/gu, " ").replaceAll(/(?<=[a-z])[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`);
  const known = words.replaceAll(/\b(?:uri|url|id|jwks|api)(?=s?\b)/gu, (word) => word.toUpperCase());
  return capitalized(known);
}

/** A value in readable form. */
export function valueText({ kind, options = [], empty = "none" }: Field, value: string): HtmlValue {
  if (value === "") return html`<span class="quiet">${empty}</span>`;
  if (kind === "lines") return linesOf(value).map((line) => html`<div>${shown(line)}</div>`);
  const words = (option: string): string => options.find(([each]) => each === option)?.[1] ?? option;
  return kind === "some-of" ? listOf(value).map(words).join(", ") : shown(words(value));
}

/** The value, and what the field is. */
export function explained(field: Field, value: string): Html {
  const { about } = field;
  return html`${valueText(field, value)}${about !== undefined && html`<div class="hint">${about}</div>`}`;
}

/** The refusal of the input. Throws any other error. */
export function fieldRefusalOf(fields: readonly Field[], error: unknown): FieldRefusal {
  if (!(error instanceof AppError) || !["INVALID_REQUEST", "CONFLICT", "RATE_LIMITED"].includes(error.code))
    throw error;
  const { message, details, rejected } = error;
  const [, name = "", position] = /^([\w.]+)(?:\[(\d+)\])?$/su.exec(rejected?.field ?? "") ?? [];
  const field = fields.find((each) => (each.refusedAs ?? each.name) === name);
  if (!field || !rejected) return { field: undefined, text: details === "" ? message : `${message} (${details})` };
  const which = position === undefined ? "" : ` ${Number(position) + 1}`;
  return { field: field.name, text: `${field.label}${which}: ${rejected.rule}` };
}

export type FieldForm = Omit<ActForm, "fields" | "command" | "isOpen"> & {
  fields: readonly Field[];
  values: Values;
  answered?: Answered | undefined;
  /** The name of a button that only checks the values. */
  check?: string;
  /** Further posted fields. */
  more?: Html | undefined;
  command?: readonly string[];
};

/** An act with fields. After a refusal or a check its dialog is open, with the entered values. */
export function fieldForm(visit: Visit, act: Act, form: FieldForm): ActButton | undefined {
  return actForm(visit, act, { ...withFields(form), isOpen: form.answered !== undefined });
}

/** The same as a part of the page. */
export function openFieldForm(visit: Visit, act: Act, form: FieldForm): Html | undefined {
  return openForm(visit, act, withFields(form));
}

function withFields(form: FieldForm): ActForm {
  const { fields, values, answered, check, more, command = answered?.command, ...rest } = form;
  const { refusal, note } = answered ?? {};
  const again = new Map(fields.map((field) => [field.name, sentBack(field, values, answered)]));
  const current = Object.fromEntries([...again].map(([name, { value }]) => [name, value]));
  return {
    ...rest,
    ...(command && { command }),
    fields: html`${refusal && refusal.field === undefined && html`<p class="problem" role="alert">${refusal.text}</p>`}
      ${note !== undefined && html`<p class="notice" role="status">${note}</p>`}
      <div hidden>
        ${fields.filter(({ kind }) => !isSecret(kind)).map(({ name }) => wasField(name, values[name] ?? ""))} ${more}
      </div>
      ${fieldsMarkup(fields, current, refusal, (field) => again.get(field.name)?.isContested && presentValue(field, values[field.name] ?? ""))}`,
    ...(check !== undefined && {
      beside: html`<button class="button second" name="check" value="yes">${check}</button>`,
    }),
  };
}

/** Beside a field: the value that the page shows there. */
export function wasField(name: string, value: string): Html {
  return html`<input type="hidden" name="was.${name}" value="${value}" />`;
}

/**
 * A field of a form that was sent back: what nobody entered follows what is there now. Contested:
 * somebody else gave it yet another value.
 */
export function sentBack(
  field: Field,
  present: Values,
  answered: Pick<Answered, "values" | "was"> | undefined,
): { value: string; isContested: boolean } {
  const { name } = field;
  const now = asPosted(field, present[name] ?? "");
  const value = answered?.values[name] ?? now;
  const was = answered?.was ? (answered.was[name] ?? "") : now;
  if (value === was) return { value: now, isContested: false };
  return { value, isContested: now !== was && now !== value };
}

/** The other value of a contested field. */
export function presentValue(field: Field, value: string): Html {
  return html`<div class="problem">${field.label} now: ${valueText(field, value)}</div>`;
}

/** Only the fields. `beneath`: what stands below one. */
export function fieldsMarkup(
  fields: readonly Field[],
  values: Values,
  refusal?: FieldRefusal,
  beneath: (field: Field) => Html | false | undefined = () => undefined,
): Html {
  const markupOf = (field: Field): Html => fieldMarkup(field, values[field.name] ?? "", refusal, beneath(field));
  const advanced = fields.filter(({ isAdvanced }) => isAdvanced);
  const isOpen = advanced.some(
    (field) => (values[field.name] ?? "") !== "" || refusal?.field === field.name || beneath(field),
  );
  return html`${fields.filter(({ isAdvanced }) => !isAdvanced).map(markupOf)}
  ${
    advanced.length > 0 &&
    html`<details ${isOpen && html`open`}>
      <summary>Advanced</summary>
      ${advanced.map(markupOf)}
    </details>`
  }`;
}

function isSecret(kind: Field["kind"]): boolean {
  return kind === "secret" || kind === "secret-lines";
}

function fieldMarkup(field: Field, value: string, refusal?: FieldRefusal, other?: Html | false): Html {
  const isRefused = refusal?.field === field.name;
  return html`<div class="field">
    ${field.kind === "some-of" ? choices(field, value) : labelled(field, value, isRefused)}
    ${isRefused && html`<p class="problem" role="alert" id="${field.name}-problem">${refusal.text}</p>`} ${other}
  </div>`;
}

function hintOf({ hint }: Field): Html | false {
  return hint !== undefined && html`<span class="hint">${hint}</span>`;
}

function choices(field: Field, value: string): Html {
  const { name, label, options = [] } = field;
  const chosen = listOf(value);
  return html`<fieldset>
    <legend>${label}${hintOf(field)}</legend>
    ${options.map(([option, words]) => html`<label><input type="checkbox" name="${name}.${option}" value="on" ${chosen.includes(option) && html`checked`} />${words}</label>`)}
  </fieldset>`;
}

function labelled(field: Field, value: string, isRefused: boolean): Html {
  return html`<label>${field.label}${hintOf(field)} ${controlOf(field, value, isRefused)}</label>`;
}

/** A list to choose one from. `more`: further attributes. */
export function selectField(
  label: string,
  name: string,
  options: Options,
  chosen: string | undefined,
  more?: Html | false,
): Html {
  return html`<label
    >${label}
    <select name="${name}" ${more}>
      ${optionsMarkup(options, chosen)}
    </select></label
  >`;
}

function optionsMarkup(options: Options, chosen: string | undefined): Html[] {
  return options.map(
    ([value, words]) =>
      html`<option value="${value}" ${value === chosen && html`selected`}>${escapeUnseen(words)}</option>`,
  );
}

function controlOf({ name, kind, options = [] }: Field, value: string, isRefused: boolean): Html {
  const named = html`name="${name}" ${isRefused && html`aria-invalid="true" aria-describedby="${name}-problem"`}`;
  if (kind === "one-of")
    return html`<select ${named}>
      ${optionsMarkup(options, value)}
    </select>`;
  if (kind === "lines" || kind === "secret-lines")
    return html`<textarea
      ${named}
      rows="3"
      spellcheck="false"
      autocomplete="${isSecret(kind) ? "new-password" : "off"}"
    >
${kind === "lines" && value}</textarea>`;
  if (kind === "secret") return html`<input ${named} type="password" autocomplete="new-password" />`;
  if (kind === "colour")
    return html`<span class="colour"
      ><input ${named} autocomplete="off" spellcheck="false" value="${value}" /><input
        type="color"
        data-colour
        hidden
        aria-label="Choose the colour"
        value="${parseColour(value) ?? "#000000"}"
    /></span>`;
  if (kind === "number") return html`<input ${named} inputmode="numeric" autocomplete="off" value="${value}" />`;
  return html`<input ${named} autocomplete="off" spellcheck="false" value="${value}" />`;
}
