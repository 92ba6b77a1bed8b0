/** The claims of an OpenID Connect provider, from its ID token and where necessary its userinfo. */
import type { ConfiguredProvider } from "../../applications/providers/provider.ts";
import {
  remoteKeys,
  tokenProblem,
  verifyIdToken,
  verifyUserinfo,
  type JWTPayload,
  type RemoteKeys,
} from "../../lib/jose.ts";
import type { Log } from "../../lib/log.ts";
import type { ProviderTokens } from "./authorization.ts";
import { nameIn } from "./identity.ts";
import { jsonObject, ProviderFailure, type ProviderFetch } from "./provider-fetch.ts";

/** For calls that only fetch the name. */
const namePatienceMilliseconds = 3000;

/** How a provider is reached, and its keys. */
export type Reach = { fetch: ProviderFetch; keys(): RemoteKeys; log: Log };

/** `source`: of the address, and of what is said about it. `shown`: for display. */
export type ProviderClaims = {
  claims: JWTPayload;
  source: Record<string, unknown>;
  shown: { name: unknown; picture: unknown };
};

export function keysBy(fetch: ProviderFetch, address: string): RemoteKeys {
  return remoteKeys(address, async (url) => {
    const fetched = await fetch("keys", url, { headers: { accept: "application/json" } });
    return Response.json(jsonObject(fetched));
  });
}

/** Verifies an ID token. `name`: given beside it. Throws ProviderFailure. */
export async function claimsOf(
  reach: Reach,
  provider: ConfiguredProvider,
  { tokens, nonce, name }: { tokens: ProviderTokens; nonce: string; name?: string | undefined },
  now: number,
): Promise<ProviderClaims> {
  const { accessToken, idToken = "" } = tokens;
  const { jwksUrl, issuer } = provider.endpoints;
  if (jwksUrl === undefined || !URL.canParse(jwksUrl) || issuer === undefined)
    throw new ProviderFailure("the provider has no issuer or no keys");
  const expected = { clientId: provider.clientId, accessToken, now };
  const claims = await verifyIdToken(idToken, reach.keys(), expected).catch((error: unknown) => {
    throw refusedToken("the id_token is not valid", error);
  });
  const tenant = typeof claims["tid"] === "string" ? claims["tid"] : "";
  if (claims.iss !== issuer.replace("{tenantid}", tenant))
    throw new ProviderFailure("the id_token is from another issuer");
  if (claims["nonce"] !== nonce) throw new ProviderFailure("the id_token has the wrong nonce");
  const hasEmail = (claims[provider.emailClaim ?? "email"] ?? null) !== null;
  const ownName = nameIn(claims) ?? name;
  const asked = { accessToken, claims };
  const more = !hasEmail
    ? await userinfoOf(reach, provider, asked, now)
    : ownName === undefined
      ? await optionalUserinfo(reach, provider, asked, now)
      : {};
  const shown = { name: ownName ?? nameIn(more), picture: claims["picture"] ?? more["picture"] };
  // Address and "verified" must come from the same source: one source's address with another's
  // `email_verified` proves nothing.
  return { claims, source: hasEmail ? claims : { ...more, sub: claims.sub }, shown };
}

/** The rule that the token breaks. Failures of the key set have messages of their own. */
function refusedToken(what: string, error: unknown): ProviderFailure {
  return error instanceof ProviderFailure ? error : new ProviderFailure(`${what}: ${tokenProblem(error)}`, error);
}

type AskedUserinfo = { accessToken: string; claims: JWTPayload };

/**
 * Fetches the claims that a strict issuer omits from the id_token if there is an access token
 * (OpenID Connect Core §5.4).
 */
async function userinfoOf(
  reach: Reach,
  provider: ConfiguredProvider,
  { accessToken, claims: { sub, iss } }: AskedUserinfo,
  now: number,
  patience?: number,
): Promise<Record<string, unknown>> {
  const { userinfoUrl } = provider.endpoints;
  if (userinfoUrl === undefined) return {};
  const fetched = await reach.fetch("userinfo", userinfoUrl, { headers: userinfoHeaders(accessToken) }, patience);
  const isSigned = fetched.status === 200 && /^application\/jwt\b/iu.test(fetched.type);
  const said = isSigned
    ? await signedUserinfo(reach, fetched.text.trim(), { clientId: provider.clientId, issuer: iss, now })
    : jsonObject(fetched);
  // §5.3.2: claims about another subject must not be used.
  if (said["sub"] !== sub) throw new ProviderFailure("userinfo: it is about another subject than the id_token");
  return said;
}

/** §5.3.2: by the keys, the issuer and the audience of the ID token, as far as it names them. */
async function signedUserinfo(
  reach: Reach,
  token: string,
  expected: Parameters<typeof verifyUserinfo>[2],
): Promise<Record<string, unknown>> {
  if (token.split(".").length === 5) throw new ProviderFailure("userinfo: it is encrypted, which is not supported");
  return await verifyUserinfo(token, reach.keys(), expected).catch((error: unknown) => {
    throw refusedToken("userinfo: the signed answer is not valid", error);
  });
}

/** Optional data for display: without it, the sign-in continues. */
async function optionalUserinfo(
  reach: Reach,
  provider: ConfiguredProvider,
  asked: AskedUserinfo,
  now: number,
): Promise<Record<string, unknown>> {
  try {
    return await userinfoOf(reach, provider, asked, now, namePatienceMilliseconds);
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    reach.log.warn("a provider gave no name", { provider: provider.name, reason: error.message });
    return {};
  }
}

export function userinfoHeaders(accessToken: string): Record<string, string> {
  return { authorization: `Bearer ${accessToken}`, accept: "application/json", "user-agent": "authsvc" };
}
