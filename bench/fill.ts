import { hash } from "node:crypto";
import { openSqliteConnection } from "../src/storage/sqlite/sqlite.ts";
import { day, hour } from "../src/lib/clock.ts";
import { ask } from "./databases.ts";

/** The syntax differences between the databases. */
type Dialect = {
  /** A series of numbers `n`, to select from. */
  series(from: number, to: number): string;
  /** 23 digits: together with three more characters, an id without its prefix. */
  padded(number: string): string;
  flag(value: boolean): string;
  json(text: string): string;
};

const sqlite: Dialect = {
  series: (from, to) =>
    `WITH RECURSIVE series(n) AS (VALUES (${from}) UNION ALL SELECT n + 1 FROM series WHERE n < ${to})`,
  padded: (number) => `printf('%023d', ${number})`,
  flag: (value) => (value ? "1" : "0"),
  json: (text) => `'${text}'`,
};

const postgres: Dialect = {
  series: (from, to) => `WITH series(n) AS (SELECT generate_series(${from}::bigint, ${to}::bigint))`,
  padded: (number) => `lpad((${number})::text, 23, '0')`,
  flag: String,
  json: (text) => `'${text}'::jsonb`,
};

export type Contents = { appId: string; users: number; now: number };

const loginsOfAUser = 3;
const rowsAtOnce = 100_000;
/** Of an unknown password; as long as a real one. */
const passwordHash = `$argon2id$v=19$m=19456,t=2,p=1$${"A".repeat(22)}$${"A".repeat(43)}`;

/** The id of the login with this number, from 1 to three times the number of users. */
export function loginId(number: number): string {
  return `lgn_01j${String(number).padStart(23, "0")}`;
}

/** The numbers of `count` live logins, spread over the table: a third of each user's has ended. */
export function liveLogins(users: number, count: number): number[] {
  const step = Math.floor(users / count) * loginsOfAUser;
  return Array.from({ length: count }, (_, n) => n * step + 1);
}

/**
 * Writes users with a password and three logins each directly into the tables, in addition to
 * existing rows; counters follow. Always the same rows. About 15 million values per minute.
 */
export async function fill(place: { file: string } | { url: string }, contents: Contents): Promise<void> {
  if ("url" in place) {
    await ask(place.url, async (client) => {
      // References are correct by construction, and checking each takes longer than writing it.
      for (const setting of ["session_replication_role = replica", "synchronous_commit = off"])
        await client.query(`SET ${setting}`);
      for (const statement of statements(postgres, contents)) await client.query(statement);
      // What autovacuum would do in time.
      for (const statement of ["VACUUM ANALYZE", "CHECKPOINT"]) await client.query(statement);
    });
    return;
  }
  const connection = openSqliteConnection(place.file);
  try {
    // None of this needs to survive a crash.
    connection.pragma("synchronous = OFF");
    connection.pragma("cache_size = -500000");
    connection.function("md5", { deterministic: true }, (text) => hash("md5", String(text)));
    for (const statement of statements(sqlite, contents)) connection.exec(statement);
    connection.pragma("wal_checkpoint(TRUNCATE)");
  } finally {
    connection.close();
  }
}

function* statements(dialect: Dialect, { appId, users, now }: Contents): Generator<string> {
  const { series, padded, flag, json } = dialect;
  const userId = (number: string): string => `'usr_01j' || ${padded(number)}`;
  const usersUpTo = (from: number): string => series(from, Math.min(from + rowsAtOnce - 1, users));
  for (let from = 1; from <= users; from += rowsAtOnce) {
    yield `${usersUpTo(from)} INSERT INTO users (id, app_id, email, email_verified, name, handle, created_at, updated_at, last_login_at, login_count)
      SELECT ${userId("n")}, '${appId}', 'person' || n || '@example.org', ${flag(true)}, 'Person ' || n, md5(${text("n")}),
        ${now - 400 * day} + n, ${now - 400 * day} + n, ${now - hour} - (n % 60) * ${day}, ${loginsOfAUser} FROM series`;
    // On PostgreSQL without the triggers.
    yield `${usersUpTo(from)} INSERT INTO user_search (user_id, app_id, created_at, folded, fold)
      SELECT ${userId("n")}, '${appId}', ${now - 400 * day} + n, 'person' || n || '@example.org person ' || n, 1 FROM series WHERE true
      ON CONFLICT (user_id) DO UPDATE SET folded = excluded.folded, fold = excluded.fold`;
    yield `${usersUpTo(from)} INSERT INTO passwords (id, user_id, hash, created_at, updated_at)
      SELECT 'mth_01j' || ${padded("n")}, ${userId("n")}, '${passwordHash}', ${now - 400 * day} + n, ${now - 400 * day} + n FROM series`;
  }
  const logins = users * loginsOfAUser;
  for (let from = 1; from <= logins; from += rowsAtOnce) {
    const signedInAt = `${now - hour} - (n % 14) * ${day}`;
    const user = `(n - 1) / ${loginsOfAUser} + 1`;
    // A live login's copy of the user's data. Written here, so that triggers need not run three
    // million times.
    const unlessEnded = (value: string): string => `CASE WHEN n % ${loginsOfAUser} <> 0 THEN ${value} END`;
    yield `${series(from, Math.min(from + rowsAtOnce - 1, logins))}
      INSERT INTO logins (id, app_id, user_id, signed_in_with, scopes, public_client, signed_in_at, created_at, last_seen_at, ip_address, user_agent,
        generation, refresh_digest, refreshed_at, expires_at, ended_at, end_reason, user_email, user_email_verified, user_name)
      SELECT 'lgn_01j' || ${padded("n")}, '${appId}', ${userId(user)}, 'password', ${json('["profile","email"]')},
        ${flag(false)}, ${signedInAt}, ${signedInAt}, ${signedInAt}, '192.0.2.7', 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0',
        0, '${"A".repeat(11)}' || md5(${text("n")}), ${signedInAt}, ${signedInAt} + ${30 * day},
        CASE WHEN n % ${loginsOfAUser} = 0 THEN ${now - hour} END, CASE WHEN n % ${loginsOfAUser} = 0 THEN 'logout' END,
        ${unlessEnded(`'person' || (${user}) || '@example.org'`)}, ${unlessEnded(flag(true))}, ${unlessEnded(`'Person ' || (${user})`)} FROM series`;
  }
  const add =
    "ON CONFLICT (app_id, day, name, shard) DO UPDATE SET value = application_counters.value + excluded.value";
  yield `INSERT INTO application_counters (app_id, name, day, shard, value)
    VALUES ('${appId}', 'users', 0, 0, ${users}), ('${appId}', 'logins', 0, 0, ${logins}),
      ('${appId}', 'live', 0, 0, ${logins - Math.floor(logins / loginsOfAUser)}) ${add}`;
  yield `INSERT INTO application_counters (app_id, name, day, shard, value)
    SELECT app_id, 'active', last_login_at / ${day}, 0, count(*) FROM users WHERE last_login_at IS NOT NULL GROUP BY app_id, last_login_at / ${day} ${add}`;
}

function text(number: string): string {
  return `CAST(${number} AS text)`;
}
