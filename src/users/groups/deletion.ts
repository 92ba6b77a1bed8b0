/** Deletes groups, which may have 100,000 members. */
import { AppError } from "../../lib/errors.ts";
import * as audit from "../../records/audit/audit.ts";
import type { Context } from "../../runtime/context.ts";
import type { Handle } from "../../storage/storage.ts";
import { countClaimsChange } from "../claim-sources-store.ts";
import * as users from "../service.ts";
import { lockUsers } from "../store.ts";
import { groupNotFound, type GroupCall } from "./rules.ts";
import {
  deleteGroup,
  deleteMembers,
  findGroup,
  findRetiredGroup,
  listClientsAllowing,
  listMembers,
  retireGroup,
  type Group,
} from "./store.ts";

/** How many members one transaction removes: other writes wait for it. */
const batchSize = 200;

/** Removes a batch of a retired group's members, in the end the group; true if more is left. */
async function removeSome(
  ctx: Context,
  tx: Handle,
  { id, appId }: { id: string; appId: string },
  now: number,
): Promise<boolean> {
  const members = (await listMembers(tx, id, { after: "", limit: batchSize })).map(({ userId }) => userId);
  if (members.length === 0) {
    await deleteGroup(tx, id);
    return false;
  }
  await lockUsers(tx, members.toSorted());
  const removed = await deleteMembers(tx, id, members);
  for (const userId of removed) await users.recordUpdate(ctx, tx, { id: userId, appId }, null, now);
  await countClaimsChange(tx, removed);
  return true;
}

/**
 * Deletes a group: first its name, so that no new token contains it, then its members in
 * batches. If the process dies, a sweep does the rest. Throws GROUP_NOT_FOUND, CONFLICT if a
 * client's allowed groups include it.
 */
export async function remove(ctx: Context, appId: string, name: string, call: GroupCall): Promise<void> {
  const now = ctx.clock();
  const { actor, source, dryRun } = call;
  const group = await ctx.storage.write<Group | undefined>(async (tx, rollBack) => {
    const group = await findGroup(tx, appId, name);
    if (!group) throw groupNotFound();
    const isRetired = await retireGroup(tx, group.id);
    // After that, which waits for a client that begins to allow it.
    const [client] = await listClientsAllowing(tx, appId, name);
    if (client !== undefined)
      throw new AppError("CONFLICT", `The client ${client} allows this group. Change its allowed groups first.`);
    if (dryRun || !isRetired) throw rollBack(undefined);
    const about = { appId, source, details: { group: name }, target: group.id };
    await audit.record(ctx, tx, { actor, action: "group.delete", result: "success", ...about }, now);
    return group;
  });
  if (group) while (await ctx.storage.write((tx) => removeSome(ctx, tx, group, now)));
}

/** Continues deletions whose process died; true if more may be left. */
export async function sweep(ctx: Context): Promise<boolean> {
  const group = await findRetiredGroup(ctx.storage.reader);
  if (!group) return false;
  await ctx.storage.write((tx) => removeSome(ctx, tx, group, ctx.clock()));
  return true;
}
