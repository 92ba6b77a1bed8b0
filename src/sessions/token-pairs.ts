import { hasOrganizations, type Application } from "../applications/application.ts";
import { scopesOf, type Client } from "../applications/clients/client.ts";
import { second } from "../lib/clock.ts";
import { AppError, invalidApiKey, oauthError } from "../lib/errors.ts";
import { newId } from "../lib/random.ts";
import { accessTokenSeconds } from "../lib/token-lives.ts";
import { activeOrganization, type ActiveOrganization } from "../organizations/claims.ts";
import * as gate from "../organizations/gate.ts";
import type { Missing } from "../organizations/gate.ts";
import type { Membership } from "../organizations/membership-store.ts";
import { endWithProof, isConfined } from "../organizations/provider/provider.ts";
import type { Context } from "../runtime/context.ts";
import type { Handle } from "../storage/storage.ts";
import { formsOf, scopesFor, type Asking, type Resource } from "../applications/resources/resource.ts";
import * as resources from "../applications/resources/service.ts";
import * as accessTokens from "../tokens/access-tokens.ts";
import { newTokenId } from "../tokens/access-tokens.ts";
import * as claimSources from "../tokens/claim-sources.ts";
import { claimsOf } from "../tokens/claims.ts";
import * as groups from "../users/groups/service.ts";
import type { User } from "../users/user.ts";
import { endOfUsed, endWithoutRefresh, type Lives } from "./lives.ts";
import { findLogin, insertLogin, renewLoginOfBrowser, sweepLogins } from "./login-store.ts";
import type { Login, LoginToContinue } from "./login.ts";
import {
  firstRefreshToken,
  formatRefreshToken,
  parseRefreshToken,
  refreshDigest,
  type RefreshToken,
} from "./refresh-tokens.ts";
import * as rotation from "./rotation.ts";
import type { RefreshCall, Rotated } from "./rotation.ts";

/**
 * The answer of callback and refresh. `expiresIn` is in seconds. `organization`: of the access
 * token, if it names one.
 */
export type TokenPair = {
  accessToken: string;
  refreshToken: string;
  expiresIn: number;
  organization?: ActiveOrganization;
};

export type StartedLogin = { login: Login; refreshToken: RefreshToken };

/**
 * `resource`: the login's, if it has one. `proofKey`: the key that the token is bound to, if any.
 * `lives`: with lives of their own, no token outlives its login.
 */
type TokensOf = {
  application: Application;
  client?: Pick<Client, "consent"> | undefined;
  resource?: Resource | null;
  organization?: Membership | undefined;
  proofKey: string | null;
  lives?: Lives | undefined;
};

async function pairFor(
  ctx: Context,
  login: LoginToContinue & Pick<Login, "expiresAt">,
  refreshToken: RefreshToken,
  user: Pick<User, "id" | "email" | "emailVerified">,
  { application, client, resource = null, organization, proofKey, lives }: TokensOf,
  now: number,
): Promise<TokenPair> {
  const usual = resource?.accessTokenSeconds ?? accessTokenSeconds;
  const isBound = lives !== undefined || isConfined(login);
  const ends = Math.min(
    isBound ? login.expiresAt : Number.POSITIVE_INFINITY,
    endWithProof(login, organization?.provider, now) ?? Number.POSITIVE_INFINITY,
  );
  const seconds = Math.min(usual, Math.max(1, Math.floor((ends - now) / second)));
  const id = newTokenId(ctx.random);
  const own = await claimSources.forToken(ctx, "access", {
    application,
    client,
    scopes: login.scopes,
    userId: user.id,
    isConfined: isConfined(login),
  });
  const claims = claimsOf(login, user, { issuer: ctx.baseUrl, id, seconds, own, organization, proofKey }, now);
  return {
    accessToken: await accessTokens.sign(ctx, claims, application.settings),
    refreshToken: formatRefreshToken(refreshToken, ctx.keyring),
    expiresIn: seconds,
    ...(organization ? { organization: activeOrganization(organization) } : {}),
  };
}

/** A login after a refresh. `organization`: of its access token. */
type Continued = { login: LoginToContinue; organization: Membership | undefined; pair: TokenPair };

