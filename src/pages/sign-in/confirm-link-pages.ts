/** Proves an address by a mailed link: of a new account, an existing one, or a sign-in. */
import * as addressChange from "../../credentials/mailed/address-change.ts";
import type { EmailToken } from "../../credentials/mailed/email-token.ts";
import * as emailTokens from "../../credentials/mailed/service.ts";
import { seeOther, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { html, type Html } from "../../lib/html.ts";
import type { Context } from "../../runtime/context.ts";
import { accountAddress } from "../../sign-in/account-address.ts";
import * as signIn from "../../sign-in/service.ts";
import * as confirmLinks from "../../sign-in/sign-up/confirm-links.ts";
import type { User } from "../../users/user.ts";
import * as browsers from "../hosted/browser.ts";
import * as hosted from "../hosted/hosted.ts";
import { isAnswer, type PageVisit } from "../hosted/hosted.ts";
import { submitButton, tokenField } from "../parts/form-parts.ts";
import { framePage, type Frame } from "../parts/frame.ts";
import * as confirm from "./confirm-pages.ts";
import * as emailCodePages from "./email-code-pages.ts";
import * as visits from "./visits.ts";
import type { Visit } from "./visits.ts";

/**
 * A mailed link in the one browser that may use it: the browser that signs up or in, or one signed
 * in to the account.
 */
type LinkVisit = (Visit | (PageVisit & { user: User; tie: string })) & { emailToken: EmailToken };

async function openSessionLink(
  ctx: Context,
  request: HttpRequest,
  emailToken: EmailToken,
  sessionId: string,
): Promise<LinkVisit | Answer> {
  const opened = await signIn.open(
    ctx,
    sessionId,
    browsers.meet(ctx, request, { kind: "sign-in", key: sessionId }).digest,
  );
  if (opened.state === "other-browser") {
    const { application, session } = opened;
    return hosted.message(hosted.frameFor(ctx, request, { application, locale: session.locale }), {
      kind: emailToken.purpose === "sign-in" ? "sign-in-link-elsewhere" : "link-elsewhere",
    });
  }
  const visit = await visits.late(ctx, request, sessionId);
  return isAnswer(visit) ? visit : { ...visit, emailToken };
}

async function openAccountLink(
  ctx: Context,
  request: HttpRequest,
  emailToken: EmailToken,
): Promise<LinkVisit | Answer> {
  const browser = browsers.meet(ctx, request, { kind: "account", key: emailToken.appId });
  const link = await confirmLinks.findAccount(ctx, emailToken, browser.digest);
  if (!link) return await hosted.linkOver(ctx, request);
  const { application, signedIn } = link;
  const frame = hosted.frameFor(ctx, request, { application, locale: signedIn?.user.locale ?? null });
  return signedIn
    ? { request, application, browser, frame, ...signedIn, emailToken }
    : hosted.message(frame, { kind: "link-elsewhere" });
}

async function openLink(ctx: Context, request: HttpRequest): Promise<LinkVisit | Answer> {
  const link = await confirmLinks.find(ctx, request.parameter("token"));
  if (!link) return await hosted.linkOver(ctx, request);
  return link.purpose === "sign-up" || link.purpose === "sign-in"
    ? await openSessionLink(ctx, request, link.token, link.sessionId)
    : await openAccountLink(ctx, request, link.token);
}

/** Opened by a link. Changes nothing: mail scanners open links too. */
export async function link(ctx: Context, request: HttpRequest): Promise<Answer> {
  const visit = await openLink(ctx, request);
  if (isAnswer(visit)) return visit;
  const { emailToken, frame, browser } = visit;
  const shown = { path: request.path, token: browser.formToken, email: emailToken.email };
  const body =
    emailToken.purpose === "sign-in"
      ? signInLinkPage(frame, shown)
      : confirmLinkPage(frame, { ...shown, creates: !("user" in visit) });
  return "user" in visit ? hosted.page(frame, body) : visits.page(ctx, visit, body);
}

export async function byLink(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await hosted.post(ctx, request, () => openLink(ctx, request));
  if (isAnswer(posted)) return posted;
  if (!("user" in posted))
    return posted.emailToken.purpose === "sign-in"
      ? await emailCodePages.byLink(ctx, posted, posted.emailToken)
      : await confirm.createAccount(ctx, posted, posted.emailToken);
  const { user, emailToken, application, frame, source } = posted;
  const outcome =
    emailToken.purpose === "change"
      ? await addressChange.confirm(ctx, posted, { token: emailToken }, source)
      : await emailTokens.confirmVerify(ctx, user, { secret: request.parameter("token") }, source);
  if (outcome === "taken") return hosted.message(frame, { kind: "address-taken" });
  if (outcome !== "verified" && outcome !== "changed") return await hosted.linkOver(ctx, posted.request);
  return seeOther(`${accountAddress(ctx.baseUrl, application.id)}&notice=${outcome === "changed" ? "email" : outcome}`);
}

export type ConfirmLinkData = {
  /** "/confirm/…": the link itself, which only a POST consumes. */
  path: string;
  token: string;
  email: string;
  /** Whether this creates an account, or verifies an existing account's address. */
  creates: boolean;
};

/**
 * Opened by a mailed link. Mail scanners open links too, so nothing happens before the button is
 * pressed.
 */
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

/**
 * Opened by the mailed link, in the browser that asked for it. `path`: "/confirm/…", which only a
 * POST consumes.
 */
export function signInLinkPage(frame: Frame, { path, token, email }: { path: string; token: string; email: string }) {
  const { texts, look } = frame;
  const title = texts.signInTo(look.name);
  const body = html`<h1>${title}</h1>
    <p>
      ${texts.signInAs} <strong><bdi>${email}</bdi></strong>
    </p>
    <form method="post" action="${path}">
      ${tokenField(token)} ${submitButton({ label: texts.signIn, busy: texts.signingIn, look: "main" })}
    </form>`;
  return framePage(frame, { title, body, script: true });
}
