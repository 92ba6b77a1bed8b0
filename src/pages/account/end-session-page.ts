import { html, type Html } from "../../lib/html.ts";
import { accountPath, actionLink, row } from "./parts.ts";
import { framePage, type Frame } from "../parts/frame.ts";
import { tickGlyph, windowsGlyph } from "../../look/glyphs.ts";
import { submitButton, tokenField } from "../parts/form-parts.ts";

export type EndSessionData = {
  appId: string;
  action: string;
  token: string;
  /** The people who are signed in in this browser. */
  account: string;
  /** The client's target after the logout. */
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

/** `path`: of the page that asks only about this application. */
export type SignedInRow = { app: string; account: string; path: string };

/** Asks before a logout of a whole browser: the client did not say which application it means. */
export function endSessionsPage(
  frame: Frame,
  { action, token, signedIn }: { action: string; token: string; signedIn: SignedInRow[] },
): Html {
  const { texts } = frame;
  const title = texts.signOutHere;
  const body = html`<h1>${title}</h1>
    <p>${texts.signOutHereNext}</p>
    <ul class="rows" role="list">
      ${signedIn.map(({ app, account, path }) =>
        row({
          glyph: windowsGlyph,
          title: app,
          facts: [[account]],
          acts: actionLink(path, texts.signOut, texts.signOutNamed(app)),
        }),
      )}
    </ul>
    <form method="post" action="${action}">
      ${tokenField(token)} ${submitButton({ label: texts.signOutHere, busy: texts.signingOut, look: "main" })}
    </form>`;
  return framePage(frame, { title, body, script: true, stylesheet: frame.assets.accountStylesheet });
}

/** Nobody is signed in in this browser, to any application. */
export function nobodySignedInPage(frame: Frame): Html {
  const { texts } = frame;
  const body = html`<div class="sign good">${tickGlyph}</div>
    <h1>${texts.signedOutTitle}</h1>
    <p>${texts.signedOutHere}</p>`;
  return framePage(frame, { title: texts.signedOutTitle, body });
}
