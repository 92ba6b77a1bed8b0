import type { BrowserSessions } from "../account/browser-sessions.ts";
import type { By } from "../audit/audit.ts";
import type { Clock } from "../lib/clock.ts";
import type { SignIn } from "../sign-in/service.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import type { Users } from "../users/service.ts";
import type { LoginAdministration } from "./login-administration.ts";
import { listLoginsOfUser } from "./login-list-store.ts";
import { endLogin, findLogin, type Login } from "./login-store.ts";

export type OwnLogins = ReturnType<typeof createOwnLogins>;

/**
 * What a person may do to their own logins, on the account page. What is ended is ended at once: its tokens are refused by the next call. Codes go
 * before logins: it waits for one that is being redeemed, whose login is then there to be ended.
 */
export function createOwnLogins(deps: {
  storage: Storage;
  users: Users;
  logins: LoginAdministration;
  browserSessions: BrowserSessions;
  signIn: SignIn;
  clock: Clock;
}) {
  const { storage, users, logins, browserSessions, signIn, clock } = deps;

  async function liveOf(handle: Handle, userId: string, now: number): Promise<Login[]> {
    return await listLoginsOfUser(handle, userId, { all: false, now });
  }

  /** Before anything else of a user is ended, in the order in which others take them: codes, the user, its logins (docs/decisions/0027). */
  async function holdFirst(tx: Handle, userId: string, now: number): Promise<void> {
    await signIn.cancelCodes(tx, userId, now);
    await users.hold(tx, userId);
  }

  return {
    /** Those that are alive, newest first. */
    async list(userId: string): Promise<Login[]> {
      return await liveOf(storage.reader, userId, clock());
    },

    /** Ends one, and what its browser may do on the account page; again changes nothing. Answers it; undefined when it is not this user's. */
    async end(userId: string, loginId: string, by: By): Promise<Login | undefined> {
      const now = clock();
      return await storage.write(async (tx) => {
        const login = await findLogin(tx, loginId);
        if (login?.userId !== userId) return undefined;
        if (login.browserSessionDigest !== null) await browserSessions.end(tx, login.browserSessionDigest);
        if (await endLogin(tx, loginId, "account", now)) await logins.noteEnd(tx, login, by, now);
        return login;
      });
    },

    /** Ends everything that is not of this browser: logins, account pages, sign-ins under way. `digest` is that of its session. */
    async endOthers(userId: string, digest: string, by: By): Promise<void> {
      const now = clock();
      await storage.write(async (tx) => {
        await holdFirst(tx, userId, now);
        for (const login of await liveOf(tx, userId, now)) {
          if (login.browserSessionDigest === digest) continue;
          if (await endLogin(tx, login.id, "account", now)) await logins.noteEnd(tx, login, by, now);
        }
        await browserSessions.endOthers(tx, userId, digest);
      });
    },

    /** Ends everything, here and elsewhere. */
    async endAll(user: { id: string; appId: string }, by: By): Promise<void> {
      const now = clock();
      await storage.write(async (tx) => {
        await holdFirst(tx, user.id, now);
        await logins.endAll(tx, user.id, "account", by, now);
        await browserSessions.endAll(tx, user.id);
      });
    },
  };
}
