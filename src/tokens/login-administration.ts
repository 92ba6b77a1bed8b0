import type { Actor } from "../audit/audit.ts";
import type { ClientInfo } from "../lib/client-info.ts";
import { isoTime, second, type Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import type { AccessTokens } from "./access-tokens.ts";
import type { LoginEnds } from "./login-ends.ts";
import { listLoginsOfUser } from "./login-list-store.ts";
import { findLogin, findLoginsBeyond } from "./login-store.ts";
import { parseRefreshToken } from "./refresh-tokens.ts";
import type { Login } from "./login.ts";
import { accessTokenSeconds } from "./service.ts";

/** A login as shown by commands. */
export type LoginAnswer = {
  id: string;
  appId: string;
  userId: string;
  signedInWith: Login["signedInWith"];
  /** Who acts as the user, and why; null: nobody. */
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

export type LoginAdministration = ReturnType<typeof createLoginAdministration>;

/** Operations on logins by operators and the service. */
export function createLoginAdministration(deps: {
  storage: Storage;
  keyring: Keyring;
  accessTokens: AccessTokens;
  loginEnds: LoginEnds;
  clock: Clock;
}) {
  const { storage, keyring, accessTokens, loginEnds, clock } = deps;

  /**
   * The login of an access token that this service signed (even if expired) or of a refresh token.
   * Throws INVALID_TOKEN.
   */
  async function loginIdOf(token: string): Promise<string> {
    const refreshToken = parseRefreshToken(token, keyring);
    if (refreshToken) return refreshToken.loginId;
    const verdict = await accessTokens.genuine(token);
    if ("reason" in verdict)
      throw new AppError("INVALID_TOKEN", "This service did not issue this token:", { details: verdict.reason });
    return verdict.claims.sid;
  }

  return {
    /**
     * Ends the oldest logins of a user with too many, but never `started`, even if other nodes'
     * clocks differ. Runs in the transaction that started it, with the user locked: of two
     * concurrent logins, the second sees the first.
     */
    async endOldest(
      tx: Handle,
      { id: userId, loginCount }: { id: string; loginCount: number },
      started: Login,
      clientInfo: ClientInfo,
      now: number,
    ): Promise<void> {
      // Fewer sign-ins than that ever: no query needed.
      if (loginCount <= maxLogins) return;
      const by = { actor: { kind: "service", name: "logins" }, clientInfo } as const;
      const lostBefore = now - accessTokenSeconds * second;
      const beyond = { userId, id: started.id, most: maxLogins, lostBefore, now };
      for (const id of await findLoginsBeyond(tx, beyond)) {
        const ended = await loginEnds.end(tx, id, "too-many", now);
        if (ended) await loginEnds.note(tx, ended, by, now, { reason: "too-many" });
      }
    },

    /** Newest first. `all` includes logins that ended and are not swept yet. */
    async list(userId: string, { all }: { all: boolean }): Promise<LoginAnswer[]> {
      return (await listLoginsOfUser(storage.reader, userId, { all, now: clock() })).map(answerOf);
    },

    loginIdOf,

    /**
     * Ends one login and what its browser opened; repeating it changes nothing. Returns the
     * login's new state. Throws LOGIN_NOT_FOUND.
     */
    async end(id: string, { dryRun }: { dryRun: boolean }, actor: Actor): Promise<LoginAnswer> {
      const now = clock();
      const login = await storage.write(async (tx) => {
        const found = await findLogin(tx, id);
        if (!found || dryRun) return found;
        if (found.endedAt === null) await loginEnds.endOne(tx, found, { reason: "operator", by: { actor } }, now);
        return await findLogin(tx, id);
      });
      if (!login) throw new AppError("LOGIN_NOT_FOUND", "There is no login with this id.");
      return answerOf(login);
    },
  };
}

function answerOf(login: Login): LoginAnswer {
  return {
    id: login.id,
    appId: login.appId,
    userId: login.userId,
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
