import { html, type Html } from "../../lib/html.ts";
import { submitButton, tokenField } from "../parts/form-parts.ts";
import { framePage, type Frame } from "../parts/frame.ts";

/** `path`: "/recover/…", the link itself, which only a sign-in uses up. */
export type RecoverData = { path: string; token: string; email: string | null };

/** Opened by the link that an operator made. Works in any browser. */
export function recoverPage(frame: Frame, { path, token, email }: RecoverData): Html {
  const { texts, look } = frame;
  const title = texts.recoverTitle;
  const body = html`<h1>${title}</h1>
    <p>${texts.recoverNext(look.name)} ${email !== null && html`<strong><bdi>${email}</bdi></strong>`}</p>
    <p>${texts.recoverRemoves}</p>
    <form method="post" action="${path}">
      ${tokenField(token)} ${submitButton({ label: texts.signIn, busy: texts.continuing, look: "main" })}
    </form>`;
  return framePage(frame, { title, body, script: true });
}
