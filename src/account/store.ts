import { and, desc, eq, gt, inArray, isNull, ne, sql } from "drizzle-orm";
import type { SignInMethod } from "../applications/application.ts";
import { placeholders, prepare, statements, type Handle, type Row } from "../storage/storage.ts";
import { prepareSweep } from "../storage/sweep.ts";

/** Somebody signed in to the account page of an application, in one browser. Instants are epoch milliseconds. */
export type BrowserSession = {
  digest: string;
  appId: string;
  userId: string;
  signedInWith: SignInMethod;
  /** When the person last proved who they are. */
  provenAt: number;
  createdAt: number;
  expiresAt: number;
};

/** Of one user. The oldest beyond them is a new one again, which costs its owner one mail. */
const mostKnownBrowsers = 100;

const prepared = statements((handle) => {
  const { db, tables } = handle;
  const { browserSessions: sessions, knownBrowsers: known, logins } = tables;
  const given = placeholders(sessions);
  const browser = placeholders(known);
  return {
    insert: prepare(db.insert(sessions).values(given), "insert_browser_session"),
    live: prepare(
      db
        .select()
        .from(sessions)
        .where(and(eq(sessions.digest, given.digest), gt(sessions.expiresAt, given.expiresAt))),
      "browser_session",
    ),
    delete: prepare(
      db.delete(sessions).where(eq(sessions.digest, given.digest)).returning({ digest: sessions.digest }),
      "delete_browser_session",
    ),
    remove: prepare(db.delete(sessions).where(eq(sessions.digest, given.digest)), "remove_browser_session"),
    deleteOfUser: prepare(
      db.delete(sessions).where(eq(sessions.userId, given.userId)),
      "delete_browser_sessions_of_user",
    ),
    deleteOthersOfUser: prepare(
      db.delete(sessions).where(and(eq(sessions.userId, given.userId), ne(sessions.digest, given.digest))),
      "delete_other_browser_sessions_of_user",
    ),
    outdateProofsOfOthers: prepare(
      db
        .update(sessions)
        .set({ provenAt: 0 })
        .where(and(eq(sessions.userId, given.userId), ne(sessions.digest, given.digest))),
      "outdate_proofs_of_other_browser_sessions",
    ),
    moveLogins: prepare(
      db
        .update(logins)
        .set({ browserSessionDigest: sql`${sql.placeholder("to")}` })
        .where(
          and(
            eq(logins.userId, given.userId),
            eq(logins.browserSessionDigest, sql.placeholder("from")),
            isNull(logins.endedAt),
          ),
        ),
      "move_logins_to_browser_session",
    ),
    sweep: prepareSweep(
      handle,
      { table: sessions, key: sessions.digest, instant: sessions.expiresAt },
      "sweep_browser_sessions",
    ),
    isKnown: prepare(
      db
        .select({ expiresAt: known.expiresAt })
        .from(known)
        .where(
          and(
            eq(known.userId, browser.userId),
            eq(known.digest, browser.digest),
            gt(known.expiresAt, browser.expiresAt),
          ),
        ),
      "known_browser",
    ),
    remember: prepare(
      db
        .insert(known)
        .values(browser)
        .onConflictDoUpdate({ target: [known.userId, known.digest], set: { expiresAt: browser.expiresAt } }),
      "remember_browser",
    ),
    forgetKnown: prepare(db.delete(known).where(eq(known.userId, browser.userId)), "forget_known_browsers"),
    forgetOldestKnown: prepare(
      db
        .delete(known)
        .where(
          and(
            eq(known.userId, browser.userId),
            inArray(
              known.digest,
              db
                .select({ digest: known.digest })
                .from(known)
                .where(eq(known.userId, browser.userId))
                .orderBy(desc(known.expiresAt), desc(known.digest))
                .limit(mostKnownBrowsers)
                .offset(mostKnownBrowsers),
            ),
          ),
        ),
      "forget_oldest_known_browsers",
    ),
    sweepKnown: prepareSweep(
      handle,
      { table: known, key: known.digest, instant: known.expiresAt },
      "sweep_known_browsers",
    ),
  };
});

export async function insertBrowserSession(tx: Handle, session: BrowserSession): Promise<void> {
  await prepared(tx).insert.execute(session satisfies Row<"browserSessions">);
}

/** Undefined when there is none, or no longer. */
export async function findBrowserSession(
  handle: Handle,
  digest: string,
  now: number,
): Promise<BrowserSession | undefined> {
  const [row] = await prepared(handle).live.execute({ digest, expiresAt: now });
  return row;
}

/** False when there was none. */
export async function deleteBrowserSession(tx: Handle, digest: string): Promise<boolean> {
  return (await prepared(tx).delete.execute({ digest })).length === 1;
}

/** The same where nobody asks whether there was one: PostgreSQL is not waited for. */
export async function removeBrowserSession(tx: Handle, digest: string): Promise<void> {
  await prepared(tx).remove.execute({ digest });
}

export async function deleteBrowserSessionsOfUser(tx: Handle, userId: string): Promise<void> {
  await prepared(tx).deleteOfUser.execute({ userId });
}

export async function deleteOtherBrowserSessionsOfUser(tx: Handle, userId: string, digest: string): Promise<void> {
  await prepared(tx).deleteOthersOfUser.execute({ userId, digest });
}

/** Whoever is signed in as this user in another browser has to prove it again before changing the account. */
export async function outdateProofsOfOthers(tx: Handle, userId: string, digest: string): Promise<void> {
  await prepared(tx).outdateProofsOfOthers.execute({ userId, digest });
}

/** What a user signed in to in a browser belongs to the browser's next session. */
export async function moveLoginsToBrowserSession(
  tx: Handle,
  userId: string,
  digests: { from: string; to: string },
): Promise<void> {
  await prepared(tx).moveLogins.execute({ userId, ...digests });
}

/** Until when a browser of the user is known; undefined for one that the user has never signed in with, or not for long. */
export async function browserIsKnownUntil(
  handle: Handle,
  browser: { userId: string; digest: string },
  now: number,
): Promise<number | undefined> {
  const [row] = await prepared(handle).isKnown.execute({ ...browser, expiresAt: now });
  return row?.expiresAt;
}

export async function rememberBrowser(
  tx: Handle,
  browser: { userId: string; digest: string; expiresAt: number },
): Promise<void> {
  await prepared(tx).remember.execute(browser satisfies Row<"knownBrowsers">);
}

/** Forgets a user's oldest browsers, where there are too many. */
export async function forgetOldestKnownBrowsers(tx: Handle, userId: string): Promise<void> {
  await prepared(tx).forgetOldestKnown.execute({ userId });
}

/** From then on every browser of the user is a new one. */
export async function forgetKnownBrowsers(tx: Handle, userId: string): Promise<void> {
  await prepared(tx).forgetKnown.execute({ userId });
}

/** Removes a batch of what has expired; true when more may be left. */
export async function sweepBrowserSessions(tx: Handle, expiredBefore: number): Promise<boolean> {
  const { sweep, sweepKnown } = prepared(tx);
  const sessions = await sweep(expiredBefore);
  return (await sweepKnown(expiredBefore)) || sessions;
}
