/** The decisions of a person who is proven in this browser: to continue, choose and consent. */
import { seeOther, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { AppError, type ErrorCode } from "../../lib/errors.ts";
import type { Context } from "../../runtime/context.ts";
import * as devices from "../../sign-in/devices/service.ts";
import * as organizationSignIn from "../../sign-in/organization-sign-in.ts";
import * as proofs from "../../sign-in/proofs.ts";
import { waitsForConsent } from "../../sign-in/session.ts";
import * as consentSignIn from "../../sign-in/single-sign-on/consent-sign-in.ts";
import * as singleSignOn from "../../sign-in/single-sign-on/single-sign-on.ts";
import { isAnswer } from "../hosted/hosted.ts";
import * as choose from "./choose-pages.ts";
import { pathOf } from "./choose-pages.ts";
import * as organizationPages from "./organization-pages.ts";
import type { OrganizationProblem } from "./organization-pages.ts";
import * as steps from "./step-pages.ts";
import * as visits from "./visits.ts";

/** POST /sign-in/{sessionId}/continue */
export async function continueAs(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await visits.submit(ctx, request);
  if (isAnswer(posted)) return posted;
  const proofVisit = visits.forProof(ctx, posted);
  const outcome = await singleSignOn.agree(ctx, proofVisit);
  // No longer signed in: the session's page asks for a proof.
  if (outcome === undefined) return seeOther(pathOf(posted));
  return await steps.end(ctx, proofVisit, outcome, () => choose.showSignIn(ctx, posted));
}

/** POST /sign-in/{sessionId}/step/consent */
export async function agree(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await visits.submit(ctx, request);
  if (isAnswer(posted)) return posted;
  const proofVisit = visits.forProof(ctx, posted);
  const outcome = await consentSignIn.agree(ctx, proofVisit);
  if (outcome === undefined) return seeOther(pathOf(posted));
  return await steps.end(ctx, proofVisit, outcome, () => choose.showSignIn(ctx, posted));
}

/**
 * POST /sign-in/{sessionId}/step/deny. The session stays open: a person may think again. But a
 * device is told, and shows no longer that it waits.
 */
export async function deny(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await visits.submit(ctx, request);
  if (isAnswer(posted)) return posted;
  if (!waitsForConsent(posted.session)) return seeOther(pathOf(posted));
  if (posted.session.authorization?.device === undefined) return choose.denied(ctx, posted);
  return (await devices.deny(ctx, posted))
    ? visits.message(posted, { kind: "device-denied" })
    : await visits.over(ctx, posted);
}

/** POST /sign-in/{sessionId}/step/organization: choosing, answering an invitation, or creating. */
export async function chooseOrganization(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await visits.submit(ctx, request);
  if (isAnswer(posted)) return posted;
  const { form } = posted;
  const proofVisit = visits.forProof(ctx, posted);
  const invitationId = form.get("invitation");
  const name = form.get("act") === "create" ? (form.get("name") ?? "") : undefined;
  try {
    const outcome =
      name !== undefined
        ? await organizationSignIn.create(ctx, proofVisit, name)
        : invitationId === undefined
          ? await organizationSignIn.choose(ctx, proofVisit, form.get("organization") ?? "")
          : await organizationSignIn.answer(ctx, proofVisit, { invitationId, accepts: form.get("answer") !== "no" });
    if (outcome === undefined) return seeOther(pathOf(posted));
    return await steps.end(ctx, proofVisit, outcome, () => choose.showSignIn(ctx, posted));
  } catch (error) {
    const problem = error instanceof AppError ? problems[error.code] : undefined;
    // Somebody else withdrew or answered it: the page shows what is left.
    if (error instanceof AppError && error.code === "ORGANIZATION_NOT_FOUND") return seeOther(pathOf(posted));
    const waiting = problem && (await proofs.findWaiting(ctx, posted));
    if (!waiting) throw error;
    const isJoining = name === undefined && problem === "too-many";
    return await organizationPages.show(ctx, posted, waiting.user, isJoining ? "full" : problem);
  }
}

const problems: Partial<Record<ErrorCode, OrganizationProblem>> = {
  INVALID_REQUEST: "name",
  CONFLICT: "too-many",
};

/** POST /sign-in/{sessionId}/step/other-account */
export async function leaveAccount(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await visits.submit(ctx, request);
  if (isAnswer(posted)) return posted;
  await organizationSignIn.leave(ctx, visits.forProof(ctx, posted));
  return seeOther(pathOf(posted));
}
