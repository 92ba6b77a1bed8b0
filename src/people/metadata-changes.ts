/** A user's metadata, which operators and the application's server write and the user cannot. */
import { isDeepStrictEqual } from "node:util";
import * as applications from "../applications/service.ts";
import { userNotFound } from "../lib/errors.ts";
import { personsSource } from "../lib/request-source.ts";
import * as audit from "../records/audit/audit.ts";
import type { By } from "../records/audit/audit.ts";
import type { Context } from "../runtime/context.ts";
import type { Metadata } from "../storage/column-types.ts";
import * as claimSources from "../tokens/claim-sources.ts";
import { countClaimsChange } from "../users/claim-sources-store.ts";
import { patchedMetadata } from "../users/metadata.ts";
import * as users from "../users/service.ts";
import { lockUser, findUser, updateUser } from "../users/store.ts";
import type { User } from "../users/user.ts";

export type MetadataAnswer = { public: Metadata; private: Metadata };
/** JSON merge patches (RFC 7396). */
export type MetadataChange = { public?: unknown; private?: unknown };

const columns = ["publicMetadata", "privateMetadata"] as const;

/** `appId`: the user must belong to it. Throws USER_NOT_FOUND. */
export async function get(
  ctx: Context,
  { userId, appId }: { userId: string; appId?: string },
): Promise<MetadataAnswer> {
  const user = await findUser(ctx.storage.reader, userId);
  if (!user || (appId !== undefined && user.appId !== appId)) throw userNotFound();
  return answerFor(user);
}

/**
 * Patches both parts or neither. `appId`: the user must belong to it. Throws USER_NOT_FOUND,
 * INVALID_REQUEST naming the part.
 */
export async function patch(
  ctx: Context,
  { userId, appId }: { userId: string; appId?: string },
  change: MetadataChange,
  { actor, source, dryRun = false }: By & { dryRun?: boolean },
): Promise<MetadataAnswer> {
  const now = ctx.clock();
  return await ctx.storage.write(async (tx, rollBack) => {
    if (!(await lockUser(tx, userId))) throw userNotFound();
    const before = await users.find(tx, userId);
    if (!before || (appId !== undefined && before.appId !== appId)) throw userNotFound();
    const changed = changedColumns(before, change);
    const fields = (["public", "private"] as const).filter((part) => `${part}Metadata` in changed);
    if (fields.length === 0) return answerFor(before);
    const after = await updateUser(tx, userId, { ...changed, updatedAt: now });
    const application = await applications.find(ctx, tx, before.appId);
    if (!after || !application) throw userNotFound();
    await claimSources.refuseTooLarge(tx, application, userId, fields.join(", "));
    if (dryRun) throw rollBack(answerFor(after));
    await countClaimsChange(tx, [userId]);
    await users.recordUpdate(ctx, tx, after, personsSource({ actor, source }), now);
    const about = { appId: after.appId, userId, source, details: { fields: fields.join(", ") } };
    await audit.record(ctx, tx, { actor, action: "user.metadata", result: "success", ...about }, now);
    return answerFor(after);
  });
}

/** The columns to which a change gives another value. Throws INVALID_REQUEST naming the part. */
function changedColumns(before: User, change: MetadataChange): Partial<Pick<User, (typeof columns)[number]>> {
  const patched = columns.flatMap((column) => {
    const part = column === "publicMetadata" ? "public" : "private";
    if (change[part] === undefined) return [];
    const after = patchedMetadata(part, before[column], change[part]);
    return isDeepStrictEqual(after, before[column]) ? [] : [[column, after] as const];
  });
  return Object.fromEntries(patched);
}

function answerFor({ publicMetadata, privateMetadata }: User): MetadataAnswer {
  return { public: publicMetadata ?? {}, private: privateMetadata ?? {} };
}
