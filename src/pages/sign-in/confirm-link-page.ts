import { html, type Html } from "../../lib/html.ts";
import { framePage, type Frame } from "../parts/frame.ts";
import { submitButton, tokenField } from "../parts/form-parts.ts";

export type ConfirmLinkData = {
  /** "/confirm/…": the link itself, which only a POST consumes. */
  path: string;
  token: string;
  email: string;
  /** Whether this creates an account, or verifies an existing account's address. */
  creates: boolean;
};

/**
 * Opened by a mailed link. Mail scanners open links too, so nothing happens before the button is
 * pressed.
 */
export function confirmLinkPage(frame: Frame, { path, token, email, creates }: ConfirmLinkData): Html {
  const { texts, look } = frame;
  const title = texts.confirmAddress;
  const body = html`<h1>${title}</h1>
    <p>
      ${creates ? texts.confirmAddressOf(look.name) : texts.confirmAddressFor(look.name)}
      <strong><bdi>${email}</bdi></strong>
    </p>
    <form method="post" action="${path}">
      ${tokenField(token)}
      ${submitButton({
        label: creates ? texts.confirmAndContinue(look.name) : texts.confirmCode,
        busy: texts.confirming,
        look: "main",
      })}
    </form>`;
  return framePage(frame, { title, body, script: true });
}
