import { CodeChallengeMethod, OAuth2Client, OAuth2Tokens } from "arctic";
import type { ConfiguredProvider } from "../../applications/providers/provider.ts";
import { jsonObject, ProviderFailure, type ProviderFetch } from "./provider-fetch.ts";

/** The random values of one request to a provider, which its answer must match. */
export type AuthorizationRequest = { state: string; codeVerifier: string; nonce: string };

/** What a sign-in requests of a provider, if the provider supports it. `maxAge`: in seconds. */
export type ProviderWishes = {
  login: boolean;
  maxAge: number | null;
  selectAccount: boolean;
  loginHint: string | null;
};

export type ProviderTokens = { accessToken: string; idToken: string | undefined };

/**
 * The URL for the browser (RFC 6749 §4.1.1): always state and PKCE S256, nonce if an id_token is
 * returned. Throws ProviderFailure.
 */
export function authorizationAddress(
  provider: ConfiguredProvider,
  callbackUrl: string,
  request: AuthorizationRequest,
  wishes?: ProviderWishes,
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
  if (wishes) setWishes(url, provider, wishes);
  return url.href;
}

/** OpenID Connect Core §3.1.2.1. With `max_age`, the id_token must have `auth_time`. */
function setWishes(url: URL, provider: ConfiguredProvider, wishes: ProviderWishes): void {
  const asked = { login: wishes.login, select_account: wishes.selectAccount };
  const words = provider.prompts.filter((word) => asked[word]);
  const prompt = words.slice(0, provider.combinesPrompts ? undefined : 1).join(" ");
  if (prompt !== "") url.searchParams.set("prompt", prompt);
  if (wishes.maxAge !== null && provider.source === "id-token") url.searchParams.set("max_age", String(wishes.maxAge));
  if (wishes.loginHint !== null && provider.takesLoginHint) url.searchParams.set("login_hint", wishes.loginHint);
}

/**
 * Exchanges a code (RFC 6749 §4.1.3). arctic's client has no time or size limits, follows redirects
 * with our secret in the body, and supports only one place for the secret. Throws ProviderFailure.
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
    jsonObject(await fetchProvider("token endpoint", provider.endpoints.tokenUrl, { method: "POST", headers, body })),
  );
  try {
    const hasIdToken = provider.source === "id-token";
    return { accessToken: tokens.accessToken(), idToken: hasIdToken ? tokens.idToken() : undefined };
  } catch (error) {
    throw new ProviderFailure("token endpoint: no token in the response", error);
  }
}
