import type { Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { isAnswer } from "../../hosted/hosted.ts";
import type { LinkRefusal } from "../../oauth/linking.ts";
import type { ProviderAnswer, AuthorizationRequests } from "../../oauth/authorization-requests.ts";
import { continuePage } from "../../pages/continue-page.ts";
import type { SignInProblem } from "../../pages/parts/problems.ts";
import { pathOf, type ChoosePages } from "../choose-pages.ts";
import type { AddPages } from "../adding/add-pages.ts";
import { providerOf, type OauthDepartures } from "./oauth-departures.ts";
import type { Arrival, ProviderSignIn } from "./provider-sign-in.ts";
import type { SignIn } from "../service.ts";
import type { StepPages } from "../step-pages.ts";
import type { Visit, Visits } from "../visits.ts";

const problemOfRefusal: Record<LinkRefusal, Extract<SignInProblem, { provider: string }>["kind"]> = {
  "agree-first": "provider-failed",
  "existing-method-first": "provider-existing-account",
  "no-email": "provider-no-email",
  "unverified-email": "provider-unverified-email",
  "sign-up-closed": "provider-no-account",
  refused: "provider-failed",
};

/**
 * Back from a provider. Whatever it does, the person ends on a page with a next step,
 * or at the app with an error.
 */
export function createOauthPages(deps: {
  visits: Visits;
  choose: ChoosePages;
  steps: StepPages;
  add: AddPages;
  departures: OauthDepartures;
  signIn: SignIn;
  providerSignIn: ProviderSignIn;
  authorizationRequests: AuthorizationRequests;
}) {
  const { visits, choose, steps, add, departures, signIn, providerSignIn, authorizationRequests } = deps;
  const { problem, failed } = departures;

  async function arrive(
    request: HttpRequest,
    provider: string,
    state: string,
    answer: ProviderAnswer,
  ): Promise<Answer> {
    const departure = await authorizationRequests.arrive(provider, state);
    // The same page for every invalid state, so that it reveals nothing about sessions.
    const visit = await visits.visit(request, departure?.sessionId ?? "");
    if (isAnswer(visit)) return visit;
    if (departure?.browserDigest !== visit.browser.digest) return visits.message(visit, { kind: "other-browser" });
    if (!signIn.allowsProvider(visit.session, visit.application, provider))
      return choose.methodDisabled(visit, "oauth");
    const { adds } = departure;
    if (answer.code === undefined) return await notThere(visit, provider, answer.error, adds);
    const arrival = { provider, state, answer: { ...answer, code: answer.code } };
    return adds ? await addTo(visit, arrival) : await complete(visit, arrival);
  }

  async function complete(visit: Visit, arrival: Arrival): Promise<Answer> {
    const { provider } = arrival;
    const proofVisit = visits.forProof(visit);
    const outcome = await providerSignIn.signIn(proofVisit, arrival).catch((error: unknown) => ({ error }));
    if (typeof outcome === "object" && "error" in outcome) return await failed(visit, provider, outcome.error);
    // Redirect to a page, so that reloading it does not repeat the provider's answer.
    const renewed = { ...visit, browser: proofVisit.renewed };
    if (outcome === "agree-first") return visits.enter(renewed, pathOf(visit));
    if (typeof outcome === "object" && "waitsIn" in outcome)
      return await choose.showSignIn({ ...renewed, session: outcome.waitsIn }, { status: 400 });
    if (typeof outcome === "object" && "refusal" in outcome)
      return await problem(visit, provider, problemOfRefusal[outcome.refusal]);
    return await steps.end(proofVisit, outcome, ({ kind }) =>
      kind === "other-account"
        ? choose.showSignIn(visit, { problem: { kind }, status: 400 })
        : problem(visit, provider, "provider-failed"),
    );
  }

  async function addTo(visit: Visit, arrival: Arrival): Promise<Answer> {
    const proofVisit = visits.forProof(visit);
    const outcome = await providerSignIn.add(proofVisit, arrival).catch((error: unknown) => ({ error }));
    if (typeof outcome === "object" && "error" in outcome)
      return await failed(visit, arrival.provider, outcome.error, true);
    return await add.end(proofVisit, outcome, (kind) => add.show(visit, { kind }));
  }

  /** The person cancelled at the provider, or the provider refused. */
  async function notThere(visit: Visit, provider: string, error: string | undefined, adds: boolean): Promise<Answer> {
    const cancelled =
      error === "access_denied" || error === "user_cancelled_login" || error === "user_cancelled_authorize";
    if (visit.session.authMethod === "oauth" && cancelled) return choose.cancelled(visit);
    return cancelled
      ? await problem(visit, provider, "provider-cancelled", adds)
      : await failed(visit, provider, "the provider answered with an error", adds);
  }

  return {
    /** GET /oauth/:provider/callback */
    async callback(request: HttpRequest): Promise<Answer> {
      const query = request.query();
      return await arrive(request, providerOf(request), query.get("state") ?? "", answerFrom(query));
    },

    /**
     * POST /oauth/:provider/callback (response_mode=form_post). The browser omits our Lax cookie
     * from a cross-site post, so the first answer is a page that posts the same fields again from
     * here.
     */
    async postedCallback(request: HttpRequest): Promise<Answer> {
      const form = await request.form();
      const state = form.get("state") ?? "";
      const site = request.header("sec-fetch-site");
      if (site === undefined ? form.has("continued") : site === "same-origin")
        return await arrive(request, providerOf(request), state, answerFrom(form));
      const sessionId = (await authorizationRequests.peek(state)) ?? "";
      const fields = ["state", "code", "error", "iss", "user"].flatMap((name) =>
        form.has(name) ? [[name, form.get(name) ?? ""] as const] : [],
      );
      const action = `/oauth/${providerOf(request)}/callback`;
      return await visits.passOn(request, sessionId, (frame) =>
        continuePage(frame, { action, fields: [...fields, ["continued", "1"]] }),
      );
    },
  };
}

function answerFrom(fields: { get(name: string): string | null | undefined }): ProviderAnswer {
  const text = (name: string): string | undefined => fields.get(name) ?? undefined;
  return { code: text("code"), error: text("error"), iss: text("iss"), user: text("user") };
}
