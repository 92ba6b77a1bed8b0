/** Logs out a user whose access token the caller has. */
import { actsForUser, confinedToOrganization } from "../lib/errors.ts";
import type { RequestSource } from "../lib/request-source.ts";
import type { By } from "../records/audit/audit.ts";
import type { Context } from "../runtime/context.ts";
import type { Handle } from "../storage/storage.ts";
import type { Bearer } from "../tokens/authentication.ts";
import * as ends from "./login-ends.ts";
import { findLogin } from "./login-store.ts";
import { parseRefreshToken } from "./refresh-tokens.ts";

/** Ends a login and what its browser opened. False if the user has no such live login. */
async function endIfLive(ctx: Context, tx: Handle, id: string, userId: string, by: By, now: number): Promise<boolean> {
  const login = await findLogin(tx, id);
  if (login?.userId !== userId || login.endedAt !== null || login.expiresAt <= now) return false;
  return await ends.endWithBrowser(ctx, tx, login, { reason: "logout", by }, now);
}

/**
 * Ends all logins, or that of the refresh token, or the bearer's own if this user has no such
 * live login. So a success always ends a login; a confined bearer ends its own. Resolves when this
 * is durable.
 */
export async function logOut(
  ctx: Context,
  bearer: Bearer,
  request: { refreshToken?: string | undefined; allSessions?: boolean | undefined },
  source: RequestSource,
): Promise<void> {
  const now = ctx.clock();
  const { sub: userId, sid, act } = bearer.claims;
  if (request.allSessions && bearer.isConfined) throw confinedToOrganization();
  // Somebody who acts as the user is named by the audit log, as at `token mint --actor`.
  const actor = act ? ({ kind: "cli", name: act.sub } as const) : ({ kind: "user", name: userId } as const);
  const by = { actor, source };
  // Of its own login only: others are not its organization's.
  const named = bearer.isConfined ? undefined : parseRefreshToken(request.refreshToken ?? "", ctx.keyring)?.loginId;
  await ctx.storage.write(async (tx) => {
    if (request.allSessions && act) throw actsForUser();
    if (request.allSessions) await ends.endAccess(ctx, tx, userId, { reason: "logout-all", by }, now);
    else if (named === undefined || !(await endIfLive(ctx, tx, named, userId, by, now)))
      await endIfLive(ctx, tx, sid, userId, by, now);
  });
}
