import { eq } from "drizzle-orm";
import type { Handle } from "../storage/storage.ts";

/** What the database says about itself under this name. */
export async function findFact({ db, tables: { facts } }: Handle, name: string): Promise<string | undefined> {
  const [row] = await db.select().from(facts).where(eq(facts.name, name));
  return row?.value;
}

/** Writes a fact unless there is one; the one that stands afterwards. */
export async function settleFact(tx: Handle, name: string, value: string): Promise<string> {
  const { db, tables } = tx;
  await db.insert(tables.facts).values({ name, value }).onConflictDoNothing();
  return (await findFact(tx, name)) ?? value;
}

export async function replaceFact({ db, tables: { facts } }: Handle, name: string, value: string): Promise<void> {
  await db.insert(facts).values({ name, value }).onConflictDoUpdate({ target: facts.name, set: { value } });
}
