import Database from "better-sqlite3";
import { join } from "node:path";
import { Client } from "pg";
import type { TestService } from "../support/service.ts";

/**
 * Runs one statement on the database of a running service, behind its back. `unchecked`: references
 * need not hold.
 */
export async function runSql(
  { config }: TestService,
  sql: string,
  { unchecked = false }: { unchecked?: boolean } = {},
): Promise<Record<string, unknown>[]> {
  if (config.database.url === undefined) {
    const connection = new Database(join(config.dataDir, "authsvc.db"), { timeout: 5000 });
    connection.pragma(`foreign_keys = ${unchecked ? "OFF" : "ON"}`);
    try {
      const statement = connection.prepare(sql);
      if (statement.reader) return statement.all() as Record<string, unknown>[];
      statement.run();
      return [];
    } finally {
      connection.close();
    }
  }
  const client = new Client(config.database.url);
  await client.connect();
  try {
    if (unchecked) await client.query("SET session_replication_role = replica");
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
