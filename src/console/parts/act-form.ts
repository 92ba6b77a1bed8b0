import { html, type Html } from "../../lib/html.ts";
import { mayDo } from "../operator.ts";
import { pathOf, type Act, type Post, type Visit } from "../route.ts";
import { commandLine } from "./command-line.ts";

/**
 * The form token of the session, and the page to come back to after a proof: an answer to a form
 * belongs to the page of that form.
 */
export function formField(visit: Visit | Post): Html {
  const page = "form" in visit ? (visit.form.get("page") ?? "/console") : visit.request.path;
  return html`<input type="hidden" name="token" value="${visit.formToken}" /><input
      type="hidden"
      name="page"
      value="${page}"
    />`;
}

/** Whether this operator may do this. */
export function isAllowed({ operator }: Visit, act: Pick<Act, "role" | "isGlobal">): boolean {
  return mayDo(operator, act.role) && !(act.isGlobal && operator.appId !== undefined);
}

/** Posts the same form without changes: the response shows the command. */
export const checkButton = html`<button class="button second" name="check" value="yes">Check</button>`;

/** Shown instead of acts that the operator may not do. */
export const noActions = html`<p class="none">Your role has no actions here.</p>`;

export type ActForm = {
  /** The `:name` parts of the act's path. */
  parameters?: Record<string, string>;
  /** A verb: "Disable". */
  label: string;
  /** The label of the button, if it is another verb. */
  press?: string;
  /** One sentence: the effect, and on whom. */
  about: string;
  fields?: Html;
  /** Without `authsvc`: ["user", "disable", id]. Undefined while it depends on the fields. */
  command?: readonly string[] | undefined;
  /** It removes something. */
  isGrave?: boolean;
  /** Beside the button. */
  beside?: Html;
  /** Shown at once, not behind the label. */
  isOpen?: boolean;
};

function asksFirst({ entry, operator }: Visit, { asksFor }: Act): string | false {
  if (!entry.isTeam || operator.isFresh || asksFor === "nothing") return false;
  return asksFor === "passkey"
    ? " It asks for your passkey first."
    : " If it opens access, it asks for your passkey first. Enter the change again after that.";
}

/**
 * An act that an operator opens, reads and confirms, with the equivalent command. Nothing if this
 * operator may not do it.
 */
export function actForm(visit: Visit, act: Act, form: ActForm): Html | undefined {
  if (!isAllowed(visit, act)) return undefined;
  const { parameters, label, press = label, about, fields, command, isGrave = false, isOpen = false, beside } = form;
  const content = html`<form method="post" action="${pathOf(act, parameters)}">
    ${formField(visit)}
    <p>${about}${asksFirst(visit, act)}</p>
    ${fields}
    <p class="buttons"><button class="${isGrave ? "button grave" : "button"}">${press}</button> ${beside}</p>
    ${command && commandLine(command)}
  </form>`;
  if (isOpen) return html`<div class="act">${content}</div>`;
  return html`<details class="act">
    <summary>${label}</summary>
    ${content}
  </details>`;
}
