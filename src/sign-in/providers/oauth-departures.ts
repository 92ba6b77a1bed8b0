import { seeOther, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { isAnswer } from "../../hosted/hosted.ts";
import type { Log } from "../../lib/log.ts";
import type { ProviderClients } from "../../oauth/provider-clients.ts";
import { leavePage } from "../../pages/leave-page.ts";
import type { SignInProblem } from "../../pages/parts/problems.ts";
import type { AddPages } from "../adding/add-pages.ts";
import { pathOf, type ChoosePages } from "../choose-pages.ts";
import type { ProviderSignIn } from "./provider-sign-in.ts";
import type { Visit, Visits } from "../visits.ts";

type ProviderProblem = Extract<SignInProblem, { provider: string }>["kind"];

export type OauthDepartures = ReturnType<typeof createOauthDepartures>;

/** The way to a provider, and the pages for a provider's failures. */
export function createOauthDepartures(deps: {
  visits: Visits;
  choose: ChoosePages;
  add: AddPages;
  providerSignIn: ProviderSignIn;
  providerClients: ProviderClients;
  /** Throws RATE_LIMITED. */
  countStart(ipAddress: string): Promise<void>;
  log: Log;
}) {
  const { visits, choose, add, providerSignIn, providerClients, countStart, log } = deps;

  async function problem(visit: Visit, provider: string, kind: ProviderProblem, adds = false): Promise<Answer> {
    // Adding returns to its own page, which can show these two.
    if (adds) return await add.show(visit, { kind: kind === "provider-cancelled" ? kind : "provider-failed" });
    return await choose.showSignIn(visit, {
      problem: { kind, provider: providerClients.displayName(provider) },
      status: 400,
    });
  }

  /**
   * For failures of the provider only. A storage error is ours and contains query values, so it is
   * handled like any other error.
   */
  function failed(visit: Visit, provider: string, error: unknown, adds = false): Promise<Answer> {
    if (error instanceof Error && error.name !== "ProviderFailure") throw error;
    log.warn("a provider failed", {
      provider,
      appId: visit.application.id,
      ...visit.request.logFields,
      reason: reasonOf(error),
    });
    return problem(visit, provider, "provider-failed", adds);
  }

  /** The provider's URL, or the page that says why there is none. */
  async function begin(visit: Visit, provider: string, adds = false): Promise<{ address: string } | Answer> {
    const started = await providerSignIn
      .start(visits.forProof(visit), provider, { adds })
      .catch((error: unknown) => ({ error }));
    if (started === "method-disabled") return choose.methodDisabled(visit, "oauth");
    if (started === "other-browser") return visits.message(visit, { kind: started });
    // Without a fresh proof, the session's own page asks for one.
    if (started === "not-fresh") return seeOther(pathOf(visit));
    return "error" in started ? await failed(visit, provider, started.error, adds) : started;
  }

  function goTo({ browser: { setCookie } }: Visit, address: string): Answer {
    return { ...seeOther(address), cookies: setCookie === undefined ? [] : [setCookie] };
  }

  async function start(visit: Visit, provider: string): Promise<Answer> {
    const begun = await begin(visit, provider);
    return "address" in begun ? goTo(visit, begun.address) : begun;
  }

  /** Continues from a posted form to the provider. */
  async function leaveFor(posted: Visit, provider: string, adds = false): Promise<Answer> {
    const begun = await begin(posted, provider, adds);
    if (!("address" in begun)) return begun;
    const { address } = begun;
    const offered = (await providerClients.offered(posted.application.id)).find(({ name }) => name === provider);
    if (offered?.formTargets.includes(new URL(address).origin)) return goTo(posted, address);
    // The page's form-action cannot name an endpoint known only from the discovery document. A page
    // in between starts a new navigation, to which it does not apply.
    const left = visits.page(posted, leavePage(posted.frame, { address, to: providerClients.displayName(provider) }));
    return { ...left, headers: { ...left.headers, refresh: `0; url=${address}` } };
  }

  return {
    problem,
    failed,
    start,

    /**
     * Starts from a session that requested a provider. Showing pages is not limited, but this
     * writes a state and may call the provider.
     */
    async startByVisit(visit: Visit, provider: string): Promise<Answer> {
      await countStart(visit.request.ipAddress);
      return await start(visit, provider);
    },

    /** Starts from a button on the sign-in page. */
    async startByForm(request: HttpRequest): Promise<Answer> {
      const posted = await visits.submit(request);
      if (isAnswer(posted)) return posted;
      return await leaveFor(posted, providerOf(request));
    },

    /** Starts from "Continue with …" on the page that adds a method. */
    async addByForm(request: HttpRequest): Promise<Answer> {
      const posted = await visits.submit(request);
      if (isAnswer(posted)) return posted;
      return await leaveFor(posted, posted.session.addsProvider ?? "", true);
    },
  };
}

export function providerOf(request: HttpRequest): string {
  return request.parameter("provider").toLowerCase();
}

/** The loggable reason of a provider's failure, in our own words. */
function reasonOf(error: unknown): string {
  if (typeof error === "string") return error;
  return error instanceof Error ? error.message : "unknown";
}
