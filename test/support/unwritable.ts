import { sql } from "drizzle-orm";
import { Client } from "pg";
import type { TestService } from "./service.ts";

/**
 * Makes the database of a service one that can be read and not written, as an operator or a full
 * disk would.
 */
export async function makeUnwritable({ dialect, config, server }: TestService): Promise<void> {
  if (dialect === "postgres") await setReadOnly(config.database.url ?? "", true);
  // SQLite's own limit fails like a full disk: the file may not grow beyond what it is.
  else await server.app.ctx.storage.write(async ({ db }) => void (await db.run(sql`PRAGMA max_page_count = 1`)));
}

export async function makeWritable({ dialect, config, server }: TestService): Promise<void> {
  if (dialect === "postgres") await setReadOnly(config.database.url ?? "", false);
  else await server.app.ctx.storage.write(async ({ db }) => void (await db.run(sql`PRAGMA max_page_count = 1000000`)));
}

/**
 * Of this database alone; its connections are ended before this returns, so that all take the
 * setting.
 */
export async function setReadOnly(url: string, isReadOnly: boolean): Promise<void> {
  const client = new Client({ connectionString: url, options: "-c default_transaction_read_only=off" });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>("SELECT quote_ident(current_database()) AS name");
    const name = rows[0]?.name ?? "";
    await client.query(
      isReadOnly
        ? `ALTER DATABASE ${name} SET default_transaction_read_only = on`
        : `ALTER DATABASE ${name} RESET default_transaction_read_only`,
    );
    await client.query(
      "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
    );
  } finally {
    await client.end();
  }
}
