import { chmodSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { migrationsTable, readMigrations } from "../../src/storage/migrate.ts";

/**
 * Makes a SQLite database that the next version (`next-version.ts`) migrates: with the first
 * migration alone, and with `rows` rows in it.
 */
export function makeOldDatabase(file: string, rows: number): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const connection = new Database(file);
  connection.pragma("journal_mode = WAL");
  connection.exec(migrationsTable);
  const [initial] = readMigrations("sqlite");
  connection.exec(initial?.sql ?? "");
  connection.prepare("INSERT INTO migrations VALUES (?, ?, 0, '1.0.0')").run(initial?.name, initial?.checksum);
  const insert = connection.prepare("INSERT INTO facts (name, value) VALUES (?, ?)");
  connection.transaction(() => {
    for (let row = 0; row < rows; row += 1) insert.run(`row ${row}`, "x".repeat(200));
  })();
  connection.close();
  chmodSync(file, 0o600);
}

/**
 * How many of those rows are in a database that is whole; throws what SQLite says of one that is
 * not.
 */
export function countOldRows(file: string): number {
  const connection = new Database(file, { readonly: true });
  try {
    const integrity = connection.pragma("integrity_check", { simple: true });
    if (integrity !== "ok") throw new Error(`${file}: ${String(integrity)}`);
    const [count] = connection.prepare("SELECT count(*) FROM facts WHERE name LIKE 'row %'").pluck().all();
    return Number(count);
  } finally {
    connection.close();
  }
}
