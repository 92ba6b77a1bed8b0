import { expect, it } from "vitest";
import { Client } from "pg";
import { openStorage } from "../../src/storage/open.ts";
import type { Handle } from "../../src/storage/storage.ts";
import { createTestDatabase } from "../support/postgres.ts";

it("waits for transactions that had begun before, and not for those that began since (postgres)", async () => {
  const url = await createTestDatabase();
  const storage = await openStorage({ url, poolSize: 5, file: "" }, 0, () => {});
  const look = async ({ db, tables }: Handle): Promise<unknown> => await db.select().from(tables.facts);

  /** A transaction that has asked something, and stays open until it is let go. */
  async function begin(): Promise<() => Promise<void>> {
    const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const ended = storage.write(async (tx) => {
      await look(tx);
      begun.resolve();
      await goOn.promise;
    });
    await begun.promise;
    return async () => {
      goOn.resolve();
      await ended;
    };
  }

  const endOlder = await begin();
  let isOver = false;
  const waiting = storage.olderTransactionsEnd().then(() => (isOver = true));
  // What began before its first look is older.
  await untilAsked(url, "pg_locks");
  const endYounger = await begin();
  expect(isOver).toBe(false);
  await endOlder();
  await waiting;
  await endYounger();
  await storage.close();
});

/** Until a connection of this database has the answer to a query with this word. */
async function untilAsked(url: string, word: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const asked =
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'idle' AND query LIKE $1";
  await expect
    .poll(async () => (await client.query(asked, [`%${word}%`])).rowCount, { timeout: 60_000 })
    .toBeGreaterThan(0);
  await client.end();
}
