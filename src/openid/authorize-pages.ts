import type { UsableClient } from "../clients/client.ts";
import type { Clients } from "../clients/service.ts";
import { authorizationResponse } from "../hosted/authorization-response.ts";
import type { Hosted } from "../hosted/hosted.ts";
import { seeOther, type Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import { invalidRequest } from "../lib/errors.ts";
import type { SignIn } from "../sign-in/service.ts";
import {
  authorizationParameters,
  authorizationRequest,
  responseModeOf,
  stateOf,
  type AuthorizationParameters,
  type AuthorizationRefusal,
} from "./authorization-request.ts";

/** A longer address could exceed what servers accept, ours included. */
const longestQuery = 12_000;

/** The authorization endpoint: where a client sends a browser (docs/spec/openid.md). */
export function createAuthorizePages(deps: { hosted: Hosted; clients: Clients; signIn: SignIn; issuer: string }) {
  const { hosted, clients, signIn, issuer } = deps;

  /** For a request of nobody known, or with an address that is not the client's: no redirect. */
  function errorPage(request: HttpRequest, details: string, found?: UsableClient): Answer {
    const frame = hosted.frameFor(request, found && { application: found.application });
    const page = hosted.message(frame, { kind: "bad-link", details, requestId: request.id });
    return { ...page, error: invalidRequest(details) };
  }

  async function knownClient(
    request: HttpRequest,
    parameters: AuthorizationParameters,
  ): Promise<(UsableClient & { redirectUri: string }) | Answer> {
    const found = await clients.find(parameters.get("client_id") ?? "");
    if (!found) return errorPage(request, "client_id: unknown or disabled");
    const redirectUri = parameters.get("redirect_uri");
    if (redirectUri === undefined) return errorPage(request, "redirect_uri: required", found);
    if (!clients.allowsRedirect(found.client, redirectUri))
      return errorPage(request, "redirect_uri: not registered for this client", found);
    return { ...found, redirectUri };
  }

  return {
    /** GET /oauth2/authorize */
    async authorize(request: HttpRequest): Promise<Answer> {
      const parameters = authorizationParameters(request.queryPairs());
      const known = await knownClient(request, parameters);
      if ("status" in known) return known;
      const { application, redirectUri } = known;
      const checked = authorizationRequest(parameters, known);
      if ("error" in checked) return refused(checked);
      if (checked.isSilent) return refused({ error: "login_required", description: "The person must sign in." });
      const { authUrl } = await signIn.initiateAuthorization(application, checked);
      return seeOther(authUrl);

      function refused({ error, description }: AuthorizationRefusal): Answer {
        const asking = {
          redirectUri,
          state: stateOf(parameters),
          authorization: { responseMode: responseModeOf(parameters) },
        };
        const response = authorizationResponse(
          asking,
          { error, error_description: description },
          { issuer, sessionId: null },
        );
        return hosted.respond(hosted.frameFor(request, { application }), response, { application });
      }
    },

    /**
     * POST /oauth2/authorize. The browser omits our Lax cookies from another site's post, but sends
     * them with the same request as a GET.
     */
    async posted(request: HttpRequest): Promise<Answer> {
      const query = new URLSearchParams((await request.formPairs()).map(([name, value]) => [name, value])).toString();
      if (query.length > longestQuery) return errorPage(request, `form: at most ${longestQuery} characters`);
      return seeOther(`/oauth2/authorize?${query}`);
    },
  };
}
