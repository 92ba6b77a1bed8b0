import { html, type Html } from "../../lib/html.ts";
import { framePage, type Frame } from "../parts/frame.ts";
import { submitButton, tokenField } from "../parts/form-parts.ts";

export type RestoreAddressData = {
  /** "/restore/…": the link itself, which only a POST consumes. */
  path: string;
  token: string;
  /** The earlier address. */
  email: string;
};

/** Opened by the link that an account's earlier address got. Works in any browser. */
export function restoreAddressPage(frame: Frame, { path, token, email }: RestoreAddressData): Html {
  const { texts, look } = frame;
  const title = texts.restoreTitle;
  const body = html`<h1>${title}</h1>
    <p>
      ${texts.restoreNext(look.name)} <strong><bdi>${email}</bdi></strong>
    </p>
    <p>${texts.restoreEnds}</p>
    <form method="post" action="${path}">
      ${tokenField(token)} ${submitButton({ label: texts.restore, busy: texts.restoring, look: "main" })}
    </form>`;
  return framePage(frame, { title, body, script: true });
}
