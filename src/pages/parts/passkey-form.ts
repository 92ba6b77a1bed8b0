import { html, type Html } from "../../lib/html.ts";
import { maxNameCharacters } from "../../lib/text.ts";
import type { Frame } from "./frame.ts";
import { tokenField } from "./form-parts.ts";
import type { PasskeyTexts } from "./passkey-texts.ts";

/**
 * The form that submits a passkey answer. The browser code fetches `{action}/options`, runs the
 * ceremony, writes the answer into `credential` and submits the form, so that the server answers
 * with an ordinary page.
 */
export function passkeyForm(
  frame: Frame,
  form: {
    ceremony: "get" | "create";
    action: string;
    token: string;
    /** Whether a passkey is the only method on this page. */
    alone: boolean;
    /** Creates the passkey without asking, if the browser can (conditional create). */
    quietly?: boolean;
    /** For an address that the sign-up rules refuse. */
    refused?: string | undefined;
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
    data-texts="${JSON.stringify(passkeyTexts(frame, form))}"
  >
    ${tokenField(form.token)}
    <input type="hidden" name="credential" />
    ${form.quietly === true && html`<input type="hidden" name="conditional" value="yes" disabled />`} ${form.inside}
  </form>`;
}

/** For a page that offers only a passkey: why it may not work here. */
export function passkeyHelp({ texts }: Frame): Html {
  return html`<noscript><p>${texts.passkeysNeedScript}</p></noscript>
    <p data-no-passkeys role="status" hidden>${texts.passkeyNoSupport}</p>`;
}

function passkeyTexts(
  { texts, look }: Frame,
  { ceremony, alone, refused }: { ceremony: "get" | "create"; alone: boolean; refused?: string | undefined },
): PasskeyTexts {
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
      // Browsers also report this if no passkey matched or nobody answered in time.
      NotAllowedError: cancelled,
      AbortError: cancelled,
      InvalidStateError: texts.passkeyExists,
      ConstraintError: texts.passkeyNeedsLock,
      NotSupportedError: texts.passkeyNeedsLock,
    },
    fields: {
      email: texts.emailInvalid,
      unsupported: texts.emailUnsupported,
      ...(refused !== undefined && { refused }),
      name: texts.nameTooLong(maxNameCharacters),
    },
  };
}
