/** The second factor in a sign-in: giving a code, setting one up, continuing. */
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
import type { Posted, ProofVisit } from "./visits.ts";

async function submitted(
  ctx: Context,
  request: HttpRequest,
  fits: (next: Step, posted: Posted, user: User) => boolean | Promise<boolean>,
  work: (proofVisit: ProofVisit & Posted, user: User) => Promise<Answer>,
): Promise<Answer> {
  const posted = await visits.submit(ctx, request);
  if (isAnswer(posted)) return posted;
  const waiting = await proofs.findWaiting(ctx, posted);
  // An old page: the session's own page shows the current step.
  if (!waiting || !(await fits(waiting.next, posted, waiting.user))) return seeOther(pathOf(posted));
  return await work(visits.forProof(ctx, posted), waiting.user);
}

/** POST …/step/code */
export async function useCode(ctx: Context, request: HttpRequest): Promise<Answer> {
  return await submitted(
    ctx,
    request,
    (next) => next === "second-factor",
    async (proofVisit, user) => {
      const { form } = proofVisit;
      const trust = form.get("trust") === "yes" ? visits.renewTrust(ctx, user.id) : undefined;
      const typed = { code: form.get("code") ?? "", trusts: trust?.digest };
      const outcome = await factorSignIn.byCode(ctx, proofVisit, user, typed);
      if (typeof outcome === "object" && "refusal" in outcome)
        return await showSecondFactor(ctx, proofVisit, user, outcome.refusal);
      const answer = await steps.end(ctx, proofVisit, outcome, () => showSecondFactor(ctx, proofVisit, user));
      // Now, whatever page follows: its cookies are those of a finished sign-in.
      return typeof outcome === "object" && trust?.setCookie !== undefined
        ? { ...answer, cookies: [...(answer.cookies ?? []), trust.setCookie] }
        : answer;
    },
  );
}

/** POST …/step/set-up */
export async function confirmSetUp(ctx: Context, request: HttpRequest): Promise<Answer> {
  let replaces = false;
  const fits = async (next: Step, { session }: Posted, user: User): Promise<boolean> => {
    replaces = next === "see-codes" && (await factorSignIn.mayReplace(ctx, session, user));
    return replaces || next === "set-up-factor";
  };
  return await submitted(ctx, request, fits, async (proofVisit, user) => {
    const { form } = proofVisit;
    const sealed = form.get("set-up") ?? "";
    const confirming = { sealed, code: form.get("code") ?? "", replaces };
    const { outcome, codes } = await factorSignIn.confirmSetUp(ctx, proofVisit, user, confirming);
    if (typeof outcome === "object" && "refusal" in outcome) {
      // Ask for a passkey that was added since the page was shown.
      const waiting = await proofs.findWaiting(ctx, proofVisit);
      if (!waiting || !(await fits(waiting.next, proofVisit, user))) return seeOther(pathOf(proofVisit));
      const kind = outcome.refusal === "wrong" ? "factor-wrong" : "set-up-over";
      return await showSetUp(ctx, proofVisit, user, { problem: { kind }, again: sealed, replaces });
    }
    const after = await steps.end(ctx, proofVisit, outcome, () => showSetUp(ctx, proofVisit, user));
    if (codes.length === 0) return after;
    // The page that cannot be opened again, with the cookies of the next step.
    const kept = { ...proofVisit, browser: proofVisit.renewed };
    return await showCodes(ctx, kept, user, { secondFactor: "new-totp", codes });
  });
}

/** POST …/step/continue */
export async function goOn(ctx: Context, request: HttpRequest): Promise<Answer> {
  return await submitted(
    ctx,
    request,
    (next) => next === "see-codes",
    async (proofVisit, user) => {
      const outcome = await factorSignIn.goOn(ctx, proofVisit, user);
      return await steps.end(ctx, proofVisit, outcome, async () => seeOther(pathOf(proofVisit)));
    },
  );
}
