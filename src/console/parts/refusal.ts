/** Input that an operation refused, shown beside the form that sent it. */
import { statusOf } from "../../http/error-answers.ts";
import { AppError, type ErrorCode } from "../../lib/errors.ts";
import { html, type Html } from "../../lib/html.ts";
import { pathOf, type Act, type Post, type Visit } from "../route.ts";
import { actForm, type ActButton, type ActForm } from "./act-form.ts";
import { problem } from "./data.ts";

/** The message beside the form, and the status. */
export type Refusal = { text: string; status: number };

/** The same, for one of several forms of a page. */
export type FormRefusal = Refusal & {
  /** The form's address. */
  path: string;
  /** The entered values. */
  values: Map<string, string>;
};

const shownBesideForm: ErrorCode[] = [
  "INVALID_REQUEST",
  "APP_NOT_FOUND",
  "CONFLICT",
  "RATE_LIMITED",
  "BUSY",
  "INVALID_CONFIG",
];

/** Rethrows anything that is not a refusal of input. */
function refusedBy(error: unknown): Refusal {
  if (!(error instanceof AppError) || !shownBesideForm.includes(error.code)) throw error;
  const { code, message, details, rejected } = error;
  const text = rejected ? `${rejected.field}: ${rejected.rule}` : `${message} ${details}`.trim();
  // An entered application is a wrong value, not a wrong path.
  const status = code === "INVALID_CONFIG" ? 409 : code === "APP_NOT_FOUND" ? 400 : statusOf(error);
  return { text, status };
}

/** Rethrows anything that is not a refusal of input. */
export function refusalOf(error: unknown, { request, form }: Post): FormRefusal {
  return { ...refusedBy(error), path: request.path, values: form };
}

/** The result of an operation, or its refusal in words for the form. Throws everything else. */
export async function attempt<Value>(
  work: () => Promise<Value>,
): Promise<{ value: Value; refusal?: never } | { value?: never; refusal: Refusal }> {
  try {
    return { value: await work() };
  } catch (error) {
    return { refusal: refusedBy(error) };
  }
}

/** For a form's fields: the entered and refused values, or else the page's. */
export type Entered = (name: string, otherwise?: string) => string;

/** `actForm`, which stays open beside its problem if this form was refused. */
export function refusableForm(
  visit: Visit,
  act: Act,
  refusal: FormRefusal | undefined,
  { fields, ...form }: Omit<ActForm, "fields"> & { fields?: (entered: Entered) => Html },
): ActButton | undefined {
  const own = refusal?.path === pathOf(act, form.parameters) ? refusal : undefined;
  const content = fields?.((name, otherwise = "") => (own ? (own.values.get(name) ?? "") : otherwise));
  return actForm(visit, act, {
    ...form,
    fields: html`${own && problem(own.text)} ${content}`,
    isOpen: form.isOpen === true || own !== undefined,
  });
}
