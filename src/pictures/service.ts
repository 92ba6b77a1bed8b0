/**
 * The uploaded picture of a person, an application or a client. The owner's room locks the owner,
 * calls `changed` and writes the result into its column (docs/decisions/0088).
 */
import { hour } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import { storedPicture, type StoredPicture } from "../lib/stored-picture.ts";
import type { CoreContext } from "../runtime/context.ts";
import type { Handle } from "../storage/storage.ts";
import { groundFor } from "./ground.ts";
import { digestOfPicture, type Picture } from "./image.ts";
import {
  deletePicture,
  findFacts,
  findOfOwner,
  insertPictures,
  sweepUndos,
  updatePicture,
  type PictureOwner,
  type PictureRow,
} from "./store.ts";

const undoLasts = hour;
const nothingToUndo = { undoUntil: null, previousAddress: null, previousType: null, previousBytes: null };

/** `digest`: of the picture that the page showed; another one is not undone. */
export type PictureChange = { kind: "save"; picture: Picture } | { kind: "remove" } | { kind: "undo"; digest: string };

/** What its owner's page shows. */
export type ShownPicture = { stored: StoredPicture; mayUndo: boolean };

function addressOf({ id, digest, ground }: Pick<PictureRow, "id" | "digest" | "ground">): string {
  return `/pictures/${id}/${digest}${ground === null ? "" : `#${ground}`}`;
}

/**
 * Applies a change to the picture of a locked owner. `before`: the value of the owner's column;
 * returns the new one. Throws CONFLICT for an undo that is no longer possible.
 */
export async function changed(
  ctx: CoreContext,
  tx: Handle,
  { owner, before }: { owner: PictureOwner; before: string | null },
  change: PictureChange,
  now: number,
): Promise<string | null> {
  if (change.kind === "remove") {
    await deletePicture(tx, owner);
    return null;
  }
  const row = await findOfOwner(tx, owner);
  if (change.kind === "undo") return await undone(tx, owner, row, change.digest, now);
  const { type, digest, bytes } = change.picture;
  if (row?.digest === digest) return addressOf(row);
  const next = {
    type,
    digest,
    bytes,
    ground: "userId" in owner ? null : groundFor(change.picture),
    updatedAt: now,
    undoUntil: now + undoLasts,
    previousAddress: before,
    previousType: row?.type ?? null,
    previousBytes: row?.bytes ?? null,
  };
  if (row) {
    await updatePicture(tx, { id: row.id, ...next });
    return addressOf({ ...row, ...next });
  }
  const made = newRow(ctx, owner, next);
  await insertPictures(tx, [made]);
  return addressOf(made);
}

/** A row of a picture that replaced nothing. */
function newRow(
  ctx: Pick<CoreContext, "random">,
  owner: PictureOwner,
  columns: Pick<PictureRow, "type" | "digest" | "bytes" | "ground" | "updatedAt"> & Partial<PictureRow>,
): PictureRow {
  return {
    id: Buffer.from(ctx.random(16)).toString("base64url"),
    userId: null,
    appId: null,
    clientId: null,
    ...owner,
    ...nothingToUndo,
    ...columns,
  };
}

/** A person's picture of an import, and the value of their column. */
export function imported(
  ctx: Pick<CoreContext, "random">,
  userId: string,
  { type, digest, bytes }: Picture,
  now: number,
): { row: PictureRow; address: string } {
  const row = newRow(ctx, { userId }, { type, digest, bytes, ground: null, updatedAt: now });
  return { row, address: addressOf(row) };
}

async function undone(
  tx: Handle,
  owner: PictureOwner,
  row: PictureRow | undefined,
  shown: string,
  now: number,
): Promise<string | null> {
  if (!row || row.digest !== shown || row.undoUntil === null || row.undoUntil < now)
    throw new AppError("CONFLICT", "This can no longer be undone.");
  const { id, previousType: type, previousBytes: bytes, previousAddress } = row;
  if (type === null || bytes === null) {
    await deletePicture(tx, owner);
    return previousAddress;
  }
  const digest = digestOfPicture(bytes);
  const ground = "userId" in owner ? null : groundFor({ type, bytes });
  await updatePicture(tx, { id, type, digest, bytes, ground, updatedAt: now, ...nothingToUndo });
  return addressOf({ id, digest, ground });
}

/** Removes the uploaded picture of an owner whose column gets another value. */
export async function forget(tx: Handle, owner: PictureOwner): Promise<void> {
  await deletePicture(tx, owner);
}

export function valueOf({ path, ground }: StoredPicture): string {
  return path + (ground === null ? "" : `#${ground}`);
}

/** The picture of an owner; undefined if none was uploaded. */
export async function shownOf(ctx: CoreContext, owner: PictureOwner): Promise<ShownPicture | undefined> {
  const row = await findFacts(ctx.storage.reader, owner);
  const stored = row && storedPicture(addressOf(row));
  return stored && { stored, mayUndo: row.undoUntil !== null && row.undoUntil >= ctx.clock() };
}

/** Removes a batch of what can no longer be undone; true if more may be left. */
export async function sweep(ctx: CoreContext): Promise<boolean> {
  return await ctx.storage.write((tx) => sweepUndos(tx, ctx.clock()));
}
