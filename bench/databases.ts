import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { createPostgresFolder, startPostgres } from "../test/support/postgres.ts";

/** PostgreSQL's defaults: durable, unlike the tests' server. */
const asItComes = ["fsync=on", "full_page_writes=on", "autovacuum=on"];

export type PostgresServer = {
  /** What a service needs to use a new database of this server. */
  environment(): Promise<{ AUTHSVC_DATABASE__URL: string; AUTHSVC_MASTER_KEY: string }>;
  /** Its version and durability settings, as reported by the server. */
  facts: string;
};

/** Runs a separate server on this machine during `work`. */
export async function withPostgres<T>(work: (server: PostgresServer) => Promise<T>): Promise<T> {
  const postgres = await startPostgres(createPostgresFolder(), asItComes);
  try {
    let databases = 0;
    return await work({
      facts: await ask(postgres.url("postgres"), async (client) => {
        const names = ["server_version", "fsync", "synchronous_commit", "shared_buffers"];
        const { rows } = await client.query<{ name: string; setting: string }>(
          "SELECT name, current_setting(name) AS setting FROM pg_settings WHERE name = ANY($1)",
          [names],
        );
        const settings = new Map(rows.map(({ name, setting }) => [name, setting]));
        const [version, ...others] = names;
        return `PostgreSQL ${settings.get(version ?? "")}, ${others.map((name) => `${name}=${settings.get(name)}`).join(", ")}`;
      }),
      async environment() {
        databases += 1;
        const name = `bench_${databases}`;
        await ask(postgres.url("postgres"), async (client) => await client.query(`CREATE DATABASE ${name}`));
        return {
          AUTHSVC_DATABASE__URL: postgres.url(name),
          AUTHSVC_MASTER_KEY: randomBytes(32).toString("base64url"),
        };
      },
    });
  } finally {
    await postgres.stop();
  }
}

export async function ask<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
