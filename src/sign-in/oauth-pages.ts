import { seeOther, type Answer } from "../http/answer.ts";
import { originOf, type HttpRequest } from "../http/request.ts";
import { isAnswer } from "../hosted/hosted.ts";
import type { Log } from "../lib/log.ts";
import type { ProviderAccounts } from "../oauth/accounts.ts";
import type { Linking, LinkRefusal } from "../oauth/linking.ts";
import type { ProviderAnswer, Rounds } from "../oauth/rounds.ts";
import { continuePage } from "../pages/continue-page.ts";
import { leavePage } from "../pages/leave-page.ts";
import type { SignInProblem } from "../pages/problems.ts";
import { pathOf, type ChoosePages } from "./choose-pages.ts";
import type { AddPages } from "./add-pages.ts";
import type { Proofs } from "./proofs.ts";
import type { SignIn } from "./service.ts";
import type { StepPages } from "./step-pages.ts";
import type { Visit, Visits } from "./visits.ts";

type ProviderIdentity = Awaited<ReturnType<Rounds["identify"]>>;
type ProviderProblem = Extract<SignInProblem, { provider: string }>["kind"];

export type OauthPages = ReturnType<typeof createOauthPages>;

const problemOfRefusal: Record<LinkRefusal, Extract<SignInProblem, { provider: string }>["kind"]> = {
  "existing-method-first": "provider-existing-account",
  "no-email": "provider-no-email",
  "unverified-email": "provider-unverified-email",
  "sign-up-closed": "provider-no-account",
  refused: "provider-failed",
};

