import { isAnswer } from "../../hosted/hosted.ts";
import { seeOther, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { pathOf, type ChoosePages } from "../choose-pages.ts";
import type { ConsentSignIn } from "./consent-sign-in.ts";
import { waitsForConsent } from "../session.ts";
import type { SingleSignOn } from "./single-sign-on.ts";
import type { StepPages } from "../step-pages.ts";
import type { Visits } from "../visits.ts";

/** What a person who is signed in to this browser decides: to continue, and to agree. */
export function createContinuePages(deps: {
  visits: Visits;
  choose: ChoosePages;
  steps: StepPages;
  singleSignOn: SingleSignOn;
  consentSignIn: ConsentSignIn;
}) {
  const { visits, choose, steps, singleSignOn, consentSignIn } = deps;

  return {
    /** POST /sign-in/{sessionId}/continue */
    async continueAs(request: HttpRequest): Promise<Answer> {
      const posted = await visits.submit(request);
      if (isAnswer(posted)) return posted;
      const proofVisit = visits.forProof(posted);
      const outcome = await singleSignOn.agree(proofVisit);
      // No longer signed in: the session's page asks for a proof.
      if (outcome === undefined) return seeOther(pathOf(posted));
      return await steps.end(proofVisit, outcome, () => choose.showSignIn(posted));
    },

    /** POST /sign-in/{sessionId}/step/consent */
    async agree(request: HttpRequest): Promise<Answer> {
      const posted = await visits.submit(request);
      if (isAnswer(posted)) return posted;
      const proofVisit = visits.forProof(posted);
      const outcome = await consentSignIn.agree(proofVisit);
      if (outcome === undefined) return seeOther(pathOf(posted));
      return await steps.end(proofVisit, outcome, () => choose.showSignIn(posted));
    },

    /** POST /sign-in/{sessionId}/step/deny. The session stays open: a person may think again. */
    async deny(request: HttpRequest): Promise<Answer> {
      const posted = await visits.submit(request);
      if (isAnswer(posted)) return posted;
      return waitsForConsent(posted.session) ? choose.denied(posted) : seeOther(pathOf(posted));
    },
  };
}
