import Database from "better-sqlite3";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { expect, it } from "vitest";
import { readMigrations } from "../../src/storage/migrate.ts";
import { openStorage } from "../../src/storage/open.ts";
import { findLogin } from "../../src/tokens/login-store.ts";
import { createTestDatabase } from "../support/postgres.ts";

const older = (dialect: "sqlite" | "postgres") => readMigrations(dialect).filter(({ name }) => name < "0008");
const migrationsTable =
  "CREATE TABLE migrations (name text PRIMARY KEY, checksum text NOT NULL, applied_at bigint NOT NULL)";

/** `app_back` was deleted and created again, `app_gone` was deleted twice. */
const rows = (flag: string): string => `
  INSERT INTO applications (id, name, redirect_uris, auth_methods, branding, settings, created_at, updated_at)
    VALUES ('app_back', 'One', '{}', '{}', '{}', '{}', 0, 0);
  INSERT INTO users (id, app_id, email, email_verified, handle, created_at, updated_at, login_count)
    VALUES ('usr_1', 'app_back', 'a@example.com', ${flag}, 'h', 0, 0, 0);
  INSERT INTO logins (id, app_id, user_id, signed_in_with, scopes, public_client, signed_in_at, created_at, last_seen_at, generation, refresh_digest, refreshed_at, expires_at)
    VALUES ('lgn_1', 'app_back', 'usr_1', 'passkey', '[]', ${flag}, 0, 0, 0, 0, 'd', 0, 9000000000000);
  INSERT INTO audit_events (id, at, actor, action, result, app_id, details) VALUES
    ('aud_1', 1, 'cli:x', 'application.delete', 'success', 'app_back', '{}'),
    ('aud_2', 2, 'cli:x', 'application.delete', 'success', 'app_gone', '{}'),
    ('aud_3', 3, 'cli:x', 'application.delete', 'success', 'app_gone', '{}'),
    ('aud_4', 4, 'cli:x', 'application.update', 'success', 'app_other', '{}');`;

async function olderSqlite() {
  const file = join(mkdtempSync(join(tmpdir(), "authsvc-deleted-applications-")), "authsvc.db");
  const connection = new Database(file);
  connection.exec(migrationsTable);
  for (const { name, sql, checksum } of older("sqlite")) {
    connection.exec(sql);
    connection.prepare("INSERT INTO migrations VALUES (?, ?, 0)").run(name, checksum);
  }
  connection.exec(rows("1"));
  connection.close();
  return { url: undefined, poolSize: 1, file };
}

async function olderPostgres() {
  const url = await createTestDatabase();
  const client = new Client(url);
  await client.connect();
  await client.query(migrationsTable);
  for (const { name, sql, checksum } of older("postgres")) {
    if (!sql.startsWith("-- in batches")) await client.query(sql);
    await client.query("INSERT INTO migrations VALUES ($1, $2, 0)", [name, checksum]);
  }
  await client.query(rows("true"));
  await client.end();
  return { url, poolSize: 1, file: "" };
}

it.each([
  ["sqlite", olderSqlite],
  ["postgres", olderPostgres],
] as const)("an upgrade keeps logins, and the ids of applications deleted before (%s)", async (_, older) => {
  const storage = await openStorage(await older(), 0, () => {});
  try {
    const { db, tables } = storage.reader;
    const deleted = await db.select().from(tables.deletedApplications);
    expect(deleted).toEqual([{ id: "app_gone", deletedAt: 3 }]);
    expect(await findLogin(storage.reader, "lgn_1")).toMatchObject({ signedInWith: "passkey", proofs: null });
  } finally {
    await storage.close();
  }
});
