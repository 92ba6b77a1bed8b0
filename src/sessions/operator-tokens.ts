/** Operations on access tokens for operators. */
import type { Application } from "../applications/application.ts";
import * as applications from "../applications/service.ts";
import * as personalTokens from "../credentials/personal/service.ts";
import { isoTime, second } from "../lib/clock.ts";
import { isPersonalToken } from "../lib/credentials.ts";
import { AppError, invalidRequest } from "../lib/errors.ts";
import { digestOf, newId, newSecret } from "../lib/random.ts";
import { displayName, maxNameCharacters } from "../lib/text.ts";
import { longestTokenSeconds } from "../lib/token-lives.ts";
import * as audit from "../records/audit/audit.ts";
import type { Actor } from "../records/audit/audit.ts";
import * as gate from "../organizations/gate.ts";
import type { Membership } from "../organizations/membership-store.ts";
import type { Context } from "../runtime/context.ts";
import type { LoginActor } from "../storage/column-types.ts";
import type { Handle } from "../storage/storage.ts";
import * as accessTokens from "../tokens/access-tokens.ts";
import { newTokenId, type AccessTokenClaims, type ResourceTokenClaims } from "../tokens/access-tokens.ts";
import * as claimSources from "../tokens/claim-sources.ts";
import { claimsOf } from "../tokens/claims.ts";
import { parseJwt } from "../tokens/jwt.ts";
import * as liveOrganizations from "../tokens/live-organizations.ts";
import { claimsOfPersonal } from "../tokens/personal-claims.ts";
import * as signingKeys from "../tokens/signing-keys.ts";
import * as users from "../users/service.ts";
import { lockUser } from "../users/store.ts";
import { findLiveUser, findLogin, insertLogin } from "./login-store.ts";
import type { Login } from "./login.ts";
import * as resourceTokens from "./resource-tokens.ts";

export type MintedToken = {
  /** Null for a dry run. */
  accessToken: string | null;
  expiresIn: number;
  expiresAt: string;
  loginId: string;
  appId: string;
  userId: string;
  scopes: string[];
  /** The operator who acts as the user; null: nobody. */
  actor: LoginActor | null;
};

export type Inspection = {
  /** Always false: anyone could have written these claims. */
  verified: false;
  header: Record<string, unknown>;
  claims: Record<string, unknown>;
  /** Whether the token names one of our keys, which may not have signed it. */
  namesKnownKey: boolean;
};

/** Why the login of a genuine token makes it invalid; undefined if it does not. */
async function loginProblem(ctx: Context, claims: AccessTokenClaims, kid: string): Promise<string | undefined> {
  const { sid, sub, aud } = claims;
  const login = await findLogin(ctx.storage.reader, sid);
  const user = await users.find(ctx.storage.reader, sub);
  if (!user)
    return (await applications.find(ctx, ctx.storage.reader, aud))
      ? "its user was deleted"
      : "its application was deleted";
  if (!login) return "its login was deleted";
  if (login.endedAt !== null) return `its login ended at ${isoTime(login.endedAt)} (${login.endReason})`;
  if (login.expiresAt <= ctx.clock()) return `its login expired at ${isoTime(login.expiresAt)}`;
  if (user.disabledAt !== null) return `its user was disabled at ${isoTime(user.disabledAt)}`;
  if (claims.org_id === undefined) return undefined;
  const live = await findLiveUser(ctx.storage.reader, { loginId: sid, kid, now: ctx.clock() });
  const membership = live && (await liveOrganizations.membershipOf(ctx, claims, live));
  return membership === undefined ? liveOrganizations.ended : undefined;
}

/** Why a token is valid or not, for a person with access to this machine. */
export async function explain(
  ctx: Context,
  accessToken: string,
  appId?: string,
): Promise<{ valid: true; claims: AccessTokenClaims | ResourceTokenClaims } | { valid: false; reason: string }> {
  if (isPersonalToken(accessToken)) return await explainPersonal(ctx, accessToken, appId);
  const any = await accessTokens.verifyAny(ctx, accessToken);
  if ("claims" in any && accessTokens.isForResource(any.claims)) {
    const ofResource = await resourceTokens.verify(ctx, accessToken, { takesConfined: true });
    if ("reason" in ofResource) return { valid: false, reason: ofResource.reason };
    const { claims } = ofResource;
    if (appId === undefined || claims.app_id === appId) return { valid: true, claims };
    return { valid: false, reason: `it is for a resource of another application (${claims.app_id})` };
  }
  const verdict = await accessTokens.verify(ctx, accessToken);
  if ("reason" in verdict) return { valid: false, reason: verdict.reason };
  const { claims, kid } = verdict;
  if (appId !== undefined && claims.aud !== appId)
    return { valid: false, reason: `it is for another application (aud ${claims.aud})` };
  const reason = await loginProblem(ctx, claims, kid);
  return reason === undefined ? { valid: true, claims } : { valid: false, reason };
}

async function explainPersonal(ctx: Context, text: string, appId?: string): ReturnType<typeof explain> {
  const verdict = await personalTokens.verify(ctx, text);
  if ("reason" in verdict) {
    const { reason, since } = verdict;
    return { valid: false, reason: since === undefined ? reason : `${reason} at ${isoTime(since)}` };
  }
  if (appId !== undefined && verdict.token.appId !== appId)
    return { valid: false, reason: `it is for another application (${verdict.token.appId})` };
  if (verdict.scopes.length === 0) return { valid: false, reason: "it has no scope that still exists" };
  return { valid: true, claims: claimsOfPersonal(ctx, verdict) };
}

