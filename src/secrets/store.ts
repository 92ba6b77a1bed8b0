import { and, eq } from "drizzle-orm";
import { prepare, statements, type Handle } from "../storage/storage.ts";
import { checkMetadata } from "./check.ts";

const prepared = statements(({ db, tables: { facts } }) => ({
  check: prepare(
    db.select({ value: facts.value }).from(facts).where(eq(facts.name, checkMetadata)),
    "master_key_check",
  ),
}));

/** Like `findMetadata` for the check of the master key, which every encryption reads. */
export async function findCheck(handle: Handle): Promise<string | undefined> {
  const [row] = await prepared(handle).check.execute();
  return row?.value;
}

/** The database's metadata with this name. */
export async function findMetadata({ db, tables: { facts } }: Handle, name: string): Promise<string | undefined> {
  const [row] = await db.select().from(facts).where(eq(facts.name, name));
  return row?.value;
}

/** Writes metadata unless it exists, and returns the stored value. */
export async function settleMetadata(tx: Handle, name: string, value: string): Promise<string> {
  const { db, tables } = tx;
  await db.insert(tables.facts).values({ name, value }).onConflictDoNothing();
  return (await findMetadata(tx, name)) ?? value;
}

export async function replaceMetadata({ db, tables: { facts } }: Handle, name: string, value: string): Promise<void> {
  await db.insert(facts).values({ name, value }).onConflictDoUpdate({ target: facts.name, set: { value } });
}

/**
 * Replaces metadata whose value is still `from`; false if it is not. Of concurrent calls, one
 * succeeds.
 */
export async function exchangeMetadata(
  { db, tables: { facts } }: Handle,
  name: string,
  { from, to }: { from: string; to: string },
): Promise<boolean> {
  const isStill = and(eq(facts.name, name), eq(facts.value, from));
  return (await db.update(facts).set({ value: to }).where(isStill).returning({ name: facts.name })).length > 0;
}

/** Removes metadata whose value is still `value`; false if it is not. */
export async function removeMetadata({ db, tables: { facts } }: Handle, name: string, value: string): Promise<boolean> {
  const isStill = and(eq(facts.name, name), eq(facts.value, value));
  return (await db.delete(facts).where(isStill).returning({ name: facts.name })).length > 0;
}
