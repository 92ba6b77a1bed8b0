import { AppError } from "../lib/errors.ts";
import { programFiles } from "../lib/program-files.ts";

export type Migration = { name: string; sql: string; checksum: string };

/** A migration that a database has been through. `appliedAt` in epoch milliseconds. */
export type AppliedMigration = { name: string; checksum: string; appliedAt: number };

/** What a database connection must offer to be asked; each `query` is one statement. */
export type MigrationQueries = {
  query(sql: string, parameters?: string[]): Promise<Record<string, unknown>[]>;
  hasMigrationsTable(): Promise<boolean>;
};

/** And to be migrated. */
export type MigrationTarget = MigrationQueries & {
  /** Runs `work` in one transaction that no other process can run at the same time; again, where it was in the way of others. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  /** Called once before the first change to a database that already holds something. */
  snapshot(): Promise<void>;
};

/**
 * Begins a migration that is one statement, run again and again, each time in a transaction of its own: from `$1` on, which is what the time before
 * answered as `last`, until it answers none. For tables that a running service writes to, which it must not be kept from for long.
 */
const inBatches = "-- in batches\n";

export function readMigrations(dialect: "sqlite" | "postgres"): Migration[] {
  const folder = `migrations/${dialect}`;
  return programFiles
    .list(folder)
    .filter((file) => file.endsWith(".sql"))
    .toSorted()
    .map((file) => {
      const path = `${folder}/${file}`;
      const sql = programFiles.read(path).toString("utf8");
      return { name: file.slice(0, -".sql".length), sql, checksum: programFiles.digest(path) };
    });
}

/** Brings the schema up to date, each migration in a transaction of its own, or in several. Refuses a newer schema and one whose past was edited. */
export async function migrate(target: MigrationTarget, migrations: Migration[], now: number): Promise<void> {
  const applied = await appliedMigrations(target);
  pendingMigrations(applied, migrations);
  // The usual case: nothing to do, and so no lock to wait for.
  if (applied.length === migrations.length) return;
  if (applied.length > 0) await target.snapshot();
  await target.exclusively(async () => {
    await target.query(
      "CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, checksum text NOT NULL, applied_at bigint NOT NULL)",
    );
  });
  for (const migration of migrations) {
    // Read again under the lock each time: another process may have been first.
    const isPending = async (): Promise<boolean> => {
      const present = await appliedMigrations(target);
      return pendingMigrations(present, migrations).includes(migration.name);
    };
    const isInBatches = migration.sql.startsWith(inBatches);
    if (isInBatches) await runInBatches(target, migration, isPending);
    await target.exclusively(async () => {
      if (!(await isPending())) return;
      const statements = isInBatches ? [] : migration.sql.split("--> statement-breakpoint");
      for (const statement of statements) await target.query(statement);
      await target.query("INSERT INTO migrations (name, checksum, applied_at) VALUES ($1, $2, $3)", [
        migration.name,
        migration.checksum,
        String(now),
      ]);
    });
  }
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

/** In the order of their names, which is that of their numbers. */
export async function appliedMigrations(queries: MigrationQueries): Promise<AppliedMigration[]> {
  if (!(await queries.hasMigrationsTable())) return [];
  const rows = await queries.query("SELECT name, checksum, applied_at FROM migrations ORDER BY name");
  return rows.map((row) => ({
    name: String(row["name"]),
    checksum: String(row["checksum"]),
    appliedAt: Number(row["applied_at"]),
  }));
}

/** The names of what is still to be applied. Refuses a newer schema and one whose past was edited. */
export function pendingMigrations(applied: AppliedMigration[], migrations: Migration[]): string[] {
  const known = new Map(migrations.map((migration) => [migration.name, migration.checksum]));
  for (const { name, checksum } of applied) {
    if (!known.has(name)) {
      throw new AppError(
        "UNUSABLE_STORAGE",
        `The database is newer than this program: it holds migration ${name}. Run the newer authsvc, or restore a snapshot.`,
      );
    }
    if (known.get(name) !== checksum) {
      throw new AppError(
        "UNUSABLE_STORAGE",
        `Another build of authsvc made this database: its migration ${name} is not the one in this program. Run that build, or restore a backup; a development database can be removed (the data folder, or the PostgreSQL database) and is made anew.`,
      );
    }
    known.delete(name);
  }
  return [...known.keys()];
}
