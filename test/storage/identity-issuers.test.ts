import Database from "better-sqlite3";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { expect, it } from "vitest";
import { directoryOf, knownDirectory } from "../../src/oauth/provider.ts";
import { listProviders } from "../../src/oauth/provider-store.ts";
import { readMigrations } from "../../src/storage/migrate.ts";
import { openStorage } from "../../src/storage/open.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { createTestDatabase } from "../support/postgres.ts";

const older = (dialect: "sqlite" | "postgres") => readMigrations(dialect).filter(({ name }) => name < "0006");
const quoted = (text: string | undefined) => (text === undefined ? "NULL" : `'${text}'`);

/** Of `app_table` nothing is set; `app_own` has each provider somewhere else. */
const own: [provider: string, issuer: string | undefined, userinfoUrl: string | undefined, directory: string][] = [
  ["google", "https://google.test/", undefined, "https://google.test"],
  ["microsoft", "https://login.test/{tenantid}/v2.0", undefined, "https://login.test/{tenantid}/v2.0"],
  ["github", undefined, "https://GitHub.Corp.example:443/api/v3/user", "github.corp.example"],
  ["discord", undefined, "http://127.0.0.1:8080?user=1", "127.0.0.1:8080"],
  ["facebook", undefined, undefined, "graph.facebook.com"],
  [
    "corp",
    "https://id.corp.example/realms/shop",
    "https://elsewhere.example/me",
    "https://id.corp.example/realms/shop",
  ],
];
const table = ["google", "microsoft", "apple", "github", "discord", "facebook", "corp"];

const rows = (json: string, flag: string): string =>
  ["app_table", "app_own"]
    .map(
      (
        app,
      ) => `INSERT INTO applications (id, name, redirect_uris, auth_methods, branding, settings, created_at, updated_at)
        VALUES ('${app}', 'One', ${json}, ${json}, ${json}, ${json}, 0, 0);
      INSERT INTO users (id, app_id, email, email_verified, handle, created_at, updated_at, login_count)
        VALUES ('usr_${app}', '${app}', 'a@example.com', ${flag}, '${app}', 0, 0, 0);`,
    )
    .join("\n") +
  own
    .map(
      ([
        provider,
        issuer,
        userinfoUrl,
      ]) => `INSERT INTO oauth_providers (app_id, name, client_id, encrypted_secret, issuer, userinfo_url, created_at, updated_at)
        VALUES ('app_own', '${provider}', 'c', 's', ${quoted(issuer)}, ${quoted(userinfoUrl)}, 0, 0);`,
    )
    .join("\n") +
  [...table.map((provider) => ["app_table", provider]), ...own.map(([provider]) => ["app_own", provider])]
    .map(
      ([app, provider]) => `INSERT INTO oauth_identities (id, app_id, user_id, provider, subject, created_at)
        VALUES ('mth_${app}_${provider}', '${app}', 'usr_${app}', '${provider}', '1', 0);`,
    )
    .join("\n");

async function openedSqlite(): Promise<Storage> {
  const file = join(mkdtempSync(join(tmpdir(), "authsvc-identity-issuers-")), "authsvc.db");
  const connection = new Database(file);
  connection.exec(
    "CREATE TABLE migrations (name text PRIMARY KEY, checksum text NOT NULL, applied_at bigint NOT NULL)",
  );
  for (const { name, sql, checksum } of older("sqlite")) {
    connection.exec(sql);
    connection.prepare("INSERT INTO migrations VALUES (?, ?, 0)").run(name, checksum);
  }
  connection.exec(rows("'{}'", "1"));
  connection.close();
  return await openStorage({ url: undefined, poolSize: 1, file }, 0, () => {});
}

async function openedPostgres(): Promise<Storage> {
  const url = await createTestDatabase();
  const client = new Client(url);
  await client.connect();
  await client.query(
    "CREATE TABLE migrations (name text PRIMARY KEY, checksum text NOT NULL, applied_at bigint NOT NULL)",
  );
  for (const { name, sql, checksum } of older("postgres")) {
    if (!sql.startsWith("-- in batches")) await client.query(sql);
    await client.query("INSERT INTO migrations VALUES ($1, $2, 0)", [name, checksum]);
  }
  await client.query(rows("'{}'", "true"));
  await client.end();
  return await openStorage({ url, poolSize: 1, file: "" }, 0, () => {});
}

it.each([
  ["sqlite", openedSqlite],
  ["postgres", openedPostgres],
] as const)("identities of an older database get the directory that they are really from (%s)", async (_, opened) => {
  const storage = await opened();
  try {
    const { db, tables } = storage.reader;
    const found = await db.select().from(tables.oauthIdentities);
    const issuers = Object.fromEntries(found.map(({ id, issuer }) => [id, issuer]));
    const expected = [
      ...table.map((provider) => [`mth_app_table_${provider}`, knownDirectory(provider)]),
      ...own.map(([provider, , , directory]) => [`mth_app_own_${provider}`, directory]),
    ];
    expect(issuers).toEqual(Object.fromEntries(expected));
    // As the program says it from here on: nobody is locked out.
    for (const row of await listProviders(storage.reader, "app_own"))
      expect(directoryOf(row)).toBe(issuers[`mth_app_own_${row.name}`]);
  } finally {
    await storage.close();
  }
});
