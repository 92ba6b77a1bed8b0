/** A person's uploaded picture: by themselves or by an operator. */
import { userNotFound } from "../lib/errors.ts";
import { personsSource } from "../lib/request-source.ts";
import * as pictures from "../pictures/service.ts";
import type { PictureChange } from "../pictures/service.ts";
import * as audit from "../records/audit/audit.ts";
import type { By } from "../records/audit/audit.ts";
import type { Context } from "../runtime/context.ts";
import * as users from "../users/service.ts";
import { lockUser, updateUser } from "../users/store.ts";

/** Throws USER_NOT_FOUND, and CONFLICT for an undo that is no longer possible. */
export async function change(
  ctx: Context,
  userId: string,
  change: PictureChange,
  by: By,
  { dryRun = false }: { dryRun?: boolean } = {},
): Promise<void> {
  const now = ctx.clock();
  await ctx.storage.write<void>(async (tx, rollBack) => {
    const user = await lockUser(tx, userId);
    if (!user) throw userNotFound();
    const picture = await pictures.changed(ctx, tx, { owner: { userId }, before: user.picture }, change, now);
    if (picture !== user.picture) {
      await updateUser(tx, userId, { picture, updatedAt: now });
      const about = { appId: user.appId, userId, details: { fields: "picture" } };
      await audit.record(ctx, tx, { ...by, action: "user.update", result: "success", ...about }, now);
      await users.recordUpdate(ctx, tx, user, personsSource(by), now);
    }
    if (dryRun) throw rollBack(undefined);
  });
}
