import * as audit from "../records/audit/audit.ts";
import type { Actor } from "../records/audit/audit.ts";
import type { Context } from "../runtime/context.ts";
import { listStoredUsers } from "./export-store.ts";
import { userLineOf } from "./user-line.ts";

const pageSize = 500;

/** Audits an export: with hashes, its holder can guess passwords offline. */
export async function note(
  ctx: Context,
  appId: string,
  { withHashes }: { withHashes: boolean },
  actor: Actor,
): Promise<void> {
  const now = ctx.clock();
  await ctx.storage.write((tx) =>
    audit.record(ctx, tx, { actor, action: "user.export", result: "success", appId, details: { withHashes } }, now),
  );
}

/** Every user of an application, page by page, in the import format. */
export async function* pages(
  ctx: Context,
  appId: string,
  { withHashes }: { withHashes: boolean },
): AsyncGenerator<object[]> {
  for (let after = ""; ;) {
    const page = await listStoredUsers(ctx.storage.reader, appId, { after, size: pageSize, withHashes });
    if (page.length > 0) yield page.map(userLineOf);
    if (page.length < pageSize) return;
    after = page.at(-1)?.user.id ?? "";
  }
}
