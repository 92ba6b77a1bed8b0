/** The posts of the step after a password that must be replaced. */
import { seeOther, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { typedCode } from "../../lib/typed-code.ts";
import type { Context } from "../../runtime/context.ts";
import * as requiredChange from "../../sign-in/passwords/required-change.ts";
import type { ResetProblem } from "../../sign-in/problems.ts";
import * as proofs from "../../sign-in/proofs.ts";
import type { User } from "../../users/user.ts";
import { isAnswer, orTryLater } from "../hosted/hosted.ts";
import { pathOf } from "./choose-pages.ts";
import { show } from "./new-password-step.ts";
import * as steps from "./step-pages.ts";
import * as visits from "./visits.ts";
import type { Posted } from "./visits.ts";

async function submitted(
  ctx: Context,
  request: HttpRequest,
): Promise<{ posted: Posted; user: User } | { answer: Answer }> {
  const posted = await visits.submit(ctx, request);
  if (isAnswer(posted)) return { answer: posted };
  const waiting = await proofs.findWaiting(ctx, posted);
  // An old page: the session's own page shows the current step.
  return waiting?.next === "new-password" ? { posted, user: waiting.user } : { answer: seeOther(pathOf(posted)) };
}

/** POST …/step/new-password/code */
export async function sendCode(ctx: Context, request: HttpRequest): Promise<Answer> {
  const asked = await submitted(ctx, request);
  if ("answer" in asked) return asked.answer;
  const { posted, user } = asked;
  const isMailed = await requiredChange.ask(ctx, visits.forProof(ctx, posted), user);
  return await show(ctx, posted, user, { isMailed, again: posted.form.get("again") === "1" });
}

/** POST …/step/new-password */
export async function change(ctx: Context, request: HttpRequest): Promise<Answer> {
  const asked = await submitted(ctx, request);
  if ("answer" in asked) return asked.answer;
  const { posted, user } = asked;
  const again = (problem: ResetProblem): Promise<Answer> => show(ctx, posted, user, { problem });
  const typed = {
    password: posted.form.get("password") ?? "",
    code: typedCode(posted.form.get("code") ?? ""),
    network: posted.network,
    endsTokens: posted.form.get("tokens") === "on",
  };
  const proofVisit = visits.forProof(ctx, posted);
  return await orTryLater(
    (async () => {
      const outcome = await requiredChange.change(ctx, proofVisit, user, typed);
      if (typeof outcome === "object" && "refusal" in outcome) return await again(outcome.refusal);
      return await steps.end(ctx, proofVisit, outcome, () => again({ kind: "code-over" }));
    })(),
    again,
  );
}
