import { and, desc, eq, lt, lte, or } from "drizzle-orm";
import { prepareSweep } from "../../storage/queries/sweep.ts";
import { placeholders, prepare, statements, type Handle, type Row } from "../../storage/storage.ts";

export type SentMail = Row<"sentMails">;

const prepared = statements((handle) => {
  const { db, tables } = handle;
  const { sentMails } = tables;
  return {
    insert: prepare(db.insert(sentMails).values(placeholders(sentMails)), "insert_sent_mail"),
    sweep: prepareSweep(handle, { table: sentMails, key: sentMails.id, instant: sentMails.sentAt }, "sweep_sent_mails"),
  };
});

export async function insertSentMail(tx: Handle, row: SentMail): Promise<void> {
  await prepared(tx).insert.execute(row satisfies Row<"sentMails">);
}

/** Removes a batch of those sent before `before`; true if more may be left. */
export async function sweepSentMails(tx: Handle, before: number): Promise<boolean> {
  return await prepared(tx).sweep(before);
}

/** Of an application, of all, or to one user. */
type SentFilter = { appId: string | undefined; userId?: undefined } | { userId: string; appId?: undefined };

/** Newest first, those sent before the one named `after`. */
export async function listSentMails(
  { db, tables: { sentMails } }: Handle,
  { appId, userId, after, limit }: SentFilter & { after?: { at: number; id: string } | undefined; limit: number },
): Promise<SentMail[]> {
  return await db
    .select()
    .from(sentMails)
    .where(
      and(
        appId === undefined ? undefined : eq(sentMails.appId, appId),
        userId === undefined ? undefined : eq(sentMails.userId, userId),
        after && lte(sentMails.sentAt, after.at),
        after && or(lt(sentMails.sentAt, after.at), lt(sentMails.id, after.id)),
      ),
    )
    .orderBy(desc(sentMails.sentAt), desc(sentMails.id))
    .limit(limit);
}
