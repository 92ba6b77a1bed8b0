/** What a person does with a second factor in a sign-in: a code, a set-up, going on. */
import { seeOther, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import type { Context } from "../../runtime/context.ts";
import * as factorSignIn from "../../sign-in/factors/factor-sign-in.ts";
import * as proofs from "../../sign-in/proofs.ts";
import type { Step } from "../../sign-in/steps.ts";
import type { User } from "../../users/user.ts";
import { isAnswer } from "../hosted/hosted.ts";
import { pathOf } from "./choose-pages.ts";
import { showCodes, showSecondFactor, showSetUp } from "./factor-steps.ts";
import * as steps from "./step-pages.ts";
import * as visits from "./visits.ts";
import type { Posted, ProofVisit, Visit } from "./visits.ts";

async function submitted(
  ctx: Context,
  request: HttpRequest,
  step: Step,
  work: (proofVisit: ProofVisit & Posted, user: User) => Promise<Answer>,
): Promise<Answer> {
  const posted = await visits.submit(ctx, request);
  if (isAnswer(posted)) return posted;
  const waiting = await proofs.findWaiting(ctx, posted);
  // An old page: the session's own page shows the current step.
  if (waiting?.next !== step) return seeOther(pathOf(posted));
  return await work(visits.forProof(ctx, posted), waiting.user);
}

/** POST …/step/code */
export async function useCode(ctx: Context, request: HttpRequest): Promise<Answer> {
  return await submitted(ctx, request, "second-factor", async (proofVisit, user) => {
    const { form } = proofVisit;
    const typed = { code: form.get("code") ?? "", trusts: form.get("trust") === "yes" };
    const outcome = await factorSignIn.byCode(ctx, proofVisit, user, typed);
    if (typeof outcome === "object" && "refusal" in outcome)
      return await showSecondFactor(ctx, proofVisit, user, outcome.refusal);
    return await steps.end(ctx, proofVisit, outcome, () => showSecondFactor(ctx, proofVisit, user));
  });
}

/** POST …/step/set-up */
export async function confirmSetUp(ctx: Context, request: HttpRequest): Promise<Answer> {
  return await submitted(ctx, request, "set-up-factor", async (proofVisit, user) => {
    const { form } = proofVisit;
    const sealed = form.get("set-up") ?? "";
    const confirming = { sealed, code: form.get("code") ?? "" };
    const { outcome, codes } = await factorSignIn.confirmSetUp(ctx, proofVisit, user, confirming);
    if (typeof outcome === "object" && "refusal" in outcome) return await again(ctx, proofVisit, user, outcome, sealed);
    const after = await steps.end(ctx, proofVisit, outcome, () => showSetUp(ctx, proofVisit, user));
    if (codes.length === 0) return after;
    // The page that cannot be opened again, with the cookies of the next step.
    const kept = { ...proofVisit, browser: proofVisit.renewed };
    return await showCodes(ctx, kept, user, { secondFactor: "new-totp", codes });
  });
}

async function again(
  ctx: Context,
  visit: Visit,
  user: User,
  { refusal }: { refusal: "wrong" | "over" },
  sealed: string,
): Promise<Answer> {
  // A passkey that was added meanwhile is asked for instead.
  if ((await proofs.findWaiting(ctx, visit))?.next !== "set-up-factor") return seeOther(pathOf(visit));
  const kind = refusal === "wrong" ? "factor-wrong" : "set-up-over";
  return await showSetUp(ctx, visit, user, { problem: { kind }, again: sealed });
}

/** POST …/step/continue */
export async function goOn(ctx: Context, request: HttpRequest): Promise<Answer> {
  return await submitted(ctx, request, "see-codes", async (proofVisit, user) => {
    const outcome = await factorSignIn.goOn(ctx, proofVisit, user);
    return await steps.end(ctx, proofVisit, outcome, async () => seeOther(pathOf(proofVisit)));
  });
}
