/** Introspection and revocation for OpenID Connect clients. */
import type { UsableClient } from "../applications/clients/client.ts";
import * as clients from "../applications/clients/service.ts";
import { second } from "../lib/clock.ts";
import { oauthError } from "../lib/errors.ts";
import type { By } from "../records/audit/audit.ts";
import type { Context } from "../runtime/context.ts";
import * as accessTokens from "../tokens/access-tokens.ts";
import * as users from "../users/service.ts";
import * as ends from "./login-ends.ts";
import { absoluteEnd, idleSince, livesOf } from "./lives.ts";
import * as store from "./login-store.ts";
import type { Login } from "./login.ts";
import { parseRefreshToken, refreshDigest } from "./refresh-tokens.ts";

/**
 * The id of the login of an access or refresh token. Throws INVALID_REQUEST if `clientId` obtained
 * the token without a login of its own.
 */
export async function loginIdOf(ctx: Context, token: string, clientId?: string): Promise<string | undefined> {
  const refreshToken = parseRefreshToken(token, ctx.keyring);
  if (refreshToken) return refreshToken.loginId;
  const verdict = await accessTokens.verifyAny(ctx, token);
  if ("reason" in verdict) return undefined;
  const { claims } = verdict;
  // The login of an exchanged token belongs to another client.
  const isExchanged = accessTokens.isForResource(claims) && claims.act !== undefined;
  if (claims.sid !== undefined && !isExchanged) return claims.sid;
  if (claims.client_id !== clientId) return undefined;
  const why = isExchanged
    ? "an exchanged token ends with the login that it is of"
    : "a machine's token has no login. Revoke its secret";
  throw oauthError("unsupported_token_type", `token: ${why}`);
}

/**
 * The login whose newest refresh token this is, while it can be used, and its client. Times are
 * epoch seconds.
 */
export async function findRefreshToken(
  ctx: Context,
  token: string,
): Promise<{ login: Login; registration: UsableClient; issuedAt: number; expiresAt: number } | undefined> {
  const presented = parseRefreshToken(token, ctx.keyring);
  const login = presented && (await store.findLogin(ctx.storage.reader, presented.loginId));
  if (!login || login.refreshDigest !== refreshDigest(presented) || login.endedAt !== null) return undefined;
  const registration = await clients.find(ctx, ctx.storage.reader, login.clientId ?? login.appId, login);
  if (!registration) return undefined;
  const now = ctx.clock();
  const lives = livesOf(registration.application, registration.client);
  const end = Math.min(login.expiresAt, absoluteEnd(login, lives));
  const expiresAt = Math.min(end, login.refreshedAt + now - idleSince(lives, now));
  if (expiresAt <= now) return undefined;
  const user = await users.find(ctx.storage.reader, login.userId);
  if (user?.disabledAt !== null) return undefined;
  return {
    login,
    registration,
    issuedAt: Math.floor(login.refreshedAt / second),
    expiresAt: Math.floor(expiresAt / second),
  };
}

/**
 * Ends the login of an access or refresh token, if it is this client's; `clientId` null: the
 * application's own. Resolves when that is durable.
 */
export async function revoke(
  ctx: Context,
  token: string,
  owner: { appId: string; clientId: string | null },
  by: By,
): Promise<void> {
  const now = ctx.clock();
  const id = await loginIdOf(ctx, token, owner.clientId ?? owner.appId);
  if (id === undefined) return;
  await ctx.storage.write(async (tx) => {
    const login = await store.findLogin(tx, id);
    if (login?.appId !== owner.appId || login.clientId !== owner.clientId || login.expiresAt <= now) return;
    await ends.endAlone(ctx, tx, id, { reason: "logout", by }, now);
  });
}
