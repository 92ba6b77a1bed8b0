import Sqlite from "better-sqlite3";
import { Client } from "pg";

type Row = Record<string, unknown>;
export type Snapshot = Map<string, Map<string, Row>>;

/** Whatever is written apart from the act, in batches or by timers; with the reason. */
const leftOut = new Set([
  // Counts of a minute, written in batches.
  "rate_limit_counts",
  // Triggers write it, and a worker every five seconds.
  "user_search",
  "__drizzle_migrations",
  "sqlite_sequence",
]);
/** Written in batches (last_used_at, seen_at), or by the database itself (xid). */
const volatileColumns = /^(last_used_at|seen_at|xid|transaction|written_by|lease_until)$/u;

export type Reader = {
  snapshot(): Promise<Snapshot> /** When the next mail or webhook is to be sent. */;
  due(): Promise<number | undefined>;
  close(): Promise<void>;
};

/** An endpoint that is off keeps what it was to send. */
const due = `SELECT min(at) AS due FROM (SELECT next_attempt_at AS at FROM mails UNION ALL
  SELECT d.next_attempt_at FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id AND e.enabled) AS waiting`;

export function sqliteReader(file: string): Reader {
  const db = new Sqlite(file, { readonly: true });
  const tables = db
    .prepare<[], { name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    .all()
    .map(({ name }) => name)
    .filter((name) => !leftOut.has(name));
  const withoutRowid = new Set(
    (db.pragma("table_list") as { name: string; wr: number }[]).filter(({ wr }) => wr === 1).map(({ name }) => name),
  );
  const keys = new Map(
    tables.map((table) => [
      table,
      (db.pragma(`table_info("${table}")`) as { name: string; pk: number }[])
        .filter(({ pk }) => pk > 0)
        .map(({ name }) => name),
    ]),
  );
  return {
    snapshot: async () =>
      new Map(
        tables.map((table) => {
          const rows = db
            .prepare<[], Row>(`SELECT * FROM "${table}"${withoutRowid.has(table) ? "" : " ORDER BY rowid"}`)
            .all();
          return [table, keyed(rows, keys.get(table) ?? [])];
        }),
      ),
    due: async () => db.prepare<[], { due: number | null }>(due).get()?.due ?? undefined,
    close: async () => void db.close(),
  };
}

export async function postgresReader(url: string): Promise<Reader> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const all = async (text: string): Promise<Row[]> => (await client.query<Row>(text)).rows;
  const named = await all(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1",
  );
  const tables = named.map(({ name }) => String(name)).filter((name) => !leftOut.has(name));
  const columns =
    await all(`SELECT t.relname AS table, a.attname AS name FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid
    JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = ANY(i.indkey) WHERE i.indisprimary`);
  return {
    async snapshot() {
      const found: Snapshot = new Map();
      for (const table of tables) {
        const key = columns.filter((each) => each["table"] === table).map(({ name }) => String(name));
        found.set(table, keyed(await all(`SELECT * FROM "${table}" ORDER BY ctid`), key));
      }
      return found;
    },
    due: async () => {
      const at = (await all(due))[0]?.["due"] ?? undefined;
      return at === undefined ? undefined : Number(at);
    },
    close: async () => await client.end(),
  };
}

/** Shards are chosen at random, and are added up. */
function keyed(rows: Row[], key: string[]): Map<string, Row> {
  const own = key.filter((name) => name !== "shard");
  const found = new Map<string, Row>();
  for (const { shard, ...row } of rows) {
    const at = JSON.stringify(own.length > 0 ? own.map((name) => row[name]) : row);
    const same = shard === undefined ? undefined : found.get(at);
    found.set(at, same ? { ...same, value: Number(same["value"]) + Number(row["value"]) } : row);
  }
  return found;
}

function shown(name: string, value: unknown): string {
  if (value !== null && name.startsWith("encrypted_")) return "<encrypted>";
  if (typeof value === "object" && value !== null) return JSON.stringify(value);
  return String(value);
}

/** What differs, a line for each row; not yet with names. */
export function changesOf(before: Snapshot, after: Snapshot, nameOf: (id: string) => string): string[] {
  const lines: string[] = [];
  for (const [table, rows] of after) {
    const old = before.get(table) ?? new Map<string, Row>();
    const fresh: string[] = [];
    for (const [key, row] of rows) {
      const was = old.get(key);
      if (!was) fresh.push(`+ ${table} ${fields(row)}`);
      else {
        const changed = Object.keys(row).filter(
          (name) => !volatileColumns.test(name) && shown(name, was[name]) !== shown(name, row[name]),
        );
        const silent = Object.keys(row).filter(
          (name) => name.startsWith("encrypted_") && was[name] !== row[name] && !changed.includes(name),
        );
        const all = [...changed, ...silent];
        if (all.length > 0)
          fresh.push(
            `~ ${table} ${key} ${all.map((name) => `${name}: ${shown(name, was[name])} -> ${shown(name, row[name])}`).join(", ")}`,
          );
      }
    }
    const gone = [...old].filter(([key]) => !rows.has(key)).map(([, row]) => `- ${table} ${fields(row)}`);
    lines.push(...inOrder(gone, nameOf), ...inOrder(fresh, nameOf));
  }
  return lines;
}

function fields(row: Row): string {
  const told = Object.entries(row).filter(([name, value]) => value !== null && !volatileColumns.test(name));
  return `{${told.map(([name, value]) => `${name}: ${shown(name, value)}`).join(", ")}}`;
}

/**
 * By what is not random in them. Rows that are alike are ordered by the name or moment of their
 * login or first id, or else stay in the order in which they were written.
 */
function inOrder(lines: string[], nameOf: (id: string) => string): string[] {
  const keyed = lines.map((line) => {
    const id = /\blgn_\w{26}/u.exec(line)?.[0] ?? /\b[a-z]{3}_\w{26}/u.exec(line)?.[0] ?? "";
    const form = line.replaceAll(/\$argon2id\S+/gu, "*").replaceAll(/[\w-]{20,}/gu, "*");
    return { line, key: `${form} ${nameOf(id)}` };
  });
  return keyed
    .toSorted((one, other) => (one.key === other.key ? 0 : one.key < other.key ? -1 : 1))
    .map(({ line }) => line);
}
