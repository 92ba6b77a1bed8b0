import { and, eq } from "drizzle-orm";
import { placeholders, prepare, statements, type Handle, type Row } from "../storage/storage.ts";

type Consent = Row<"consents">;

const prepared = statements(({ db, tables: { consents } }) => {
  const given = placeholders(consents);
  return {
    find: prepare(
      db
        .select()
        .from(consents)
        .where(and(eq(consents.userId, given.userId), eq(consents.clientId, given.clientId))),
      "consent",
    ),
    save: prepare(
      db
        .insert(consents)
        .values(given)
        .onConflictDoUpdate({
          target: [consents.userId, consents.clientId],
          set: { scopes: given.scopes, updatedAt: given.updatedAt },
        }),
      "save_consent",
    ),
  };
});

export async function findConsent(handle: Handle, userId: string, clientId: string): Promise<Consent | undefined> {
  const [row] = await prepared(handle).find.execute({ userId, clientId });
  return row;
}

export async function saveConsent(tx: Handle, consent: Consent): Promise<void> {
  await prepared(tx).save.execute(consent);
}
