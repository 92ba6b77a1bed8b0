import { html, type Html } from "../../lib/html.ts";
import { framePage, type Frame } from "../parts/frame.ts";
import { lockGlyph, passkeyGlyph } from "../../look/glyphs.ts";
import { providerMark } from "../../look/marks.ts";
import type { PageMethods } from "../parts/methods.ts";
import { tokenField } from "../parts/form-parts.ts";

export type InviteData = {
  /** "/invite/…": the link itself. */
  path: string;
  token: string;
  email: string | null;
  methods: PageMethods;
};

/** Opened by the link of an invitation: offers the methods to choose from, and does nothing yet. */
export function invitePage(frame: Frame, { path, token, email, methods }: InviteData): Html {
  const { texts, look } = frame;
  const title = texts.inviteTitle(look.name);
  const choice = (fields: Record<string, string>, label: string, before: Html): Html =>
    html`<form method="post" action="${path}">
      ${tokenField(token)}
      ${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
      <button class="button plain" data-busy="${texts.continuing}">${before}<span>${label}</span></button>
    </form>`;
  const body = html`<h1>${title}</h1>
    <p>${texts.inviteNext} ${email !== null && html`<strong><bdi>${email}</bdi></strong>`}</p>
    <p>${texts.inviteChoose}</p>
    ${
      methods.passkey &&
      html`${choice({ adds: "passkey" }, texts.createPasskey, passkeyGlyph)}
        <p class="hint">${texts.passkeyInOneLine}</p>`
    }
    ${methods.password && choice({ adds: "password" }, texts.invitePassword, lockGlyph)}
    ${methods.oauth.map(({ name, displayName }) =>
      choice({ adds: "oauth", provider: name }, texts.continueWith(displayName), providerMark(name)),
    )}`;
  return framePage(frame, { title, body, script: true });
}
