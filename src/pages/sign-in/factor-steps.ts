/** Shows the steps of a second factor. */
import * as factors from "../../factors/service.ts";
import * as passkeys from "../../credentials/passkeys/service.ts";
import type { Answer } from "../../http/answer.ts";
import type { Context } from "../../runtime/context.ts";
import * as factorSignIn from "../../sign-in/factors/factor-sign-in.ts";
import type { User } from "../../users/user.ts";
import { withRetryAfter } from "../hosted/hosted.ts";
import type { FactorProblem } from "../parts/factor-parts.ts";
import { pathOf } from "./choose-pages.ts";
import {
  recoveryCodesPage,
  recoveryQuery,
  replaceQuery,
  secondFactorPage,
  setUpFactorPage,
} from "./factor-step-pages.ts";
import * as visits from "./visits.ts";
import type { Visit } from "./visits.ts";

function statusOf(problem: FactorProblem | undefined): number {
  if (problem === undefined) return 200;
  return problem.kind === "too-many-tries" || problem.kind === "factor-blocked" ? 429 : 422;
}

export async function showSecondFactor(
  ctx: Context,
  visit: Visit,
  user: User,
  problem?: FactorProblem,
): Promise<Answer> {
  const { settings, authMethods } = visit.application;
  const hasPasskey = authMethods.passkey.enabled && (await passkeys.hasAny(ctx.storage.reader, user.id));
  const recovery = visit.request.query().get(recoveryQuery.name) === recoveryQuery.value;
  const data = { sessionPath: pathOf(visit), token: visit.browser.formToken, problem, hasPasskey, recovery };
  const body = secondFactorPage(visit.frame, { ...data, trustDays: settings.trustBrowsersDays ?? 0 });
  return withRetryAfter(visits.page(ctx, visit, body, statusOf(problem)), problem);
}

export async function showSetUp(
  ctx: Context,
  visit: Visit,
  user: User,
  {
    problem,
    again,
    replaces = false,
  }: { problem?: FactorProblem; again?: string | undefined; replaces?: boolean } = {},
): Promise<Answer> {
  const setUp = await factorSignIn.setUp(ctx, visit, user, again);
  const data = { sessionPath: pathOf(visit), token: visit.browser.formToken, problem, replaces, ...setUp };
  return visits.page(ctx, visit, setUpFactorPage(visit.frame, data), statusOf(problem));
}

/** `codes`: just made, and never shown again. */
export async function showCodes(
  ctx: Context,
  visit: Visit,
  user: User,
  { secondFactor, codes }: { secondFactor: string | null; codes?: string[] },
): Promise<Answer> {
  const isUsed = secondFactor === "recovery-code";
  const mayReplace = isUsed && (await factorSignIn.mayReplace(ctx, visit.session, user));
  if (mayReplace && visit.request.query().get(replaceQuery.name) === replaceQuery.value)
    return await showSetUp(ctx, visit, user, { replaces: true });
  const left = isUsed ? (await factors.factsOf(ctx.storage.reader, user.id)).codesLeft : undefined;
  const data = { sessionPath: pathOf(visit), token: visit.browser.formToken, codes, left, mayReplace };
  return visits.page(ctx, visit, recoveryCodesPage(visit.frame, data));
}
