/** Rotates the refresh tokens of a login (docs/decisions/0003). */
import type { Application } from "../applications/application.ts";
import * as applications from "../applications/service.ts";
import { day, isOver, second } from "../lib/clock.ts";
import { isEnough, isFactorRequired } from "../factors/assurance.ts";
import type { RequestSource } from "../lib/request-source.ts";
import type { Context } from "../runtime/context.ts";
import { refreshGraces } from "../storage/column-types.ts";
import type { Handle } from "../storage/storage.ts";
import * as users from "../users/service.ts";
import * as ends from "./login-ends.ts";
import { findLogin, findLoginStart, rotateLogin } from "./login-store.ts";
import type { Login, LoginRotation } from "./login.ts";
import { refreshDigest, successorOf, type RefreshToken } from "./refresh-tokens.ts";
import type { LoginStart, RotatedLogin } from "./rotated-login-store.ts";

export const refreshIdleFor = 14 * day;
/**
 * `application`: as just authenticated. `clientId`: the calling OpenID Connect client; null: the
 * application itself. `resource`: of the login's tokens; null: the application. `proofKey`: the
 * thumbprint of the caller's proven key. `keeps`: the token is not rotated, because it is useless
 * without the client's key.
 */
export type RefreshCall = {
  refreshToken: string;
  application: Application;
  clientId: string | null;
  resource: string | null;
  proofKey: string | null;
  keeps: boolean;
  withoutApiKey: boolean;
  source: RequestSource;
};

/** Why a refresh gets no tokens. */
export type Denial = "refused" | "public-client-only";

export type Rotated = { login: RotatedLogin; next: RefreshToken };

/**
 * Whether the application still allows the login's method, and enough was proven for the policy of
 * now. If not, a refresh is refused without ending the login: the operator may have made a mistake.
 */
function mayContinue(start: LoginStart, application: Application): boolean {
  const { signedInWith, provider } = start;
  if (signedInWith === "operator" || !applications.accepts(application, signedInWith, provider)) return false;
  return isEnough(start, { isRequired: isFactorRequired(application, start), hasFactor: false, takesTrust: true });
}

function rotationTo(next: RefreshToken, presented: RefreshToken, application: Application, now: number): LoginRotation {
  return {
    id: presented.loginId,
    appId: application.id,
    presentedDigest: refreshDigest(presented),
    successorDigest: refreshDigest(next),
    generation: next.generation,
    now,
    idleSince: now - refreshIdleFor,
  };
}

export async function rotate(
  ctx: Context,
  presented: RefreshToken,
  call: RefreshCall,
  now: number,
): Promise<Rotated | Denial> {
  const next = call.keeps ? presented : successorOf(presented, ctx.keyring);
  const rotation = rotationTo(next, presented, call.application, now);
  const token =
    // Again in a transaction, which waits: `writeOne` skips a login that another transaction has
    // locked.
    (await ctx.storage.writeOne((handle) => rotateIfAllowed(handle, rotation, call))) ??
    (await ctx.storage.write(
      async (tx) =>
        (await rotateIfAllowed(tx, rotation, call)) ?? (await repeatOrRefuse(ctx, tx, presented, rotation, call)),
    ));
  return typeof token === "string" ? token : { login: token, next };
}

/**
 * All that nearly every refresh needs. How a login began never changes, so it is checked before
 * the write. Undefined if `repeatOrRefuse` has to find out why.
 */
async function rotateIfAllowed(
  handle: Handle,
  rotation: LoginRotation,
  { application, clientId, resource, proofKey, withoutApiKey }: RefreshCall,
): Promise<RotatedLogin | Denial | undefined> {
  const start = await findLoginStart(handle, rotation.id);
  if (start?.appId !== application.id || start.clientId !== clientId) return "refused";
  if (start.resource !== resource) return "refused";
  // Also a reuse: a caller without the key must not end the login.
  if (start.proofKey !== null && start.proofKey !== proofKey) return "refused";
  if (withoutApiKey && !start.publicClient) return "public-client-only";
  return mayContinue(start, application) ? await rotateLogin(handle, rotation) : undefined;
}

/**
 * Gives a token that was just used its successor again; otherwise refuses. An old token ends the
 * login.
 */
async function repeatOrRefuse(
  ctx: Context,
  tx: Handle,
  presented: RefreshToken,
  rotation: LoginRotation,
  { application, source }: RefreshCall,
): Promise<RotatedLogin | Denial> {
  const { now } = rotation;
  const login = await findLogin(tx, presented.loginId);
  if (!login || login.endedAt !== null || login.expiresAt <= now) return "refused";
  const start = await findLoginStart(tx, presented.loginId);
  if (!isRepeated(login, rotation, application)) {
    // A reuse takes precedence over other refusals: it shows that somebody has a copy.
    if (presented.generation < login.generation) await ends.endForTokenReuse(ctx, tx, login.id, source, now);
    return "refused";
  }
  const user = start && mayContinue(start, application) ? await users.find(tx, login.userId) : undefined;
  if (!user || user.disabledAt !== null) return "refused";
  return { ...login, email: user.email, emailVerified: user.emailVerified };
}

/**
 * Whether this is the previous token, shortly after its use, and its successor is unused: a client
 * that lost the answer, or made two calls at once, gets the same successor again.
 */
function isRepeated(
  login: Login,
  { presentedDigest, successorDigest, now }: LoginRotation,
  { settings: { refreshGraceSeconds = refreshGraces.usual } }: Application,
): boolean {
  const isPredecessor = login.previousDigest === presentedDigest && login.refreshDigest === successorDigest;
  const grace = refreshGraceSeconds * second;
  return isPredecessor && !isOver(login.refreshedAt + grace, grace, now);
}
