import type { Grants } from "../clients/grants.ts";
import { isAnswer } from "../hosted/hosted.ts";
import type { Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import type { OwnLogins } from "../tokens/own-logins.ts";
import { byUser, type AccountVisits } from "./visits.ts";

const signedOut = "/signed-out";

/**
 * Ending logins, and the access of programs. Needs no fresh proof: a user who suspects a thief
 * must be quick.
 */
export function createLoginPages(deps: { visits: AccountVisits; ownLogins: OwnLogins; grants: Grants }) {
  const { visits, ownLogins, grants } = deps;

  return {
    /** POST /account/logins/:loginId/end */
    async end(request: HttpRequest): Promise<Answer> {
      const posted = await visits.post(request);
      if (isAnswer(posted)) return posted;
      const ended = await ownLogins.end(posted.user.id, request.parameter("loginId"), byUser(posted));
      if (!ended) return visits.notFound(posted);
      const wasHere = ended.endedAt === null && ended.browserSessionDigest === posted.session.tie;
      return wasHere ? visits.leave(posted, signedOut) : visits.done(posted, "login-ended");
    },

    /** POST /account/logins/end-others */
    async endOthers(request: HttpRequest): Promise<Answer> {
      const posted = await visits.post(request);
      if (isAnswer(posted)) return posted;
      await ownLogins.endOthers(posted.user.id, posted.session.digest, byUser(posted));
      return visits.done(posted, "others-ended");
    },

    /** POST /account/logins/end-all */
    async endAll(request: HttpRequest): Promise<Answer> {
      const posted = await visits.post(request);
      if (isAnswer(posted)) return posted;
      await ownLogins.endAll(posted.user.id, byUser(posted));
      return visits.leave(posted, signedOut);
    },

    /** POST /account/programs/:clientId/remove */
    async removeProgram(request: HttpRequest): Promise<Answer> {
      const posted = await visits.post(request);
      if (isAnswer(posted)) return posted;
      const removed = await grants.remove(posted.user.id, request.parameter("clientId"), byUser(posted));
      return removed ? visits.done(posted, "access-removed") : visits.notFound(posted);
    },

    /** POST /account/sign-out: this browser, with every login that it opened. */
    async signOut(request: HttpRequest): Promise<Answer> {
      const posted = await visits.post(request);
      if (isAnswer(posted)) return posted;
      await ownLogins.endBrowser(posted.session, "account", byUser(posted));
      return visits.leave(posted, signedOut);
    },
  };
}
