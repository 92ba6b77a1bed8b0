import { join } from "node:path";
import { createAudit, type Actor, type AuditEvent } from "./audit/audit.ts";
import { findMiscounts } from "./applications/counter-store.ts";
import type { Config } from "./config/config.ts";
import { encryptedColumns } from "./encrypted-columns.ts";
import { minute, type Clock } from "./lib/clock.ts";
import { AppError } from "./lib/errors.ts";
import type { Random } from "./lib/random.ts";
import { presentKeyring, belongsTo } from "./secrets/open-keyring.ts";
import { countUnreadable } from "./secrets/unreadable.ts";
import { writeBackup, type Backup, type OnProgress } from "./storage/backup.ts";
import { findDamage, findRowsAfter } from "./storage/integrity.ts";
import { pendingMigrations, readMigrations } from "./storage/migrate.ts";
import { openStorage } from "./storage/open.ts";
import { openSnapshot, type DatabasePlace, type Snapshot } from "./storage/snapshot.ts";
import { readStatus, type DatabaseStatus } from "./storage/status.ts";
import { nameInDatabase } from "./storage/table-names.ts";
import { countLoginsAtOdds } from "./tokens/login-list-store.ts";

/** What is wrong with a database. `check` is the kind: its schema, the database itself, encrypted values, counters, what logins say of users, times. */
export type Problem = { check: "schema" | "integrity" | "secrets" | "counters" | "logins" | "times"; problem: string };

export type Surroundings = { clock: Clock; random: Random };

/** Nodes' clocks differ. */
const clocksDiffer = 5 * minute;

export function placeOf(config: Config): DatabasePlace {
  return { url: config.database.url, file: join(config.dataDir, "authsvc.db") };
}

/** Throws UNUSABLE_STORAGE where there is no database. */
export async function openPresent(place: DatabasePlace): Promise<Snapshot> {
  const snapshot = await openSnapshot(place);
  if (snapshot && snapshot.migrations.length > 0) return snapshot;
  await snapshot?.close();
  const where = place.url === undefined ? `at ${place.file}` : "in this PostgreSQL database";
  throw new AppError("UNUSABLE_STORAGE", `There is nothing of authsvc ${where} yet.`);
}

/** What there is to know of the database from outside. Makes none. Throws UNUSABLE_STORAGE. */
export async function databaseStatus(config: Config, { clock }: Surroundings): Promise<DatabaseStatus> {
  return await readStatus(placeOf(config), clock());
}

/** Brings the schema up to date; the names of what was applied. With `dryRun` of what would be. Throws UNUSABLE_STORAGE. */
export async function migrateDatabase(
  config: Config,
  { dryRun }: { dryRun: boolean },
  actor: Actor,
  surroundings: Surroundings,
): Promise<string[]> {
  const place = placeOf(config);
  const snapshot = await openSnapshot(place);
  let pending: string[];
  try {
    pending = pendingMigrations(snapshot?.migrations ?? [], readMigrations(dialectOf(place)));
  } finally {
    // An open connection keeps the process from ending.
    await snapshot?.close();
  }
  if (dryRun || pending.length === 0) return pending;
  await recordIn(
    place,
    { actor, action: "database.migrate", result: "success", details: { migrations: pending.join(", ") } },
    surroundings,
  );
  return pending;
}

/** Everything that is wrong with the database, as it is at one moment. Throws UNUSABLE_STORAGE where it cannot be read at all. */
export async function checkDatabase(config: Config, { clock, random }: Surroundings): Promise<Problem[]> {
  const snapshot = await openPresent(placeOf(config));
  try {
    const schema = schemaProblems(snapshot);
    const integrity = (await findDamage(snapshot)).map(as("integrity"));
    // What follows asks for today's tables, of a database that can be read.
    if (schema.length > 0 || integrity.length > 0) return [...schema, ...integrity];
    const now = clock();
    const times = await findRowsAfter(snapshot, now + clocksDiffer);
    return [
      ...(await secretProblems(config, snapshot, random)),
      ...(await counterProblems(snapshot, now)),
      ...(await loginProblems(snapshot)),
      ...times.map(as("times")),
    ];
  } finally {
    await snapshot.close();
  }
}

