import type { Application } from "../../applications/application.ts";
import * as providers from "../../applications/providers/provider-clients.ts";
import type { ConfiguredProvider } from "../../applications/providers/provider.ts";
import { isOver, minute } from "../../lib/clock.ts";
import type { RemoteKeys } from "../../lib/jose.ts";
import { digestOf, newSecret } from "../../lib/random.ts";
import { part, type Context } from "../../runtime/context.ts";
import {
  authorizationAddress,
  exchangeCode,
  type AuthorizationRequest,
  type ProviderTokens,
  type ProviderWishes,
} from "./authorization.ts";
import { claimsOf, keysBy, userinfoHeaders, type Reach } from "./claims.ts";
import { consumeState, findState, insertState, sweepStates, type StateRow } from "./identity-store.ts";
import {
  authTime,
  hasTrustedClaim,
  identityFromClaims,
  identityFromGithub,
  identityFromUserinfo,
  type KnownIdentity,
  type ProviderIdentity,
} from "./identity.ts";
import { fetchProvider, jsonArray, jsonObject, ProviderFailure } from "./provider-fetch.ts";

/** For token, keys and userinfo together: the longest wait for a person. */
export const identifyPatienceMilliseconds = 12_000;
/**
 * The lifetime of a sign-in session: a person who takes longer at the provider must start again.
 */
const requestLasts = 10 * minute;
const stateForm = /^[A-Za-z0-9_-]{43}$/u;

/** What a provider returned through the browser (RFC 6749 §4.1.2). */
export type ProviderAnswer = {
  code: string | undefined;
  error: string | undefined;
  iss: string | undefined;
  user: string | undefined;
};

/**
 * The origin of an authorization request: the session's id, the browser that started it, and
 * whether the identity is added to the session's account instead of signing in.
 */
export type ProviderRequest = { sessionId: string; browserDigest: string; adds: boolean };

const keySets = part(() => new Map<string, RemoteKeys>());

function callbackUrl(ctx: Context, provider: string): string {
  return `${ctx.baseUrl}/oauth/${provider}/callback`;
}

/**
 * Verifier and nonce are MACs of the state, so they need not be stored. The provider sees the
 * state but cannot compute them.
 */
function requestOf(ctx: Context, state: string): AuthorizationRequest {
  const derive = (purpose: string): string => ctx.keyring.mac("oauth", purpose, state).toString("base64url");
  return { state, codeVerifier: derive("code verifier"), nonce: derive("nonce") };
}

function sessionIdOf(ctx: Context, row: StateRow): string {
  return ctx.keyring.decrypt(row.encryptedSessionId, oauthStateContext(row.digest));
}

function keysAt(ctx: Context, address: string): RemoteKeys {
  let keys = keySets(ctx).get(address);
  if (!keys) {
    keys = keysBy((...call) => fetchProvider(ctx, ...call), address);
    keySets(ctx).set(address, keys);
  }
  return keys;
}

async function fromIdToken(
  ctx: Context,
  provider: ConfiguredProvider,
  tokens: ProviderTokens,
  nonce: string,
  userField: string | undefined,
): Promise<Omit<KnownIdentity, "issuer">> {
  const { jwksUrl = "" } = provider.endpoints;
  const given = { tokens, nonce, name: appleName(userField) };
  const { claims, source, shown } = await claimsOf(reachOf(ctx, jwksUrl), provider, given, ctx.clock());
  const proven = {
    hasSecondFactor: hasTrustedClaim(claims, provider.trustsSecondFactor),
    provenAt: provenAtOf(ctx, provider.name, claims),
  };
  return { ...identityFromClaims(source, provider, shown), ...proven };
}

function reachOf(ctx: Context, jwksUrl: string): Reach {
  return {
    fetch: (...call) => fetchProvider(ctx, ...call),
    keys: () => keysAt(ctx, jwksUrl),
    log: ctx.log,
  };
}

/** When the provider authenticated the person, by its claims; 0 if missing or invalid. */
export function provenAtOf(ctx: Context, provider: string, claims: { auth_time?: unknown; iat?: number }): number {
  const at = authTime(claims, ctx.clock());
  if (typeof at === "number") return at;
  ctx.log.warn("a provider's auth_time does not count", { provider, reason: at });
  return 0;
}

async function fromUserinfo(
  ctx: Context,
  provider: ConfiguredProvider,
  { accessToken }: ProviderTokens,
): Promise<ProviderIdentity> {
  const { userinfoUrl } = provider.endpoints;
  if (userinfoUrl === undefined) throw new ProviderFailure("the provider has no userinfo endpoint");
  const headers = userinfoHeaders(accessToken);
  const user = jsonObject(await fetchProvider(ctx, "userinfo", userinfoUrl, { headers }));
  if (provider.source === "github") {
    const emails = await fetchProvider(ctx, "GitHub's /user/emails", `${userinfoUrl}/emails`, { headers });
    return identityFromGithub(user, jsonArray(emails));
  }
  return identityFromUserinfo(provider.source === "discord" ? "discord" : "facebook", user, provider.provesEmail);
}

