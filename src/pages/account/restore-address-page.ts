import { html, type Html } from "../../lib/html.ts";
import { submitButton, tokenField } from "../parts/form-parts.ts";
import { framePage, type Frame } from "../parts/frame.ts";
import { methodSince, methodTitle, type AccountMethod } from "./methods.ts";
import { factsIn } from "./parts.ts";

export type RestoreAddressData = {
  /** "/restore/…": the link itself, which only a POST consumes. */
  path: string;
  token: string;
  /** The earlier address. */
  email: string;
  /** Always removed. */
  removed: AccountMethod[];
  removedToo: { app: boolean; codes: boolean; programs: number };
  /** What the reader may remove too; a field's name is this prefix and the id. */
  others: AccountMethod[];
  removePrefix: string;
};

/** Opened by the link that was mailed to an account's earlier address. Works in any browser. */
export function restoreAddressPage(frame: Frame, data: RestoreAddressData): Html {
  const { texts, look } = frame;
  const { path, token, email, others, removePrefix } = data;
  const removed = [...data.removed.map((method) => named(frame, method)), ...besides(frame, data)];
  const title = texts.restoreTitle;
  const body = html`<h1>${title}</h1>
    <p>
      ${texts.restoreNext(look.name)} <strong><bdi>${email}</bdi></strong>
    </p>
    <p>${texts.restoreEnds}</p>
    ${
      removed.length > 0 &&
      html`<p>${texts.restoreRemoves}</p>
        <ul>
          ${removed.map((item) => html`<li>${item}</li>`)}
        </ul>`
    }
    <form method="post" action="${path}">
      ${tokenField(token)}
      ${
        others.length > 0 &&
        html`<fieldset class="checks">
          <legend>${texts.restoreAlso}</legend>
          ${others.map(
            (method) =>
              html`<label class="check">
                <input type="checkbox" name="${removePrefix}${method.id}" /><span>${named(frame, method)}</span>
              </label>`,
          )}
        </fieldset>`
      }
      ${submitButton({ label: texts.restore, busy: texts.restoring, look: "main" })}
    </form>`;
  return framePage(frame, { title, body, script: true });
}

/** Other additions since the change. */
function besides({ texts, lang }: Frame, { removedToo }: RestoreAddressData): string[] {
  const { app, codes, programs } = removedToo;
  return [
    ...(app ? [texts.authenticatorApp] : []),
    ...(codes ? [texts.recoveryCodes] : []),
    ...(programs > 0 ? [texts.unprovenPrograms(new Intl.NumberFormat(lang).format(programs))] : []),
  ];
}

/** With a name that the owner recognises. */
function named(frame: Frame, method: AccountMethod): Html {
  const { type } = method;
  const facts = [
    ...(type === "passkey" ? [frame.texts.passkey] : []),
    ...(type === "oauth" && method.email !== null ? [method.email] : []),
    methodSince(frame, method),
  ];
  return html`<bdi>${methodTitle(frame, method)}</bdi><br /><span class="hint">${factsIn(facts)}</span>`;
}
