import { hash } from "node:crypto";
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
  /** Runs `work` in one transaction that no other process can run at the same time. */
  exclusively(work: () => Promise<void>): Promise<void>;
  /** Called once before the first change to a database that already holds something. */
  snapshot(): Promise<void>;
};

export function readMigrations(dialect: "sqlite" | "postgres"): Migration[] {
  const folder = `migrations/${dialect}`;
  return programFiles
    .list(folder)
    .filter((file) => file.endsWith(".sql"))
    .toSorted()
    .map((file) => {
      const sql = programFiles.read(`${folder}/${file}`).toString("utf8");
      return { name: file.slice(0, -".sql".length), sql, checksum: hash("sha256", sql) };
    });
}

/** Brings the schema up to date, each migration in a transaction of its own. Refuses a newer schema and one whose past was edited. */
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
    await target.exclusively(async () => {
      // Read again under the lock: another process may have been first.
      const present = await appliedMigrations(target);
      pendingMigrations(present, migrations);
      if (present.some(({ name }) => name === migration.name)) return;
      for (const statement of migration.sql.split("--> statement-breakpoint")) await target.query(statement);
      await target.query("INSERT INTO migrations (name, checksum, applied_at) VALUES ($1, $2, $3)", [
        migration.name,
        migration.checksum,
        String(now),
      ]);
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
