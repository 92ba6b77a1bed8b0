import type { SignInMethod } from "../applications/application.ts";
import type { Audit, By } from "../audit/audit.ts";
import { day, hour, type Clock } from "../lib/clock.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import {
  browserIsKnownUntil,
  deleteBrowserSession,
  deleteBrowserSessionsOfUser,
  deleteOtherBrowserSessionsOfUser,
  findBrowserSession,
  forgetKnownBrowsers,
  forgetOldestKnownBrowsers,
  insertBrowserSession,
  moveLoginsToBrowserSession,
  outdateProofsOfOthers,
  rememberBrowser,
  removeBrowserSession,
  sweepBrowserSessions,
  type BrowserSession,
} from "./store.ts";

const browserSessionLasts = 12 * hour;
const browsersAreKnownFor = 365 * day;
const month = 30 * day;

/** A user in a browser. `isLasting`: it is remembered for long enough. */
type Meeting = { browser: { userId: string; digest: string }; isKnown: boolean; isLasting: boolean };

export type BrowserSessions = ReturnType<typeof createBrowserSessions>;

/** Who is signed in to the account page, browser by browser. It opens nothing but that page: apps have logins of their own. */
export function createBrowserSessions(deps: { storage: Storage; keyring: Keyring; audit: Audit; clock: Clock }) {
  const { storage, keyring, audit, clock } = deps;

  return {
    /** `replaces` is what the browser's cookie named before: that session ends, and the user's logins in this browser belong to the new one. */
    async start(
      tx: Handle,
      session: { digest: string; appId: string; userId: string; signedInWith: SignInMethod },
      { replaces }: { replaces: string },
      now: number,
    ): Promise<void> {
      const expiresAt = now + browserSessionLasts;
      await removeBrowserSession(tx, replaces);
      await insertBrowserSession(tx, { ...session, provenAt: now, createdAt: now, expiresAt });
      await moveLoginsToBrowserSession(tx, session.userId, { from: replaces, to: session.digest });
    },

    /** The live session behind a cookie's digest; undefined when there is none in this application. */
    async find(digest: string, appId: string, handle: Handle = storage.reader): Promise<BrowserSession | undefined> {
      const session = await findBrowserSession(handle, digest, clock());
      return session?.appId === appId ? session : undefined;
    },

    async end(tx: Handle, digest: string): Promise<void> {
      await removeBrowserSession(tx, digest);
    },

    /** Somebody leaves the account page, and nothing else. */
    async close({ digest, appId, userId }: BrowserSession, by: By): Promise<void> {
      const now = clock();
      await storage.write(async (tx) => {
        // A deletion of the user that was first has taken the session with it, and leaves nothing to tell.
        if (!(await deleteBrowserSession(tx, digest))) return;
        await audit.record(tx, { ...by, action: "account.sign-out", result: "success", appId, userId }, now);
      });
    },

    async endAll(tx: Handle, userId: string): Promise<void> {
      await deleteBrowserSessionsOfUser(tx, userId);
    },

    /** The same, and every browser is a new one: a stranger may have used any of them. */
    async forgetAll(tx: Handle, userId: string): Promise<void> {
      await deleteBrowserSessionsOfUser(tx, userId);
      await forgetKnownBrowsers(tx, userId);
    },

    /** Ends what a user has in other browsers than this one. */
    async endOthers(tx: Handle, userId: string, digest: string): Promise<void> {
      await deleteOtherBrowserSessionsOfUser(tx, userId, digest);
    },

    /**
     * Other browsers stay signed in, but what they have proven counts as old: it may rest on a method that is gone. `digest`: the browser's that
     * took it away; undefined when that was no browser.
     */
    async outdateProofs(tx: Handle, userId: string, digest: string | undefined): Promise<void> {
      await outdateProofsOfOthers(tx, userId, digest ?? "");
    },

    /** Whether a user has signed in with this browser before. `cookie`: what the browser keeps, as a digest. One statement. */
    async meet(tx: Handle, userId: string, cookie: string, now: number): Promise<Meeting> {
      // A digest of its own for each user: rows of different people in one browser do not show that they share it.
      const browser = { userId, digest: keyring.mac("browser", userId, cookie).toString("base64url") };
      const until = await browserIsKnownUntil(tx, browser, now);
      // Not with every sign-in: the date need not be exact.
      const isLasting = until !== undefined && until >= now + browsersAreKnownFor - month;
      return { browser, isKnown: until !== undefined, isLasting };
    },

    /** Remembers that the user has signed in with it. */
    async remember(tx: Handle, { browser, isKnown, isLasting }: Meeting, now: number): Promise<void> {
      if (!isLasting) await rememberBrowser(tx, { ...browser, expiresAt: now + browsersAreKnownFor });
      if (!isKnown) await forgetOldestKnownBrowsers(tx, browser.userId);
    },

    /** Removes a batch of what has expired; true when more may be left. */
    async sweep(): Promise<boolean> {
      const now = clock();
      return await storage.write((tx) => sweepBrowserSessions(tx, now));
    },
  };
}
