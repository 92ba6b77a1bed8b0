/**
 * Ending logins, and the access of programs. Needs no fresh proof: a user who suspects a thief
 * must be quick.
 */
import { idIn } from "../../lib/path-segments.ts";
import type { Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import type { Context } from "../../runtime/context.ts";
import * as ends from "../../sessions/login-ends.ts";
import * as grants from "../../sign-in/grants.ts";
import { isAnswer } from "../hosted/hosted.ts";
import * as accountVisits from "./visits.ts";
import { byUser } from "./visits.ts";

const signedOut = "/signed-out";

/** POST /account/logins/:loginId/end */
export async function end(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await accountVisits.post(ctx, request);
  if (isAnswer(posted)) return posted;
  const ended = await ends.endOne(
    ctx,
    { id: request.parameter("loginId"), userId: posted.user.id },
    { reason: "account", by: byUser(posted) },
  );
  if (!ended) return accountVisits.notFound(posted);
  const wasHere = ended.endedAt === null && ended.browserSessionDigest === posted.session.tie;
  return wasHere ? accountVisits.leave(ctx, posted, signedOut) : accountVisits.done(posted, "login-ended");
}

/** POST /account/logins/end-others */
export async function endOthers(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await accountVisits.post(ctx, request);
  if (isAnswer(posted)) return posted;
  await ends.endOthers(ctx, posted.user.id, posted.session.digest, byUser(posted));
  return accountVisits.done(posted, "others-ended");
}

/** POST /account/logins/end-all */
export async function endAll(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await accountVisits.post(ctx, request);
  if (isAnswer(posted)) return posted;
  const tokens = posted.form.get("tokens") === "on";
  await ends.endAll(ctx, posted.user.id, byUser(posted), { tokens });
  return accountVisits.leave(ctx, posted, signedOut);
}

/** POST /account/programs/:clientId/remove */
export async function removeProgram(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await accountVisits.post(ctx, request);
  if (isAnswer(posted)) return posted;
  const removed = await grants.remove(ctx, posted.user.id, idIn(request.parameter("clientId")), byUser(posted));
  return removed ? accountVisits.done(posted, "access-removed") : accountVisits.notFound(posted);
}

/** POST /account/sign-out: this browser, with every login that it opened. */
export async function signOut(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await accountVisits.post(ctx, request);
  if (isAnswer(posted)) return posted;
  await ends.endBrowser(ctx, posted.session, "account", byUser(posted));
  return accountVisits.leave(ctx, posted, signedOut);
}
