import type { AuthorizationDetails } from "../storage/column-types.ts";

/** The response to the client through the browser, and its response mode. */
export type AuthorizationResponse = {
  redirectUri: string;
  mode: AuthorizationDetails["responseMode"];
  parameters: Record<string, string>;
};

/**
 * The origin of the request: a sign-in session, or an authorization request that never became one.
 */
export type Asking = {
  redirectUri: string;
  state: string | null;
  authorization: Pick<AuthorizationDetails, "responseMode"> | null;
};

/**
 * The one place that adds `state` and the sender: for OpenID Connect `iss` (RFC 9207), for the
 * contract `sessionId` (docs/spec/http-api.md, 4.1). Null values are omitted.
 */
export function authorizationResponse(
  { redirectUri, state, authorization }: Asking,
  parameters: Record<string, string | null>,
  { issuer, sessionId }: { issuer: string; sessionId: string | null },
): AuthorizationResponse {
  const sender = authorization === null ? { sessionId } : { iss: issuer };
  const entries = Object.entries({ ...parameters, state, ...sender }).filter(
    (pair): pair is [string, string] => pair[1] !== null,
  );
  return { redirectUri, mode: authorization?.responseMode ?? "query", parameters: Object.fromEntries(entries) };
}
