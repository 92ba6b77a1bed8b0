/** The answers of a proven person: to the terms, and to what their profile lacks. */
import { seeOther, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import type { Context } from "../../runtime/context.ts";
import * as answerSteps from "../../sign-in/answer-steps.ts";
import * as proofs from "../../sign-in/proofs.ts";
import { fieldsToAsk } from "../../users/profile-fields.ts";
import { termsOf } from "../../users/terms.ts";
import { isAnswer } from "../hosted/hosted.ts";
import { enteredIn, readFields } from "../parts/profile-fields.ts";
import * as choose from "./choose-pages.ts";
import { pathOf } from "./choose-pages.ts";
import * as steps from "./step-pages.ts";
import * as visits from "./visits.ts";
import { showProfile } from "./waiting-step-pages.ts";

/** POST /sign-in/{sessionId}/step/terms */
export async function answerTerms(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await visits.submit(ctx, request);
  if (isAnswer(posted)) return posted;
  const waiting = await proofs.findWaiting(ctx, posted);
  // An old page: the session's own page shows the current step.
  if (waiting?.next !== "accept-terms") return seeOther(pathOf(posted));
  const proofVisit = visits.forProof(ctx, posted);
  const [answer, version] = [posted.form.get("answer"), posted.form.get("version") ?? ""];
  const present = termsOf(posted.application.settings);
  if (answer === "no" && present?.required === true && version === present.version) {
    if (!(await answerSteps.declineTerms(ctx, proofVisit))) return seeOther(pathOf(posted));
    return posted.session.authorization?.device === undefined
      ? choose.termsDeclined(ctx, posted)
      : visits.message(posted, { kind: "device-denied" });
  }
  if (answer !== "yes" && answer !== "no") return seeOther(pathOf(posted));
  const outcome = await answerSteps.answerTerms(ctx, proofVisit, { version, accepts: answer === "yes" });
  if (outcome === undefined) return seeOther(pathOf(posted));
  return await steps.end(ctx, proofVisit, outcome, () => choose.showSignIn(ctx, posted));
}

/** POST /sign-in/{sessionId}/step/profile */
export async function completeProfile(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await visits.submit(ctx, request);
  if (isAnswer(posted)) return posted;
  const waiting = await proofs.findWaiting(ctx, posted);
  if (waiting?.next !== "complete-profile") return seeOther(pathOf(posted));
  const { user } = waiting;
  const fields = fieldsToAsk(posted.application.settings.profileFields, user);
  const entered = enteredIn(posted.form, fields);
  const { values, problems } = readFields(fields, entered);
  if (problems.size > 0) return await showProfile(ctx, posted, user, { entered, problems });
  const proofVisit = visits.forProof(ctx, posted);
  try {
    const outcome = await answerSteps.completeProfile(ctx, proofVisit, values);
    if (outcome === undefined) return seeOther(pathOf(posted));
    return await steps.end(ctx, proofVisit, outcome, () => choose.showSignIn(ctx, posted));
  } catch (error) {
    const field = answerSteps.refusedField(error);
    if (field === undefined) throw error;
    // The fields changed since the page was read; or all values together are too much for a token.
    if (field !== "profile") return seeOther(pathOf(posted));
    return await showProfile(ctx, posted, user, { entered, isTooLong: true });
  }
}