async function identityFrom(
  ctx: Context,
  application: Application,
  providerName: string,
  state: string,
  answer: ProviderAnswer & { code: string },
): Promise<KnownIdentity> {
  const provider = await providers.find(ctx, application.id, providerName);
  if (!provider) throw new ProviderFailure("the provider was removed");
  // RFC 9207: an issuer in the answer must be this one, and must be present if the provider
  // always sends it.
  const { issuer, namesItself } = provider.endpoints;
  if (answer.iss === undefined && namesItself === true) throw new ProviderFailure("the response contains no issuer");
  if (answer.iss !== undefined && issuer !== undefined && !issuer.includes("{") && answer.iss !== issuer)
    throw new ProviderFailure("the response is from another issuer");
  const { codeVerifier, nonce } = requestOf(ctx, state);
  const tokens = await exchangeCode(
    provider,
    callbackUrl(ctx, provider.name),
    answer.code,
    codeVerifier,
    (call, address, init) => fetchProvider(ctx, call, address, init),
  );
  const identity =
    tokens.idToken === undefined
      ? { ...(await fromUserinfo(ctx, provider, tokens)), hasSecondFactor: false, provenAt: 0 }
      : await fromIdToken(ctx, provider, tokens, nonce, answer.user);
  return { ...identity, issuer: provider.directory };
}

/**
 * The provider's URL for the browser. Undefined if the app has no client there; throws
 * ProviderFailure if discovery fails.
 */
export async function start(
  ctx: Context,
  application: Application,
  providerName: string,
  providerRequest: ProviderRequest,
  wishes: ProviderWishes | undefined,
): Promise<string | undefined> {
  const provider = await providers.find(ctx, application.id, providerName);
  if (!provider) return undefined;
  const state = newSecret(ctx.random);
  const digest = digestOf(state);
  const { sessionId, browserDigest, adds } = providerRequest;
  await ctx.storage.write(async (tx) =>
    insertState(tx, {
      digest,
      provider: provider.name,
      adds,
      encryptedSessionId: await ctx.keyring.encrypt(tx, sessionId, oauthStateContext(digest)),
      browserDigest,
      expiresAt: ctx.clock() + requestLasts,
    }),
  );
  return authorizationAddress(provider, callbackUrl(ctx, provider.name), requestOf(ctx, state), wishes);
}

/**
 * The session of a state, without consuming it: to frame the page that passes on a cross-site
 * POST.
 */
export async function peek(ctx: Context, state: string): Promise<string | undefined> {
  const row = stateForm.test(state) ? await findState(ctx.storage.reader, digestOf(state)) : undefined;
  return row && sessionIdOf(ctx, row);
}

/**
 * Consumes a state and returns its origin; undefined if it is missing, used, expired or another
 * provider's.
 */
export async function consume(ctx: Context, providerName: string, state: string): Promise<ProviderRequest | undefined> {
  if (!stateForm.test(state)) return undefined;
  const row = await ctx.storage.write((tx) => consumeState(tx, digestOf(state)));
  if (!row || row.provider !== providerName || isOver(row.expiresAt, requestLasts, ctx.clock())) return undefined;
  return { sessionId: sessionIdOf(ctx, row), browserDigest: row.browserDigest, adds: row.adds };
}

/** Asks the provider for the identity. Throws ProviderFailure. */
export async function identify(
  ctx: Context,
  application: Application,
  providerName: string,
  state: string,
  answer: ProviderAnswer & { code: string },
): Promise<KnownIdentity> {
  return await within(identifyPatienceMilliseconds, identityFrom(ctx, application, providerName, state, answer));
}

/** Removes a batch of expired rows; true if more may be left. */
export async function sweep(ctx: Context): Promise<boolean> {
  const now = ctx.clock();
  return await ctx.storage.write((tx) => sweepStates(tx, now));
}

/** Apple sends the name once, beside the code and not in the id_token. It is unverified. */
function appleName(userField: string | undefined): string | undefined {
  try {
    const { name } = JSON.parse(userField ?? "{}") as { name?: { firstName?: unknown; lastName?: unknown } };
    const parts = [name?.firstName, name?.lastName].filter((part) => typeof part === "string");
    return parts.length > 0 ? parts.join(" ") : undefined;
  } catch {
    return undefined;
  }
}

/** Throws ProviderFailure when the time is over. */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new ProviderFailure("timed out before an identity was returned")),
    milliseconds,
  );
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The encryption context of a state's session. */
export function oauthStateContext(digest: string): string {
  return `oauth_states/${digest}`;
}
