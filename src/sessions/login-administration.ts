/** Operations on logins by operators and the service. */
import { maxTokenSeconds } from "../applications/resources/rules.ts";
import { isoTime, second } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { RequestSource } from "../lib/request-source.ts";
import type { Actor } from "../records/audit/audit.ts";
import type { Context } from "../runtime/context.ts";
import type { Handle } from "../storage/storage.ts";
import * as accessTokens from "../tokens/access-tokens.ts";
import * as loginEnds from "./login-ends.ts";
import { listLoginsOfUser } from "./login-list-store.ts";
import { findLogin, findLoginsBeyond } from "./login-store.ts";
import type { Login } from "./login.ts";
import { parseRefreshToken } from "./refresh-tokens.ts";
import { accessTokenSeconds } from "./token-pairs.ts";

/** A login as shown by commands. */
export type LoginAnswer = {
  id: string;
  appId: string;
  userId: string;
  /** The client that began it; null: the application itself. */
  clientId: string | null;
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

/** Per user; one more ends the oldest, or one that a page lost in a reload. */
const maxLogins = 100;

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

/**
 * Ends the oldest logins of a user with too many, but never `started`, even if other nodes'
 * clocks differ. Runs in the transaction that started it, with the user locked: of two
 * concurrent logins, the second sees the first.
 */
export async function endOldest(
  ctx: Context,
  tx: Handle,
  { id: userId, loginCount }: { id: string; loginCount: number },
  started: Login,
  source: RequestSource,
  now: number,
): Promise<void> {
  // Fewer sign-ins than that ever: no query needed.
  if (loginCount <= maxLogins) return;
  const by = { actor: { kind: "service", name: "logins" }, source } as const;
  const lostBefore = now - accessTokenSeconds * second;
  const lostWithResourceBefore = now - maxTokenSeconds * second;
  const beyond = { userId, id: started.id, most: maxLogins, lostBefore, lostWithResourceBefore, now };
  for (const id of await findLoginsBeyond(tx, beyond)) {
    const ended = await loginEnds.end(ctx, tx, id, "too-many", now);
    if (ended) await loginEnds.note(ctx, tx, ended, by, now, { reason: "too-many" });
  }
}

/** Newest first. `all` includes logins that ended and are not swept yet. */
export async function list(ctx: Context, userId: string, { all }: { all: boolean }): Promise<LoginAnswer[]> {
  return (await listLoginsOfUser(ctx.storage.reader, userId, { all, now: ctx.clock() })).map(answerOf);
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
  const now = ctx.clock();
  const login = await ctx.storage.write(async (tx) => {
    const login = await findLogin(tx, id);
    if (!login || dryRun) return login;
    if (login.endedAt === null) await loginEnds.endOne(ctx, tx, login, { reason: "operator", by: { actor } }, now);
    return await findLogin(tx, id);
  });
  if (!login) throw new AppError("LOGIN_NOT_FOUND", "There is no login with this id.");
  return answerOf(login);
}

function answerOf(login: Login): LoginAnswer {
  return {
    id: login.id,
    appId: login.appId,
    userId: login.userId,
    clientId: login.clientId,
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
