import type { Application } from "../applications/application.ts";
import type { UsableClient } from "../clients/client.ts";
import type { Clients } from "../clients/service.ts";
import { authorizationResponse } from "../hosted/authorization-response.ts";
import type { Hosted } from "../hosted/hosted.ts";
import { seeOther, type Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import { invalidRequest } from "../lib/errors.ts";
import type { SingleSignOn } from "../sign-in/single-sign-on/single-sign-on.ts";
import type { Visits } from "../sign-in/visits.ts";
import { leavePage } from "../pages/leave-page.ts";
import type { IdTokens } from "../tokens/id-tokens.ts";
import type { Users } from "../users/service.ts";
import type { PushedRequests } from "./pushed-requests.ts";
import type { SignIn } from "../sign-in/service.ts";
import {
  authorizationParameters,
  authorizationRequest,
  responseModeOf,
  stateOf,
  type AuthorizationParameters,
  type AuthorizationRefusal,
  type AuthorizationRequest,
} from "./authorization-request.ts";
import { postedQuery, postedTooLong } from "./posted-query.ts";

const loginRequired = { error: "login_required", description: "The person must sign in." } as const;
const consentRequired = { error: "consent_required", description: "The person must agree first." } as const;

/** Who asks for what, and where. `pushedDigest`: of the pushed request that says so. */
type KnownClient = UsableClient & {
  redirectUri: string;
  parameters: AuthorizationParameters;
  pushedDigest: string | undefined;
};

/** The authorization endpoint: where a client sends a browser (docs/spec/openid.md, 2). */
export function createAuthorizePages(deps: {
  hosted: Hosted;
  visits: Visits;
  clients: Clients;
  users: Users;
  idTokens: IdTokens;
  signIn: SignIn;
  singleSignOn: SingleSignOn;
  pushedRequests: PushedRequests;
  issuer: string;
}) {
  const { hosted, visits, clients, users, idTokens, signIn, singleSignOn, pushedRequests, issuer } = deps;

  /** For a request of nobody known, or with an address that is not the client's: no redirect. */
  function errorPage(request: HttpRequest, details: string, found?: UsableClient): Answer {
    const frame = hosted.frameFor(request, found && { application: found.application });
    const page = hosted.message(frame, { kind: "bad-link", details, requestId: request.id });
    return { ...page, error: invalidRequest(details) };
  }

  /** The client, its redirect URI, and what it asks: in the query, or pushed before (RFC 9126). */
  async function knownClient(request: HttpRequest, query: AuthorizationParameters): Promise<KnownClient | Answer> {
    const found = await clients.find(query.get("client_id") ?? "");
    if (!found) return errorPage(request, "client_id: unknown or disabled");
    const requestUri = query.get("request_uri") ?? "";
    const isPushed = pushedRequests.isOurs(requestUri);
    const pushed = isPushed ? await pushedRequests.find(requestUri, found.client.id) : undefined;
    if (isPushed && !pushed) return errorPage(request, "request_uri: unknown, used or expired", found);
    const parameters = pushed ? authorizationParameters(pushed.pairs) : query;
    const redirectUri = parameters.get("redirect_uri");
    if (redirectUri === undefined) return errorPage(request, "redirect_uri: required", found);
    if (!clients.allowsRedirect(found.client, redirectUri))
      return errorPage(request, "redirect_uri: not registered for this client", found);
    return { ...found, redirectUri, parameters, pushedDigest: pushed?.digest };
  }

  /** What a prefetch gets: no session begins. */
  function prefetchPage(request: HttpRequest, application: Application, locale: string | null): Answer {
    const frame = hosted.frameFor(request, { application, locale });
    const query = new URLSearchParams(request.queryPairs()).toString();
    return hosted.page(frame, leavePage(frame, { address: `/oauth2/authorize?${query}`, to: application.name }));
  }

  /**
   * The only user that the client wants: of `id_token_hint`, or of the claim `sub` (OpenID Connect
   * Core 1.0 §3.1.2.1, §5.5.1). Undefined if there is no such user; null if anybody may sign in.
   */
  async function wantedUser(
    { idTokenHint, authorization: { claims } }: AuthorizationRequest,
    application: Application,
  ): Promise<string | null | undefined> {
    const hinted = idTokenHint === null ? null : ((await idTokens.findHint(idTokenHint))?.sub ?? "");
    const claimed = claims?.id_token?.["sub"]?.value;
    const wanted = typeof claimed === "string" ? claimed : hinted;
    if (wanted === null) return null;
    const user = await users.find(wanted);
    return user?.appId === application.id && (hinted ?? wanted) === wanted ? wanted : undefined;
  }

  return {
    /** GET /oauth2/authorize */
    async authorize(request: HttpRequest): Promise<Answer> {
      const known = await knownClient(request, authorizationParameters(request.queryPairs()));
      if ("status" in known) return known;
      const { application, redirectUri, parameters, pushedDigest } = known;
      const checked = authorizationRequest(parameters, known);
      if ("error" in checked) return refused(checked);
      if (request.onlyLooks) return prefetchPage(request, application, checked.locale);
      const { isSilent, idTokenHint: _, ...asked } = checked;
      const authorization = { ...asked.authorization, ...(pushedDigest !== undefined && { pushedDigest }) };
      const wanted = await wantedUser(checked, application);
      if (wanted === undefined && isSilent) return refused(loginRequired);
      // Nobody is asked to be a user who does not exist.
      const begun = signIn.newAuthorization(application, { ...asked, authorization, accountUserId: wanted ?? null });
      const visit = visits.begin(request, begun);
      const isBrowserKnown = wanted !== undefined && visits.accountCookieOf(visit) !== undefined;
      const proofVisit = isBrowserKnown ? visits.forProof(visit) : undefined;
      const outcome = proofVisit && (await singleSignOn.begin(proofVisit, { isSilent }));
      if (typeof outcome === "object" && "response" in outcome) return visits.respond(visit, outcome.response);
      const next = typeof outcome === "object" && "next" in outcome ? outcome.next : undefined;
      if (isSilent) return refused(next === "ask-consent" ? consentRequired : loginRequired);
      if (proofVisit && next !== undefined)
        return visits.enter({ ...visit, browser: proofVisit.renewed }, begun.authUrl);
      await signIn.store(begun);
      return visits.enter(visit, begun.authUrl);

      function refused({ error, description }: AuthorizationRefusal): Answer {
        const asking = {
          redirectUri,
          state: stateOf(parameters),
          authorization: { responseMode: responseModeOf(parameters, redirectUri) },
        };
        const response = authorizationResponse(
          asking,
          { error, error_description: description },
          { issuer, sessionId: null },
        );
        return hosted.respond(hosted.frameFor(request, { application }), response, { application });
      }
    },

    /** POST /oauth2/authorize */
    async posted(request: HttpRequest): Promise<Answer> {
      const query = postedQuery(await request.formPairs());
      if (query === undefined) return errorPage(request, postedTooLong);
      return seeOther(`/oauth2/authorize?${query}`);
    },
  };
}
