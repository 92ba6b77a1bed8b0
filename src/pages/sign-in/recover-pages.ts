/**
 * The pages of a recovery link. Its form begins a sign-in in this browser. The link is consumed by
 * the first proof there, so a person who stops before can start again.
 */
import type { EmailToken } from "../../credentials/mailed/email-token.ts";
import * as recoveryLinks from "../../credentials/mailed/recovery-links.ts";
import type { Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { html, type Html } from "../../lib/html.ts";
import type { Context } from "../../runtime/context.ts";
import * as signIn from "../../sign-in/service.ts";
import type { User } from "../../users/user.ts";
import * as browsers from "../hosted/browser.ts";
import * as hosted from "../hosted/hosted.ts";
import { isAnswer, type PageVisit } from "../hosted/hosted.ts";
import { submitButton, tokenField } from "../parts/form-parts.ts";
import { framePage, type Frame } from "../parts/frame.ts";
import * as visits from "./visits.ts";

/** The holder of a recovery link, in any browser. */
type LinkVisit = PageVisit & { emailToken: EmailToken; user: User };

async function openLink(ctx: Context, request: HttpRequest): Promise<LinkVisit | Answer> {
  const secret = request.parameter("token");
  const link = await recoveryLinks.find(ctx, secret);
  if (!link) return await hosted.linkOver(ctx, request);
  const { token: emailToken, user, application } = link;
  const browser = browsers.meet(ctx, request, { kind: "sign-in", key: secret });
  const frame = hosted.frameFor(ctx, request, { application, locale: user.locale });
  return { request, application, browser, frame, emailToken, user };
}

/** GET /recover/:token. Changes nothing: programs open links too. */
export async function link(ctx: Context, request: HttpRequest): Promise<Answer> {
  const visit = await openLink(ctx, request);
  if (isAnswer(visit)) return visit;
  const { frame, browser, user } = visit;
  const body = recoverPage(frame, { path: request.path, token: browser.formToken, email: user.email });
  return hosted.page(frame, body, { cookies: [browser.setCookie] });
}

/** POST /recover/:token */
export async function begin(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await hosted.post(ctx, request, () => openLink(ctx, request));
  if (isAnswer(posted)) return posted;
  const { application, user, emailToken } = posted;
  const asked = { userId: user.id, recoveryDigest: emailToken.digest, locale: user.locale };
  const begun = signIn.newRecovery(ctx, application, asked);
  // Bound to this browser from the start: no other browser may use the session's URL.
  const visit = visits.begin(ctx, request, begun);
  const session = { ...begun.session, browserDigest: visit.browser.digest };
  await signIn.store(ctx, { ...begun, session });
  return visits.enter(ctx, visit, begun.authUrl);
}

/** `path`: "/recover/…", the link itself, which only a sign-in uses up. */
type RecoverData = { path: string; token: string; email: string | null };

/** Opened by the link that an operator made. Works in any browser. */
function recoverPage(frame: Frame, { path, token, email }: RecoverData): Html {
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
