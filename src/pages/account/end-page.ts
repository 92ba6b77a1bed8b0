import { html, type Html } from "../../lib/html.ts";
import { framePage, safeHref, type Frame } from "../parts/frame.ts";
import { linkGlyph, lockGlyph, tickGlyph } from "../../look/glyphs.ts";

/** Why no account can be shown. `path` leads to the app's account page. */
export type AccountEnd =
  /** `apps`: those whose account pages are open in this browser. */
  | { kind: "no-app"; apps: { name: string; path: string }[] }
  | { kind: "signed-out" | "not-signed-in" | "not-found"; path: string }
  /** An invited user has chosen a method. */
  | { kind: "ready"; path: string }
  | { kind: "deleted" };

export function accountEndPage(frame: Frame, end: AccountEnd): Html {
  const { texts, look } = frame;
  const { title, next, glyph, good } = wordsFor(frame, end);
  const home = safeHref(frame.backUrl);
  const onwards = end.kind === "not-found" ? texts.backToAccount : texts.signIn;
  const homeFirst = end.kind === "ready" && home !== undefined;
  const body = html`<div class="sign${good === true && " good"}">${glyph}</div>
    <h1>${title}</h1>
    <p>${next}</p>
    ${homeFirst && html`<a class="button main" href="${home}">${texts.continueTo(look.name)}</a>`}
    ${
      end.kind === "no-app" &&
      end.apps.map(({ name, path }) => html`<a class="button plain" href="${path}">${texts.accountTitle(name)}</a>`)
    }
    ${"path" in end && !homeFirst && html`<a class="button main" href="${end.path}">${onwards}</a>`}
    ${
      home !== undefined &&
      !homeFirst &&
      end.kind !== "not-found" &&
      html`<a class="button ${"path" in end ? "plain" : "main"}" href="${home}">${texts.backTo(look.name)}</a>`
    }`;
  return framePage(frame, { title, body, base: frame.assets.accountStylesheet });
}

function wordsFor(
  { texts, look }: Frame,
  { kind }: AccountEnd,
): { title: string; next: string; glyph: Html; good?: boolean } {
  switch (kind) {
    case "no-app":
      return { title: texts.noAccountTitle, next: texts.noAccountNext, glyph: linkGlyph };
    case "signed-out":
      return { title: texts.signedOutTitle, next: texts.signedOutNext(look.name), glyph: tickGlyph, good: true };
    case "not-signed-in":
      return { title: texts.notSignedInTitle, next: texts.notSignedInNext(look.name), glyph: lockGlyph };
    case "ready":
      return { title: texts.readyTitle, next: texts.readyNext(look.name), glyph: tickGlyph, good: true };
    case "deleted":
      return { title: texts.deletedTitle, next: texts.deletedNext(look.name), glyph: tickGlyph, good: true };
    case "not-found":
      return { title: texts.notFoundTitle, next: texts.notFoundNext, glyph: linkGlyph };
  }
}
