import { html, type Html } from "../../lib/html.ts";
import { postForm } from "../parts/form-parts.ts";
import { accountPath, actionButton, actionForm, part, row, type AccountPlace } from "./parts.ts";
import { endTokensToo, hasTokens, type AccountTokens } from "./tokens.ts";
import { ago, momentOf } from "../../look/dates.ts";
import type { Frame } from "../parts/frame.ts";
import { keyGlyph, laptopGlyph, phoneGlyph, tabletGlyph, windowsGlyph } from "../../look/glyphs.ts";

/** A login as its owner sees it. Instants are epoch milliseconds. */
export type AccountLogin = {
  id: string;
  /** The host of the client, if it is unregistered, or the protected hosts that it opened. */
  agent?: string | undefined;
  /** Browser and system, roughly, in our own names; another program by its own name. */
  browser: string | undefined;
  device: string | undefined;
  ipAddress: string | null;
  signedInAt: number;
  lastSeenAt: number;
  /** Whether it belongs to the browser that shows this page. */
  isHere: boolean;
  /** Created by a command that issued a token, not by a sign-in. */
  byOperator: boolean;
  /** The operator who acts as the user in it, and the reason. */
  actor: { name: string; reason: string } | null;
};

export function accountLogins(
  frame: Frame,
  data: AccountPlace & { now: number; logins: AccountLogin[]; tokens: AccountTokens | undefined },
): Html {
  const { texts, look } = frame;
  const { logins } = data;
  const elsewhere = logins.some(({ isHere }) => !isHere);
  const list =
    logins.length === 0
      ? html`<p class="hint">${texts.noLogins(look.name)}</p>`
      : html`<ul class="rows" role="list">
          ${logins.map((login) => loginRow(frame, data, login))}
        </ul>`;
  const end = (page: string, label: string, before?: Html): Html =>
    postForm(accountPath(data.appId, page), data.token, {}, [
      before,
      actionButton({ label, busy: texts.signingOut, look: "small" }),
    ]);
  // "Everywhere" includes open account pages, which are not logins and not in the list.
  const content = html`${list}
    <div class="acts">
      ${elsewhere && end("/logins/end-others", texts.signOutOthers)}
      ${end("/logins/end-all", texts.signOutAll, hasTokens(data.tokens) ? endTokensToo(frame) : undefined)}
    </div>`;
  return part("devices", texts.logins, content);
}

function loginRow(frame: Frame, data: AccountPlace & { now: number }, login: AccountLogin): Html {
  const { texts } = frame;
  const title = titleOf(frame, login);
  return row({
    glyph: login.byOperator || login.actor ? keyGlyph : deviceGlyph(login),
    title,
    badge: login.isHere ? texts.here : undefined,
    facts: [
      ...(login.agent === undefined ? [] : [[login.agent]]),
      [texts.lastSeen(ago(login.lastSeenAt, data.now, frame)), ...(login.ipAddress === null ? [] : [login.ipAddress])],
      [texts.signedInOn(momentOf(login.signedInAt, frame))],
      ...(login.actor ? [[texts.actorReason(login.actor.reason)]] : []),
    ],
    acts: actionForm(data, {
      page: `/logins/${encodeURIComponent(login.id)}/end`,
      label: texts.signOut,
      busy: texts.signingOut,
      look: "small",
      name: texts.signOutNamed(title),
    }),
  });
}

function titleOf(frame: Frame, login: AccountLogin): string {
  const { texts, look } = frame;
  if (login.actor) return texts.byActor(login.actor.name, look.name);
  return login.byOperator ? texts.byOperator(look.name) : browserTitle(frame, login);
}

/** What a person would look for on the desk; a window for what we don't know. */
export function deviceGlyph({ device }: Pick<AccountLogin, "device">): Html {
  if (device === undefined) return windowsGlyph;
  if (device === "iPad") return tabletGlyph;
  return device === "iPhone" || device === "Android" ? phoneGlyph : laptopGlyph;
}

/** "Firefox on Windows", or the known part of it. */
export function browserTitle({ texts }: Frame, { browser, device }: Pick<AccountLogin, "browser" | "device">): string {
  if (browser !== undefined && device !== undefined) return texts.browserOn(browser, device);
  return browser ?? device ?? texts.unknownDevice;
}
