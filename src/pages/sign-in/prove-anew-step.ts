/**
 * The step after a provider that does not confirm a recent sign-in: another proof, or why there is
 * none.
 */
import { providerDisplayName } from "../../applications/providers/providers.ts";
import type { Answer } from "../../http/answer.ts";
import type { Context } from "../../runtime/context.ts";
import * as proveAnew from "../../sign-in/providers/prove-anew.ts";
import type { User } from "../../users/user.ts";
import { withRetryAfter } from "../hosted/hosted.ts";
import type { SignInProblem } from "../parts/problems.ts";
import { pathOf } from "./choose-pages.ts";
import { proveAnewPage } from "./prove-anew-page.ts";
import * as visits from "./visits.ts";
import type { Visit } from "./visits.ts";

/** As on the sign-in page. */
const statusOf: Partial<Record<SignInProblem["kind"], number>> = {
  "wrong-credentials": 401,
  "too-many-tries": 429,
  busy: 429,
};

export async function show(ctx: Context, visit: Visit, user: User, problem?: SignInProblem): Promise<Answer> {
  const ways = await proveAnew.waysOf(ctx, visit, user);
  const body = proveAnewPage(visit.frame, {
    sessionPath: pathOf(visit),
    token: visit.browser.formToken,
    provider: providerDisplayName(visit.session.provenProvider ?? ""),
    ways,
    email: user.email ?? "",
    problem,
  });
  const status = problem === undefined ? 200 : (statusOf[problem.kind] ?? 422);
  const targets = ways.providers.flatMap(({ formTargets }) => formTargets);
  return withRetryAfter(visits.page(ctx, visit, body, status, targets), problem);
}
