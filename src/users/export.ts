import type { Actor, Audit } from "../audit/audit.ts";
import type { Clock } from "../lib/clock.ts";
import type { Storage } from "../storage/storage.ts";
import { listStoredUsers } from "./export-store.ts";
import { userLineOf } from "./user-line.ts";

const pageSize = 500;

export function createUserExport({ storage, audit, clock }: { storage: Storage; audit: Audit; clock: Clock }) {
  return {
    /** Audits an export: with hashes, its holder can guess passwords offline. */
    async note(appId: string, { withHashes }: { withHashes: boolean }, actor: Actor): Promise<void> {
      const now = clock();
      await storage.write((tx) =>
        audit.record(tx, { actor, action: "user.export", result: "success", appId, details: { withHashes } }, now),
      );
    },

    /** Every user of an application, page by page, in the import format. */
    async *pages(appId: string, { withHashes }: { withHashes: boolean }): AsyncGenerator<object[]> {
      for (let after = ""; ;) {
        const page = await listStoredUsers(storage.reader, appId, { after, size: pageSize, withHashes });
        if (page.length > 0) yield page.map(userLineOf);
        if (page.length < pageSize) return;
        after = page.at(-1)?.user.id ?? "";
      }
    },
  };
}
