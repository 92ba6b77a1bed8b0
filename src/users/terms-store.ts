import { and, asc, count, eq, isNull, notExists } from "drizzle-orm";
import { placeholders, prepare, statements, type Handle, type Row } from "../storage/storage.ts";

/** What a person answered to a version of the terms. `accepted`: false if they declined it. */
export type TermsAnswer = Row<"termsAnswers">;

const prepared = statements(({ db, tables: { termsAnswers: answers } }) => {
  const row = placeholders(answers);
  const { url, accepted, answeredAt, ipAddress } = row;
  return {
    find: prepare(
      db
        .select({ accepted: answers.accepted })
        .from(answers)
        .where(and(eq(answers.userId, row.userId), eq(answers.version, row.version))),
      "terms_answer",
    ),
    list: prepare(
      db.select().from(answers).where(eq(answers.userId, row.userId)).orderBy(asc(answers.answeredAt)),
      "terms_answers_of_user",
    ),
    save: prepare(
      db
        .insert(answers)
        .values(row)
        .onConflictDoUpdate({
          target: [answers.userId, answers.version],
          set: { url, accepted, answeredAt, ipAddress },
          setWhere: eq(answers.accepted, false),
        })
        .returning({ userId: answers.userId }),
      "save_terms_answer",
    ),
  };
});

export async function findTermsAnswer(
  handle: Handle,
  asked: { userId: string; version: string },
): Promise<{ accepted: boolean } | undefined> {
  const [row] = await prepared(handle).find.execute(asked);
  return row;
}

/** Oldest first. */
export async function listTermsAnswers(handle: Handle, userId: string): Promise<TermsAnswer[]> {
  return await prepared(handle).list.execute({ userId });
}

/** False if the person has accepted this version before: what they accepted stays. */
export async function saveTermsAnswer(tx: Handle, answer: TermsAnswer): Promise<boolean> {
  return (await prepared(tx).save.execute(answer)).length === 1;
}

/** How many enabled users of an application have not accepted this version. */
export async function countWithoutTerms(
  { db, tables: { users, termsAnswers: answers } }: Handle,
  appId: string,
  version: string,
): Promise<number> {
  const accepted = db
    .select({ version: answers.version })
    .from(answers)
    .where(and(eq(answers.userId, users.id), eq(answers.version, version), eq(answers.accepted, true)));
  const [row] = await db
    .select({ people: count() })
    .from(users)
    .where(and(eq(users.appId, appId), isNull(users.disabledAt), notExists(accepted)));
  return row?.people ?? 0;
}
