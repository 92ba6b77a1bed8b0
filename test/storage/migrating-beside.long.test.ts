import { setTimeout } from "node:timers/promises";
import { Client } from "pg";
import { expect, it, onTestFinished } from "vitest";
import { openStorage } from "../../src/storage/open.ts";
import { createMigratedDatabase } from "../support/migrated.ts";
import { becomeNextVersion } from "../support/next-version.ts";

/** Of this version, with rows, and a connection of a node of this version. */
async function createDatabase(rows: number): Promise<{ url: string; client: Client }> {
  const url = await createMigratedDatabase();
  const client = new Client(url);
  await client.connect();
  await client.query(`INSERT INTO facts (name, value) SELECT 'row ' || n, 'a' FROM generate_series(1, ${rows}) n`);
  return { url, client };
}

/** Opens it as the next version, with this migration. */
async function migrate(url: string, sql = "ALTER TABLE facts ADD COLUMN twice text"): Promise<void> {
  const becomeThisVersion = becomeNextVersion({ "9998_next-version": sql });
  onTestFinished(becomeThisVersion);
  const storage = await openStorage({ url, poolSize: 1, file: "" }, 0, () => {});
  await storage.close();
}

// What the nodes of the version before do meanwhile, and must not be ended for.
it.each([
  ["a writer", "UPDATE facts SET value = 'b' WHERE name = 'row 1'"],
  ["a backup, which reads the table for seconds", "SELECT * FROM facts"],
])("a PostgreSQL database is migrated beside %s", async (_, statement) => {
  const { url, client } = await createDatabase(1);
  await client.query("BEGIN");
  await client.query(statement);
  const migrated = migrate(url);
  // Longer than a migration waits for anything before it gives way and tries again.
  await setTimeout(1500);
  await client.query("INSERT INTO facts (name, value) VALUES ('meanwhile', 'a')");
  await client.query("COMMIT");
  await migrated;
  const { rows } = await client.query("SELECT name, twice FROM facts ORDER BY name");
  expect(rows).toEqual(["meanwhile", "row 1"].map((name) => ({ name, twice: null })));
  await client.end();
});

it("a migration that is ended for a deadlock with a writer, who goes on, succeeds at the second attempt", async () => {
  const { url, client } = await createDatabase(1);
  const watcher = new Client(url);
  await watcher.connect();
  const { pathname } = new URL(url);
  // The migration looks for deadlocks once, a moment before its lock runs out of time, and the
  // writer never: so it is the migration that is ended.
  await watcher.query(`ALTER DATABASE ${watcher.escapeIdentifier(pathname.slice(1))} SET deadlock_timeout = '900ms'`);
  await client.query("SET deadlock_timeout = '1min'");
  await client.query("BEGIN");
  await client.query("UPDATE facts SET value = 'b'");
  const migrated = migrate(url, "LOCK TABLE users; ALTER TABLE facts ADD COLUMN twice text");
  const waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  await expect.poll(async () => (await watcher.query(waiting)).rowCount, { interval: 10, timeout: 60_000 }).toBe(1);
  // The migration has this one, and waits for the other.
  await client.query("UPDATE users SET name = 'b'");
  await client.query("COMMIT");
  await migrated;
  const deadlocks = "SELECT deadlocks::int AS met FROM pg_stat_database WHERE datname = current_database()";
  await expect.poll(async () => (await watcher.query(deadlocks)).rows, { timeout: 60_000 }).toEqual([{ met: 1 }]);
  await Promise.all([client.end(), watcher.end()]);
});

it("a migration that waits keeps nobody waiting for longer than a second", async () => {
  const { url, client } = await createDatabase(1);
  await client.query("BEGIN");
  await client.query("SELECT * FROM facts");
  const migrated = migrate(url);
  const other = new Client(url);
  await other.connect();
  let longest = 0;
  for (let call = 0; call < 30; call += 1) {
    const began = performance.now();
    await other.query("SELECT 1 FROM facts WHERE name = 'row 1'");
    longest = Math.max(longest, performance.now() - began);
    await setTimeout(100);
  }
  await client.query("COMMIT");
  await migrated;
  await Promise.all([client.end(), other.end()]);
  // It did stand in the way, and no longer than it may.
  expect(longest).toBeGreaterThan(200);
  expect(longest).toBeLessThan(2500);
});

it("a migration in batches changes all rows, each batch from where the one before ended, and holds no batch's locks", async () => {
  const { url, client } = await createDatabase(6100);
  const holder = new Client(url);
  await holder.connect();
  await holder.query("BEGIN");
  await holder.query("UPDATE facts SET value = 'held' WHERE name = 'row 999'");
  const batches = `-- in batches
    WITH batch AS (SELECT name FROM facts WHERE name > $1 ORDER BY name LIMIT 2000), changed AS (
      UPDATE facts SET value = value || 'b' FROM batch WHERE facts.name = batch.name
    ) SELECT max(name) AS last FROM batch`;
  const migrated = migrate(url, batches);
  // The last batch waits for the holder; those before it are committed.
  const changed = "SELECT count(*)::int AS rows FROM facts WHERE value = 'ab'";
  await expect.poll(async () => (await client.query(changed)).rows, { timeout: 60_000 }).toEqual([{ rows: 6000 }]);
  await holder.query("COMMIT");
  await migrated;
  const { rows } = await client.query("SELECT value, count(*)::int AS rows FROM facts GROUP BY value ORDER BY value");
  expect(rows).toEqual([
    { value: "ab", rows: 6099 },
    { value: "heldb", rows: 1 },
  ]);
  await Promise.all([client.end(), holder.end()]);
});
