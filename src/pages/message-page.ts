import { html, type Html, type HtmlValue } from "../lib/html.ts";
import { waitingTime } from "../look/duration.ts";
import { framePage, safeHref, type Frame } from "./parts/frame.ts";
import { alertGlyph, clockGlyph, linkGlyph, lockGlyph, tickGlyph, windowsGlyph } from "../look/glyphs.ts";

/** A page with only a message. `frame.backUrl` is the way back, if known. */
export type Message =
  | {
      kind:
        | "expired"
        /** No such session. Looks like `expired`, and names no app. */
        | "unknown"
        | "finished"
        | "other-browser"
        | "bad-redirect"
        /** A form posted by another site. */
        | "cross-site"
        | "cookies-blocked"
        | "server-error"
        | "busy"
        /**
         * A mailed link opened in another browser than the one that requested it: `sign-up`, or the
         * account page's.
         */
        | "link-elsewhere"
        /** The same for the link of a sign-in. */
        | "sign-in-link-elsewhere"
        /** Another account has the address that somebody has just proven. */
        | "address-taken"
        /** The account exists, but its sign-in has timed out. */
        | "account-created"
        /** The account waits for approval. */
        | "pending"
        /** The outcome of a device's request. */
        | "device-allowed"
        | "device-denied"
        | "device-over"
        | "device-not-admitted"
        /** An unknown path or wrong method. */
        | "no-page"
        /** The service's front page. */
        | "home";
    }
  /**
   * A mailed link that is used, expired, replaced or invalid. `next`: where `frame.backUrl` leads.
   */
  | { kind: "link-over"; next: "new-link" | "sign-in" | "app" }
  /** `signIn`: whether `frame.backUrl` leads to the sign-in page, not to the app. */
  | { kind: "password-changed"; signIn: boolean }
  /** `next`: whether `frame.backUrl` leads to a new password, to a first method, or neither. */
  | { kind: "address-restored"; next: "reset" | "choose" | "account" }
  | { kind: "too-many-tries"; retryAfterSeconds: number }
  /** A refused API call that a browser opened. `details` is for the app's developers. */
  | { kind: "bad-link"; details: string; requestId: string }
  /** `command` prints the fix; in development mode only. */
  | { kind: "no-methods"; command?: string };

type Words = { glyph: Html; title: string; next: HtmlValue; good?: boolean; linkLabel?: string };

export function messagePage(frame: Frame, message: Message): Html {
  const { glyph, title, next, good, linkLabel } = wordsFor(frame, message);
  const back = safeHref(frame.backUrl);
  const body = html`<div class="sign${good === true && " good"}">${glyph}</div>
    <h1>${title}</h1>
    <p>${next}</p>
    ${message.kind === "no-methods" && command(frame, message.command)}
    ${message.kind === "bad-link" && forDevelopers(frame, message)}
    ${back !== undefined && html`<a class="button main" href="${back}">${linkLabel ?? frame.texts.backTo(frame.look.name)}</a>`}`;
  return framePage(frame, { title, body });
}

function command({ texts }: Frame, text: string | undefined): Html | undefined {
  if (text === undefined) return undefined;
  return html`<p class="hint">${texts.noMethodsCommand}</p>
    <pre dir="ltr"><code>${text}</code></pre>`;
}

function forDevelopers({ texts }: Frame, { details, requestId }: { details: string; requestId: string }): Html {
  return html`<p class="hint">${texts.badLinkDetails}</p>
    <pre dir="ltr"><code>${details}
${requestId}</code></pre>`;
}

function wordsFor(frame: Frame, message: Message): Words {
  const { texts, look } = frame;
  // Name the app only if the page can link back to it.
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
      return {
        glyph: linkGlyph,
        title: texts.linkOverTitle,
        next: texts.linkOverNext,
        linkLabel: { "new-link": texts.sendNewLink, "sign-in": texts.signIn, app: texts.backTo(look.name) }[
          message.next
        ],
      };
    case "link-elsewhere":
      return { glyph: windowsGlyph, title: texts.linkElsewhereTitle, next: texts.linkElsewhereNext };
    case "sign-in-link-elsewhere":
      return { glyph: windowsGlyph, title: texts.linkElsewhereTitle, next: texts.signInLinkElsewhereNext };
    case "account-created":
      return {
        glyph: tickGlyph,
        title: texts.accountCreatedTitle,
        next: texts.accountCreatedNext(look.name),
        good: true,
        linkLabel: texts.continueTo(look.name),
      };
    case "pending":
      return { glyph: clockGlyph, title: texts.pendingTitle, next: texts.pendingNext(look.name) };
    case "password-changed":
      return {
        glyph: tickGlyph,
        title: texts.passwordChangedTitle,
        next: texts.passwordChangedNext,
        good: true,
        linkLabel: message.signIn ? texts.backToSignIn : texts.continueTo(look.name),
      };
    case "address-taken":
      return { glyph: alertGlyph, title: texts.addressTakenTitle, next: texts.addressTakenNext(look.name) };
    case "address-restored":
      return {
        glyph: tickGlyph,
        title: texts.addressRestoredTitle,
        good: true,
        ...{
          reset: { next: texts.addressRestoredReset, linkLabel: texts.chooseNewPassword },
          choose: { next: texts.addressRestoredChoose, linkLabel: texts.chooseMethod },
          account: { next: texts.addressRestoredNext, linkLabel: texts.continueToAccount },
        }[message.next],
      };
    case "device-allowed":
      return { glyph: tickGlyph, title: texts.deviceAllowedTitle, next: texts.deviceAllowedNext, good: true };
    case "device-denied":
      return {
        glyph: lockGlyph,
        title: texts.deviceDeniedTitle,
        next: texts.deviceDeniedNext,
        linkLabel: texts.deviceEnterCode,
      };
    case "device-over":
      return {
        glyph: clockGlyph,
        title: texts.deviceOverTitle,
        next: texts.deviceOverNext,
        linkLabel: texts.deviceEnterCode,
      };
    case "device-not-admitted":
      return {
        glyph: lockGlyph,
        title: texts.deviceNotAdmittedTitle,
        next: texts.deviceNotAdmittedNext(look.name),
        linkLabel: texts.deviceEnterCode,
      };
    case "no-page":
      return {
        glyph: linkGlyph,
        title: texts.noPageTitle,
        next: texts.noPageNext,
        linkLabel: texts.continueToAccount,
      };
    case "bad-link":
      return { glyph: linkGlyph, title: texts.badLinkTitle, next: texts.badLinkNext };
    case "home":
      return { glyph: lockGlyph, title: texts.homeTitle, next: texts.homeNext };
    case "no-methods":
      return { glyph: lockGlyph, title: texts.noMethodsTitle, next: texts.noMethodsNext(look.name) };
  }
}
