import type { Application } from "../applications/application.ts";
import { minute, type Clock } from "../lib/clock.ts";
import { remoteKeys, verifyIdToken, type RemoteKeys } from "../lib/jose.ts";
import { digestOf, newSecret, type Random } from "../lib/random.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { Storage } from "../storage/storage.ts";
import type { ProviderAccounts } from "./accounts.ts";
import { authorizationAddress, exchangeCode, type ProviderTokens, type Round } from "./authorization.ts";
import { identityFromClaims, identityFromGithub, identityFromUserinfo, type ProviderIdentity } from "./identity.ts";
import { consumeState, findState, insertState, sweepStates, type StateRow } from "./identity-store.ts";
import type { ConfiguredProvider } from "./provider.ts";
import { jsonArray, jsonObject, ProviderFailure, type ProviderFetch } from "./provider-fetch.ts";

/** Token, keys and userinfo together: a person waits no longer, whatever each single answer takes. */
const identifyPatienceMilliseconds = 12_000;
/** A sign-in session lives as long: whoever takes longer at the provider starts again. */
const roundLasts = 10 * minute;
const stateForm = /^[A-Za-z0-9_-]{43}$/u;

/** What a provider sent back with the browser (RFC 6749 §4.1.2). */
export type ProviderAnswer = {
  code: string | undefined;
  error: string | undefined;
  iss: string | undefined;
  user: string | undefined;
};

/**
 * Where a round came from: the session's id, the browser that started it, and whether the identity is to be added to the session's account
 * instead of signing it in.
 */
export type Departure = { sessionId: string; browserDigest: string; adds: boolean };

export type Rounds = ReturnType<typeof createRounds>;

