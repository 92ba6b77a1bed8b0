/** Lists and finds users, for operators and applications' servers. */
import * as applications from "../applications/service.ts";
import { AppError, applicationNotFound, invalidRequest, userNotFound } from "../lib/errors.ts";
import { checkedEmail } from "../lib/user-fields.ts";
import type { Context, CoreContext } from "../runtime/context.ts";
import * as cursors from "./cursor.ts";
import { checkedListing, type Position, type UserListing, type UserQuery } from "./list-query.ts";
import { findByEmailInAll, findMethodKindsOf, findUsers } from "./list-store.ts";
import { findGroupId, findPosition, listUsers } from "./page-store.ts";
import { userAnswer, type UserAnswer } from "./user-answer.ts";
import type { User } from "./user.ts";

async function withMethods(ctx: Context, users: User[]): Promise<UserAnswer[]> {
  const ids = users.map((user) => user.id);
  const kinds = await findMethodKindsOf(ctx.storage.reader, ids);
  return users.map((user) =>
    userAnswer(ctx, user, kinds.get(user.id) ?? { passkey: false, oauth: [], password: false }),
  );
}

async function groupOf(ctx: Context, appId: string, { filter: { group } }: UserListing): Promise<string | undefined> {
  return group === undefined ? undefined : await groupId(ctx, appId, group);
}

/** Throws INVALID_REQUEST. */
export async function groupId(ctx: Context, appId: string, name: string): Promise<string> {
  const id = await findGroupId(ctx.storage.reader, appId, name);
  if (id === undefined) throw invalidRequest("group", "the application has no such group");
  return id;
}

/** Those of these users who are there, in this order. */
export async function byIds(ctx: Context, ids: readonly string[]): Promise<UserAnswer[]> {
  const found = new Map((await findUsers(ctx.storage.reader, ids)).map((user) => [user.id, user]));
  return await withMethods(
    ctx,
    ids.flatMap((id) => found.get(id) ?? []),
  );
}

async function positionAt(ctx: Context, appId: string, userId: string, { order }: UserListing): Promise<Position> {
  const position = await findPosition(ctx.storage.reader, appId, userId, order);
  if (!position) throw userNotFound();
  return position;
}

/**
 * A page of an application's users, and the cursor of the next one. Only a null cursor means
 * the end: any page may have fewer than `limit` users. Throws INVALID_REQUEST naming the field.
 */
export async function page(
  ctx: Context,
  appId: string,
  query: UserQuery,
  { cursor, limit }: { cursor: string | undefined; limit: number },
): Promise<{ users: UserAnswer[]; nextCursor: string | null }> {
  const listing = checkedListing(query);
  const after = cursor === undefined ? undefined : cursors.read(ctx, appId, listing, cursor);
  const groupId = await groupOf(ctx, appId, listing);
  const { users, next } = await listUsers(ctx.storage.reader, appId, { ...listing, groupId, after, limit });
  return { users: await withMethods(ctx, users), nextCursor: next ? cursors.write(ctx, appId, listing, next) : null };
}

/**
 * The first `limit` users after the user with the id `after`, and whether there are more.
 * Throws APP_NOT_FOUND, INVALID_REQUEST, USER_NOT_FOUND if there is no such user.
 */
export async function list(
  ctx: Context,
  appId: string,
  query: UserQuery,
  { after, limit }: { after?: string | undefined; limit: number },
): Promise<{ users: UserAnswer[]; more: boolean }> {
  const listing = checkedListing(query);
  if (!(await applications.find(ctx, ctx.storage.reader, appId))) throw applicationNotFound();
  const groupId = await groupOf(ctx, appId, listing);
  const matches: User[] = [];
  let position = after === undefined ? undefined : await positionAt(ctx, appId, after, listing);
  do {
    const page = await listUsers(ctx.storage.reader, appId, {
      ...listing,
      groupId,
      after: position,
      limit: limit - matches.length,
    });
    matches.push(...page.users);
    position = page.next;
  } while (position && matches.length < limit);
  return { users: await withMethods(ctx, matches), more: position !== undefined };
}

/** The users with this address, in the given application or in all. Throws INVALID_REQUEST. */
export async function allByEmail(
  ctx: CoreContext,
  address: string,
  appId: string | undefined,
): Promise<{ id: string; appId: string }[]> {
  return await findByEmailInAll(ctx.storage.reader, checkedEmail(address), appId);
}

/**
 * The user with this address, in the given application or the only one that has it. Throws
 * INVALID_REQUEST, USER_NOT_FOUND, CONFLICT if several applications have it.
 */
export async function idByEmail(ctx: Context, address: string, appId: string | undefined): Promise<string> {
  const [user, ...others] = await allByEmail(ctx, address, appId);
  if (!user) throw userNotFound();
  if (others.length === 0) return user.id;
  const apps = [user, ...others].map((each) => each.appId).join(", ");
  throw new AppError("CONFLICT", `Several applications have a user with this address: ${apps}. Add --app.`);
}
