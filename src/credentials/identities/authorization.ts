import { CodeChallengeMethod, OAuth2Client, OAuth2Tokens } from "arctic";
import type { ConfiguredProvider } from "../../applications/providers/provider.ts";
import { jsonObject, ProviderFailure, type ProviderFetch } from "./provider-fetch.ts";

/** The random values of one request to a provider, which its answer must match. */
export type AuthorizationRequest = { state: string; codeVerifier: string; nonce: string };

export type ProviderTokens = { accessToken: string; idToken: string | undefined };

/**
 * The URL for the browser (RFC 6749 §4.1.1): always state and PKCE S256, nonce if an id_token is
 * returned. Throws ProviderFailure.
 */
export function authorizationAddress(
  provider: ConfiguredProvider,
  callbackUrl: string,
  request: AuthorizationRequest,
): string {
  const client = new OAuth2Client(provider.clientId, null, callbackUrl);
  const { authorizationUrl } = provider.endpoints;
  if (!URL.canParse(authorizationUrl)) throw new ProviderFailure("invalid authorization URL");
  const url = client.createAuthorizationURLWithPKCE(
    authorizationUrl,
    request.state,
    CodeChallengeMethod.S256,
    request.codeVerifier,
    provider.scopes,
  );
  if (provider.source === "id-token") url.searchParams.set("nonce", request.nonce);
  if (provider.responseMode) url.searchParams.set("response_mode", provider.responseMode);
  return url.href;
}

/**
 * Exchanges a code (RFC 6749 §4.1.3). Not by arctic's client, which uses the global fetch without
 * time or size limits, follows redirects with our secret in the body, and supports only one place
 * for the secret. Throws ProviderFailure.
 */
export async function exchangeCode(
  provider: ConfiguredProvider,
  callbackUrl: string,
  code: string,
  codeVerifier: string,
  fetchProvider: ProviderFetch,
): Promise<ProviderTokens> {
  const body = new URLSearchParams({
    grant_type: "authorization_code",
    code,
    redirect_uri: callbackUrl,
    code_verifier: codeVerifier,
  });
  const headers: Record<string, string> = { accept: "application/json", "user-agent": "authsvc" };
  const secret = await provider.clientSecret();
  if (provider.secretIn === "header") {
    const credentials = `${encodeURIComponent(provider.clientId)}:${encodeURIComponent(secret)}`;
    headers["authorization"] = `Basic ${Buffer.from(credentials).toString("base64")}`;
  } else {
    body.set("client_id", provider.clientId);
    body.set("client_secret", secret);
  }
  // GitHub answers errors with status 200 and no access_token.
  const tokens = new OAuth2Tokens(
    jsonObject(await fetchProvider(provider.endpoints.tokenUrl, { method: "POST", headers, body })),
  );
  try {
    const hasIdToken = provider.source === "id-token";
    return { accessToken: tokens.accessToken(), idToken: hasIdToken ? tokens.idToken() : undefined };
  } catch (error) {
    throw new ProviderFailure("no token in the response", error);
  }
}
