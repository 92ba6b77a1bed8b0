import { html, type Html, type HtmlValue } from "../lib/html.ts";
import { waitingTime } from "./duration.ts";
import { framePage, safeHref, type Frame } from "./frame.ts";
import { alertGlyph, clockGlyph, linkGlyph, lockGlyph, tickGlyph, windowsGlyph } from "./glyphs.ts";

/** A page that only says something. The way back is `frame.backUrl`, where it is known. */
export type Message =
  | {
      kind:
        | "expired"
        /** No such session: looks like `expired`, and names no app. */
        | "unknown"
        | "finished"
        | "other-browser"
        | "bad-redirect"
        /** A form that another site sent. */
        | "cross-site"
        | "cookies-blocked"
        | "server-error"
        | "busy"
        /** A link of a mail that is used, too old, replaced, or none. */
        | "link-over"
        /** A link of a mail in a browser that did not ask for it: `sign-up`, or the account page's. */
        | "link-elsewhere"
        /** The account is there, but its sign-in has timed out meanwhile. */
        | "account-created";
    }
  /** `signIn`: whether `frame.backUrl` leads to the sign-in page, not to the app. */
  | { kind: "password-changed"; signIn: boolean }
  | { kind: "too-many-tries"; retryAfterSeconds: number }
  /** `command` mends it; give it in development mode only. */
  | { kind: "no-methods"; command?: string };

type Words = { glyph: Html; title: string; next: HtmlValue; good?: boolean; linkLabel?: string };

export function messagePage(frame: Frame, message: Message): Html {
  const { glyph, title, next, good, linkLabel } = wordsFor(frame, message);
  const back = safeHref(frame.backUrl);
  const body = html`<div class="sign${good === true && " good"}">${glyph}</div>
    <h1>${title}</h1>
    <p>${next}</p>
    ${message.kind === "no-methods" && command(frame, message.command)}
    ${back !== undefined && html`<a class="button main" href="${back}">${linkLabel ?? frame.texts.backTo(frame.look.name)}</a>`}`;
  return framePage(frame, { title, body });
}

function command({ texts }: Frame, text: string | undefined): Html | undefined {
  if (text === undefined) return undefined;
  return html`<p class="hint">${texts.noMethodsCommand}</p>
    <pre dir="ltr"><code>${text}</code></pre>`;
}

function wordsFor(frame: Frame, message: Message): Words {
  const { texts, look } = frame;
  // Only a page that knows the way back to an app may name it.
  const app = safeHref(frame.backUrl) === undefined ? undefined : look.name;
  switch (message.kind) {
    case "expired":
      return { glyph: clockGlyph, title: texts.expiredTitle, next: texts.expiredNext(look.name) };
    case "unknown":
      return { glyph: clockGlyph, title: texts.expiredTitle, next: texts.unknownNext };
    case "finished":
      return {
        glyph: tickGlyph,
        title: texts.finishedTitle,
        next: texts.finishedNext(look.name),
        good: true,
        linkLabel: texts.continueTo(look.name),
      };
    case "other-browser":
      return {
        glyph: windowsGlyph,
        title: texts.otherBrowserTitle,
        next: app === undefined ? texts.otherBrowserNextUnknown : texts.otherBrowserNext(app),
      };
    case "bad-redirect":
      return { glyph: linkGlyph, title: texts.badRedirectTitle, next: texts.badRedirectNext };
    case "cross-site":
      return { glyph: lockGlyph, title: texts.crossSiteTitle, next: texts.crossSiteNext };
    case "cookies-blocked":
      return { glyph: lockGlyph, title: texts.cookiesTitle, next: texts.cookiesNext };
    case "server-error":
      return { glyph: alertGlyph, title: texts.serverErrorTitle, next: texts.serverErrorNext };
    case "busy":
      return { glyph: clockGlyph, title: texts.busyTitle, next: texts.busyNext };
    case "too-many-tries":
      return {
        glyph: clockGlyph,
        title: texts.tooManyTitle,
        next: texts.tooManyNext(waitingTime(message.retryAfterSeconds, frame.lang)),
      };
    case "link-over":
      return { glyph: linkGlyph, title: texts.linkOverTitle, next: texts.linkOverNext };
    case "link-elsewhere":
      return { glyph: windowsGlyph, title: texts.linkElsewhereTitle, next: texts.linkElsewhereNext };
    case "account-created":
      return {
        glyph: tickGlyph,
        title: texts.accountCreatedTitle,
        next: texts.accountCreatedNext(look.name),
        good: true,
        linkLabel: texts.continueTo(look.name),
      };
    case "password-changed":
      return {
        glyph: tickGlyph,
        title: texts.passwordChangedTitle,
        next: texts.passwordChangedNext,
        good: true,
        linkLabel: message.signIn ? texts.backToSignIn : texts.continueTo(look.name),
      };
    case "no-methods":
      return { glyph: lockGlyph, title: texts.noMethodsTitle, next: texts.noMethodsNext(look.name) };
  }
}
