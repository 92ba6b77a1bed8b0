import type { Audit, By } from "../audit/audit.ts";
import { day, hour, type Clock } from "../lib/clock.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import {
  browserIsKnownUntil,
  deleteBrowserSessionsOfUser,
  deleteTiedBrowserSession,
  findBrowserSession,
  forgetKnownBrowsers,
  forgetOldestKnownBrowsers,
  insertBrowserSession,
  lockBrowserSession,
  moveBrowserSessionOn,
  outdateProofsOfUser,
  rememberBrowser,
  removeBrowserSession,
  removeTiedBrowserSession,
  sweepBrowserSessions,
  type BrowserSession,
} from "./store.ts";

const browserSessionLasts = 12 * hour;
const browsersAreKnownFor = 365 * day;
const month = 30 * day;

/** A user in a browser. `isLasting`: it is remembered for long enough. */
type Meeting = { browser: { userId: string; digest: string }; isKnown: boolean; isLasting: boolean };

export type BrowserSessions = ReturnType<typeof createBrowserSessions>;

/**
 * Who is signed in in which browser: to the account page, and by single sign-on to OpenID Connect
 * clients of the same application.
 */
export function createBrowserSessions(deps: { storage: Storage; keyring: Keyring; audit: Audit; clock: Clock }) {
  const { storage, keyring, audit, clock } = deps;

  return {
    /**
     * `replaces`: the digest of the cookie that the browser sent; `tie`: of its session, as read
     * before, or the new digest. Returns the tie: the same if that session still exists and is the
     * user's, otherwise a new one.
     */
    async start(
      tx: Handle,
      session: Pick<
        BrowserSession,
        "digest" | "appId" | "userId" | "tie" | "signedInWith" | "signedInProvider" | "proofs" | "provenAt"
      >,
      { replaces }: { replaces: string },
      now: number,
    ): Promise<string> {
      const { tie, ...opened } = session;
      const { digest } = opened;
      const begun = { ...opened, createdAt: now, expiresAt: now + browserSessionLasts };
      const moved = tie === digest ? undefined : await moveBrowserSessionOn(tx, replaces, begun);
      if (moved !== undefined) return moved;
      await removeBrowserSession(tx, replaces);
      await insertBrowserSession(tx, { ...begun, tie: digest });
      return digest;
    },

    /** The live session with this cookie digest; undefined if this application has none. */
    async find(digest: string, appId: string, handle: Handle = storage.reader): Promise<BrowserSession | undefined> {
      const session = await findBrowserSession(handle, digest, clock());
      return session?.appId === appId ? session : undefined;
    },

    /** The live sessions with these digests, of any application. */
    async findAll(digests: string[]): Promise<BrowserSession[]> {
      const now = clock();
      const found = await Promise.all(digests.map((digest) => findBrowserSession(storage.reader, digest, now)));
      return found.filter((session) => session !== undefined);
    },

    /** The tie of the live session with this digest; undefined if there is none. */
    async findTie(tx: Handle, digest: string, now: number): Promise<string | undefined> {
      return (await findBrowserSession(tx, digest, now))?.tie;
    },

    /**
     * Locks a user's session until the transaction ends: a sign-out waits, or is seen here. False
     * if there is none. Lock the user first.
     */
    async lock(tx: Handle, tie: string, userId: string): Promise<boolean> {
      return await lockBrowserSession(tx, tie, userId);
    },

    /** Ends the session that a login is tied to. */
    async end(tx: Handle, tie: string): Promise<void> {
      await removeTiedBrowserSession(tx, tie);
    },

    /** The same for a browser that signs out, which the audit log records. */
    async close(tx: Handle, { tie, appId, userId }: BrowserSession, by: By, now: number): Promise<void> {
      // Another tab or the user's deletion may have removed it: then there is nothing to record.
      if (!(await deleteTiedBrowserSession(tx, tie))) return;
      await audit.record(tx, { ...by, action: "account.sign-out", result: "success", appId, userId }, now);
    },

    /**
     * Ends a user's sessions except the one with the tie `keep`. `forgetBrowsers`: every browser
     * counts as new afterwards.
     */
    async endAll(
      tx: Handle,
      userId: string,
      { keep, forgetBrowsers }: { keep: string | undefined; forgetBrowsers: boolean },
    ): Promise<void> {
      await deleteBrowserSessionsOfUser(tx, userId, keep);
      if (forgetBrowsers) await forgetKnownBrowsers(tx, userId);
    },

    /** Browsers stay signed in but need a new proof: the old one may rely on a removed method. */
    async outdateProofs(tx: Handle, userId: string): Promise<void> {
      await outdateProofsOfUser(tx, userId);
    },

    /**
     * Whether a user has signed in with this browser before. `cookie`: the digest of its long-lived
     * cookie. One statement.
     */
    async meet(tx: Handle, userId: string, cookie: string, now: number): Promise<Meeting> {
      // The digest depends on the user, so rows of different people do not reveal a shared browser.
      const browser = { userId, digest: keyring.mac("browser", userId, cookie).toString("base64url") };
      const until = await browserIsKnownUntil(tx, browser, now);
      // Not with every sign-in: the date need not be exact.
      const isLasting = until !== undefined && until >= now + browsersAreKnownFor - month;
      return { browser, isKnown: until !== undefined, isLasting };
    },

    /** Remembers that the user has signed in with this browser. */
    async remember(tx: Handle, { browser, isKnown, isLasting }: Meeting, now: number): Promise<void> {
      if (!isLasting) await rememberBrowser(tx, { ...browser, expiresAt: now + browsersAreKnownFor });
      if (!isKnown) await forgetOldestKnownBrowsers(tx, browser.userId);
    },

    /** Removes a batch of expired rows; true if more may be left. */
    async sweep(): Promise<boolean> {
      const now = clock();
      return await storage.write((tx) => sweepBrowserSessions(tx, now));
    },
  };
}
