import { and, eq, inArray, isNotNull, lt } from "drizzle-orm";
import { sweepSize } from "../storage/queries/sweep.ts";
import { placeholders, prepare, statements, type Handle, type Row } from "../storage/storage.ts";

export type PictureRow = Row<"pictures">;

/** Whose picture: exactly one. */
export type PictureOwner = { userId: string } | { appId: string } | { clientId: string };

const prepared = statements(({ db, tables: { pictures } }) => ({
  byId: prepare(
    db
      .select({ id: pictures.id, digest: pictures.digest, type: pictures.type, bytes: pictures.bytes })
      .from(pictures)
      .where(eq(pictures.id, placeholders(pictures).id)),
    "picture_by_id",
  ),
}));

/** What is served of it. */
export async function findPicture(
  handle: Handle,
  id: string,
): Promise<Pick<PictureRow, "id" | "digest" | "type" | "bytes"> | undefined> {
  const [row] = await prepared(handle).byId.execute({ id });
  return row;
}

function isOf({ tables: { pictures } }: Handle, owner: PictureOwner) {
  if ("userId" in owner) return eq(pictures.userId, owner.userId);
  return "appId" in owner ? eq(pictures.appId, owner.appId) : eq(pictures.clientId, owner.clientId);
}

/** The owner must be locked. */
export async function findOfOwner(handle: Handle, owner: PictureOwner): Promise<PictureRow | undefined> {
  const [row] = await handle.db.select().from(handle.tables.pictures).where(isOf(handle, owner));
  return row;
}

/** Without the bytes. */
export async function findFacts(handle: Handle, owner: PictureOwner) {
  const { pictures } = handle.tables;
  const { id, digest, ground, undoUntil } = pictures;
  const [row] = await handle.db.select({ id, digest, ground, undoUntil }).from(pictures).where(isOf(handle, owner));
  return row;
}

/** What an export takes of each of these users. */
export async function listOfUsers({ db, tables: { pictures } }: Handle, userIds: readonly string[]) {
  const { userId, type, bytes } = pictures;
  return await db
    .select({ userId, type, bytes })
    .from(pictures)
    .where(inArray(userId, [...userIds]));
}

export async function insertPictures({ db, tables: { pictures } }: Handle, rows: PictureRow[]): Promise<void> {
  // One by one: each has up to 256 KiB.
  for (const row of rows) await db.insert(pictures).values(row);
}

export async function updatePicture(
  { db, tables: { pictures } }: Handle,
  { id, ...columns }: Partial<PictureRow> & { id: string },
): Promise<void> {
  await db.update(pictures).set(columns).where(eq(pictures.id, id));
}

export async function deletePicture(tx: Handle, owner: PictureOwner): Promise<void> {
  await tx.db.delete(tx.tables.pictures).where(isOf(tx, owner));
}

/** Forgets what can no longer be undone. True if more may be left. */
export async function sweepUndos({ db, tables: { pictures } }: Handle, before: number): Promise<boolean> {
  const batch = db
    .select({ id: pictures.id })
    .from(pictures)
    .where(and(isNotNull(pictures.undoUntil), lt(pictures.undoUntil, before)))
    .limit(sweepSize);
  const nothing = { undoUntil: null, previousAddress: null, previousType: null, previousBytes: null };
  const swept = await db
    .update(pictures)
    .set(nothing)
    // The age again: a picture may have changed since.
    .where(and(inArray(pictures.id, batch), lt(pictures.undoUntil, before)))
    .returning({ id: pictures.id });
  return swept.length === sweepSize;
}
