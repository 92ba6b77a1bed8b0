import type { BrowserSessions } from "../account/browser-sessions.ts";
import type { Actor, Audit, By, Origin } from "../audit/audit.ts";
import { isoTime, type Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import type { Events } from "../webhooks/events.ts";
import type { AccessTokens } from "./access-tokens.ts";
import { createLoginEnds } from "./login-ends.ts";
import { listLoginsOfUser } from "./login-list-store.ts";
import { endLogin, endLoginsOfUser, findLogin, findLoginsBeyond, type EndReason, type Login } from "./login-store.ts";
import { parseRefreshToken } from "./refresh-tokens.ts";

/** A login as commands show it. */
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

/** Of one user at the same time; one more ends the oldest. */
const mostLogins = 100;

export type LoginAdministration = ReturnType<typeof createLoginAdministration>;

/** What is done to logins from outside of them. */
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
  const { note: noteEnd } = createLoginEnds(deps);

  /** The login of an access token that this service signed, expired or not, or of a refresh token. Throws INVALID_TOKEN. */
  async function loginIdOf(token: string): Promise<string> {
    const refreshToken = parseRefreshToken(token, keyring);
    if (refreshToken) return refreshToken.loginId;
    const verdict = await accessTokens.genuine(token);
    if ("reason" in verdict)
      throw new AppError("INVALID_TOKEN", "This is no token of this service:", { details: verdict.reason });
    return verdict.claims.sid;
  }

  /** Ends every login of a user, in the caller's transaction; how many had been alive. */
  async function endAll(tx: Handle, userId: string, reason: EndReason, by: By, now: number): Promise<number> {
    const ended = await endLoginsOfUser(tx, userId, reason, now);
    for (const login of ended) await noteEnd(tx, login, by, now);
    return ended.length;
  }

  return {
    noteEnd,

    endAll,

    /**
     * Ends the oldest logins of a user who has too many, and never `started`, whatever the clocks of other nodes say. After that one was started, in
     * its transaction, with the user's row locked: of two that start at once, one sees the other.
     */
    async endOldest(
      tx: Handle,
      { id: userId, loginCount }: { id: string; loginCount: number },
      started: Login,
      origin: Origin,
      now: number,
    ): Promise<void> {
      // Most people have never signed in that often: their sign-in asks nothing more.
      if (loginCount <= mostLogins) return;
      const by = { actor: { kind: "service", name: "logins" }, origin } as const;
      for (const id of await findLoginsBeyond(tx, { userId, id: started.id, most: mostLogins, now })) {
        const ended = await endLogin(tx, id, "too-many", now);
        if (ended) await noteEnd(tx, ended, by, now, { reason: "too-many" });
      }
    },

    /** Newest first; with `all`, also those that ended and are not swept yet. */
    async list(userId: string, { all }: { all: boolean }): Promise<LoginAnswer[]> {
      return (await listLoginsOfUser(storage.reader, userId, { all, now: clock() })).map(answerOf);
    },

    loginIdOf,

    /** Ends one login, and what its browser may do on the account page; ending it again changes nothing. Answers it as it is then. Throws LOGIN_NOT_FOUND. */
    async end(id: string, { dryRun }: { dryRun: boolean }, actor: Actor): Promise<LoginAnswer> {
      const now = clock();
      const login = await storage.write(async (tx) => {
        if (!dryRun && (await endLogin(tx, id, "operator", now))) {
          const ended = await findLogin(tx, id);
          if (ended) await noteEnd(tx, ended, { actor }, now);
          if (ended?.browserSessionDigest) await browserSessions.end(tx, ended.browserSessionDigest);
        }
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
