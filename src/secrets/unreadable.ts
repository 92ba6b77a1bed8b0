import type { Snapshot } from "../storage/snapshot.ts";
import type { StoredRow, TableName } from "../storage/table-names.ts";
import type { Keyring } from "./keyring.ts";

/** A column of encrypted values. `context` is what a value is bound to, of a row in which it is not null. */
export type EncryptedColumn = { table: TableName; column: string; context(row: StoredRow): string };

/** How many values of each column do not decrypt: written under another key, moved to another row, or changed. Columns without any are left out. */
export async function countUnreadable(
  snapshot: Pick<Snapshot, "batches">,
  columns: EncryptedColumn[],
  keyring: Keyring,
): Promise<{ table: TableName; column: string; rows: number }[]> {
  const found = [];
  for (const { table, column, context } of columns) {
    let rows = 0;
    for await (const batch of snapshot.batches(table)) {
      rows += batch.filter((row) => !isReadable(keyring, row[column], () => context(row))).length;
    }
    if (rows > 0) found.push({ table, column, rows });
  }
  return found;
}

function isReadable(keyring: Keyring, value: unknown, context: () => string): boolean {
  if (typeof value !== "string") return true;
  try {
    keyring.decrypt(value, context());
    return true;
  } catch {
    return false;
  }
}
