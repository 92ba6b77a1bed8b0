import { json, seeOther, type Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import { isAnswer } from "../hosted/hosted.ts";
import { invalidRequest } from "../lib/errors.ts";
import { passkeyStepPage, type PasskeyStepData } from "../pages/sign-in/passkey-step-page.ts";
import type { SignInProblem } from "../pages/parts/problems.ts";
import type { Passkeys } from "../passkeys/service.ts";
import type { User } from "../users/user.ts";
import type { AddPages } from "./adding/add-pages.ts";
import { pathOf, type ChoosePages } from "./choose-pages.ts";
import type { ConsentPages } from "./single-sign-on/consent-pages.ts";
import type { PasskeySignIn } from "./passkeys/passkey-sign-in.ts";
import type { FreshProofs } from "./fresh-proofs.ts";
import type { Outcome, Proofs } from "./proofs.ts";
import { conflictOf } from "./session.ts";
import type { Step } from "./steps.ts";
import { passkeyPlaceOf } from "./holder.ts";
import type { ProofVisit, Posted, Visit, Visits } from "./visits.ts";

export type StepPages = ReturnType<typeof createStepPages>;

/** First pages of a session that other modules provide. */
type FirstPages = {
  startProvider(visit: Visit, provider: string): Promise<Answer>;
  /** Undefined if no identity waits for consent. */
  takeOver(visit: Visit): Promise<Answer | undefined>;
};

type Problem = PasskeyStepData["problem"];

/**
 * The step after a proof: a required or offered passkey, adding a method, or the way back to the
 * app.
 */
export function createStepPages(deps: {
  visits: Visits;
  choose: ChoosePages;
  add: AddPages;
  consent: ConsentPages;
  proofs: Pick<Proofs, "findWaiting">;
  freshProofs: FreshProofs;
  passkeys: Passkeys;
  passkeySignIn: PasskeySignIn;
}) {
  const { visits, choose, add, consent, proofs, freshProofs, passkeys, passkeySignIn } = deps;

  async function show(
    visit: Visit,
    next: Exclude<Step, "done" | "ask-consent">,
    { problem, quietly = false }: { problem?: Problem; quietly?: boolean } = {},
  ): Promise<Answer> {
    if (next === "add-method") return await add.show(visit);
    const step = ({ "use-passkey": "use", "create-passkey": "create", "offer-passkey": "offer" } as const)[next];
    const data = { step, sessionPath: pathOf(visit), token: visit.browser.formToken, problem, quietly };
    return visits.page(visit, passkeyStepPage(visit.frame, data), problem ? 422 : 200);
  }

  /**
   * Shows the outcome of every proof: redirects to the app or the next step, or shows an error
   * page. `again` shows the problem with the proof.
   */
  async function end(
    proofVisit: ProofVisit,
    outcome: Outcome | "other-browser",
    again: (problem: SignInProblem) => Promise<Answer>,
  ): Promise<Answer> {
    if (outcome === "over") return await visits.over(proofVisit);
    if (outcome === "other-browser") return visits.message(proofVisit, { kind: outcome });
    if (outcome === "other-account" || outcome === "refused")
      return await again({ kind: outcome === "refused" ? "wrong-credentials" : outcome });
    // Keep the cookies: with the session's own, a returning browser sees "You're signed in".
    if ("response" in outcome) {
      const { usedWay } = outcome;
      const cookies = usedWay === null ? [] : [...proofVisit.cookies, visits.usedLastCookie(proofVisit, usedWay)];
      return visits.respond(proofVisit, outcome.response, cookies);
    }
    // Redirect, so that reloading the page does not repeat the password.
    return visits.enter({ ...proofVisit, browser: proofVisit.renewed }, pathOf(proofVisit));
  }

  /** A script cannot show a page, so every problem is one error. */
  async function scriptPost(
    request: HttpRequest,
    fits: (next: Step, posted: Posted) => boolean,
  ): Promise<{ posted: Posted; user: User }> {
    const posted = await visits.post(request);
    const found = isAnswer(posted) ? undefined : await proofs.findWaiting(posted);
    if (isAnswer(posted) || !found || !fits(found.next, posted) || !passkeys.available)
      throw invalidRequest("session: cannot be used by this browser now");
    return { posted, user: found.user };
  }

  async function submitted(
    request: HttpRequest,
    fits: (next: Step, posted: Posted) => boolean,
    work: (proofVisit: ProofVisit & Posted, user: User, next: Step) => Promise<Answer>,
  ): Promise<Answer> {
    const posted = await visits.submit(request);
    if (isAnswer(posted)) return posted;
    const found = await proofs.findWaiting(posted);
    // An old page: the session's own page shows the current step.
    if (!found || !fits(found.next, posted)) return seeOther(pathOf(posted));
    return await work(visits.forProof(posted), found.user, found.next);
  }

  const ceremonyOf = ({ form }: Posted) => (form.has("conditional") ? "conditional" : "add");
  /** Conditional creation only adds an offered passkey, and so only right after a password. */
  const creates = (next: Step, posted: Posted): boolean =>
    next === "offer-passkey" || (next === "create-passkey" && ceremonyOf(posted) === "add");

  return {
    show,
    end,

    /**
     * The first page of a session: its pending step, the requested provider, or the choice of
     * methods.
     */
    page:
      ({ startProvider, takeOver }: FirstPages) =>
      async (request: HttpRequest): Promise<Answer> => {
        const visit = await visits.visit(request);
        if (isAnswer(visit)) return visit;
        const asksFirst = await takeOver(visit);
        if (asksFirst) return asksFirst;
        const found = await proofs.findWaiting(visit);
        if (found?.next === "ask-consent") return await consent.show(visit, found.user);
        if (found && found.next !== "done")
          return await show(visit, found.next, { quietly: found.next === "offer-passkey" });
        if (visit.session.purpose === "add-method" && (await freshProofs.find(visits.forProof(visit))))
          return await add.show(visit);
        // The invitation was used or replaced. Nothing else can prove the user in this session.
        if (visit.session.inviteDigest !== null) return visits.message(visit, { kind: "link-over", next: "app" });
        const { provider } = visit.session;
        return provider === null || conflictOf(visit.session) !== undefined || request.onlyLooks
          ? await choose.showSignIn(visit)
          : await startProvider(visit, provider);
      },

    async usePasskeyOptions(request: HttpRequest): Promise<Answer> {
      const { posted, user } = await scriptPost(request, (next) => next === "use-passkey");
      return json({
        options: await passkeys.stepOptions(
          posted.application,
          passkeyPlaceOf(posted.session, posted.browser.digest),
          user.id,
        ),
      });
    },

    async usePasskey(request: HttpRequest): Promise<Answer> {
      return await submitted(
        request,
        (next) => next === "use-passkey",
        async (proofVisit, user, next) => {
          const again = (kind: "passkey-failed" | "passkey-unknown"): Promise<Answer> =>
            show(proofVisit, next as "use-passkey", { problem: { kind } });
          const outcome = await passkeySignIn.completeWith(proofVisit, user, proofVisit.form.get("credential") ?? "");
          if (typeof outcome === "object" && "refusal" in outcome) return await again("passkey-unknown");
          return await end(proofVisit, outcome, () => again("passkey-failed"));
        },
      );
    },

    async newPasskeyOptions(request: HttpRequest): Promise<Answer> {
      const { posted, user } = await scriptPost(request, creates);
      return json({
        options: await passkeys.addOptions(
          posted.application,
          passkeyPlaceOf(posted.session, posted.browser.digest),
          user,
          ceremonyOf(posted),
        ),
      });
    },

    async newPasskey(request: HttpRequest): Promise<Answer> {
      return await submitted(request, creates, async (proofVisit, user, next) => {
        const ceremony = ceremonyOf(proofVisit);
        // Nobody asked for a conditional creation: its failure is not shown, and not repeated.
        const again = (kind: "passkey-exists" | "passkey-failed"): Promise<Answer> =>
          show(proofVisit, next as "create-passkey", ceremony === "add" ? { problem: { kind } } : {});
        const outcome = await passkeySignIn.create(proofVisit, user, ceremony, proofVisit.form.get("credential") ?? "");
        if (typeof outcome === "object" && "refusal" in outcome) return await again("passkey-exists");
        return await end(proofVisit, outcome, () => again("passkey-failed"));
      });
    },

    /** "Not now", only for an offered passkey. */
    async skip(request: HttpRequest): Promise<Answer> {
      return await submitted(
        request,
        (next) => next === "offer-passkey",
        async (proofVisit, user) => {
          const outcome = await passkeySignIn.decline(proofVisit, user);
          if (outcome === undefined) return seeOther(pathOf(proofVisit));
          return await end(proofVisit, outcome, () => choose.showSignIn(proofVisit));
        },
      );
    },
  };
}
