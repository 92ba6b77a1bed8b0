import type { StandIn } from "./stand-ins.ts";

export type AuthorizationRequest = {
  redirectUri: string;
  state: string | undefined;
  scopes: string[];
  codeChallenge: string;
  nonce: string | undefined;
  /** Whether the id_token must say when the person signed in (OpenID Connect Core §3.1.2.1). */
  asksWhen?: boolean;
};

/**
 * The error of a request. Shown to the person if there is no valid redirect address, else sent to
 * the client (RFC 6749 §4.1.2.1).
 */
export type RefusedRequest =
  | { tell: "person"; reason: string }
  | { tell: "client"; redirectUri: string; state: string | undefined; error: string; reason: string };

/**
 * Checks a request as strictly as a provider may. `callbackUrl` is the client's only registered
 * redirect address.
 */
export function checkAuthorizationRequest(
  standIn: StandIn,
  callbackUrl: string,
  query: Map<string, string>,
): AuthorizationRequest | RefusedRequest {
  if (query.get("client_id") !== standIn.clientId)
    return { tell: "person", reason: `client_id: ${standIn.clientId} is the only client here.` };
  if (query.get("redirect_uri") !== callbackUrl)
    return { tell: "person", reason: `redirect_uri: only ${callbackUrl} is registered.` };
  const state = query.get("state");
  const refused = (error: string, reason: string): RefusedRequest => {
    return { tell: "client", redirectUri: callbackUrl, state, error, reason };
  };
  if (query.get("response_type") !== "code") return refused("unsupported_response_type", "response_type: code");
  const codeChallenge = query.get("code_challenge") ?? "";
  if (query.get("code_challenge_method") !== "S256" || !/^[A-Za-z0-9_-]{43}$/u.test(codeChallenge))
    return refused("invalid_request", "code_challenge: required, with code_challenge_method S256");
  if ((query.get("response_mode") ?? "query") !== standIn.answersBy)
    return refused("invalid_request", `response_mode: ${standIn.answersBy}`);
  const scopes = (query.get("scope") ?? "").split(" ").filter((scope) => scope !== "");
  // Apple sends an id_token without this scope.
  if ("idToken" in standIn.says && standIn.name !== "apple" && !scopes.includes("openid"))
    return refused("invalid_scope", "scope: openid");
  const prompt = query.get("prompt");
  if (prompt !== undefined && standIn.prompts?.includes(prompt) === false)
    return refused("invalid_request", `prompt: one of ${standIn.prompts.join(", ")}`);
  return {
    asksWhen: query.has("max_age"),
    redirectUri: callbackUrl,
    state,
    scopes,
    codeChallenge,
    nonce: query.get("nonce"),
  };
}
