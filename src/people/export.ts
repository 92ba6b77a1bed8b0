import * as factors from "../factors/service.ts";
import { storedPicture } from "../lib/stored-picture.ts";
import { listOfUsers } from "../pictures/store.ts";
import * as audit from "../records/audit/audit.ts";
import type { Actor } from "../records/audit/audit.ts";
import type { Context } from "../runtime/context.ts";
import { listStoredUsers } from "./export-store.ts";
import { userLineOf, type StoredUser } from "./user-line.ts";

const pageSize = 500;
const picturesAtOnce = 20;

async function picturesOf(ctx: Context, page: StoredUser[]) {
  const ids = page.filter(({ user }) => storedPicture(user.picture)).map(({ user }) => user.id);
  const rows = ids.length === 0 ? [] : await listOfUsers(ctx.storage.reader, ids);
  return new Map(rows.map(({ userId, ...picture }) => [userId, picture]));
}

/** Audits an export: with hashes, its holder can guess passwords, and has second factors. */
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
    const secretOf = ({ user, encryptedSecret }: StoredUser) =>
      encryptedSecret === undefined ? undefined : factors.openSecret(ctx, user.id, encryptedSecret);
    // Pictures have up to 256 KiB each.
    for (let from = 0; from < page.length; from += picturesAtOnce) {
      const part = page.slice(from, from + picturesAtOnce);
      const pictures = await picturesOf(ctx, part);
      yield part.map((stored) => userLineOf({ ...stored, picture: pictures.get(stored.user.id) }, secretOf(stored)));
    }
    if (page.length < pageSize) return;
    after = page.at(-1)?.user.id ?? "";
  }
}
