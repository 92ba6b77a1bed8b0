import type { Audit } from "../audit/audit.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import type { ClaimSourcesService } from "../tokens/claim-sources.ts";
import type { Users } from "../users/service.ts";
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

/** Deletes groups, which may have 100,000 members. */
export function createGroupDeletion(deps: {
  storage: Storage;
  users: Users;
  claimSources: ClaimSourcesService;
  audit: Audit;
  clock: Clock;
}) {
  const { storage, users, claimSources, audit, clock } = deps;

  /** Removes a batch of a retired group's members, in the end the group; true if more is left. */
  async function removeSome(tx: Handle, { id, appId }: { id: string; appId: string }, now: number): Promise<boolean> {
    const members = (await listMembers(tx, id, { after: "", limit: batchSize })).map(({ userId }) => userId);
    if (members.length === 0) {
      await deleteGroup(tx, id);
      return false;
    }
    await users.lockAll(tx, members.toSorted());
    const removed = await deleteMembers(tx, id, members);
    for (const userId of removed) await users.recordUpdate(tx, { id: userId, appId }, null, now);
    await claimSources.changed(tx, removed);
    return true;
  }

  return {
    /**
     * Deletes a group: first its name, so that no new token contains it, then its members in
     * batches. If the process dies, a sweep does the rest. Throws GROUP_NOT_FOUND, CONFLICT if a
     * client's allowed groups include it.
     */
    async delete(appId: string, name: string, call: GroupCall): Promise<void> {
      const now = clock();
      const { actor, clientInfo, dryRun } = call;
      const group = await storage.write<Group | undefined>(async (tx, rollBack) => {
        const found = await findGroup(tx, appId, name);
        if (!found) throw groupNotFound();
        const [client] = await listClientsAllowing(tx, appId, name);
        if (client !== undefined)
          throw new AppError("CONFLICT", `The client ${client} allows this group. Change its allowed groups first.`);
        if (dryRun || !(await retireGroup(tx, found.id))) throw rollBack(undefined);
        const details = { group: name };
        await audit.record(tx, { actor, action: "group.delete", result: "success", appId, clientInfo, details }, now);
        return found;
      });
      if (group) while (await storage.write((tx) => removeSome(tx, group, now)));
    },

    /** Continues deletions whose process died; true if more may be left. */
    async sweep(): Promise<boolean> {
      const group = await findRetiredGroup(storage.reader);
      if (!group) return false;
      await storage.write((tx) => removeSome(tx, group, clock()));
      return true;
    },
  };
}
