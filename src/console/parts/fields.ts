/** The fields of a form: filled in, read, and refused one by one. */
import { AppError } from "../../lib/errors.ts";
import { html, type Html, type HtmlValue } from "../../lib/html.ts";
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
    fields.map(({ name, kind, options = [] }) => {
      const value = form.get(name) ?? form.get(`was.${name}`) ?? "";
      if (kind !== "some-of") return [name, clean(value)];
      return [
        name,
        options
          .map(([option]) => option)
          .filter((option) => form.has(`${name}.${option}`))
          .join(","),
      ];
    }),
  );
}

/** The values that the page had, to detect changes. */
export function before(fields: readonly Field[], { form }: Post): Values {
  return Object.fromEntries(fields.map(({ name }) => [name, clean(form.get(`was.${name}`) ?? "")]));
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
  if (!(error instanceof AppError) || (error.code !== "INVALID_REQUEST" && error.code !== "CONFLICT")) throw error;
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
  const [current, was] = [answered?.values ?? values, answered?.was ?? values];
  const { refusal, note } = answered ?? {};
  return {
    ...rest,
    ...(command && { command }),
    fields: html`${refusal && refusal.field === undefined && html`<p class="problem" role="alert">${refusal.text}</p>`}
      ${note !== undefined && html`<p class="notice" role="status">${note}</p>`}
      <div hidden>
        ${fields.filter(({ kind }) => !isSecret(kind)).map(({ name }) => html`<input type="hidden" name="was.${name}" value="${was[name] ?? ""}" />`)}
        ${more}
      </div>
      ${fieldsMarkup(fields, current, refusal)}`,
    ...(check !== undefined && {
      beside: html`<button class="button second" name="check" value="yes">${check}</button>`,
    }),
  };
}

/** Only the fields, for a form that changes nothing. */
function fieldsMarkup(fields: readonly Field[], values: Values, refusal?: FieldRefusal): Html {
  const markupOf = (field: Field): Html => fieldMarkup(field, values[field.name] ?? "", refusal);
  const advanced = fields.filter(({ isAdvanced }) => isAdvanced);
  const isOpen = advanced.some(({ name }) => (values[name] ?? "") !== "" || refusal?.field === name);
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

function fieldMarkup(field: Field, value: string, refusal: FieldRefusal | undefined): Html {
  const isRefused = refusal?.field === field.name;
  return html`<div class="field">
    ${field.kind === "some-of" ? choices(field, value) : labelled(field, value, isRefused)}
    ${isRefused && html`<p class="problem" role="alert" id="${field.name}-problem">${refusal.text}</p>`}
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

function controlOf({ name, kind, options = [] }: Field, value: string, isRefused: boolean): Html {
  const named = html`name="${name}" ${isRefused && html`aria-invalid="true" aria-describedby="${name}-problem"`}`;
  if (kind === "one-of")
    return html`<select ${named}>
      ${options.map(([option, words]) => html`<option value="${option}" ${option === value && html`selected`}>${words}</option>`)}
    </select>`;
  if (kind === "lines" || kind === "secret-lines")
    return html`<textarea ${named} rows="3" spellcheck="false" autocomplete="off">
${kind === "lines" && value}</textarea>`;
  if (kind === "secret") return html`<input ${named} type="password" autocomplete="off" />`;
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
