import type { By } from "../audit/audit.ts";
import type { ClientInfo } from "../lib/client-info.ts";
import type { Clock } from "../lib/clock.ts";
import { actsForUser } from "../lib/errors.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import type { Bearer } from "./authentication.ts";
import type { LoginEnds } from "./login-ends.ts";
import { findLogin } from "./login-store.ts";
import { parseRefreshToken } from "./refresh-tokens.ts";
import type { RevokeAccess } from "./revoke-access.ts";

export type Logout = ReturnType<typeof createLogout>;

/** Logs out a user whose access token the caller has. */
export function createLogout(deps: {
  storage: Storage;
  keyring: Keyring;
  access: RevokeAccess;
  loginEnds: LoginEnds;
  clock: Clock;
}) {
  const { storage, keyring, access, loginEnds, clock } = deps;

  return {
    /**
     * Ends all logins, or that of the refresh token, or the bearer's own if this user has no such
     * live login. So a success always ends a login. Resolves when this is durable.
     */
    async end(
      bearer: Bearer,
      request: { refreshToken?: string | undefined; allSessions?: boolean | undefined },
      clientInfo: ClientInfo,
    ): Promise<void> {
      const now = clock();
      const { sub: userId, sid, act } = bearer.claims;
      // Somebody who acts as the user is named by the audit log, as at `token mint --actor`.
      const actor = act ? ({ kind: "cli", name: act.sub } as const) : ({ kind: "user", name: userId } as const);
      const by = { actor, clientInfo };
      const named = parseRefreshToken(request.refreshToken ?? "", keyring)?.loginId;
      await storage.write(async (tx) => {
        if (request.allSessions && act) throw actsForUser();
        if (request.allSessions) await access.revoke(tx, userId, { reason: "logout-all", by }, now);
        else if (named === undefined || !(await endOne(tx, named, userId, by, now)))
          await endOne(tx, sid, userId, by, now);
      });
    },
  };

  /** Ends a login and what its browser opened. False if the user has no such live login. */
  async function endOne(tx: Handle, id: string, userId: string, by: By, now: number): Promise<boolean> {
    const login = await findLogin(tx, id);
    if (login?.userId !== userId || login.endedAt !== null || login.expiresAt <= now) return false;
    return await loginEnds.endOne(tx, login, { reason: "logout", by }, now);
  }
}
