/** Operations on one user, for operators and for the servers of their applications. */
import * as passwords from "../credentials/passwords/service.ts";
import * as factors from "../factors/service.ts";
import { userNotFound } from "../lib/errors.ts";
import type { Wanted } from "../lib/wanted.ts";
import * as audit from "../records/audit/audit.ts";
import type { By } from "../records/audit/audit.ts";
import type { Context } from "../runtime/context.ts";
import * as logins from "../sessions/login-administration.ts";
import * as ends from "../sessions/login-ends.ts";
import type { Handle } from "../storage/storage.ts";
import * as changes from "./changes.ts";
import type { Changer, PersonChange } from "./changes.ts";
import { findUser, findUserWithMethods, lockUser } from "../users/store.ts";
import { shownProfile } from "../users/profile-fields.ts";
import * as users from "../users/service.ts";
import * as terms from "../users/terms.ts";
import { userAnswer, type UserDetailsAnswer } from "../users/user-answer.ts";
import { isPending, type User } from "../users/user.ts";
import { wasRefused } from "./approval.ts";

async function existingUser(handle: Handle, id: string): Promise<User> {
  const user = await findUser(handle, id);
  if (!user) throw userNotFound();
  return user;
}

/** Throws USER_NOT_FOUND. */
export async function get(ctx: Context, id: string): Promise<UserDetailsAnswer> {
  const row = await findUserWithMethods(ctx.storage.reader, id);
  if (!row) throw userNotFound();
  const { user, methods } = row;
  const { loginCount, lastIpAddress, lastUserAgent: userAgent, publicMetadata, privateMetadata } = user;
  const refusedBefore = isPending(user) && (await wasRefused(ctx, ctx.storage.reader, user));
  const profile = shownProfile(await users.fieldsFor(ctx, user), user.profile);
  const answers = await terms.list(ctx.storage.reader, id);
  return {
    ...userAnswer(ctx, user, methods),
    ...(refusedBefore && { refusedBefore }),
    metadata: { loginCount, lastIpAddress, userAgent },
    ...(publicMetadata && { publicMetadata }),
    ...(privateMetadata && { privateMetadata }),
    ...(methods.password && (await passwords.markOf(ctx.storage.reader, id)) && { passwordMustChange: true }),
    ...(profile && { profile }),
    ...(answers.length > 0 && { terms: answers }),
  };
}

/** A user of this application. Throws USER_NOT_FOUND, also for users of others. */
export async function userOf(ctx: Context, appId: string, id: string): Promise<User> {
  const user = await existingUser(ctx.storage.reader, id);
  if (user.appId !== appId) throw userNotFound();
  return user;
}

/** Changes a user (`changes.ts`) and returns them. */
export async function update(
  ctx: Context,
  id: string,
  wanted: Wanted<PersonChange, User>,
  options: { dryRun: boolean },
  by: By,
  changer: Changer = changes.operator,
): Promise<UserDetailsAnswer> {
  await changes.change(ctx, { userId: id }, wanted, changer, options, by);
  return await get(ctx, id);
}

/**
 * Prevents a user from signing in, and ends every login; enabling does not restore them.
 * Changes nothing for a disabled user. Throws USER_NOT_FOUND.
 */
export async function disable(
  ctx: Context,
  id: string,
  options: { dryRun: boolean },
  by: By,
): Promise<UserDetailsAnswer> {
  return await update(ctx, id, { disabled: true }, options, by);
}

/** Lets a user sign in again. Throws USER_NOT_FOUND. */
export async function enable(
  ctx: Context,
  id: string,
  options: { dryRun: boolean },
  by: By,
): Promise<UserDetailsAnswer> {
  return await update(ctx, id, { disabled: false }, options, by);
}

/** Ends every login of a user and returns how many were live. Throws USER_NOT_FOUND. */
export async function revokeLogins(
  ctx: Context,
  id: string,
  { dryRun }: { dryRun: boolean },
  by: By,
): Promise<{ ended: number }> {
  const now = ctx.clock();
  if (dryRun) {
    await existingUser(ctx.storage.reader, id);
    return { ended: (await logins.list(ctx, id, { all: false })).length };
  }
  return await ctx.storage.write(async (tx) => {
    // Locked, or a deletion at this moment would not find the entry, and it would keep an address.
    const user = await lockUser(tx, id);
    if (!user) throw userNotFound();
    const ended = await ends.endAccess(ctx, tx, id, { reason: "operator", by }, now);
    const about = { appId: user.appId, userId: id, details: { ended } };
    await audit.record(ctx, tx, { ...by, action: "user.revoke-logins", result: "success", ...about }, now);
    return { ended };
  });
}

/** `passwords`: of the account and its known browsers; `factor`: of typed codes. */
export type Unblocked = { passwords: number; factor: boolean };

/**
 * Ends what wrong passwords and codes have blocked; `factor`: also of the second factor. Records
 * nothing if nothing was blocked. Throws USER_NOT_FOUND.
 */
export async function unblock(
  ctx: Context,
  id: string,
  { dryRun, factor }: { dryRun: boolean; factor: boolean },
  by: By,
): Promise<Unblocked> {
  const now = ctx.clock();
  return await ctx.storage.write<Unblocked>(async (tx, rollBack) => {
    const user = await lockUser(tx, id);
    if (!user) throw userNotFound();
    const ended = {
      passwords: await passwords.endBlocks(ctx, tx, user),
      factor: factor && (await factors.endBlock(ctx, tx, id)),
    };
    if (dryRun || (ended.passwords === 0 && !ended.factor)) throw rollBack(ended);
    const about = { appId: user.appId, userId: id, details: ended };
    await audit.record(ctx, tx, { ...by, action: "user.unblock", result: "success", ...about }, now);
    return ended;
  });
}
