import type { BrowserSession } from "../account/store.ts";
import type { By } from "../audit/audit.ts";
import type { Clock } from "../lib/clock.ts";
import type { SignIn } from "../sign-in/service.ts";
import type { EndReason } from "../storage/column-types.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import type { IdTokenHint } from "./id-tokens.ts";
import type { LoginEnds } from "./login-ends.ts";
import { listLoginsOfUser } from "./login-list-store.ts";
import { findLogin } from "./login-store.ts";
import type { RevokeAccess } from "./revoke-access.ts";
import type { Login } from "./login.ts";

/** The login of an ID token that this service issued, while it is stored. */
async function findHinted(handle: Handle, { sub, sid, clientId }: IdTokenHint): Promise<Login | undefined> {
  const login = await findLogin(handle, sid);
  return login?.userId === sub && (login.clientId ?? login.appId) === clientId ? login : undefined;
}

export type OwnLogins = ReturnType<typeof createOwnLogins>;

/**
 * A user's own logins, for the account page. Tokens of an ended login are refused from the next
 * call on.
 */
export function createOwnLogins(deps: {
  storage: Storage;
  signIn: SignIn;
  loginEnds: LoginEnds;
  access: RevokeAccess;
  clock: Clock;
}) {
  const { storage, signIn, loginEnds, access, clock } = deps;

  return {
    /** Live logins, newest first. */
    async list(userId: string): Promise<Login[]> {
      return await listLoginsOfUser(storage.reader, userId, { all: false, now: clock() });
    },

    /**
     * Ends a login and what its browser opened; repeating it changes nothing. Returns the login
     * as it was before; undefined if it is not this user's.
     */
    async end(userId: string, loginId: string, by: By): Promise<Login | undefined> {
      const now = clock();
      return await storage.write(async (tx) => {
        const login = await findLogin(tx, loginId);
        if (login?.userId !== userId) return undefined;
        // A later sign-in of the same browser may have continued the session of an ended login.
        if (login.endedAt === null) await loginEnds.endOne(tx, login, { reason: "account", by }, now);
        return login;
      });
    },

    /**
     * Ends everything outside this browser: logins, account pages, sign-ins in progress.
     * `browserSession`: the digest of its session.
     */
    async endOthers(userId: string, browserSession: string, by: By): Promise<void> {
      const now = clock();
      await storage.write((tx) => access.revoke(tx, userId, { reason: "account", by, keep: { browserSession } }, now));
    },

    /** Signs this browser out: of the account page, and of every login that it opened. */
    async endBrowser(session: BrowserSession, reason: EndReason, by: By): Promise<void> {
      const now = clock();
      await storage.write(async (tx) => {
        await loginEnds.endBrowser(tx, session, { reason, by }, now);
        await signIn.cancelCodesOfBrowser(tx, session, now);
      });
    },

    /** Whether this browser session opened the login of an ID token. */
    async isOf({ userId, tie }: BrowserSession, hint: IdTokenHint): Promise<boolean> {
      const login = await findHinted(storage.reader, hint);
      return login?.userId === userId && login.browserSessionDigest === tie;
    },

    /** Ends the login of an ID token, unless its browser is still signed in. */
    async endUnlessBrowserOpen(hint: IdTokenHint, by: By): Promise<void> {
      const now = clock();
      await storage.write(async (tx) => {
        const login = await findHinted(tx, hint);
        if (login?.endedAt === null) await loginEnds.endUnlessBrowserOpen(tx, login, { reason: "logout", by }, now);
      });
    },

    /** Ends everything, in all browsers. */
    async endAll(userId: string, by: By): Promise<void> {
      const now = clock();
      await storage.write((tx) => access.revoke(tx, userId, { reason: "account", by }, now));
    },
  };
}
