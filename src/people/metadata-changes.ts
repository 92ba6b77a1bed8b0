/** A user's metadata, which operators and the application's server write and the user cannot. */
import { userNotFound } from "../lib/errors.ts";
import { changeOf, type Wanted } from "../lib/wanted.ts";
import type { By } from "../records/audit/audit.ts";
import type { Context } from "../runtime/context.ts";
import type { Metadata } from "../storage/column-types.ts";
import { findUser } from "../users/store.ts";
import type { User } from "../users/user.ts";
import * as changes from "./changes.ts";
import type { Changer } from "./changes.ts";

export type MetadataAnswer = { public: Metadata; private: Metadata };
/** JSON merge patches (RFC 7396). */
export type MetadataChange = { public?: unknown; private?: unknown };

const parts: Changer = { fields: ["publicMetadata", "privateMetadata"] };

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
  whose: { userId: string; appId?: string },
  wanted: Wanted<MetadataChange, MetadataAnswer>,
  { dryRun = false, ...by }: By & { dryRun?: boolean },
): Promise<MetadataAnswer> {
  const given = (user: User) => {
    const change = changeOf(wanted, answerFor(user));
    return { publicMetadata: change.public, privateMetadata: change.private };
  };
  return answerFor(await changes.change(ctx, whose, given, parts, { dryRun }, by));
}

function answerFor({ publicMetadata, privateMetadata }: User): MetadataAnswer {
  return { public: publicMetadata ?? {}, private: privateMetadata ?? {} };
}
