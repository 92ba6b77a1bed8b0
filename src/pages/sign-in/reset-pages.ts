/**
 * Resets a forgotten password: by a mailed code within the sign-in, or by the mail's link on any
 * device.
 */
import { providerDisplayName } from "../../applications/providers/providers.ts";
import type { Unproven } from "../../credentials/identities/first-proof.ts";
import type { EmailToken } from "../../credentials/mailed/email-token.ts";
import * as passwordReset from "../../credentials/mailed/password-reset.ts";
import { seeOther, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { canonicalEmail, emailProblem, maxEmailCharacters } from "../../lib/email.ts";
import { typedCode } from "../../lib/typed-code.ts";
import * as mail from "../../records/mail/service.ts";
import type { Context } from "../../runtime/context.ts";
import * as passwordSignIn from "../../sign-in/passwords/password-sign-in.ts";
import * as resets from "../../sign-in/passwords/resets.ts";
import type { WayBack } from "../../sign-in/passwords/resets.ts";
import type { User } from "../../users/user.ts";
import type { ResetProblem } from "../../sign-in/problems.ts";
import * as browsers from "../hosted/browser.ts";
import { formTargets } from "../hosted/form-targets.ts";
import * as hosted from "../hosted/hosted.ts";
import { isAnswer, orTryLater, withRetryAfter, type PageVisit, type PostedForm } from "../hosted/hosted.ts";
import type { Frame } from "../parts/frame.ts";
import * as choose from "./choose-pages.ts";
import { pathOf } from "./choose-pages.ts";
import { forgotPasswordPage, noResetPage, type ForgotPasswordData } from "./forgot-password-page.ts";
import * as passwordCheck from "./password-check.ts";
import { unusable } from "./password-check.ts";
import { resetByCodePage, resetByLinkPage, type ResetByCodeData } from "./reset-password-page.ts";
import * as steps from "./step-pages.ts";
import type { UnprovenData } from "./take-over-page.ts";
import * as visits from "./visits.ts";
import type { Posted, Visit } from "./visits.ts";

/** The holder of a link for a new password, in any browser. `way`: the next page. */
type LinkVisit = PageVisit & { emailToken: EmailToken; user: User; way: WayBack };

function showForgot(ctx: Context, visit: Visit, shown: Pick<ForgotPasswordData, "email" | "problem">): Answer {
  const sessionPath = pathOf(visit);
  const body = mail.available(ctx)
    ? forgotPasswordPage(visit.frame, { sessionPath, token: visit.browser.formToken, ...shown })
    : noResetPage(visit.frame, { sessionPath, passkey: choose.allows(ctx, visit, "passkey") });
  return visits.page(ctx, visit, body, shown.problem ? 422 : 200);
}

/** Shown after requesting a mail: the same page for every address. */
function showCode(
  ctx: Context,
  visit: Visit,
  shown: Pick<ResetByCodeData, "email" | "problem" | "removes" | "code"> & { again?: boolean },
): Answer {
  const body = resetByCodePage(visit.frame, {
    sessionPath: pathOf(visit),
    token: visit.browser.formToken,
    passwordMinLength: visit.application.settings.passwordMinLength,
    again: false,
    ...shown,
  });
  return withRetryAfter(visits.page(ctx, visit, body, statusOf(shown.problem)), shown.problem);
}

function shownAs(removes: Unproven): UnprovenData {
  return { ...removes, providers: removes.providers.map((name) => providerDisplayName(name)) };
}

async function showLink(ctx: Context, visit: LinkVisit, problem?: ResetProblem): Promise<Answer> {
  const { request, frame, browser, application, user, way } = visit;
  const targets = "session" in way ? formTargets(way.session.redirectUri, application.domain) : [];
  const removes = await passwordReset.removes(ctx, visit.emailToken);
  const body = resetByLinkPage(frame, {
    path: `/reset/${request.parameter("token")}`,
    action: request.path,
    token: browser.formToken,
    email: user.email,
    passwordMinLength: application.settings.passwordMinLength,
    problem,
    removes: removes && shownAs(removes),
  });
  return withRetryAfter(
    hosted.page(frame, body, { status: statusOf(problem), cookies: [browser.setCookie], targets }),
    problem,
  );
}

/** A form in a session whose app has passwords; otherwise the session's own page. */
async function submitted(ctx: Context, request: HttpRequest): Promise<Posted | Answer> {
  const posted = await visits.post(ctx, request);
  if (isAnswer(posted)) return posted;
  if (!choose.allows(ctx, posted, "password")) return seeOther(pathOf(posted));
  return mail.available(ctx) ? posted : showForgot(ctx, posted, { email: "" });
}

function newPassword({ form, network }: PostedForm) {
  return { password: form.get("password") ?? "", network, mark: form.get("agreed") };
}

async function resetByCode(ctx: Context, posted: Posted, email: string): Promise<Answer> {
  const again = (problem: ResetProblem): Answer => showCode(ctx, posted, { email, problem });
  const code = typedCode(posted.form.get("code") ?? "");
  if (code === undefined) return again({ kind: "code-missing" });
  const outcome = await resets.byCode(ctx, visits.forProof(ctx, posted), { ...newPassword(posted), email, code });
  if (outcome === "other-browser") return visits.message(posted, { kind: outcome });
  if (outcome === "over") return again({ kind: "code-over" });
  if (outcome === "changed") return await signInWithNew(ctx, posted, { email, ...newPassword(posted) });
  if ("problem" in outcome) return again(outcome.problem);
  return showCode(ctx, posted, { email, code, removes: shownAs(outcome.toAgree) });
}

async function resetByLink(ctx: Context, posted: LinkVisit & PostedForm): Promise<Answer> {
  const { request, frame, emailToken, user, way } = posted;
  const outcome = await resets.byLink(ctx, { ...posted, token: emailToken }, newPassword(posted));
  if (outcome === "over") return await hosted.linkOver(ctx, request, "new-link");
  if (outcome !== "changed") return await showLink(ctx, posted, "problem" in outcome ? outcome.problem : undefined);
  if (!("sessionId" in way)) return changed(frame, { backUrl: way.home, signIn: false });
  const visit = await visits.visit(ctx, request, way.sessionId);
  if (isAnswer(visit)) return visit;
  return await signInWithNew(ctx, visit, { email: user.email ?? "", ...newPassword(posted) });
}

/**
 * Continues the sign-in that requested the reset, in its own browser: exactly as if the person
 * typed the new password there. If that is not possible now, the person does.
 */
async function signInWithNew(
  ctx: Context,
  visit: Visit,
  typed: { email: string; password: string; network: string },
): Promise<Answer> {
  const byHand = async (): Promise<Answer> =>
    changed(visit.frame, { backUrl: ctx.baseUrl + pathOf(visit), signIn: true });
  const proofVisit = visits.forProof(ctx, visit);
  const signIn = async (): Promise<Answer> =>
    await steps.end(
      ctx,
      proofVisit,
      await passwordSignIn.signIn(ctx, proofVisit, { ...typed, mayOffer: false }),
      byHand,
    );
  return await orTryLater(signIn(), byHand);
}

function changed(frame: Frame, { backUrl, signIn }: { backUrl: string | undefined; signIn: boolean }): Answer {
  const { backUrl: _, ...rest } = frame;
  return hosted.message(
    { ...rest, ...(backUrl === undefined ? {} : { backUrl }) },
    { kind: "password-changed", signIn },
  );
}

async function openLink(ctx: Context, request: HttpRequest): Promise<LinkVisit | Answer> {
  const secret = request.parameter("token");
  const link = await passwordReset.find(ctx, secret);
  if (!link) return await hosted.linkOver(ctx, request, "new-link");
  const { token: emailToken, user, application } = link;
  const browser = browsers.meet(ctx, request, { kind: "sign-in", key: secret });
  const frame = hosted.frameFor(ctx, request, { application, locale: user.locale });
  const digestOf = (key: string): string => browsers.meet(ctx, request, { kind: "sign-in", key }).digest;
  return {
    request,
    application,
    browser,
    frame,
    emailToken,
    user,
    way: await resets.wayBack(ctx, emailToken, digestOf),
  };
}

export async function forgotPage(ctx: Context, request: HttpRequest): Promise<Answer> {
  const visit = await visits.visit(ctx, request);
  if (isAnswer(visit)) return visit;
  if (!choose.allows(ctx, visit, "password")) return seeOther(pathOf(visit));
  return showForgot(ctx, visit, { email: visit.session.loginHint ?? "" });
}

export async function ask(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await submitted(ctx, request);
  if (isAnswer(posted)) return posted;
  const { form } = posted;
  const typed = form.get("email") ?? "";
  const email = canonicalEmail(typed);
  if (email === undefined) {
    const kind = `email-${emailProblem(typed)}` as const;
    return showForgot(ctx, posted, { email: typed.slice(0, maxEmailCharacters), problem: { kind } });
  }
  const asked = await resets.ask(ctx, visits.forProof(ctx, posted), email);
  if (asked === "other-browser") return visits.message(posted, { kind: asked });
  return showCode(ctx, posted, { email, again: form.get("again") === "1" });
}

export async function byCode(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await submitted(ctx, request);
  if (isAnswer(posted)) return posted;
  const email = canonicalEmail(posted.form.get("email") ?? "");
  if (email === undefined) return showForgot(ctx, posted, { email: "" });
  return await orTryLater(resetByCode(ctx, posted, email), async (problem) =>
    showCode(ctx, posted, { email, problem }),
  );
}

/** Opened by a link. Changes nothing: mail scanners open links too. */
export async function link(ctx: Context, request: HttpRequest): Promise<Answer> {
  const visit = await openLink(ctx, request);
  return isAnswer(visit) ? visit : await showLink(ctx, visit);
}

export async function byLink(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await hosted.post(ctx, request, () => openLink(ctx, request));
  if (isAnswer(posted)) return posted;
  return await orTryLater(resetByLink(ctx, posted), (problem) => showLink(ctx, posted, problem));
}

/** POST /reset/{token}/password-check */
export async function checkByLink(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await hosted.post(ctx, request, () => openLink(ctx, request));
  if (isAnswer(posted)) throw unusable();
  return await passwordCheck.check(ctx, posted, posted.user);
}

function statusOf(problem: ResetProblem | undefined): number {
  if (problem === undefined) return 200;
  return problem.kind === "too-many-tries" || problem.kind === "busy" ? 429 : 422;
}
