/** Authenticates callers by their access token. */
import * as applications from "../applications/service.ts";
import { acrValues, proofIsFresh } from "../factors/assurance.ts";
import * as personalTokens from "../credentials/personal/service.ts";
import * as factors from "../factors/service.ts";
import { isoTime, isOver, second } from "../lib/clock.ts";
import { isPersonalToken } from "../lib/credentials.ts";
import { AppError, expired, invalidAppId } from "../lib/errors.ts";
import { tokenCredential } from "../http/guards.ts";
import type { HttpRequest } from "../http/request.ts";
import type { Membership } from "../organizations/membership-store.ts";
import type { Context } from "../runtime/context.ts";
import { findLiveUser } from "../sessions/login-store.ts";
import type { LiveUser } from "../sessions/login.ts";
import * as accessTokens from "./access-tokens.ts";
import { isForResource, type AccessTokenClaims } from "./access-tokens.ts";
import * as proofs from "./dpop/proofs.ts";
import * as liveOrganizations from "./live-organizations.ts";
import { claimsOfPersonal } from "./personal-claims.ts";

/**
 * The user and claims of an access token, checked in storage. A personal access token has the
 * claims that one of its application would have, and its own id as `sid` and `jti`.
 */
export type Bearer = {
  claims: AccessTokenClaims;
  scopes: string[];
  user: LiveUser;
  /** Of the organization that the token names. */
  membership?: Membership;
  /** It rests on that organization's provider alone: it is for this one and nothing else. */
  isConfined?: true;
  isPersonal?: true;
};

/** An access token as a call presents it. `proving`: the call, if its scheme is DPoP. */
export type Presented = { token: string; proving: HttpRequest | null };

/**
 * `asksOrganization` false: the token's organization does not matter for what is asked.
 * `takesPersonal`: a personal access token will do; no change of an account accepts one.
 * `takesConfined`: one that rests on an organization's provider alone will do; others refuse it.
 */
export type How = { asksOrganization?: boolean; takesPersonal?: boolean; takesConfined?: boolean };

/** The token in the Authorization header. */
export function presentedIn(request: HttpRequest): Presented {
  const { token = "", isBound } = tokenCredential(request);
  return { token, proving: isBound ? request : null };
}

/**
 * Authenticates who presents an access token. One that is bound to a key works only with a proof
 * (RFC 9449 §7). Throws INVALID_TOKEN, or INVALID_APP_ID if `appId` is given and is not the
 * token's.
 */
export async function authenticate(
  ctx: Context,
  { token, proving }: Presented,
  appId: string | undefined,
  how: How = {},
): Promise<Bearer> {
  if (isPersonalToken(token)) return await personalBearer(ctx, { token, proving }, appId, how);
  const bearer = await findBearer(ctx, token, appId, how);
  if (bearer.claims.cnf || proving) await proofs.requireProof(ctx, proving, token, bearer.claims);
  return bearer;
}

/** The same for those who only ask about somebody's token: without a proof. */
export async function findBearer(
  ctx: Context,
  accessToken: string,
  appId: string | undefined,
  { asksOrganization = true, takesConfined = false }: How = {},
): Promise<Bearer> {
  const verdict = await accessTokens.verify(ctx, accessToken);
  if ("reason" in verdict) throw invalidAccessToken(verdict.expired ? expired : verdict.reason);
  const { claims } = verdict;
  if (!applications.isSurelyUsable(ctx, claims.aud) && !(await applications.find(ctx, ctx.storage.reader, claims.aud)))
    throw invalidAccessToken("its application belongs to development mode");
  const user = await findLiveUser(ctx.storage.reader, { loginId: claims.sid, kid: verdict.kid, now: ctx.clock() });
  if (!user || user.id !== claims.sub) throw invalidAccessToken("its login has ended or its key was withdrawn");
  if (appId !== undefined && appId !== claims.aud) throw invalidAppId();
  const scopes = claims.scope.split(" ");
  const answered = liveOrganizations.isConfined(ctx, claims);
  const isConfined = answered instanceof Promise ? await answered : answered;
  if (isConfined && !takesConfined) throw invalidAccessToken("it is for an organization and nothing else");
  const marked = isConfined ? ({ isConfined } as const) : {};
  if (isConfined && claims.org_id === undefined) throw invalidAccessToken(liveOrganizations.ended);
  if (claims.org_id === undefined || !asksOrganization) return { claims, scopes, user, ...marked };
  const found = liveOrganizations.membershipOf(ctx, claims, user);
  const membership = found instanceof Promise ? await found : found;
  if (membership === undefined) throw invalidAccessToken(liveOrganizations.ended);
  return { claims, scopes, user, ...(membership && { membership }), ...marked };
}