function as(check: Problem["check"]) {
  return (problem: string): Problem => ({ check, problem });
}

function schemaProblems({ dialect, migrations }: Snapshot): Problem[] {
  try {
    return pendingMigrations(migrations, readMigrations(dialect))
      .map((name) => `migration ${name} is not applied yet: run authsvc db migrate`)
      .map(as("schema"));
  } catch (error) {
    if (error instanceof AppError) return [{ check: "schema", problem: error.message.replace(/\.$/u, "") }];
    throw error;
  }
}

async function secretProblems(config: Config, snapshot: Snapshot, random: Random): Promise<Problem[]> {
  const keyring = presentKeyring(masterKeyOf(config), random);
  if ((await belongsTo(snapshot.handle, keyring)) === false) {
    const problem = keyring ? "the master key is not the one of this database" : "the master key is missing";
    return [{ check: "secrets", problem }];
  }
  const unreadable = keyring ? await countUnreadable(snapshot, encryptedColumns, keyring) : [];
  return unreadable.map(({ table, column, rows }) => ({
    check: "secrets",
    problem: `${rows} of ${nameInDatabase(table)}: ${column} does not decrypt under the master key`,
  }));
}

async function counterProblems({ handle }: Snapshot, now: number): Promise<Problem[]> {
  const miscounts = await findMiscounts(handle, now);
  return miscounts.map(({ appId, name, day, counted, present }) => ({
    check: "counters",
    problem: `${appId}: ${counted} ${name} counted${day === 0 ? "" : ` for day ${day}`}, ${present} present`,
  }));
}

async function loginProblems({ handle }: Snapshot): Promise<Problem[]> {
  const atOdds = await countLoginsAtOdds(handle);
  const [subject, verb, whose] = atOdds === 1 ? ["login", "says", "its user"] : ["logins", "say", "their users"];
  return atOdds === 0 ? [] : [{ check: "logins", problem: `${atOdds} ${subject} ${verb} of ${whose} what is not so` }];
}

/**
 * Writes a backup of the database, as it is at one moment, to `file`. Leaves the database as it is, but for a line in its audit log.
 * Throws UNUSABLE_STORAGE; CONFLICT for PostgreSQL at an older schema, which is read table by table.
 */
export async function backUpDatabase(
  config: Config,
  file: string,
  actor: Actor,
  { onProgress, ...surroundings }: Surroundings & { onProgress: OnProgress },
): Promise<Backup & { dialect: Snapshot["dialect"]; schema: string }> {
  const place = placeOf(config);
  const first = await openPresent(place);
  await first.close();
  const isCurrent = pendingMigrations(first.migrations, readMigrations(first.dialect)).length === 0;
  if (!isCurrent && first.dialect === "postgres") {
    throw new AppError("CONFLICT", "The database is older than this program: run authsvc db migrate first.");
  }
  // An older schema may have another audit log.
  if (isCurrent) await recordIn(place, { actor, action: "database.backup", result: "success" }, surroundings);
  const snapshot = await openPresent(place);
  try {
    const backup = await writeBackup(snapshot, file, surroundings.clock(), onProgress);
    return { ...backup, dialect: snapshot.dialect, schema: snapshot.migrations.at(-1)?.name ?? "" };
  } finally {
    await snapshot.close();
  }
}

export function masterKeyOf(config: Config): { masterKey: string | undefined; file: string } {
  return { masterKey: config.masterKey, file: join(config.dataDir, "master.key") };
}

/** Opens a database, which brings its schema up to date, and notes what a command did to it. */
export async function recordIn(
  place: DatabasePlace,
  event: AuditEvent,
  { clock, random }: Surroundings,
): Promise<void> {
  const now = clock();
  const storage = await openStorage({ ...place, poolSize: 1 }, now, () => {});
  try {
    const audit = createAudit({ storage, clock, random });
    await storage.write((tx) => audit.record(tx, event, now));
  } finally {
    await storage.close();
  }
}

export function dialectOf({ url }: DatabasePlace): Snapshot["dialect"] {
  return url === undefined ? "sqlite" : "postgres";
}
