/** Operations on logins by operators and the service. */
import { isoTime } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Actor } from "../records/audit/audit.ts";
import type { Context } from "../runtime/context.ts";
import * as accessTokens from "../tokens/access-tokens.ts";
import * as ends from "./login-ends.ts";
import { listHostsOfLogins, listLoginsOfUser } from "./login-list-store.ts";
import { findLogin } from "./login-store.ts";
import type { Login } from "./login.ts";
import { parseRefreshToken } from "./refresh-tokens.ts";

/** A login as shown by commands. */
export type LoginAnswer = {
  id: string;
  appId: string;
  userId: string;
  /** The client that began it; null: the application itself. */
  clientId: string | null;
  /** The protected hosts that it has opened; missing for any other login. */
  hosts?: string[];
  signedInWith: Login["signedInWith"];
  /** The operator who acts as the user, and the reason; null: nobody. */
  actor: Login["actor"];
  provider: string | null;
  scopes: string[];
  createdAt: string;
  lastSeenAt: string;
  expiresAt: string;
  endedAt: string | null;
  endReason: string | null;
  ipAddress: string | null;
  userAgent: string | null;
};

/**
 * The login of an access token that this service signed (even if expired) or of a refresh token.
 * Throws INVALID_TOKEN.
 */
export async function loginIdOf(ctx: Context, token: string): Promise<string> {
  const refreshToken = parseRefreshToken(token, ctx.keyring);
  if (refreshToken) return refreshToken.loginId;
  const verdict = await accessTokens.genuine(ctx, token);
  if ("reason" in verdict)
    throw new AppError("INVALID_TOKEN", "This service did not issue this token:", { details: verdict.reason });
  if (verdict.claims.sid === undefined)
    throw new AppError("INVALID_TOKEN", "A machine's token has no login. Revoke the secret used to obtain it:", {
      details: verdict.claims.credential_id,
    });
  return verdict.claims.sid;
}

/** Newest first. `all` includes logins that ended and are not swept yet. */
export async function list(ctx: Context, userId: string, { all }: { all: boolean }): Promise<LoginAnswer[]> {
  const { reader } = ctx.storage;
  const logins = await listLoginsOfUser(reader, userId, { all, now: ctx.clock() });
  const hosts = await listHostsOfLogins(reader, logins);
  return logins.map((login) => answerOf(login, hosts.get(login.id)));
}

/** A login that is not swept yet. */
export async function find(ctx: Context, id: string): Promise<LoginAnswer | undefined> {
  const login = await findLogin(ctx.storage.reader, id);
  return login && answerOf(login);
}

/** The same. Throws LOGIN_NOT_FOUND. */
export async function get(ctx: Context, id: string): Promise<LoginAnswer> {
  const login = await find(ctx, id);
  if (!login) throw new AppError("LOGIN_NOT_FOUND", "There is no login with this id.");
  return login;
}

/**
 * Ends one login and what its browser opened; repeating it changes nothing. Returns the
 * login's new state. Throws LOGIN_NOT_FOUND.
 */
export async function end(
  ctx: Context,
  id: string,
  { dryRun }: { dryRun: boolean },
  actor: Actor,
): Promise<LoginAnswer> {
  if (!dryRun) await ends.endOne(ctx, { id }, { reason: "operator", by: { actor } });
  return await get(ctx, id);
}

function answerOf(login: Login, hosts?: string[]): LoginAnswer {
  return {
    id: login.id,
    appId: login.appId,
    userId: login.userId,
    clientId: login.clientId,
    ...(hosts && { hosts }),
    signedInWith: login.signedInWith,
    actor: login.actor,
    provider: login.provider,
    scopes: login.scopes,
    createdAt: isoTime(login.createdAt),
    lastSeenAt: isoTime(login.lastSeenAt),
    expiresAt: isoTime(login.expiresAt),
    endedAt: login.endedAt === null ? null : isoTime(login.endedAt),
    endReason: login.endReason,
    ipAddress: login.ipAddress,
    userAgent: login.userAgent,
  };
}
