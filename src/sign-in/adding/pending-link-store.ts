import { and, eq, gt, isNull, sql } from "drizzle-orm";
import type { PendingLink } from "../../storage/column-types.ts";
import { placeholders, prepare, statements, type Handle } from "../../storage/storage.ts";

const prepared = statements(({ db, tables: { signInSessions: sessions } }) => {
  const row = placeholders(sessions);
  const { digest, browserDigest } = row;
  const open = isNull(sessions.signedInAt);
  return {
    note: prepare(
      db
        .update(sessions)
        .set({ pendingLink: row.pendingLink, browserDigest: sql`${sql.placeholder("renewedBrowser")}` })
        .where(and(eq(sessions.digest, digest), eq(sessions.browserDigest, browserDigest), open)),
      "note_pending_link_of_session",
    ),
    consume: prepare(
      db
        .update(sessions)
        .set({ pendingLink: null })
        .where(
          and(
            eq(sessions.digest, digest),
            eq(sessions.browserDigest, browserDigest),
            open,
            gt(sessions.expiresAt, sql.placeholder("now")),
            eq(sessions.pendingLink, row.pendingLink),
          ),
        )
        .returning({ digest: sessions.digest }),
      "consume_pending_link_of_session",
    ),
  };
});

/**
 * Stores an identity in an open session of this browser, replacing an earlier one, and binds the
 * session to the browser's new cookie.
 */
export async function recordPendingLink(
  tx: Handle,
  session: { digest: string; browserDigest: string; renewedBrowser: string },
  pendingLink: PendingLink,
): Promise<void> {
  await prepared(tx).note.execute({ ...session, pendingLink });
}

/**
 * Removes the waiting identity from an open session of this browser, once. False if another one is
 * stored by now.
 */
export async function consumePendingLink(
  tx: Handle,
  session: { digest: string; browserDigest: string },
  pendingLink: PendingLink,
  now: number,
): Promise<boolean> {
  const consumed = await prepared(tx).consume.execute({ ...session, pendingLink, now });
  return consumed.length === 1;
}