/** To a provider and back. Whatever the provider does, it ends on a page that says what to do next, or at the app with an error. */
export function createOauthPages(deps: {
  visits: Visits;
  choose: ChoosePages;
  steps: StepPages;
  add: AddPages;
  signIn: SignIn;
  proofs: Proofs;
  accounts: ProviderAccounts;
  rounds: Rounds;
  linking: Linking;
  /** Throws RATE_LIMITED. */
  countStart(ipAddress: string): Promise<void>;
  log: Log;
}) {
  const { visits, choose, steps, add, signIn, proofs, accounts, rounds, linking, countStart, log } = deps;

  async function problem(visit: Visit, provider: string, kind: ProviderProblem, adds = false): Promise<Answer> {
    // Adding goes back to its own page, which knows these two.
    if (adds) return await add.show(visit, { kind: kind === "provider-cancelled" ? kind : "provider-failed" });
    return await choose.showSignIn(visit, { problem: { kind, provider: accounts.displayName(provider) }, status: 400 });
  }

  /** Only for what the provider did. What storage throws is ours, and holds the values of its query: it goes the way of every error. */
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

  /** The provider's address, or why not. Only a provider that the session may use; the session is this browser's from here on. */
  async function begin(visit: Visit, provider: string, adds = false): Promise<{ address: string } | Answer> {
    if (!signIn.allowsProvider(visit.session, visit.application, provider))
      return choose.methodDisabled(visit, "oauth");
    if (!(await signIn.claim(visit.session, visit.browser.digest)))
      return visits.message(visit, { kind: "other-browser" });
    try {
      const address = await rounds.start(visit.application, provider, {
        sessionId: visit.sessionId,
        browserDigest: visit.browser.digest,
        adds,
      });
      return address === undefined ? choose.methodDisabled(visit, "oauth") : { address };
    } catch (error) {
      return await failed(visit, provider, error, adds);
    }
  }

  function goTo({ browser: { setCookie } }: Visit, address: string): Answer {
    return { ...seeOther(address), cookies: setCookie === undefined ? [] : [setCookie] };
  }

  async function start(visit: Visit, provider: string): Promise<Answer> {
    const begun = await begin(visit, provider);
    return "address" in begun ? goTo(visit, begun.address) : begun;
  }

  async function arrive(
    request: HttpRequest,
    provider: string,
    state: string,
    answer: ProviderAnswer,
  ): Promise<Answer> {
    const departure = await rounds.arrive(provider, state);
    // The same page for every state that leads nowhere, so that it tells nothing about sessions.
    const visit = await visits.visit(request, departure?.sessionId ?? "");
    if (isAnswer(visit)) return visit;
    if (departure?.browserDigest !== visit.browser.digest) return visits.message(visit, { kind: "other-browser" });
    if (!signIn.allowsProvider(visit.session, visit.application, provider))
      return choose.methodDisabled(visit, "oauth");
    const { adds } = departure;
    if (answer.code === undefined) return await notThere(visit, provider, answer.error, adds);
    try {
      const identity = await rounds.identify(visit.application, provider, state, { ...answer, code: answer.code });
      return adds ? await addTo(visit, provider, identity) : await complete(visit, provider, identity);
    } catch (error) {
      // A forged token looks like a provider that fails.
      await signIn.noteFailure(visit.application, "oauth", originOf(visit.request));
      return await failed(visit, provider, error, adds);
    }
  }

  async function complete(visit: Visit, provider: string, identity: ProviderIdentity): Promise<Answer> {
    const held = visits.hold(visit);
    const { application, origin } = held;
    const signUpOpen = choose.signUpIsOpen(visit);
    let refusal: LinkRefusal = "refused";
    const outcome = await proofs.take(held, { signedInWith: "oauth", provider }, async (tx, now) => {
      const found = await linking.userFor(tx, { application, provider, identity, origin, signUpOpen }, now);
      if (typeof found === "object") return found.userId;
      refusal = found;
      return undefined;
    });
    return await steps.end(held, outcome, async ({ kind }) => {
      await signIn.noteFailure(application, "oauth", origin);
      return kind === "other-account"
        ? await choose.showSignIn(visit, { problem: { kind }, status: 400 })
        : await problem(visit, provider, problemOfRefusal[refusal]);
    });
  }

  async function addTo(visit: Visit, provider: string, identity: ProviderIdentity): Promise<Answer> {
    const held = visits.hold(visit);
    const { application, session } = held;
    if (session.addsProvider !== provider || !(await add.allowed(visit, "oauth"))) return await visits.over(visit);
    const outcome = await proofs.add<"identity-taken" | "identity-there">(
      held,
      { type: "oauth", provider },
      async (tx, userId, now) => {
        const added = await linking.addTo(tx, userId, { application, provider, identity }, now);
        return typeof added === "string" ? { refusal: added } : { ...added, name: accounts.displayName(provider) };
      },
    );
    return await add.end(held, outcome, (kind) => add.show(visit, { kind }));
  }

  /** From a form to the provider. */
  async function leaveFor(posted: Visit, provider: string, adds = false): Promise<Answer> {
    const begun = await begin(posted, provider, adds);
    if (!("address" in begun)) return begun;
    const { address } = begun;
    const offered = (await accounts.offered(posted.application.id)).find(({ name }) => name === provider);
    if (offered?.formTargets.includes(new URL(address).origin)) return goTo(posted, address);
    // The page's form-action could not name an endpoint that only the provider's discovery document tells: a page of its own goes on
    // there, which is a new navigation and no part of the form's.
    const left = visits.page(posted, leavePage(posted.frame, { address, provider: accounts.displayName(provider) }));
    return { ...left, headers: { ...left.headers, refresh: `0; url=${address}` } };
  }

  /** The person turned back at the provider, or the provider refused. */
  async function notThere(visit: Visit, provider: string, error: string | undefined, adds: boolean): Promise<Answer> {
    const cancelled =
      error === "access_denied" || error === "user_cancelled_login" || error === "user_cancelled_authorize";
    if (visit.session.authMethod === "oauth" && cancelled)
      return seeOther(signIn.cancelAddress(visit.session, visit.sessionId));
    return cancelled
      ? await problem(visit, provider, "provider-cancelled", adds)
      : await failed(visit, provider, "the provider answered with an error", adds);
  }

  return {
    /** A visit to a session that asked for a provider. Looking at pages is free, but this writes a state and may ask the provider. */
    async startByVisit(visit: Visit, provider: string): Promise<Answer> {
      await countStart(visit.request.ipAddress);
      return await start(visit, provider);
    },

    /** The method page's button. */
    async startByForm(request: HttpRequest): Promise<Answer> {
      const posted = await visits.submit(request);
      if (isAnswer(posted)) return posted;
      return await leaveFor(posted, providerOf(request));
    },

    /** "Continue with …" on the page that adds a method. */
    async addByForm(request: HttpRequest): Promise<Answer> {
      const posted = await visits.submit(request);
      if (isAnswer(posted)) return posted;
      const provider = posted.session.addsProvider;
      // Without a fresh proof the session's own page asks for one.
      if (provider === null || !(await add.allowed(posted, "oauth"))) return seeOther(pathOf(posted));
      return await leaveFor(posted, provider, true);
    },

    start,

    /** GET /oauth/:provider/callback */
    async callback(request: HttpRequest): Promise<Answer> {
      const query = request.query();
      return await arrive(request, providerOf(request), query.get("state") ?? "", answerFrom(query));
    },

    /**
     * POST /oauth/:provider/callback (response_mode=form_post). A provider's post comes from another site, so the browser leaves our Lax cookie
     * at home: the first answer is a page that posts the same fields again from here.
     */
    async postedCallback(request: HttpRequest): Promise<Answer> {
      const form = await request.form();
      const state = form.get("state") ?? "";
      const site = request.header("sec-fetch-site");
      if (site === undefined ? form.has("continued") : site === "same-origin")
        return await arrive(request, providerOf(request), state, answerFrom(form));
      const sessionId = (await rounds.peek(state)) ?? "";
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

function providerOf(request: HttpRequest): string {
  return request.parameter("provider").toLowerCase();
}

function answerFrom(fields: { get(name: string): string | null | undefined }): ProviderAnswer {
  const text = (name: string): string | undefined => fields.get(name) ?? undefined;
  return { code: text("code"), error: text("error"), iss: text("iss"), user: text("user") };
}

/** What may go into the log of a provider's failure: our own words for it. */
function reasonOf(error: unknown): string {
  if (typeof error === "string") return error;
  return error instanceof Error ? error.message : "unknown";
}
