import Database from "better-sqlite3";
import { isNull } from "drizzle-orm";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Client } from "pg";
import { describe, expect, it } from "vitest";
import { readMigrations } from "../../src/storage/migrate.ts";
import { openStorage } from "../../src/storage/open.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { countLoginsAtOdds } from "../../src/tokens/login-list-store.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { liveUser } from "./rows.ts";

const now = 1_000_000;
const dialects = ["sqlite", "postgres"] as const;

describe("a database from before logins said anything of their users", () => {
  const older = (dialect: (typeof dialects)[number]) => readMigrations(dialect).filter(({ name }) => name < "0004");
  const rows = (flag: (value: boolean) => string, json: string): string => `
    INSERT INTO applications (id, name, redirect_uris, auth_methods, branding, settings, created_at, updated_at)
      VALUES ('app_1', 'One', ${json}, ${json}, ${json}, ${json}, 0, 0);
    ${["ann", "bob"]
      .map(
        (
          user,
        ) => `INSERT INTO users (id, app_id, email, email_verified, name, handle, created_at, updated_at, disabled_at, login_count)
      VALUES ('usr_${user}', 'app_1', '${user}@example.com', ${flag(true)}, '${user}', '${user}', 0, 0, ${user === "bob" ? 1 : "NULL"}, 0);`,
      )
      .join("\n")}
    ${[
      ["live", "ann", "NULL"],
      ["ended", "ann", "1"],
      ["disabled", "bob", "NULL"],
    ]
      .map(
        ([
          login,
          user,
          endedAt,
        ]) => `INSERT INTO logins (id, app_id, user_id, signed_in_with, scopes, public_client, signed_in_at, created_at, last_seen_at,
        generation, refresh_digest, refreshed_at, expires_at, ended_at)
      VALUES ('lgn_${login}', 'app_1', 'usr_${user}', 'password', ${json}, ${flag(false)}, 0, 0, 0, 0, 'r', 0, ${now + 1}, ${endedAt});`,
      )
      .join("\n")}`;

  async function openedSqlite(): Promise<Storage> {
    const file = join(mkdtempSync(join(tmpdir(), "authsvc-users-of-logins-")), "authsvc.db");
    const connection = new Database(file);
    connection.exec(
      "CREATE TABLE migrations (name text PRIMARY KEY, checksum text NOT NULL, applied_at bigint NOT NULL)",
    );
    for (const { name, sql, checksum } of older("sqlite")) {
      connection.exec(sql);
      connection.prepare("INSERT INTO migrations VALUES (?, ?, 0)").run(name, checksum);
    }
    connection.exec(rows((value) => (value ? "1" : "0"), "'{}'"));
    connection.close();
    return await openStorage({ url: undefined, poolSize: 1, file }, 0, () => {});
  }

  async function olderPostgres(): Promise<{ url: string; client: Client }> {
    const url = await createTestDatabase();
    const client = new Client(url);
    await client.connect();
    await client.query(
      "CREATE TABLE migrations (name text PRIMARY KEY, checksum text NOT NULL, applied_at bigint NOT NULL)",
    );
    for (const { name, sql, checksum } of older("postgres")) {
      await client.query(sql);
      await client.query("INSERT INTO migrations VALUES ($1, $2, 0)", [name, checksum]);
    }
    await client.query(rows(String, "'{}'"));
    return { url, client };
  }
  const migrated = async (url: string): Promise<Storage> =>
    await openStorage({ url, poolSize: 1, file: "" }, 0, () => {});

  async function openedPostgres(): Promise<Storage> {
    const { url, client } = await olderPostgres();
    await client.end();
    return await migrated(url);
  }

  it.each([
    ["sqlite", openedSqlite],
    ["postgres", openedPostgres],
  ] as const)("has all that live say it (%s)", async (_, opened) => {
    const storage = await opened();
    try {
      expect(await liveUser(storage, "lgn_live", now)).toStrictEqual({
        id: "usr_ann",
        email: "ann@example.com",
        emailVerified: true,
        name: "ann",
        claimsVersion: 0,
      });
      expect(await liveUser(storage, "lgn_ended", now)).toBeUndefined();
      expect(await liveUser(storage, "lgn_disabled", now)).toBeUndefined();
      expect(await countLoginsAtOdds(storage.reader)).toBe(0);
    } finally {
      await storage.close();
    }
  });

  // What the nodes of an older version do meanwhile, and must not be ended for.
  it.each([
    ["a sign-in, which has its user and wants its login", "UPDATE users SET login_count = 1 WHERE id = 'usr_ann'"],
    ["a refresh, which has its login", "UPDATE logins SET generation = 1 WHERE id = 'lgn_live'"],
    ["a backup, which reads the table for seconds", "SELECT * FROM logins"],
  ])("is migrated beside %s (postgres)", async (_, statement) => {
    const { url, client } = await olderPostgres();
    await client.query("BEGIN");
    await client.query(statement);
    const opening = migrated(url);
    // Longer than a migration waits for anything before it gives way and tries again.
    await setTimeout(1500);
    const insert = `INSERT INTO logins (id, app_id, user_id, signed_in_with, scopes, public_client, signed_in_at, created_at, last_seen_at,
      generation, refresh_digest, refreshed_at, expires_at)
      VALUES ('lgn_meanwhile', 'app_1', 'usr_ann', 'password', '[]', false, 0, 0, 0, 0, 'r', 0, ${now + 1})`;
    await client.query(insert);
    await client.query("COMMIT");
    await client.end();
    const storage = await opening;
    try {
      const ann = { id: "usr_ann", email: "ann@example.com" };
      expect(await liveUser(storage, "lgn_live", now)).toMatchObject(ann);
      expect(await liveUser(storage, "lgn_meanwhile", now)).toMatchObject(ann);
      expect(await countLoginsAtOdds(storage.reader)).toBe(0);
    } finally {
      await storage.close();
    }
  });

  it("is migrated at the second attempt when it is ended for a deadlock with a writer, who goes on (postgres)", async () => {
    const { url, client } = await olderPostgres();
    const watcher = new Client(url);
    await watcher.connect();
    const { pathname } = new URL(url);
    // The migration looks for deadlocks once, a moment before its lock runs out of time, and the
    // writer never: so it is the migration that is ended.
    await watcher.query(`ALTER DATABASE ${watcher.escapeIdentifier(pathname.slice(1))} SET deadlock_timeout = '900ms'`);
    await client.query("SET deadlock_timeout = '1min'");
    await client.query("BEGIN");
    await client.query("UPDATE logins SET generation = 1 WHERE id = 'lgn_live'");
    const opening = migrated(url);
    const waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    await expect.poll(async () => (await watcher.query(waiting)).rowCount, { interval: 10, timeout: 60_000 }).toBe(1);
    // The migration has this one, and waits for the other.
    await client.query("UPDATE users SET login_count = 1 WHERE id = 'usr_ann'");
    await client.query("COMMIT");
    const storage = await opening;
    expect(await countLoginsAtOdds(storage.reader)).toBe(0);
    await Promise.all([client.end(), storage.close()]);
    const deadlocks = "SELECT deadlocks::int AS met FROM pg_stat_database WHERE datname = current_database()";
    await expect.poll(async () => (await watcher.query(deadlocks)).rows, { timeout: 60_000 }).toEqual([{ met: 1 }]);
    await watcher.end();
  });

  it("keeps nobody waiting for longer than a second while it waits itself (postgres)", async () => {
    const { url, client } = await olderPostgres();
    await client.query("BEGIN");
    await client.query("SELECT * FROM logins");
    const opening = migrated(url);
    const other = new Client(url);
    await other.connect();
    let longest = 0;
    for (let call = 0; call < 30; call += 1) {
      const began = performance.now();
      await other.query("SELECT 1 FROM logins WHERE id = 'lgn_live'");
      longest = Math.max(longest, performance.now() - began);
      await setTimeout(100);
    }
    await client.query("COMMIT");
    await Promise.all([client.end(), other.end(), opening.then((storage) => storage.close())]);
    // It did stand in the way, and no longer than it may.
    expect(longest).toBeGreaterThan(200);
    expect(longest).toBeLessThan(2500);
  });

  it("is told in batches, each from where the one before ended (postgres)", async () => {
    const { url, client } = await olderPostgres();
    await client.query(`INSERT INTO logins (id, app_id, user_id, signed_in_with, scopes, public_client, signed_in_at, created_at, last_seen_at,
      generation, refresh_digest, refreshed_at, expires_at, ended_at)
      SELECT 'lgn_many_' || n, 'app_1', 'usr_ann', 'password', '[]', false, 0, 0, 0, 0, 'r', 0, ${now + 1}, CASE WHEN n % 3 = 0 THEN 1 END
      FROM generate_series(1, 6100) n`);
    await client.end();
    const storage = await migrated(url);
    try {
      expect(await countLoginsAtOdds(storage.reader)).toBe(0);
      const { db, tables } = storage.reader;
      const told = await db
        .select({ name: tables.logins.userName })
        .from(tables.logins)
        .where(isNull(tables.logins.endedAt));
      expect(told.filter(({ name }) => name === "ann")).toHaveLength(6100 - 2033 + 1);
    } finally {
      await storage.close();
    }
  });
});