/** The unverified claims of a JWT. Throws INVALID_TOKEN if it is not one. */
export async function inspect(ctx: Context, token: string): Promise<Inspection> {
  const parsed = parseJwt(token);
  if (!parsed) throw new AppError("INVALID_TOKEN", "This is not a JWT.");
  const { header, claims } = parsed;
  const kid = typeof header["kid"] === "string" ? header["kid"] : undefined;
  await signingKeys.refresh(ctx, kid);
  return { verified: false, header, claims, namesKnownKey: kid !== undefined && Boolean(signingKeys.find(ctx, kid)) };
}

/**
 * An access token for a user without signing in, with its own login, which can be revoked and
 * ends with the token. No refresh token. `scopes` undefined: all of the application's.
 * `organization`: the id or slug that it names; none by default. `actor`: a person who acts as the
 * user; the token cannot change the account
 * (docs/decisions/0046). Throws USER_NOT_FOUND, INVALID_REQUEST, CONFLICT for a disabled user.
 */
export async function mint(
  ctx: Context,
  input: {
    userId: string;
    scopes: string[] | undefined;
    seconds: number;
    organization?: string | undefined;
    actor?: LoginActor;
  },
  { dryRun }: { dryRun: boolean },
  actor: Actor,
): Promise<MintedToken> {
  const { userId, seconds } = input;
  if (seconds < 1 || seconds > longestTokenSeconds) throw invalidRequest("seconds", "from 1 second to 24 hours");
  const acting = input.actor === undefined ? null : checkedActor(input.actor);
  const now = ctx.clock();
  const id = newId("lgn", now, ctx.random);
  const unusedRefreshToken = newSecret(ctx.random);
  const { login, user, application, organization } = await ctx.storage.write(async (tx) => {
    // Locked: a concurrent change of the user's groups must reach this login.
    const user = await lockUser(tx, userId);
    const itsApplication = user && (await applications.find(ctx, tx, user.appId));
    if (!user || !itsApplication) throw new AppError("USER_NOT_FOUND", "The user does not exist.");
    if (user.disabledAt !== null) throw new AppError("CONFLICT", "The user is disabled.");
    const allowed: string[] = itsApplication.settings.scopes;
    const scopes = input.scopes ?? allowed;
    if (scopes.some((scope) => !allowed.includes(scope))) throw invalidRequest("scopes", `of ${allowed.join(", ")}`);
    const organization = await organizationFor(tx, itsApplication, userId, input.organization, now);
    const started: Login = {
      id,
      appId: user.appId,
      userId,
      signedInWith: "operator",
      provider: null,
      proofs: null,
      organizationProofs: null,
      secondFactor: null,
      organizationId: organization?.organizationId ?? null,
      scopes,
      publicClient: false,
      clientId: null,
      actor: acting,
      claimsRequest: null,
      resource: null,
      proofKey: null,
      signedInAt: now,
      provenElsewhereAt: null,
      createdAt: now,
      lastSeenAt: now,
      ipAddress: null,
      userAgent: null,
      browserSessionDigest: null,
      browserDigest: null,
      generation: 0,
      refreshDigest: digestOf(unusedRefreshToken),
      previousDigest: null,
      refreshedAt: now,
      expiresAt: now + seconds * second,
      endedAt: null,
      endReason: null,
    };
    if (!dryRun) {
      await insertLogin(tx, started);
      const details = { loginId: id, seconds, ...(acting ? { actor: acting.name, reason: acting.reason } : {}) };
      await audit.record(
        ctx,
        tx,
        {
          actor,
          action: "token.mint",
          result: "success",
          appId: user.appId,
          userId,
          details,
          target: organization?.organizationId,
          organizationId: organization?.organizationId,
        },
        now,
      );
    }
    return { login: started, user, application: itsApplication, organization };
  });
  const own = await claimSources.forToken(ctx, "access", { application, scopes: login.scopes, userId });
  const token = { issuer: ctx.baseUrl, id: newTokenId(ctx.random), seconds, own, organization, proofKey: null };
  const claims = claimsOf(login, user, token, now);
  return {
    accessToken: dryRun ? null : await accessTokens.sign(ctx, claims, application.settings),
    expiresIn: seconds,
    expiresAt: isoTime(claims.exp * second),
    loginId: id,
    appId: login.appId,
    userId,
    scopes: login.scopes,
    actor: login.actor,
  };
}

/** The user's membership that a minted token names. Throws INVALID_REQUEST. */
async function organizationFor(
  tx: Handle,
  application: Application,
  userId: string,
  named: string | undefined,
  now: number,
): Promise<Membership | undefined> {
  if (named === undefined) return undefined;
  const of = { wanted: named, application, client: undefined, scopes: [], userId, proven: undefined, now };
  const entered = await gate.enter(tx, of);
  if (!entered || typeof entered === "string") throw invalidRequest("organization", "one that the user is a member of");
  return entered;
}

function checkedActor(actor: LoginActor): LoginActor {
  const [name, reason] = [displayName(actor.name), displayName(actor.reason)];
  const rule = `1 to ${maxNameCharacters} characters, no control characters`;
  if (!name) throw invalidRequest("actor", rule);
  if (!reason) throw invalidRequest("reason", rule);
  return { name, reason };
}
