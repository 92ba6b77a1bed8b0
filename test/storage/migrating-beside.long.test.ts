import { Client } from "pg";
import { expect, it, onTestFinished } from "vitest";
import { openStorage } from "../../src/storage/open.ts";
import { createMigratedDatabase } from "../support/migrated.ts";
import { becomeNextVersion } from "../support/next-version.ts";

/** Of this version, with rows; a connection of a node of this version, and one that watches. */
async function createDatabase(rows: number): Promise<{ url: string; client: Client; watcher: Client }> {
  const url = await createMigratedDatabase();
  const [client, watcher] = [new Client(url), new Client(url)];
  await Promise.all([client.connect(), watcher.connect()]);
  await client.query(`INSERT INTO facts (name, value) SELECT 'row ' || n, 'a' FROM generate_series(1, ${rows}) n`);
  return { url, client, watcher };
}

/** When a migration began that waits for a lock now; each try of it is a transaction of its own. */
async function waitingSince(watcher: Client): Promise<string | undefined> {
  const { rows } = await watcher.query<{ since: string }>(`SELECT xact_start::text AS since FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND query NOT LIKE 'SELECT 1%'`);
  return rows[0]?.since;
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
  const { url, client, watcher } = await createDatabase(1);
  await client.query("BEGIN");
  await client.query(statement);
  const migrated = migrate(url);
  // It has given way once, and tries again.
  const tries = new Set<string>();
  await expect
    .poll(async () => tries.add((await waitingSince(watcher)) ?? "none").size, { interval: 10, timeout: 60_000 })
    .toBe(3);
  await client.query("INSERT INTO facts (name, value) VALUES ('meanwhile', 'a')");
  await client.query("COMMIT");
  await migrated;
  const { rows } = await client.query("SELECT name, twice FROM facts ORDER BY name");
  expect(rows).toEqual(["meanwhile", "row 1"].map((name) => ({ name, twice: null })));
  await Promise.all([client.end(), watcher.end()]);
});

it("a migration that is ended for a deadlock with a writer, who continues, succeeds at the second attempt", async () => {
  const { url, client, watcher } = await createDatabase(1);
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
  const { url, client, watcher } = await createDatabase(1);
  await client.query("BEGIN");
  await client.query("SELECT * FROM facts");
  const migrated = migrate(url);
  const other = new Client(url);
  await other.connect();
  // While the reader goes on, only a migration that gives way lets anybody by.
  for (let time = 0; time < 3; time += 1) {
    await expect.poll(async () => await waitingSince(watcher), { interval: 10, timeout: 60_000 }).toBeDefined();
    const began = performance.now();
    await other.query("SELECT 1 FROM facts WHERE name = 'row 1'");
    // A second, and what a busy machine takes for the rest.
    expect(performance.now() - began).toBeLessThan(5000);
  }
  await client.query("COMMIT");
  await migrated;
  await Promise.all([client.end(), watcher.end(), other.end()]);
});

it("a migration in batches changes all rows, each batch from where the one before ended, and holds no batch's locks", async () => {
  const { url, client, watcher: holder } = await createDatabase(6100);
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