/** Only somebody who has the token learns when it ended. */
async function personalBearer(
  ctx: Context,
  { token: text, proving }: Presented,
  appId: string | undefined,
  { takesPersonal = false }: How,
): Promise<Bearer> {
  if (!takesPersonal) throw invalidAccessToken("it is a personal one", "a personal access token cannot be used here");
  if (proving) throw invalidAccessToken("a personal access token is bound to no key");
  const verdict = await personalTokens.verify(ctx, text);
  if ("reason" in verdict) {
    const { reason, since } = verdict;
    throw invalidAccessToken(
      since === undefined ? reason : expired,
      since === undefined ? undefined : `the personal access token ended at ${isoTime(since)}`,
    );
  }
  const { token, user, scopes } = verdict;
  const claims = claimsOfPersonal(ctx, verdict);
  if (isForResource(claims)) throw invalidAccessToken("it is for a resource, not for this service");
  if (scopes.length === 0) throw invalidAccessToken("its application has none of its scopes now");
  if (appId !== undefined && appId !== token.appId) throw invalidAppId();
  const { id, email, emailVerified, name } = user;
  const live = { id, email, emailVerified, name, claimsVersion: 0, secondFactor: null };
  return { claims, scopes, user: live, isPersonal: true };
}

/** Current assurance level; lower than the token's `acr` if a factor was removed since. */
export function acrNow({ claims, user }: Pick<Bearer, "claims" | "user">): string {
  const [one, two] = acrValues;
  return claims.acr === two && user.secondFactor === null ? one : (claims.acr ?? one);
}

/**
 * Throws INSUFFICIENT_SCOPE if the user has a second factor that this sign-in did not use, or
 * (`fresh`) not in the last ten minutes.
 */
export async function requireSecondFactor(
  ctx: Context,
  bearer: Bearer,
  { fresh = false }: { fresh?: boolean } = {},
): Promise<void> {
  const { claims, user } = bearer;
  const [one, two] = acrValues;
  const acr = acrNow(bearer);
  // The provider's factor never replaces one of the user's own.
  const isElsewhere = user.secondFactor === "provider" || user.secondFactor === "organization";
  const isWeak = acr === one || (acr === two && isElsewhere);
  const provenAt = (claims.auth_time ?? 0) * second;
  if (!isWeak && !(fresh && isOver(provenAt + proofIsFresh, proofIsFresh, ctx.clock()))) return;
  const { reader } = ctx.storage;
  const application = await applications.find(ctx, reader, claims.aud);
  if (!application) return;
  if (!(await factors.isProvable(reader, user.id, await factors.demandOn(reader, application, user.id)))) return;
  const maxAge = proofIsFresh / second;
  throw new AppError("INSUFFICIENT_SCOPE", "The access token does not allow this.", {
    details: `acr: ${two}${fresh ? `, max_age: ${maxAge}` : ""}, because the user has a second factor`,
    headers: { "www-authenticate": stepUpChallenge(claims, two, fresh ? maxAge : undefined) },
  });
}

/** RFC 9470 §3. */
function stepUpChallenge({ cnf }: Pick<AccessTokenClaims, "cnf">, acr: string, maxAge: number | undefined): string {
  const said = `error="insufficient_user_authentication", acr_values="${acr}"`;
  return `${cnf ? "DPoP" : "Bearer"} realm="authsvc", ${said}${maxAge === undefined ? "" : `, max_age="${maxAge}"`}`;
}

/** `reason`: for the log. `details`: for the caller. */
export function invalidAccessToken(reason: string, details = ""): AppError {
  return new AppError("INVALID_TOKEN", "The access token is missing or not valid.", { cause: reason, details });
}
