import { and, desc, eq, inArray, lt, lte, or, sql } from "drizzle-orm";
import { placeholders, prepare, statements, type Handle, type Row } from "../../storage/storage.ts";

export type SentMail = Row<"sentMails">;

const sweepSize = 500;

const prepared = statements(({ db, tables: { sentMails } }) => ({
  insert: prepare(db.insert(sentMails).values(placeholders(sentMails)), "insert_sent_mail"),
  sweep: prepare(
    db
      .delete(sentMails)
      .where(
        inArray(
          sentMails.id,
          db
            .select({ id: sentMails.id })
            .from(sentMails)
            .where(lt(sentMails.sentAt, sql.placeholder("before")))
            .limit(sweepSize),
        ),
      )
      .returning({ id: sentMails.id }),
    "sweep_sent_mails",
  ),
}));

export async function insertSentMail(tx: Handle, row: SentMail): Promise<void> {
  await prepared(tx).insert.execute(row satisfies Row<"sentMails">);
}

/** Removes a batch of those sent before `before`; true if more may be left. */
export async function sweepSentMails(tx: Handle, before: number): Promise<boolean> {
  return (await prepared(tx).sweep.execute({ before })).length === sweepSize;
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
