import type { BrowserSessions } from "../account/browser-sessions.ts";
import type { Actor, Audit, By } from "../audit/audit.ts";
import type { ClientInfo } from "../lib/client-info.ts";
import { isoTime, type Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import type { Events } from "../webhooks/events.ts";
import type { AccessTokens } from "./access-tokens.ts";
import { createLoginEnds } from "./login-ends.ts";
import { listLoginsOfUser } from "./login-list-store.ts";
import { endLogin, endLoginsOfClient, findLogin, findLoginsBeyond } from "./login-store.ts";
import { parseRefreshToken } from "./refresh-tokens.ts";
import type { Login } from "./login.ts";

/** A login as shown by commands. */
export type LoginAnswer = {
  id: string;
  appId: string;
  userId: string;
  signedInWith: Login["signedInWith"];
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

/** Per user; one more ends the oldest. */
const maxLogins = 100;

export type LoginAdministration = ReturnType<typeof createLoginAdministration>;

/** Operations on logins by operators and the service. */
export function createLoginAdministration(deps: {
  storage: Storage;
  keyring: Keyring;
  accessTokens: AccessTokens;
  browserSessions: BrowserSessions;
  events: Events;
  audit: Audit;
  clock: Clock;
}) {
  const { storage, keyring, accessTokens, browserSessions, clock } = deps;
  const { note: recordEnd } = createLoginEnds(deps);

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
    recordEnd,

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
      for (const id of await findLoginsBeyond(tx, { userId, id: started.id, most: maxLogins, now })) {
        const ended = await endLogin(tx, id, "too-many", now);
        if (ended) await recordEnd(tx, ended, by, now, { reason: "too-many" });
      }
    },

    /** Ends a batch of a client's logins; true if more may be left. */
    async endOfClient(tx: Handle, clientId: string, by: By, now: number): Promise<boolean> {
      const reason = "client-deleted";
      const ended = await endLoginsOfClient(tx, clientId, reason, now);
      for (const login of ended) await recordEnd(tx, login, by, now, { reason });
      return ended.length > 0;
    },

    /** Newest first. `all` includes logins that ended and are not swept yet. */
    async list(userId: string, { all }: { all: boolean }): Promise<LoginAnswer[]> {
      return (await listLoginsOfUser(storage.reader, userId, { all, now: clock() })).map(answerOf);
    },

    loginIdOf,

    /**
     * Ends one login and its browser's account page; repeating it changes nothing. Returns the
     * login's new state. Throws LOGIN_NOT_FOUND.
     */
    async end(id: string, { dryRun }: { dryRun: boolean }, actor: Actor): Promise<LoginAnswer> {
      const now = clock();
      const login = await storage.write(async (tx) => {
        const found = await findLogin(tx, id);
        if (!found || dryRun) return found;
        // The browser session before the login, like a sign-in in that browser.
        if (found.endedAt === null && found.browserSessionDigest !== null)
          await browserSessions.end(tx, found.browserSessionDigest);
        const ended = await endLogin(tx, id, "operator", now);
        if (ended) await recordEnd(tx, ended, { actor }, now);
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
