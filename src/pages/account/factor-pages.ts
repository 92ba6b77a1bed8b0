/** The second factor on the account page, with recovery codes and trusted browsers. */
import * as factors from "../../factors/service.ts";
import * as trustedBrowsers from "../../factors/trusted-browsers.ts";
import { seeOther, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { AppError } from "../../lib/errors.ts";
import type { Context } from "../../runtime/context.ts";
import * as accountSetUp from "../../sign-in/factors/account-set-up.ts";
import { isAnswer } from "../hosted/hosted.ts";
import { newCodesPage, removeFactorPage, renewCodesPage, setUpFactorPage } from "./factors.ts";
import { accountPath } from "./parts.ts";
import * as accountVisits from "./visits.ts";
import { byUser, type SignedInVisit } from "./visits.ts";

function placeOf({ application, browser }: SignedInVisit) {
  return { appId: application.id, token: browser.formToken };
}

/** `again`: of a form that is shown again. */
async function showSetUp(
  ctx: Context,
  visit: SignedInVisit,
  problem?: "factor-wrong" | "set-up-over",
  again?: string,
): Promise<Answer> {
  const { user, application, frame } = visit;
  const { reader } = ctx.storage;
  if (!(await factors.maySetUp(reader, application, user.id))) return accountVisits.notFound(visit);
  const replaces = await factors.hasFactor(reader, user.id);
  const setUp = await factors.setUp(ctx, reader, { user, application }, again);
  const shown = { ...placeOf(visit), ...setUp, replaces, problem: problem && { kind: problem } };
  return accountVisits.page(visit, setUpFactorPage(frame, shown), { status: problem ? 422 : 200 });
}

/** GET /account/factor */
export async function setUpForm(ctx: Context, request: HttpRequest): Promise<Answer> {
  const visit = await accountVisits.visitProven(ctx, request, "factor");
  return isAnswer(visit) ? visit : await showSetUp(ctx, visit);
}

/** POST /account/factor */
export async function setUp(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await accountVisits.postProven(ctx, request, "factor");
  if (isAnswer(posted)) return posted;
  const { user, application, frame, form } = posted;
  if (!(await factors.maySetUp(ctx.storage.reader, application, user.id))) return accountVisits.notFound(posted);
  const sealed = form.get("set-up") ?? "";
  const confirming = { sealed, code: form.get("code") ?? "" };
  const acted = await accountVisits.act(ctx, posted, "factor", (within) =>
    accountSetUp.confirm(within, posted, confirming),
  );
  if (!("done" in acted)) return acted;
  const { done: codes } = acted;
  if (codes === "wrong") return await showSetUp(ctx, posted, "factor-wrong", sealed);
  if (codes === "over") return await showSetUp(ctx, posted, "set-up-over");
  return accountVisits.page(posted, newCodesPage(frame, { appId: application.id, codes, notice: "factor-added" }));
}

async function showRemove(ctx: Context, visit: SignedInVisit): Promise<Answer> {
  const { user, application, frame } = visit;
  const { reader } = ctx.storage;
  if (!(await factors.hasFactor(reader, user.id))) return seeOther(accountPath(application.id));
  const isRequired = await factors.mustKeep(reader, application, user.id);
  const body = removeFactorPage(frame, { ...placeOf(visit), isRequired });
  return accountVisits.page(visit, body, { status: isRequired ? 422 : 200 });
}

/** GET /account/remove-factor */
export async function removeForm(ctx: Context, request: HttpRequest): Promise<Answer> {
  const visit = await accountVisits.visitProven(ctx, request, "remove-factor");
  return isAnswer(visit) ? visit : await showRemove(ctx, visit);
}

/** POST /account/remove-factor */
export async function remove(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await accountVisits.postProven(ctx, request, "remove-factor");
  if (isAnswer(posted)) return posted;
  try {
    const acted = await accountVisits.act(ctx, posted, "remove-factor", (within) =>
      factors.remove(within, posted.user.id, byUser(posted)),
    );
    if (!("done" in acted)) return acted;
  } catch (error) {
    if (!(error instanceof AppError && error.code === "CONFLICT")) throw error;
    return await showRemove(ctx, posted);
  }
  return accountVisits.done(posted, "factor-removed");
}

/** GET /account/recovery-codes */
export async function renewForm(ctx: Context, request: HttpRequest): Promise<Answer> {
  const visit = await accountVisits.visitProven(ctx, request, "recovery-codes");
  if (isAnswer(visit)) return visit;
  if (!(await factors.hasFactor(ctx.storage.reader, visit.user.id))) return seeOther(accountPath(visit.application.id));
  return accountVisits.page(visit, renewCodesPage(visit.frame, placeOf(visit)));
}

/** POST /account/recovery-codes */
export async function renew(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await accountVisits.postProven(ctx, request, "recovery-codes");
  if (isAnswer(posted)) return posted;
  const { application, frame } = posted;
  const acted = await accountVisits.act(ctx, posted, "recovery-codes", (within) =>
    factors.renewCodes(within, posted.user.id, byUser(posted)),
  );
  if (!("done" in acted)) return acted;
  return acted.done
    ? accountVisits.page(posted, newCodesPage(frame, { appId: application.id, codes: acted.done }))
    : seeOther(accountPath(application.id));
}

/** POST /account/trusted-browsers/:browserId/end. Needs no fresh proof, like ending a login. */
export async function endTrust(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await accountVisits.post(ctx, request);
  if (isAnswer(posted)) return posted;
  try {
    await trustedBrowsers.end(ctx, posted.user.id, request.parameter("browserId"), byUser(posted));
  } catch (error) {
    if (!(error instanceof AppError && error.code === "INVALID_REQUEST")) throw error;
    return accountVisits.notFound(posted);
  }
  return accountVisits.done(posted, "trust-ended");
}
