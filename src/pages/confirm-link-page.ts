import { html, type Html } from "../lib/html.ts";
import { framePage, type Frame } from "./frame.ts";
import { submitButton, tokenField } from "./parts.ts";

export type ConfirmLinkData = {
  /** "/confirm/…": the link itself, which only a post uses up. */
  path: string;
  token: string;
  email: string;
  /** Whether an account is created with the address, or it is the one of an account that is there. */
  creates: boolean;
};

/** What the link of a mail opens: mail scanners open links too, so nothing has happened before its button is pressed. */
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