/** `only`: the scopes that the caller may have. The application's may have been reduced, too. */
async function continued(
  ctx: Context,
  { login, next, organization }: Rotated,
  of: Omit<TokensOf, "organization">,
  only: string[] | undefined,
  now: number,
): Promise<Continued> {
  const ofResource = of.resource?.scopes.map(({ name }) => name) ?? [];
  const allowed = [...scopesOf(of.application), ...ofResource];
  const scopes = login.scopes.filter((scope) => allowed.includes(scope) && only?.includes(scope) !== false);
  const { userId: id, email, emailVerified } = login;
  const continuing = { ...login, scopes };
  const user = { id, email, emailVerified };
  return {
    login: continuing,
    organization,
    pair: await pairFor(ctx, continuing, next, user, { ...of, organization }, now),
  };
}

export function newLoginId(ctx: Context, now: number): string {
  return newId("lgn", now, ctx.random);
}

/**
 * Starts the login for a redeemed code in the caller's transaction. `refreshes`: it gets refresh
 * tokens, as by default. `lives`: of its application and client. `lasts`: in their place, in
 * milliseconds. `endsBy`: however long it would live. `lockedUser`: its user, if that transaction
 * has locked it.
 */
export async function startLogin(
  ctx: Context,
  tx: Handle,
  input: Omit<LoginToContinue, "organizationId" | "organizationProofs"> &
    Partial<Pick<Login, "organizationProofs">> &
    Pick<Login, "ipAddress" | "userAgent" | "browserSessionDigest" | "proofKey"> & {
      organizationId?: string | null;
      browserDigest?: string | null;
      refreshes?: boolean;
      lives?: Lives | undefined;
      lasts?: number | undefined;
      endsBy?: number | undefined;
    },
  now: number,
  lockedUser?: User,
): Promise<StartedLogin> {
  const {
    refreshes = true,
    organizationId = null,
    organizationProofs = null,
    browserDigest = null,
    lives,
    lasts,
    endsBy = Number.POSITIVE_INFINITY,
    ...begun
  } = input;
  const times = { createdAt: now, signedInAt: begun.signedInAt };
  const refreshToken = firstRefreshToken(input.id, ctx.random);
  const login: Login = {
    ...begun,
    organizationId,
    organizationProofs,
    browserDigest,
    actor: null,
    createdAt: now,
    lastSeenAt: now,
    generation: 0,
    refreshDigest: refreshDigest(refreshToken),
    previousDigest: null,
    refreshedAt: now,
    expiresAt: Math.min(
      endsBy,
      lasts !== undefined ? now + lasts : refreshes ? endOfUsed(times, lives, now) : endWithoutRefresh(times, lives),
    ),
    endedAt: null,
    endReason: null,
  };
  await insertLogin(tx, login, lockedUser);
  return { login, refreshToken };
}

/**
 * The live login that this client has in this browser, with the proof of another sign-in;
 * undefined if there is none. It has no tokens.
 */
export async function continueLogin(
  ctx: Context,
  tx: Handle,
  { lasts, organizationProofs = null, endsBy: _never, ...input }: Parameters<typeof startLogin>[2] & { lasts: number },
  now: number,
): Promise<StartedLogin | undefined> {
  const renewed = { ...input, organizationProofs, lastSeenAt: now, expiresAt: now + lasts };
  const login = await renewLoginOfBrowser(tx, renewed, now);
  return login && { login, refreshToken: firstRefreshToken(login.id, ctx.random) };
}

/**
 * The first tokens of a new login. Called after the commit, because signing is not database
 * work.
 */
export async function firstPair(
  ctx: Context,
  started: StartedLogin,
  user: User,
  of: TokensOf,
  now: number,
): Promise<TokenPair> {
  return await pairFor(ctx, started.login, started.refreshToken, user, of, now);
}

/**
 * Replaces a refresh token. `organization`: of the new access token; undefined: the last one's.
 * Throws INVALID_TOKEN, INVALID_API_KEY if the key is missing and the login is not a public
 * client's, and INSUFFICIENT_SCOPE for an organization that the person may not use.
 */
