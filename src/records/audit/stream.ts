/** The audit log in the order of its commits: nothing is passed over (docs/decisions/0103). */
import { digestOf, newSecret } from "../../lib/random.ts";
import type { CoreContext } from "../../runtime/context.ts";
import type { AuditCursor } from "../../storage/column-types.ts";
import { ensureEpoch } from "../revocations/store.ts";
import type { AuditRow } from "./store.ts";
import { findLogPosition, isAhead, listWritten, type LogPosition } from "./stream-store.ts";

export type StreamPage = { entries: AuditRow[]; cursor: AuditCursor; more: boolean };

/** Where the log is now. */
export async function hereIn(ctx: CoreContext): Promise<Pick<AuditCursor, "origin"> & { position: string }> {
  const here = await findLogPosition(ctx.storage.reader);
  if (here.epoch !== null) return { origin: originOf(here), position: here.position };
  await ctx.storage.write((tx) => ensureEpoch(tx, newSecret(ctx.random)));
  return await hereIn(ctx);
}

/** Before the first entry that is kept. */
export async function beginning(ctx: CoreContext): Promise<AuditCursor> {
  const { origin } = await hereIn(ctx);
  return { origin, after: null, rest: null };
}

/** Why a cursor does not belong to this database, as a phrase; undefined if it does. */
export async function foreignBecause(ctx: CoreContext, { origin, after, rest }: AuditCursor) {
  const { origin: own } = await hereIn(ctx);
  if (origin !== own) return "is from another database, or from this one before it was restored";
  const positions = [after, rest?.until].filter((position) => typeof position === "string");
  if (!positions.every((position) => ctx.storage.reader.commitOrder.isPosition(position))) return "is not a cursor";
  const ahead = await Promise.all(positions.map((position) => isAhead(ctx.storage.reader, position)));
  return ahead.includes(true) ? "is ahead of this database, which may be an older copy" : undefined;
}

/** The next entries after a cursor of this database. `since`: leaves out what happened before. */
export async function readOn(
  ctx: CoreContext,
  { origin, after, rest }: AuditCursor,
  { limit, since }: { limit: number; since?: number | undefined },
): Promise<StreamPage> {
  const { reader } = ctx.storage;
  // Read before the entries, which therefore see everything up to it.
  const until = rest?.until ?? (await findLogPosition(reader)).position;
  const rows = await listWritten(reader, { after, until, last: rest ?? undefined, since, limit: limit + 1 });
  const entries = rows.slice(0, limit);
  const last = entries.at(-1);
  const more = rows.length > limit && last !== undefined;
  const cursor: AuditCursor = more
    ? { origin, after, rest: { until, at: last.at, id: last.id } }
    : { origin, after: until, rest: null };
  // After the last page of several, there may be entries that are newer than the first.
  return { entries, cursor, more: more || rest !== null };
}

/** A digest, so that who reads a cursor does not learn the database's identifiers. */
function originOf({ epoch, life, numbers }: LogPosition): string {
  return digestOf(`audit ${epoch} ${life} ${numbers ?? ""}`).slice(0, 22);
}
