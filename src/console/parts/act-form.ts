import { html, type Html } from "../../lib/html.ts";
import { mayDo } from "../operator.ts";
import { pathOf, type Act, type Post, type Visit } from "../route.ts";
import { commandLine } from "./command-line.ts";

/** The form token of the session, and the page to come back to after a proof. */
export function formField(visit: Visit | Post): Html {
  const { formToken, request } = visit;
  // What an act answers has the path of the act, which cannot be opened.
  const page = "form" in visit ? (visit.form.get("page") ?? "/console") : request.path;
  return html`<input type="hidden" name="token" value="${formToken}" /><input
      type="hidden"
      name="page"
      value="${page}"
    />`;
}

/** Whether this operator may do this. */
export function isAllowed({ operator }: Visit, act: Pick<Act, "role" | "isGlobal">): boolean {
  return mayDo(operator, act.role) && !(act.isGlobal && operator.appId !== undefined);
}

export type ActForm = {
  /** The `:name` parts of the act's path. */
  parameters?: Record<string, string>;
  /** A verb: "Disable". */
  label: string;
  /** One sentence: what it does, and to whom. */
  about: string;
  fields?: Html;
  /** Without `authsvc`: ["user", "disable", id]. Undefined while it depends on the fields. */
  command?: readonly string[] | undefined;
  /** It takes something away. */
  isGrave?: boolean;
  /** Shown at once, not behind the label. */
  isOpen?: boolean;
};

/**
 * An act that an operator opens, reads about and confirms, with the command that does the same.
 * Nothing if this operator may not do it.
 */
export function actForm(visit: Visit, act: Act, form: ActForm): Html | undefined {
  if (!isAllowed(visit, act)) return undefined;
  const { parameters, label, about, fields, command, isGrave = false, isOpen = false } = form;
  const asksAgain = visit.entry.isTeam && act.handsOutAccess && !visit.operator.isFresh;
  const content = html`<form method="post" action="${pathOf(act, parameters)}">
    ${formField(visit)}
    <p>${about}${asksAgain && " It asks for your passkey first."}</p>
    ${fields}
    <p><button class="${isGrave ? "button grave" : "button"}">${label}</button></p>
    ${command && commandLine(command)}
  </form>`;
  if (isOpen) return html`<div class="act">${content}</div>`;
  return html`<details class="act">
    <summary>${label}</summary>
    ${content}
  </details>`;
}
