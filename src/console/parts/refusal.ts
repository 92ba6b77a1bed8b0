/** Input that an operation refused, shown beside the form that sent it. */
import { statusOf } from "../../http/error-answers.ts";
import { AppError, type ErrorCode } from "../../lib/errors.ts";
import { html, type Html } from "../../lib/html.ts";
import { pathOf, type Act, type Post, type Visit } from "../route.ts";
import { actForm, type ActForm } from "./act-form.ts";
import { problem } from "./data.ts";

export type Refusal = {
  /** Where the form was posted. */
  path: string;
  text: string;
  status: number;
  /** What was entered. */
  values: Map<string, string>;
};

const shownBesideForm: ErrorCode[] = ["INVALID_REQUEST", "CONFLICT", "RATE_LIMITED", "BUSY", "INVALID_CONFIG"];

/** Rethrows what is no refusal of input. */
export function refusalOf(error: unknown, { request, form }: Post): Refusal {
  if (!(error instanceof AppError) || !shownBesideForm.includes(error.code)) throw error;
  const { message, details, rejected } = error;
  const text = rejected ? `${rejected.field}: ${rejected.rule}` : `${message} ${details}`.trim();
  const status = error.code === "INVALID_CONFIG" ? 409 : statusOf(error);
  return { path: request.path, text, status, values: form };
}

/** Of a form's fields: what was entered and refused, or else what the page knows. */
export type Entered = (name: string, otherwise?: string) => string;

/** `actForm`, which stays open beside its problem if this form was refused. */
export function refusableForm(
  visit: Visit,
  act: Act,
  refusal: Refusal | undefined,
  { fields, ...form }: Omit<ActForm, "fields"> & { fields?: (entered: Entered) => Html },
): Html | undefined {
  const own = refusal?.path === pathOf(act, form.parameters) ? refusal : undefined;
  const content = fields?.((name, otherwise = "") => (own ? (own.values.get(name) ?? "") : otherwise));
  return actForm(visit, act, {
    ...form,
    fields: html`${own && problem(own.text)} ${content}`,
    isOpen: form.isOpen === true || own !== undefined,
  });
}