/** Rounds to providers and back: state, PKCE and nonce on every one; who is there is asked over our own connection. */
export function createRounds(deps: {
  storage: Storage;
  accounts: ProviderAccounts;
  keyring: Keyring;
  fetchProvider: ProviderFetch;
  clock: Clock;
  random: Random;
  baseUrl: string;
}) {
  const { storage, accounts, keyring, fetchProvider, clock, random, baseUrl } = deps;
  const keySets = new Map<string, RemoteKeys>();

  function callbackUrl(provider: string): string {
    return `${baseUrl}/oauth/${provider}/callback`;
  }

  /** Verifier and nonce are MACs of the state: nothing of them needs to be stored, and the provider, who sees the state, cannot compute them. */
  function roundOf(state: string): Round {
    const derive = (purpose: string): string => keyring.mac("oauth", purpose, state).toString("base64url");
    return { state, codeVerifier: derive("code verifier"), nonce: derive("nonce") };
  }

  function sessionIdOf(row: StateRow): string {
    return keyring.decrypt(row.encryptedSessionId, oauthStateContext(row.digest));
  }

  function keysAt(address: string): RemoteKeys {
    let keys = keySets.get(address);
    if (!keys) {
      keys = remoteKeys(address, async (url) => {
        const { status, text } = await fetchProvider(url, { headers: { accept: "application/json" } });
        return new Response(text, { status });
      });
      keySets.set(address, keys);
    }
    return keys;
  }

  async function fromIdToken(
    provider: ConfiguredProvider,
    { accessToken, idToken = "" }: ProviderTokens,
    nonce: string,
    userField: string | undefined,
  ): Promise<ProviderIdentity> {
    const { jwksUrl, issuer } = provider.endpoints;
    if (jwksUrl === undefined || !URL.canParse(jwksUrl) || issuer === undefined)
      throw new ProviderFailure("the provider has no issuer or no keys");
    const claims = await verifyIdToken(idToken, keysAt(jwksUrl), { clientId: provider.clientId, now: clock() }).catch(
      (error: unknown) => {
        throw new ProviderFailure("the id_token is not valid", error);
      },
    );
    const tenant = typeof claims["tid"] === "string" ? claims["tid"] : "";
    if (claims.iss !== issuer.replace("{tenantid}", tenant))
      throw new ProviderFailure("the id_token is another issuer's");
    if (claims["nonce"] !== nonce) throw new ProviderFailure("the id_token has another nonce");
    const { name } = claims;
    if (claims["email"] !== undefined)
      return identityFromClaims(claims, provider.provesEmail, name ?? appleName(userField));
    // Address and "verified" from one source: never the one's address with the other's word for it.
    const userinfo = await userinfoOf(provider, accessToken, claims.sub);
    return identityFromClaims(
      { ...userinfo, sub: claims.sub },
      provider.provesEmail,
      name ?? userinfo["name"] ?? appleName(userField),
    );
  }

  /** The claims that a strict issuer leaves out of the id_token when there is an access token (OpenID Connect Core §5.4). */
  async function userinfoOf(
    provider: ConfiguredProvider,
    accessToken: string,
    subject: string | undefined,
  ): Promise<Record<string, unknown>> {
    const { userinfoUrl } = provider.endpoints;
    if (userinfoUrl === undefined) return {};
    const claims = await userinfo(userinfoUrl, accessToken);
    // §5.3.2: an answer about somebody else must not be used.
    if (claims["sub"] !== subject) throw new ProviderFailure("the userinfo is about another subject");
    return claims;
  }

  async function userinfo(address: string, accessToken: string): Promise<Record<string, unknown>> {
    return jsonObject(await fetchProvider(address, { headers: userinfoHeaders(accessToken) }));
  }

  async function fromUserinfo(
    provider: ConfiguredProvider,
    { accessToken }: ProviderTokens,
  ): Promise<ProviderIdentity> {
    const { userinfoUrl } = provider.endpoints;
    if (userinfoUrl === undefined) throw new ProviderFailure("the provider has no userinfo endpoint");
    const user = await userinfo(userinfoUrl, accessToken);
    if (provider.source === "github") {
      const headers = userinfoHeaders(accessToken);
      return identityFromGithub(user, jsonArray(await fetchProvider(`${userinfoUrl}/emails`, { headers })));
    }
    return identityFromUserinfo(provider.source === "discord" ? "discord" : "facebook", user, provider.provesEmail);
  }

  async function identify(
    application: Application,
    providerName: string,
    state: string,
    answer: ProviderAnswer & { code: string },
  ): Promise<ProviderIdentity> {
    const provider = await accounts.find(application.id, providerName);
    if (!provider) throw new ProviderFailure("the provider was removed");
    // RFC 9207: an answer that names its issuer must name this one, and one that always does must not fail to.
    const { issuer, namesItself } = provider.endpoints;
    if (answer.iss === undefined && namesItself === true) throw new ProviderFailure("the answer names no issuer");
    if (answer.iss !== undefined && issuer !== undefined && !issuer.includes("{") && answer.iss !== issuer)
      throw new ProviderFailure("the answer is another issuer's");
    const { codeVerifier, nonce } = roundOf(state);
    const tokens = await exchangeCode(provider, callbackUrl(provider.name), answer.code, codeVerifier, fetchProvider);
    return tokens.idToken === undefined
      ? await fromUserinfo(provider, tokens)
      : await fromIdToken(provider, tokens, nonce, answer.user);
  }

  return {
    /** The provider's address for a browser. Undefined when the app has no account with it; throws ProviderFailure when discovery fails. */
    async start(application: Application, providerName: string, departure: Departure): Promise<string | undefined> {
      const provider = await accounts.find(application.id, providerName);
      if (!provider) return undefined;
      const state = newSecret(random);
      const digest = digestOf(state);
      const encryptedSessionId = keyring.encrypt(departure.sessionId, oauthStateContext(digest));
      const { browserDigest, adds } = departure;
      await storage.write((tx) =>
        insertState(tx, {
          digest,
          provider: provider.name,
          adds,
          encryptedSessionId,
          browserDigest,
          expiresAt: clock() + roundLasts,
        }),
      );
      return authorizationAddress(provider, callbackUrl(provider.name), roundOf(state));
    },

    /** The session that a state belongs to, without using the state up: to frame the page that sends a cross-site POST on. */
    async peek(state: string): Promise<string | undefined> {
      const row = stateForm.test(state) ? await findState(storage.reader, digestOf(state)) : undefined;
      return row && sessionIdOf(row);
    },

    /** Where the browser came from; undefined for a state that is missing, used, expired, or was sent to another provider. Used up by this call. */
    async arrive(providerName: string, state: string): Promise<Departure | undefined> {
      if (!stateForm.test(state)) return undefined;
      const row = await storage.write((tx) => consumeState(tx, digestOf(state)));
      if (!row || row.provider !== providerName || row.expiresAt <= clock()) return undefined;
      return { sessionId: sessionIdOf(row), browserDigest: row.browserDigest, adds: row.adds };
    },

    /** Asks the provider who is there. Throws ProviderFailure. */
    async identify(
      application: Application,
      providerName: string,
      state: string,
      answer: ProviderAnswer & { code: string },
    ): Promise<ProviderIdentity> {
      return await within(identifyPatienceMilliseconds, identify(application, providerName, state, answer));
    },

    /** Removes a batch of what has expired; true when more may be left. */
    async sweep(): Promise<boolean> {
      const now = clock();
      return await storage.write((tx) => sweepStates(tx, now));
    },
  };
}

/** Apple says the name once, beside the code and not in the id_token: good for a greeting, not a proof of anything. */
function appleName(userField: string | undefined): string | undefined {
  try {
    const { name } = JSON.parse(userField ?? "{}") as { name?: { firstName?: unknown; lastName?: unknown } };
    const parts = [name?.firstName, name?.lastName].filter((part) => typeof part === "string");
    return parts.length > 0 ? parts.join(" ") : undefined;
  } catch {
    return undefined;
  }
}

function userinfoHeaders(accessToken: string): Record<string, string> {
  return { authorization: `Bearer ${accessToken}`, accept: "application/json", "user-agent": "authsvc" };
}

async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new ProviderFailure("no identity in time")), milliseconds);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** What the encrypted session of a state is bound to. */
export function oauthStateContext(digest: string): string {
  return `oauth_states/${digest}`;
}
