import type { DatabasePlace, Filling, Shadow, Snapshot } from "./snapshot.ts";
import type { TableName } from "./table-names.ts";

/**
 * Undefined if there is no database. `copyIn` as in `openSqliteSnapshot`. Throws UNUSABLE_STORAGE.
 */
export async function openSnapshot({ url, file }: DatabasePlace, copyIn?: string): Promise<Snapshot | undefined> {
  if (url === undefined) {
    const { openSqliteSnapshot } = await import("./sqlite/snapshot.ts");
    return await openSqliteSnapshot(file, copyIn);
  }
  const { openPostgresSnapshot } = await import("./postgres/snapshot.ts");
  return await openPostgresSnapshot(url);
}

/**
 * Opens a database with the newest schema for reading. All writes go to temporary tables without a
 * lock: copies of `copied`, empty ones for `emptied`. Other writes fail. Undefined if there is no
 * database.
 */
export async function openShadow(
  { url, file }: DatabasePlace,
  tables: { copied: readonly TableName[]; emptied: readonly TableName[] },
): Promise<Shadow | undefined> {
  if (url === undefined) {
    const { openSqliteShadow } = await import("./sqlite/snapshot.ts");
    return openSqliteShadow(file, tables);
  }
  const { openPostgresShadow } = await import("./postgres/snapshot.ts");
  return await openPostgresShadow(url, tables);
}

/**
 * Runs `work` as one transaction on an existing schema. If it throws, the database is unchanged.
 */
export async function fillDatabase<T>(
  { url, file }: DatabasePlace,
  work: (filling: Filling) => Promise<T>,
): Promise<T> {
  if (url === undefined) {
    const { fillSqlite } = await import("./sqlite/snapshot.ts");
    return await fillSqlite(file, work);
  }
  const { fillPostgres } = await import("./postgres/snapshot.ts");
  return await fillPostgres(url, work);
}

/**
 * Whether another authsvc process has this database open: on this machine for SQLite, on any
 * machine for PostgreSQL. Throws UNUSABLE_STORAGE.
 */
export async function isInUse({ url, file }: DatabasePlace): Promise<boolean> {
  if (url === undefined) {
    const { isSqliteInUse } = await import("./sqlite/sqlite.ts");
    return await isSqliteInUse(file);
  }
  const { isPostgresInUse } = await import("./postgres/snapshot.ts");
  return await isPostgresInUse(url);
}
