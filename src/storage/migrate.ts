import packageFile from "../../package.json" with { type: "json" };
import { AppError } from "../lib/errors.ts";
import { programFiles } from "../lib/program-files.ts";

export type Migration = { name: string; sql: string; checksum: string };

/**
 * A migration that was applied to a database, by this version of authsvc. `appliedAt` is in epoch
 * milliseconds. `wayBack`: how an operator returns to the state before it.
 */
export type AppliedMigration = { name: string; checksum: string; appliedAt: number; version: string; wayBack: string };

/** A connection for reading the list of migrations. Each `query` is one statement. */
export type MigrationQueries = {
  query(sql: string, parameters?: string[]): Promise<Record<string, unknown>[]>;
  hasMigrationsTable(): Promise<boolean>;
  /** For a migration of this moment. */
  wayBack(appliedAt: number): string;
};

/** A connection for migrating. */
export type MigrationTarget = MigrationQueries & {
  /**
   * Runs `work` in a transaction that excludes other processes, and retries it after a lock
   * conflict.
   */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  /** Called once before the first change to a database that is not empty. */
  snapshot(): Promise<void>;
};

/**
 * Marks a migration of one statement that runs repeatedly, each time in its own transaction. `$1`
 * is the value of `last` that the previous run returned; it ends when none is returned. For tables
 * that a running service writes to, which must not be locked for long.
 */
const inBatches = "-- in batches\n";

/** Older programs read it to say which version they need: it never changes. */
export const migrationsTable =
  "CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, checksum text NOT NULL, applied_at bigint NOT NULL, version text NOT NULL)";

export function readMigrations(dialect: "sqlite" | "postgres"): Migration[] {
  const folder = `migrations/${dialect}`;
  return programFiles
    .list(folder)
    .filter((file) => file.endsWith(".sql"))
    .toSorted()
    .map((file) => {
      const path = `${folder}/${file}`;
      // drizzle-kit writes references to the schema "public"; ours may be another one.
      const sql = programFiles.read(path).toString("utf8").replaceAll('"public".', "");
      return { name: file.slice(0, -".sql".length), sql, checksum: programFiles.digest(path) };
    });
}

/**
 * Applies pending migrations, each in its own transaction, or in several. Refuses a newer schema
 * and one with modified migrations. Returns those that it applied to a database that was not empty.
 */
export async function migrate(target: MigrationTarget, migrations: Migration[], now: number): Promise<string[]> {
  const applied = await appliedMigrations(target);
  pendingMigrations(applied, migrations);
  // The usual case: nothing to do, so no lock to wait for.
  if (applied.length === migrations.length) return [];
  const done: string[] = [];
  if (applied.length > 0) await target.snapshot();
  await target.exclusively(async () => {
    await target.query(migrationsTable);
  });
  for (const migration of migrations) {
    // Read again under the lock each time: another process may have applied it.
    const isPending = async (): Promise<boolean> => {
      const present = await appliedMigrations(target);
      return pendingMigrations(present, migrations).includes(migration.name);
    };
    const isInBatches = migration.sql.startsWith(inBatches);
    if (isInBatches) await runInBatches(target, migration, isPending);
    const isOurs = await target.exclusively(async () => {
      if (!(await isPending())) return false;
      const statements = isInBatches ? [] : migration.sql.split("--> statement-breakpoint");
      for (const statement of statements) await target.query(statement);
      await target.query("INSERT INTO migrations (name, checksum, applied_at, version) VALUES ($1, $2, $3, $4)", [
        migration.name,
        migration.checksum,
        String(now),
        packageFile.version,
      ]);
      return true;
    });
    if (isOurs) done.push(migration.name);
  }
  return applied.length === 0 ? [] : done;
}

async function runInBatches(
  target: MigrationTarget,
  { sql }: Migration,
  isPending: () => Promise<boolean>,
): Promise<void> {
  for (let last: unknown = ""; typeof last === "string";) {
    const from = last;
    last = await target.exclusively(async () => {
      if (!(await isPending())) return undefined;
      const [row] = await target.query(sql, [from]);
      return row?.["last"];
    });
  }
}

/** Ordered by name, which is also the order of their numbers. */
export async function appliedMigrations(queries: MigrationQueries): Promise<AppliedMigration[]> {
  if (!(await queries.hasMigrationsTable())) return [];
  // A database from before 1.0 has no column `version`; it is refused for its checksum.
  const rows = await queries.query("SELECT * FROM migrations ORDER BY name");
  return rows.map((row) => {
    const appliedAt = Number(row["applied_at"]);
    return {
      name: String(row["name"]),
      checksum: String(row["checksum"]),
      appliedAt,
      version: String(row["version"]),
      wayBack: queries.wayBack(appliedAt),
    };
  });
}

/** The names of pending migrations. Refuses a newer schema and one with modified migrations. */
export function pendingMigrations(applied: AppliedMigration[], migrations: Migration[]): string[] {
  const checksums = new Map(migrations.map((migration) => [migration.name, migration.checksum]));
  const modified = applied.find(({ name, checksum }) => checksums.has(name) && checksums.get(name) !== checksum);
  if (modified) {
    throw new AppError(
      "UNUSABLE_STORAGE",
      `Another build of authsvc, perhaps an unreleased one, created this database: its migration ${modified.name} differs from this program's. Run that build, or restore a backup. A development database can be deleted (the data folder, or the PostgreSQL database); it is then created again.`,
    );
  }
  const newer = applied.filter(({ name }) => !checksums.has(name));
  const [first, last] = [newer[0], newer.at(-1)];
  if (first && last) {
    throw new AppError(
      "UNUSABLE_STORAGE",
      `The database is newer than this program: authsvc ${last.version} migrated it (${last.name}), and this is authsvc ${packageFile.version}. Run authsvc ${last.version} again. ${first.wayBack}`,
    );
  }
  for (const { name } of applied) checksums.delete(name);
  return [...checksums.keys()];
}