export async function refresh(
  ctx: Context,
  {
    organization: named,
    ...caller
  }: Omit<RefreshCall, "clientId" | "resource" | "proofKey" | "keeps" | "enters" | "lives" | "graceSeconds"> & {
    organization?: string | undefined;
  },
): Promise<TokenPair> {
  const now = ctx.clock();
  const enters = { named, scopes: [] };
  const call = { ...caller, ...rotation.settingsOf(caller.application), enters, proofKey: null };
  const presented = parseRefreshToken(call.refreshToken, ctx.keyring);
  if (!presented) throw call.withoutApiKey ? invalidApiKey() : invalidRefreshToken();
  const outcome = await rotation.rotate(ctx, presented, { ...call, clientId: null, resource: null, keeps: false }, now);
  if (outcome === "public-client-only") throw invalidApiKey();
  if (outcome === "refused") throw invalidRefreshToken();
  if ("missing" in outcome) throw organizationRefused(outcome.missing);
  return (await continued(ctx, outcome, call, undefined, now)).pair;
}

/**
 * The same for a client. Grants only the scopes that it still may have and, of those, the requested
 * ones (`asked`). Throws INVALID_TOKEN, also if the client no longer allows the user's groups;
 * INVALID_REQUEST for scopes that the login does not have, another resource than the login's, or
 * one that the client may no longer request.
 */
export async function refreshForClient(
  ctx: Context,
  {
    client,
    ...call
  }: Omit<RefreshCall, "clientId" | "resource" | "keeps" | "enters" | "lives" | "graceSeconds"> & {
    client: Asking &
      Pick<Client, "scopes" | "consent" | "companySignIn" | "allowedGroups" | "profile"> &
      Parameters<typeof rotation.settingsOf>[1] & {
        asked: string[] | undefined;
        resource: string | undefined;
        organization: string | undefined;
      };
  },
): Promise<Continued> {
  const now = ctx.clock();
  const { application, proofKey } = call;
  const clientId = client.id === application.id ? null : client.id;
  const presented = parseRefreshToken(call.refreshToken, ctx.keyring);
  if (!presented) throw invalidRefreshToken();
  const { asked = [] } = client;
  // Before the rotation, which a caller could not undo.
  const login = await findLogin(ctx.storage.reader, presented.loginId);
  if (login?.appId !== application.id || login.clientId !== clientId) throw invalidRefreshToken();
  if (!asked.every((scope) => login.scopes.includes(scope)))
    throw oauthError("invalid_scope", "scope: exceeds the granted scopes");
  if (!(await groups.admits(ctx.storage.reader, client, login.userId))) throw invalidRefreshToken();
  const { resource: identifier, createdAt } = login;
  const resource =
    identifier === null ? null : await resources.askedBy(ctx.storage.reader, client, identifier, createdAt);
  if (resource === undefined || (client.resource !== undefined && !formsOf(client.resource).includes(identifier ?? "")))
    throw oauthError("invalid_target", "resource: not the one of this login, or not for this client");
  // What the client may have now, of what the person agreed to then.
  const own = [...client.scopes, ...(resource === null ? [] : scopesFor(resource, client))];
  const only = asked.length === 0 ? own : asked.filter((scope) => own.includes(scope));
  const scopes = login.scopes.filter((scope) => only.includes(scope));
  const enters = { named: hasOrganizations(application) ? client.organization : undefined, client, resource, scopes };
  const settings = rotation.settingsOf(application, client);
  const how = { clientId, resource: login.resource, keeps: client.profile !== null, enters, ...settings };
  const outcome = await rotation.rotate(ctx, presented, { ...call, ...how }, now);
  if (typeof outcome === "string") throw invalidRefreshToken();
  if ("missing" in outcome) throw oauthError("invalid_grant", gate.missingWords[outcome.missing]);
  return await continued(ctx, outcome, { application, client, resource, proofKey, ...settings }, only, now);
}

/** Removes a batch of expired rows; true if more may be left. */
export async function sweep(ctx: Context): Promise<boolean> {
  const now = ctx.clock();
  return await ctx.storage.write((tx) => sweepLogins(tx, now));
}

/** The refresh token still works. */
function organizationRefused(missing: Missing): AppError {
  return new AppError("INSUFFICIENT_SCOPE", "This login may not use the organization.", {
    details: gate.missingWords[missing],
  });
}

function invalidRefreshToken(): AppError {
  return new AppError("INVALID_TOKEN", "The refresh token is not valid.");
}
