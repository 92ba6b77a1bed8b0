import { html, type Html } from "../lib/html.ts";
import { framePage, type Frame } from "./frame.ts";

export type ForgotPasswordData = {
  /** "/sign-in/sis_…", without a trailing slash. */
  sessionPath: string;
  /** Whether the app offers passkeys, which are then the first way out; taken as yes when absent. */
  passkey?: boolean;
};

/** Says that reset by mail is not set up, and what to do instead. */
export function forgotPasswordPage(frame: Frame, { sessionPath, passkey = true }: ForgotPasswordData): Html {
  const { texts, look } = frame;
  const body = html`<h1>${texts.resetPassword}</h1>
    <p>${texts.resetNotSetUp(look.name)}</p>
    <p>${passkey ? texts.resetOrPasskey(look.name) : texts.resetAskSupport(look.name)}</p>
    <a class="button main" href="${sessionPath}">${texts.backToSignIn}</a>`;
  return framePage(frame, { title: texts.resetPassword, body });
}
