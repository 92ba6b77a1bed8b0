import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { findMiscounts } from "../../applications/counter-store.ts";
import { masterKeyOf, type Config } from "../../config/config.ts";
import { minute, type Clock } from "../../lib/clock.ts";
import { AppError } from "../../lib/errors.ts";
import type { Random } from "../../lib/random.ts";
import * as audit from "../../records/audit/audit.ts";
import type { Actor, AuditEvent } from "../../records/audit/audit.ts";
import { createOpener } from "../../secrets/keyring.ts";
import { belongsTo, presentKeys } from "../../secrets/open-keyring.ts";
import { countUnreadable } from "../../secrets/unreadable.ts";
import { countLoginsAtOdds } from "../../sessions/login-list-store.ts";
import { writeBackup, type Backup, type OnProgress } from "../../storage/backup/backup.ts";
import { findForeignSchema } from "../../storage/backup/foreign-schema.ts";
import { findDamage, findRowsAfter } from "../../storage/backup/integrity.ts";
import { pendingMigrations, readMigrations } from "../../storage/migrate.ts";
import { openSnapshot } from "../../storage/open-snapshot.ts";
import { openStorage } from "../../storage/open.ts";
import type { DatabasePlace, Snapshot } from "../../storage/snapshot.ts";
import { readStatus, type DatabaseStatus } from "../../storage/status.ts";
import { nameInDatabase } from "../../storage/table-names.ts";
import { encryptedColumns } from "./encrypted-columns.ts";

/**
 * A problem of a database. `check` is its kind: schema, corruption, encrypted values, counters,
 * outdated user data in logins, times.
 */
export type Problem = { check: "schema" | "integrity" | "secrets" | "counters" | "logins" | "times"; problem: string };

export type Surroundings = { clock: Clock; random: Random };

/** Nodes' clocks differ. */
const clocksDiffer = 5 * minute;

export function placeOf(config: Config): DatabasePlace {
  return { url: config.database.url, file: join(config.dataDir, "authsvc.db") };
}

/** Throws UNUSABLE_STORAGE if there is no database. */
export async function openPresent(place: DatabasePlace, copyIn?: string): Promise<Snapshot> {
  const snapshot = await openSnapshot(place, copyIn);
  if (snapshot && snapshot.migrations.length > 0) return snapshot;
  await snapshot?.close();
  const where = place.url === undefined ? `at ${place.file}` : "in this PostgreSQL database";
  throw new AppError("UNUSABLE_STORAGE", `No authsvc database found ${where}.`);
}

/**
 * Refuses a database with an older schema, for readers that expect the newest. Throws CONFLICT.
 */
export function demandNewest({ dialect, migrations }: Snapshot): void {
  if (pendingMigrations(migrations, readMigrations(dialect)).length > 0)
    throw new AppError("CONFLICT", "The database is older than this program: run authsvc db migrate first.");
}

/** Facts about the database for operators. Creates none. Throws UNUSABLE_STORAGE. */
export async function databaseStatus(config: Config, { clock }: Surroundings): Promise<DatabaseStatus> {
  return await readStatus(placeOf(config), clock());
}

/**
 * Migrates to the newest schema and returns the names of the applied migrations; with `dryRun`, of
 * the pending ones. Throws UNUSABLE_STORAGE.
 */
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
    // An open connection would keep the process alive.
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

/**
 * All problems of the database at one moment. Throws UNUSABLE_STORAGE if it cannot be read at all.
 */
export async function checkDatabase(config: Config, { clock, random }: Surroundings): Promise<Problem[]> {
  const snapshot = await openPresent(placeOf(config));
  try {
    const schema = schemaProblems(snapshot);
    const integrity = (await findDamage(snapshot)).map(as("integrity"));
    // The other checks need a readable database with the current tables.
    if (schema.length > 0 || integrity.length > 0) return [...schema, ...integrity];
    const foreign = (await findForeignSchema(snapshot)).map(as("schema"));
    if (foreign.length > 0) return foreign;
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
  const present = presentKeys(masterKeyOf(config), random);
  const keys = createOpener(present);
  const belongs = await belongsTo(snapshot.handle, keys);
  if (belongs === undefined)
    return [{ check: "secrets", problem: "the row master-key-check is missing: it identifies the master key" }];
  if (!belongs) {
    const problem =
      present.length > 0 ? "the master key does not belong to this database" : "the master key is missing";
    return [{ check: "secrets", problem }];
  }
  const unreadable = await countUnreadable(snapshot, encryptedColumns, keys);
  return unreadable.map(({ table, column, rows }) => ({
    check: "secrets",
    problem: `${rows} of ${nameInDatabase(table)}: ${column} does not decrypt with the master key`,
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
  const subject = atOdds === 1 ? "login holds" : "logins hold";
  return atOdds === 0 ? [] : [{ check: "logins", problem: `${atOdds} ${subject} outdated user data` }];
}

/**
 * Writes a backup of the database at one moment to `file`. Changes only the audit log.
 * `unrecorded`: why the audit entry could not be written (full or read-only disk), which does not
 * prevent the backup. Throws UNUSABLE_STORAGE, or CONFLICT for PostgreSQL at an older schema, which
 * is read table by table.
 */
export async function backUpDatabase(
  config: Config,
  file: string,
  actor: Actor,
  { onProgress, ...surroundings }: Surroundings & { onProgress: OnProgress },
): Promise<{ backup: Backup & { dialect: Snapshot["dialect"]; schema: string }; unrecorded: unknown }> {
  const place = placeOf(config);
  const exist = place.url === undefined && existsSync(file) && existsSync(place.file);
  if (exist && realpathSync(file) === realpathSync(place.file))
    throw new AppError("CONFLICT", `${file} is the database itself.`);
  const copyIn = dirname(file);
  const first = await openPresent(place, copyIn);
  await first.close();
  const isCurrent = pendingMigrations(first.migrations, readMigrations(first.dialect)).length === 0;
  if (first.dialect === "postgres") demandNewest(first);
  // An older schema may have another audit log.
  let unrecorded: unknown;
  if (isCurrent)
    await recordIn(place, { actor, action: "database.backup", result: "success" }, surroundings).catch(
      (error: unknown) => {
        unrecorded = error;
      },
    );
  const snapshot = await openPresent(place, copyIn);
  try {
    const written = await writeBackup(
      snapshot,
      file,
      { now: surroundings.clock(), random: surroundings.random },
      onProgress,
    );
    const backup = { ...written, dialect: snapshot.dialect, schema: snapshot.migrations.at(-1)?.name ?? "" };
    return { backup, unrecorded };
  } finally {
    await snapshot.close();
  }
}

/** Opens a database, which migrates it, and audits a command's changes. */
export async function recordIn(
  place: DatabasePlace,
  event: AuditEvent,
  { clock, random }: Surroundings,
): Promise<void> {
  const now = clock();
  const storage = await openStorage({ ...place, poolSize: 1 }, now, () => {});
  try {
    await storage.write((tx) => audit.record({ random }, tx, event, now));
  } finally {
    await storage.close();
  }
}

export function dialectOf({ url }: DatabasePlace): Snapshot["dialect"] {
  return url === undefined ? "sqlite" : "postgres";
}
