/** The authorization endpoint: where a client sends a browser (docs/spec/openid.md, 2). */
import type { Application } from "../../applications/application.ts";
import type { UsableClient } from "../../applications/clients/client.ts";
import * as clients from "../../applications/clients/service.ts";
import { findResource } from "../../applications/resources/store.ts";
import { addressOf } from "../../sign-in/proxy/start-state.ts";
import { seeOther, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { AppError } from "../../lib/errors.ts";
import { withParameters } from "../../lib/redirect-uris.ts";
import {
  authorizationParameters,
  authorizationRequest,
  resourceAsked,
  responseModeOf,
  stateOf,
  type AuthorizationParameters,
  type AuthorizationRefusal,
  type AuthorizationRequest,
} from "../../openid/authorization-request.ts";
import { proxyAuthorization } from "../../openid/proxy-authorization.ts";
import { postedQuery, postedTooLong } from "../../openid/posted-query.ts";
import * as pushedRequests from "../../openid/pushed-requests.ts";
import type { Context } from "../../runtime/context.ts";
import { authorizationResponse, type AuthorizationResponse } from "../../sign-in/authorization-response.ts";
import { demanded } from "../../sign-in/organization-choice.ts";
import * as signIn from "../../sign-in/service.ts";
import * as singleSignOn from "../../sign-in/single-sign-on/single-sign-on.ts";
import * as idTokens from "../../tokens/id-tokens.ts";
import * as users from "../../users/service.ts";
import { stepWords } from "../../users/waiting-steps.ts";
import * as hosted from "../hosted/hosted.ts";
import { leavePage } from "../onward-pages.ts";
import type { Frame } from "../parts/frame.ts";
import * as visits from "../sign-in/visits.ts";

const loginRequired = { error: "login_required", description: "The person must sign in." } as const;
const consentRequired = { error: "consent_required", description: "The person must agree first." } as const;

const interactionRequired = {
  error: "interaction_required",
  description: "The person must choose an organization first.",
} as const;

/** The client, its request and its redirect URI. `pushedDigest`: of the pushed request. */
type KnownClient = UsableClient & {
  redirectUri: string;
  parameters: AuthorizationParameters;
  pushedDigest: string | undefined;
};

/** For an unknown client, or an address that is not the client's: no redirect. */
function errorPage(ctx: Context, request: HttpRequest, details: string, registration?: UsableClient): Answer {
  const frame = hosted.frameFor(ctx, request, registration && { application: registration.application });
  const page = hosted.message(frame, { kind: "bad-link", details, requestId: request.id });
  return { ...page, error: new AppError("INVALID_REQUEST", "The request is not valid.", { details }) };
}

/** The client, its redirect URI, and its request: from the query, or pushed before (RFC 9126). */
async function knownClient(
  ctx: Context,
  request: HttpRequest,
  query: AuthorizationParameters,
): Promise<KnownClient | Answer> {
  const clientId = query.get("client_id") ?? "";
  const requestUri = query.get("request_uri") ?? "";
  const isPushed = pushedRequests.isOurs(requestUri);
  const pushed = isPushed ? await pushedRequests.find(ctx, requestUri, clientId) : undefined;
  const { ipAddress } = request;
  const within = async () =>
    pushed?.appId ?? (await findResource(ctx.storage.reader, query.get("resource") ?? ""))?.appId;
  const registration = await clients.load(ctx, clientId, { within, ipAddress, forTokens: false });
  if ("refusal" in registration) return errorPage(ctx, request, `client_id: ${registration.refusal}`);
  if (isPushed && !pushed) return errorPage(ctx, request, "request_uri: unknown, used or expired", registration);
  if (!pushed && registration.client.profile !== null)
    return errorPage(ctx, request, "request_uri: required for this client, which must push its requests", registration);
  const parameters = pushed ? authorizationParameters(pushed.pairs) : query;
  const redirectUri = parameters.get("redirect_uri");
  if (redirectUri === undefined) return errorPage(ctx, request, "redirect_uri: required", registration);
  if (!clients.allowsRedirect(registration.client, redirectUri))
    return errorPage(ctx, request, "redirect_uri: not registered for this client", registration);
  return { ...registration, redirectUri, parameters, pushedDigest: pushed?.digest };
}

/** The response to a prefetch: no session begins. */
function prefetchPage(ctx: Context, request: HttpRequest, application: Application, locale: string | null): Answer {
  const frame = hosted.frameFor(ctx, request, { application, locale });
  const query = new URLSearchParams(request.queryPairs()).toString();
  return hosted.page(frame, leavePage(frame, { address: `/oauth2/authorize?${query}`, to: application.name }));
}

/**
 * The only user that the client wants: of `id_token_hint`, or of the claim `sub` (OpenID Connect
 * Core 1.0 §3.1.2.1, §5.5.1). Undefined if there is no such user; null if anybody may sign in.
 */
async function wantedUser(
  ctx: Context,
  { idTokenHint, authorization: { claims } }: AuthorizationRequest,
  application: Application,
): Promise<string | null | undefined> {
  const hinted = idTokenHint === null ? null : ((await idTokens.findHint(ctx, idTokenHint))?.sub ?? "");
  const claimed = claims?.id_token?.["sub"]?.value;
  const wanted = typeof claimed === "string" ? claimed : hinted;
  if (wanted === null) return null;
  const user = await users.find(ctx.storage.reader, wanted);
  return user?.appId === application.id && (hinted ?? wanted) === wanted ? wanted : undefined;
}

/** GET /oauth2/authorize */
export async function authorize(ctx: Context, request: HttpRequest): Promise<Answer> {
  const clientAndRequest = await knownClient(ctx, request, authorizationParameters(request.queryPairs()));
  if ("status" in clientAndRequest) return clientAndRequest;
  const { client, application, redirectUri, parameters, pushedDigest } = clientAndRequest;
  const checked = await checkedRequest();
  if (checked === undefined) return errorPage(ctx, request, "state: not from our start at this host", clientAndRequest);
  if ("late" in checked) return seeOther(addressOf(checked.late));
  if ("error" in checked) return refused(checked);
  if (request.onlyLooks) return prefetchPage(ctx, request, application, checked.locale);
  const { isSilent, idTokenHint: _, organization, ...asked } = checked;
  const organizationId = await demanded(ctx.storage.reader, application, organization);
  const authorization = { ...asked.authorization, ...(pushedDigest !== undefined && { pushedDigest }) };
  const wanted = await wantedUser(ctx, checked, application);
  if (wanted === undefined && isSilent) return refused(loginRequired);
  // A user who does not exist cannot sign in.
  const begun = signIn.newAuthorization(ctx, application, {
    ...asked,
    authorization,
    organizationId,
    accountUserId: wanted ?? null,
  });
  const visit = visits.begin(ctx, request, begun);
  const isBrowserKnown = wanted !== undefined && visits.accountCookieOf(ctx, visit) !== undefined;
  const proofVisit = isBrowserKnown ? visits.forProof(ctx, visit) : undefined;
  const outcome = proofVisit && (await singleSignOn.begin(ctx, proofVisit, { isSilent }));
  if (proofVisit && typeof outcome === "object" && "response" in outcome)
    return answered(visit.frame, outcome.response, visits.cookiesAtEnd(ctx, proofVisit, outcome));
  const next = typeof outcome === "object" && "next" in outcome ? outcome.next : undefined;
  if (isSilent && next === "choose-organization") return refused(interactionRequired);
  if (isSilent && (next === "accept-terms" || next === "complete-profile"))
    return refused({ ...interactionRequired, description: stepWords[next] });
  if (isSilent) return refused(next === "ask-consent" ? consentRequired : loginRequired);
  if (proofVisit && next !== undefined)
    return visits.enter(ctx, { ...visit, browser: proofVisit.renewed }, begun.authUrl);
  await signIn.store(ctx, begun);
  return visits.enter(ctx, visit, begun.authUrl);

  async function checkedRequest() {
    if (client.kind === "proxy") return proxyAuthorization(ctx, parameters, { client, redirectUri });
    const resource = await resourceAsked(ctx.storage.reader, parameters, client);
    return authorizationRequest(parameters, { client, application, redirectUri, resource });
  }

  function refused({ error, description }: AuthorizationRefusal): Answer {
    const asking = {
      redirectUri,
      state: stateOf(parameters),
      authorization: { responseMode: responseModeOf(parameters, redirectUri) },
    };
    const response = authorizationResponse(
      asking,
      { error, error_description: description },
      { issuer: ctx.baseUrl, sessionId: null },
    );
    return answered(hosted.frameFor(ctx, request, { application }), response);
  }

  /**
   * Only a click leads to an address or a code that a stranger may have chosen (RFC 9700 §4.11.2).
   */
  function answered(frame: Frame, response: AuthorizationResponse, cookies: string[] = []): Answer {
    if (client.document === undefined || "code" in response.parameters)
      return hosted.respond(frame, response, { application, cookies });
    const address = withParameters(redirectUri, response.parameters);
    const { host, protocol } = new URL(redirectUri);
    return hosted.page(frame, leavePage(frame, { address, to: host === "" ? protocol : host }));
  }
}

/** POST /oauth2/authorize */
export async function posted(ctx: Context, request: HttpRequest): Promise<Answer> {
  const query = postedQuery(await request.formPairs());
  if (query === undefined) return errorPage(ctx, request, postedTooLong);
  return seeOther(`/oauth2/authorize?${query}`);
}
