import { html, type Html } from "../lib/html.ts";
import type { Frame } from "./frame.ts";
import { tokenField } from "./parts.ts";
import type { PasskeyTexts } from "./passkey-texts.ts";

/**
 * The form that carries a passkey answer. The browser code asks `{action}/options`, runs the ceremony, writes the answer into
 * `credential` and sends the form for real, so that the server's answer is an ordinary page.
 */
export function passkeyForm(
  frame: Frame,
  form: {
    ceremony: "get" | "create";
    action: string;
    token: string;
    /** Whether a passkey is the only way on this page. */
    alone: boolean;
    /** Where the browser can, it makes the passkey without asking (conditional create). */
    quietly?: boolean;
    id?: string;
    inside: Html;
  },
): Html {
  return html`<form
    method="post"
    action="${form.action}"
    ${form.id !== undefined && html`id="${form.id}"`}
    data-passkey="${form.ceremony}"
    data-options="${form.action}/options"
    ${form.quietly === true && html`data-quietly`}
    data-texts="${JSON.stringify(passkeyTexts(frame, form.ceremony, form.alone))}"
  >
    ${tokenField(form.token)}
    <input type="hidden" name="credential" />
    ${form.inside}
  </form>`;
}

/** For a page that offers nothing but a passkey: why it may not work here. */
export function passkeyHelp({ texts }: Frame): Html {
  return html`<noscript><p>${texts.passkeysNeedScript}</p></noscript>
    <p data-no-passkeys role="status" hidden>${texts.passkeyNoSupport}</p>`;
}

function passkeyTexts({ texts, look }: Frame, ceremony: "get" | "create", alone: boolean): PasskeyTexts {
  const creates = ceremony === "create";
  const notUsed = alone ? texts.passkeyNotUsed : texts.passkeyNotUsedOr;
  const cancelled = creates ? texts.passkeyNotCreated : notUsed;
  return {
    failed: creates ? texts.passkeyNotSaved : texts.passkeyFailed,
    offline: texts.offline,
    busy: texts.busy,
    tooManyTries: texts.tooManyTries("{wait}"),
    timedOut: texts.timedOut(look.name),
    emailMissing: texts.emailMissing,
    errors: {
      // Also what a browser says when there was no matching passkey, or nobody answered in time.
      NotAllowedError: cancelled,
      AbortError: cancelled,
      InvalidStateError: texts.passkeyExists,
      ConstraintError: texts.passkeyNeedsLock,
      NotSupportedError: texts.passkeyNeedsLock,
    },
    fields: { email: texts.emailInvalid, name: texts.checkName },
  };
}
