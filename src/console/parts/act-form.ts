import { html, type Html } from "../../lib/html.ts";
import { mayDo } from "../operator.ts";
import { pathOf, type Act, type Post, type Visit } from "../route.ts";
import { commandLine } from "./command-line.ts";
import { pageAddress } from "./page-address.ts";

/** The form token of the session, and the page to come back to after a proof. */
export function formField(visit: Visit | Post): Html {
  return html`<input type="hidden" name="token" value="${visit.formToken}" /><input
      type="hidden"
      name="page"
      value="${pageAddress(visit)}"
    />`;
}

/** Whether this operator may do this. */
export function isAllowed({ operator }: Visit, act: Pick<Act, "role" | "isGlobal">): boolean {
  return mayDo(operator, act.role) && !(act.isGlobal && operator.appId !== undefined);
}

/** Posts the same form without changes: the response shows the command. */
export const checkButton = html`<button class="button second" name="check" value="yes">Check</button>`;

export type ActForm = {
  /** Of the form, for controls that stand elsewhere. */
  id?: string;
  /** The `:name` parts of the act's path. */
  parameters?: Record<string, string>;
  /** A verb: "Disable". */
  label: string;
  /** The heading of the dialog, if it is not the label. */
  title?: string;
  /** The label of the form's button, if it is another verb. */
  press?: string;
  /** One sentence: the effect, and on whom. */
  about: string;
  fields?: Html;
  /** Without `authsvc`: ["user", "disable", id]. Undefined while it depends on the fields. */
  command?: readonly string[] | undefined;
  /** It has a file. */
  upload?: "picture" | "logo";
  /** It removes something. */
  isGrave?: boolean;
  /** Beside the button. */
  beside?: Html;
  /** The answer is a file: the page stays, and may send again. */
  isDownload?: boolean;
  /** The dialog is open at once, as after a refusal. */
  isOpen?: boolean;
};

/** A button that opens a dialog, in which the act is read about and confirmed. */
export type ActButton = { id: string; label: string; isGrave: boolean; dialog: Html };

function asksFirst({ entry, operator }: Visit, { asksFor }: Act): string | false {
  if (!entry.isTeam || operator.isFresh || asksFor === "nothing") return false;
  return asksFor === "passkey"
    ? " It asks for your passkey first."
    : " If it opens access, it asks for your passkey first.";
}

function formOf(visit: Visit, act: Act, form: ActForm, cancel?: Html): Html {
  const { id, parameters, label, press = label, about, fields, command, isGrave = false, beside, upload } = form;
  const more = html`${id !== undefined && html`id="${id}"`} ${form.isDownload === true && html`data-download`}
  ${upload !== undefined && html`enctype="multipart/form-data" data-upload="${upload}"`}`;
  // For a form that comes back: a post does not say what its button said.
  return html`<form method="post" action="${pathOf(act, parameters)}" ${more}>
    ${formField(visit)}<input type="hidden" name="act" value="${form.title ?? label}" />
    <p>${about}${asksFirst(visit, act)}</p>
    ${fields}
    <p class="buttons"><button class="${isGrave ? "button grave" : "button"}">${press}</button> ${beside} ${cancel}</p>
    ${command && commandLine(command)}
  </form>`;
}

/** An act whose form is part of the page. Nothing if this operator may not do it. */
export function openForm(visit: Visit, act: Act, form: Omit<ActForm, "isOpen">): Html | undefined {
  return isAllowed(visit, act) ? html`<div>${formOf(visit, act, form)}</div>` : undefined;
}

/**
 * An act behind a button, with the command that does the same. A popover opens without a script.
 * Nothing if this operator may not do it.
 */
export function actForm(visit: Visit, act: Act, form: ActForm): ActButton | undefined {
  if (!isAllowed(visit, act)) return undefined;
  const { parameters, label, title = label, command = [], isGrave = false, isOpen = false } = form;
  // A page may have the same act for several things, which differ only in the command.
  const id = encodeURIComponent([pathOf(act, parameters), title, ...command].join(" "));
  const [shows, cancel] = isOpen
    ? [html`class="dialog open"`, html`<a class="button second" href="${pageAddress(visit)}">Cancel</a>`]
    : [html`class="dialog" popover`, hideButton(id)];
  const dialog = html`<div ${shows} id="${id}" role="dialog" aria-labelledby="${id}.title" tabindex="-1" autofocus>
    <h2 id="${id}.title">${title}</h2>
    ${formOf(visit, act, form, cancel)}
  </div>`;
  return { id, label, isGrave, dialog };
}

function hideButton(id: string): Html {
  return html`<button type="button" class="button second" popovertarget="${id}" popovertargetaction="hide">
    Cancel
  </button>`;
}
