import { isAnswer } from "../../hosted/hosted.ts";
import { seeOther, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import type { ProviderClients } from "../../oauth/provider-clients.ts";
import { takeOverPage } from "../../pages/sign-in/take-over-page.ts";
import { pathOf, type ChoosePages } from "../choose-pages.ts";
import type { StepPages } from "../step-pages.ts";
import type { TakeOver } from "./take-over.ts";
import type { Visit, Visits } from "../visits.ts";

/**
 * Shows the first person to prove an address what that removes from the account. Nothing is removed
 * before they agree.
 */
export function createTakeOverPages(deps: {
  visits: Visits;
  choose: ChoosePages;
  steps: StepPages;
  takeOver: TakeOver;
  providerClients: ProviderClients;
}) {
  const { visits, choose, steps, takeOver, providerClients } = deps;

  return {
    /**
     * The page for a session whose identity waits for consent; undefined if nothing needs consent
     * any more.
     */
    async page(visit: Visit): Promise<Answer | undefined> {
      const waiting = await takeOver.waiting(visit.session);
      if (!waiting) return undefined;
      const { email, unproven } = waiting;
      return visits.page(
        visit,
        takeOverPage(visit.frame, {
          sessionPath: pathOf(visit),
          token: visit.browser.formToken,
          email,
          unproven: { ...unproven, providers: unproven.providers.map((name) => providerClients.displayName(name)) },
        }),
      );
    },

    async agree(request: HttpRequest): Promise<Answer> {
      const posted = await visits.submit(request);
      if (isAnswer(posted)) return posted;
      const proofVisit = visits.forProof(posted);
      const shown = { email: posted.form.get("email"), mark: posted.form.get("agreed") };
      const outcome = await takeOver.agree(proofVisit, shown);
      if (typeof outcome === "object" && "refusal" in outcome)
        return outcome.refusal === "method-disabled"
          ? choose.methodDisabled(proofVisit, "oauth")
          : seeOther(pathOf(proofVisit));
      const provider = providerClients.displayName(proofVisit.session.pendingLink?.provider ?? "");
      return await steps.end(proofVisit, outcome, ({ kind }) =>
        choose.showSignIn(proofVisit, {
          problem: kind === "other-account" ? { kind } : { kind: "provider-failed", provider },
          status: 400,
        }),
      );
    },
  };
}
