import type { Snapshot } from "../storage/snapshot.ts";
import type { StoredRow, TableName } from "../storage/table-names.ts";
import { opens } from "./key.ts";
import type { Opener } from "./keyring.ts";

/**
 * A column of encrypted values. `key`: the primary key. `context`: the encryption context for a row
 * in which the column is not null.
 */
export type EncryptedColumn = { table: TableName; key: string[]; column: string; context(row: StoredRow): string };

/**
 * The number of values per column that do not decrypt: encrypted under another key, moved to
 * another row, or changed. Only columns with any.
 */
export async function countUnreadable(
  snapshot: Pick<Snapshot, "batches">,
  columns: EncryptedColumn[],
  keys: Opener,
): Promise<{ table: TableName; column: string; rows: number }[]> {
  const secrets = [];
  for (const { table, column, context } of columns) {
    let rows = 0;
    for await (const batch of snapshot.batches(table)) {
      rows += batch.filter((row) => !isReadable(keys, row, { column, context })).length;
    }
    if (rows > 0) secrets.push({ table, column, rows });
  }
  return secrets;
}

/** Whether the value of this row, if any, decrypts. */
export function isReadable(
  keys: Opener,
  row: StoredRow,
  { column, context }: Pick<EncryptedColumn, "column" | "context">,
): boolean {
  const value = row[column];
  return typeof value !== "string" || opens(keys, value, context(row));
}
