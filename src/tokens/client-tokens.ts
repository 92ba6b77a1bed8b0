import type { By } from "../audit/audit.ts";
import { second, type Clock } from "../lib/clock.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { Storage } from "../storage/storage.ts";
import type { Users } from "../users/service.ts";
import type { AccessTokens } from "./access-tokens.ts";
import type { LoginEnds } from "./login-ends.ts";
import { findLogin } from "./login-store.ts";
import type { Login } from "./login.ts";
import { parseRefreshToken, refreshDigest } from "./refresh-tokens.ts";
import { refreshIdleFor } from "./rotation.ts";

export type ClientTokens = ReturnType<typeof createClientTokens>;

/** What OpenID Connect clients may ask about tokens, and end. */
export function createClientTokens(deps: {
  storage: Storage;
  keyring: Keyring;
  accessTokens: AccessTokens;
  loginEnds: LoginEnds;
  users: Users;
  clock: Clock;
}) {
  const { storage, keyring, accessTokens, loginEnds, users, clock } = deps;

  async function loginIdOf(token: string): Promise<string | undefined> {
    const refreshToken = parseRefreshToken(token, keyring);
    if (refreshToken) return refreshToken.loginId;
    const verdict = await accessTokens.verify(token);
    return "reason" in verdict ? undefined : verdict.claims.sid;
  }

  return {
    async findLogin(id: string): Promise<Login | undefined> {
      return await findLogin(storage.reader, id);
    },

    /**
     * The login whose newest refresh token this is, while it can be used. Times are epoch seconds.
     */
    async findRefreshToken(token: string): Promise<{ login: Login; issuedAt: number; expiresAt: number } | undefined> {
      const presented = parseRefreshToken(token, keyring);
      const login = presented && (await findLogin(storage.reader, presented.loginId));
      if (!login || login.refreshDigest !== refreshDigest(presented) || login.endedAt !== null) return undefined;
      const expiresAt = Math.min(login.expiresAt, login.refreshedAt + refreshIdleFor);
      if (expiresAt <= clock()) return undefined;
      const user = await users.find(login.userId);
      if (user?.disabledAt !== null) return undefined;
      return {
        login,
        issuedAt: Math.floor(login.refreshedAt / second),
        expiresAt: Math.floor(expiresAt / second),
      };
    },

    /**
     * Ends the login of an access or refresh token, if it is this client's; `clientId` null: the
     * application's own. Resolves when that is durable.
     */
    async end(token: string, owner: { appId: string; clientId: string | null }, by: By): Promise<void> {
      const now = clock();
      const id = await loginIdOf(token);
      if (id === undefined) return;
      await storage.write(async (tx) => {
        const login = await findLogin(tx, id);
        if (login?.appId !== owner.appId || login.clientId !== owner.clientId || login.expiresAt <= now) return;
        const ended = await loginEnds.end(tx, id, "logout", now);
        if (ended) await loginEnds.note(tx, ended, by, now);
      });
    },
  };
}
