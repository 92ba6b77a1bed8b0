import { AppError } from "../../lib/errors.ts";
import * as audit from "../../records/audit/audit.ts";
import type { Actor } from "../../records/audit/audit.ts";
import type { CoreContext } from "../../runtime/context.ts";
import { checkMetadata, checkOf, isCheckOf, rotationMetadata } from "../../secrets/check.ts";
import { macKeysAsText, opens, type MasterKey } from "../../secrets/key.ts";
import { createOpener } from "../../secrets/keyring.ts";
import { macKeysMetadata, masterKeySinceMetadata } from "../../secrets/open-keyring.ts";
import { exchangeMetadata, findMetadata, removeMetadata, replaceMetadata } from "../../secrets/store.ts";
import { isReadable, type EncryptedColumn } from "../../secrets/unreadable.ts";
import { replaceValue } from "../../storage/queries/replace-value.ts";
import type { Snapshot } from "../../storage/snapshot.ts";
import type { Handle, Storage } from "../../storage/storage.ts";
import { nameInDatabase } from "../../storage/table-names.ts";

/** Small enough that other writers do not notice the transaction. */
const rowsInATransaction = 100;

export type Reencrypted = { table: string; rows: number };

/**
 * Makes `next` the key of the database in one transaction; everything is encrypted with it from
 * then on (`Keyring.encrypt`). `current` is the previous key. Returns the mark of this rotation,
 * for `endRotation`. Throws CONFLICT if another process was first.
 */
export async function switchMasterKey(
  ctx: CoreContext,
  { current, next }: { current: MasterKey; next: MasterKey },
  { actor, now }: { actor: Actor; now: number },
): Promise<string> {
  return await ctx.storage.write(async (tx) => {
    const check = await findMetadata(tx, checkMetadata);
    const isOurs = check !== undefined && isCheckOf(current, check);
    // The first write: on PostgreSQL, a concurrent rotation waits here and then finds another
    // check.
    if (!isOurs || !(await exchangeMetadata(tx, checkMetadata, { from: check, to: checkOf(next) })))
      throw anotherRotates();
    const stored = await findMetadata(tx, macKeysMetadata);
    const macKeys = stored === undefined ? macKeysAsText(current.macKeys()) : current.decrypt(stored, macKeysMetadata);
    await replaceMetadata(tx, macKeysMetadata, next.encrypt(macKeys, macKeysMetadata));
    await replaceMetadata(tx, masterKeySinceMetadata, String(now));
    await replaceMetadata(tx, rotationMetadata, String(now));
    await audit.record(ctx, tx, { actor, action: "master-key.rotate", result: "success" }, now);
    return String(now);
  });
}

/**
 * Throws CONFLICT if the key of the database is not `next`, because of another rotation or a
 * restore.
 */
export async function demandKey(handle: Handle, next: MasterKey): Promise<void> {
  const check = await findMetadata(handle, checkMetadata);
  if (check === undefined || !isCheckOf(next, check)) throw anotherRotates();
}

function anotherRotates(): AppError {
  return new AppError(
    "CONFLICT",
    "Another process is rotating the master key, or a backup was restored in the meantime. Run the command again.",
  );
}

/**
 * Re-encrypts with `next` every value that one of `keys` decrypts but `next` does not. Values that
 * change while this runs already use `next`. Skips values that no key decrypts. Can be interrupted
 * and repeated at any point.
 */
export async function reencrypt(
  storage: Storage,
  { snapshot, columns }: { snapshot: Snapshot; columns: EncryptedColumn[] },
  { next, keys }: { next: MasterKey; keys: MasterKey[] },
): Promise<Reencrypted[]> {
  const all = createOpener(keys);
  const done = new Map<string, number>();
  for (const column of columns) {
    for await (const batch of snapshot.batches(column.table)) {
      const old = batch.filter((row) => !isReadable(next, row, column) && isReadable(all, row, column));
      for (let from = 0; from < old.length; from += rowsInATransaction) {
        const rows = old.slice(from, from + rowsInATransaction);
        await storage.write(async (tx) => {
          for (const row of rows) {
            const context = column.context(row);
            const text = String(row[column.column]);
            await replaceValue(tx, column, row, next.encrypt(all.decrypt(text, context), context));
          }
        });
        const table = nameInDatabase(column.table);
        done.set(table, (done.get(table) ?? 0) + rows.length);
      }
    }
  }
  return [...done].map(([table, rows]) => ({ table, rows }));
}

/** How many values need a key other than `next`, and how many none decrypts. */
export async function countLeft(
  snapshot: Snapshot,
  columns: EncryptedColumn[],
  { next, keys }: { next: MasterKey; keys: MasterKey[] },
): Promise<{ old: number; unreadable: number }> {
  const all = createOpener(keys);
  let [old, unreadable] = [0, 0];
  for (const column of columns) {
    for await (const batch of snapshot.batches(column.table)) {
      for (const row of batch) {
        const value = row[column.column];
        if (typeof value !== "string" || opens(next, value, column.context(row))) continue;
        if (opens(all, value, column.context(row))) old += 1;
        else unreadable += 1;
      }
    }
  }
  return { old, unreadable };
}

/**
 * `mark`: the value of `rotationMetadata` when this rotation began or continued. Throws CONFLICT if
 * another rotation or a restore came in between.
 */
export async function endRotation(
  ctx: CoreContext,
  { next, mark }: { next: MasterKey; mark: string },
  { actor, now }: { actor: Actor; now: number },
): Promise<void> {
  await ctx.storage.write(async (tx) => {
    if (!(await removeMetadata(tx, rotationMetadata, mark))) throw anotherRotates();
    await demandKey(tx, next);
    await audit.record(ctx, tx, { actor, action: "master-key.retire", result: "success" }, now);
  });
}

/** Since when the master key is in use, and since when it is being rotated. Epoch milliseconds. */
export async function masterKeyTimes(handle: Handle): Promise<{ since: number; rotatingSince: number | undefined }> {
  const [since, rotatingSince] = [
    await findMetadata(handle, masterKeySinceMetadata),
    await findMetadata(handle, rotationMetadata),
  ];
  return {
    since: Number(since),
    rotatingSince: rotatingSince === undefined ? undefined : Number(rotatingSince),
  };
}
