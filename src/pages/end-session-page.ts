import { html, type Html } from "../lib/html.ts";
import { accountPath } from "./account-parts.ts";
import { framePage, type Frame } from "./frame.ts";
import { submitButton, tokenField } from "./parts.ts";

export type EndSessionData = {
  appId: string;
  action: string;
  token: string;
  /** Who is signed in in this browser. */
  account: string;
  /** Where the client wants to continue. */
  fields: Record<string, string>;
};

/** Asks before a logout that the client did not prove to be this browser's. */
export function endSessionPage(frame: Frame, { appId, action, token, account, fields }: EndSessionData): Html {
  const { texts, look } = frame;
  const title = texts.signOutOf(look.name);
  const body = html`<h1>${title}</h1>
    <p>
      <strong><bdi>${account}</bdi></strong>
    </p>
    <p>${texts.signOutOfNext(look.name)}</p>
    <form method="post" action="${action}">
      ${tokenField(token)}
      ${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
      ${submitButton({ label: texts.signOut, busy: texts.signingOut, look: "main" })}
    </form>
    <a class="button plain alone" href="${accountPath(appId)}">${texts.staySignedIn}</a>`;
  return framePage(frame, { title, body, script: true, stylesheet: frame.assets.accountStylesheet });
}
