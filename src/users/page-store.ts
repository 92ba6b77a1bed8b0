import {
  and,
  asc,
  desc,
  eq,
  getTableColumns,
  gt,
  gte,
  isNotNull,
  isNull,
  lt,
  not,
  or,
  sql,
  type SQL,
} from "drizzle-orm";
import { foldedName, foldedText, instantOrNever, type Column } from "../storage/queries/sort-keys.ts";
import type { Handle } from "../storage/storage.ts";
import type { Position, Span, UserFilter, UserListing, UserOrder } from "./list-query.ts";
import type { User } from "./user.ts";

/**
 * How many rows one part of a page may read if the index does not cover the whole filter, so that
 * every page takes a few milliseconds.
 */
const maxScanned = 2000;

/** No name contains this character, so a prefix with it sorts after all names with the prefix. */
const highestCharacter = "\u{10FFFF}";

type Columns = Record<
  "id" | "email" | "name" | "createdAt" | "lastLoginAt" | "disabledAt" | "pendingAt" | "emailVerified",
  Column
>;
type Condition = (users: Columns) => SQL | undefined;

/** Who waits for approval waits for a decision then. An account may have no address. */
export function hasNothingToProve({ email, emailVerified }: Pick<Columns, "email" | "emailVerified">) {
  return sql`(${email} IS NULL OR ${emailVerified})`;
}

/** `groupId`: the group that the filter names. */
export type Page = UserListing & { groupId: string | undefined; after: Position | undefined; limit: number };

/**
 * A page of an application's users: at most `limit` after a position, and where the next page
 * begins. A page may be short, even empty, although more follow (`maxScanned`).
 */
export async function listUsers(
  handle: Handle,
  appId: string,
  { filter, order, groupId, after, limit }: Page,
): Promise<{ users: User[]; next: Position | undefined }> {
  const rows: (User & Position)[] = [];
  const { inIndex, beside } = conditions(filter, order);
  for (const part of partsAfter(handle.tables, order, after)) {
    const range = { appId, groupId, order, part, inIndex };
    rows.push(...(await readRange(handle, range, beside, limit + 1 - rows.length)));
    const cut = rows.length > limit ? rows[limit - 1] : undefined;
    if (cut) return { users: rows.slice(0, limit).map(userOf), next: { key: cut.key, id: cut.id } };
    const end = beside === undefined ? undefined : await lastScanned(handle, range);
    if (end) return { users: rows.map(userOf), next: end };
  }
  return { users: rows.map(userOf), next: undefined };
}

/** The position of a user in an order. */
export async function findPosition(
  { db, tables: { users } }: Handle,
  appId: string,
  id: string,
  order: UserOrder,
): Promise<Position | undefined> {
  const [row] = await db
    .select({ key: keyOf(users, order), id: users.id })
    .from(users)
    .where(and(eq(users.appId, appId), eq(users.id, id)));
  return row;
}

/** The id of a group that exists. */
export async function findGroupId(
  { db, tables: { groups } }: Handle,
  appId: string,
  name: string,
): Promise<string | undefined> {
  const [group] = await db
    .select({ id: groups.id })
    .from(groups)
    .where(and(eq(groups.appId, appId), eq(groups.name, name)));
  return group?.id;
}

/** Splits a filter: the order's index finds `inIndex`; `beside` is checked on each row of it. */
function conditions(filter: UserFilter, order: UserOrder) {
  const { email, namePrefix, state, created, lastLogin } = filter;
  const inIndex: Condition[] = [];
  const beside: Condition[] = [];
  // At most one user has an address, so every condition may go to the index.
  const isOne = email !== undefined;
  const place = (byOrder: UserOrder["by"] | undefined, condition: Condition): void =>
    void (isOne || order.by === byOrder ? inIndex : beside).push(condition);
  if (isOne) place(undefined, (users) => eq(users.email, email));
  if (namePrefix !== undefined) place("name", (users) => beginsWith(users, namePrefix));
  if (state === "disabled")
    place("createdAt", (users) =>
      and(isNotNull(users.disabledAt), or(isNull(users.pendingAt), not(hasNothingToProve(users)))),
    );
  // Who has not proved the address waits apart.
  if (state === "pending")
    place("createdAt", (users) =>
      and(isNotNull(users.pendingAt), isNotNull(users.disabledAt), hasNothingToProve(users)),
    );
  if (state === "active") place(undefined, (users) => isNull(users.disabledAt));
  for (const [by, span] of [["createdAt", created] as const, ["lastLoginAt", lastLogin] as const]) {
    const { since, before } = span;
    if (since !== undefined || before !== undefined) place(by, (users) => within(keyOf(users, { by }), span));
  }
  const all = (list: Condition[]): Condition | undefined =>
    list.length === 0 ? undefined : (users) => and(...list.map((each) => each(users)));
  return { inIndex: all(inIndex), beside: all(beside) };
}

function beginsWith(users: Columns, prefix: string): SQL | undefined {
  const folded = foldedText(prefix);
  const name = foldedName(users.name);
  return and(gte(name, folded), lt(name, `${folded}${highestCharacter}`));
}

function within(key: SQL, { since, before }: Span): SQL | undefined {
  return and(since === undefined ? undefined : gte(key, since), before === undefined ? undefined : lt(key, before));
}

function keyOf(users: Columns, { by }: Pick<UserOrder, "by">): SQL<string | number> {
  switch (by) {
    case "name":
      return foldedName(users.name);
    case "lastLoginAt":
      return instantOrNever(users.lastLoginAt);
    case "createdAt":
      return sql`${users.createdAt}`;
    case "id":
      return sql`${users.id}`;
  }
}

/**
 * The rows after a position, in parts that an index can begin at. First those with the same key,
 * of which there may be a million (users without a name), then the rest: SQLite cannot begin at a
 * pair of values whose first is computed.
 */
function partsAfter({ users, groupMembers }: Handle["tables"], order: UserOrder, after: Position | undefined): Part[] {
  if (!after) return [{ where: undefined, equals: order.by === "id" }];
  const follows = order.descending ? lt : gt;
  if (order.by === "id") return [{ where: follows(groupMembers.userId, after.id), equals: true }];
  const key = keyOf(users, order);
  return [
    { where: and(eq(key, after.key), follows(users.id, after.id)), equals: true },
    { where: follows(key, after.key), equals: false },
  ];
}

/** `equals`: all rows have the same key, so only their ids order them. */
type Part = { where: SQL | undefined; equals: boolean };

type Range = {
  appId: string;
  groupId: string | undefined;
  order: UserOrder;
  part: Part;
  inIndex: Condition | undefined;
};

async function readRange(
  handle: Handle,
  range: Range,
  beside: Condition | undefined,
  limit: number,
): Promise<(User & Position)[]> {
  const { order } = range;
  const rows = rowsOf(handle, range);
  if (!beside) return await rows.limit(limit);
  const direction = order.descending ? desc : asc;
  const scanned = rows.limit(maxScanned).as("scanned");
  return await handle.db
    .select()
    .from(scanned)
    .where(beside(scanned))
    .orderBy(direction(order.by === "createdAt" ? scanned.createdAt : scanned.key), direction(scanned.id))
    .limit(limit);
}

/** The last row that `readRange` may read; undefined if it read all. */
async function lastScanned(handle: Handle, range: Range): Promise<Position | undefined> {
  const [end] = await rowsOf(handle, range)
    .limit(1)
    .offset(maxScanned - 1);
  return end && { key: end.key, id: end.id };
}

function rowsOf({ db, tables }: Handle, { appId, groupId, order, part, inIndex }: Range) {
  const { users, groupMembers: members } = tables;
  const direction = order.descending ? desc : asc;
  const rows = db
    .select({ ...getTableColumns(users), key: keyOf(users, order).as("key") })
    .from(users)
    .where(and(eq(users.appId, appId), inIndex?.(users), part.where))
    // SQLite does not know that the key is constant, and would sort by it.
    .orderBy(
      ...(part.equals ? [] : [direction(keyOf(users, order))]),
      direction(groupId === undefined ? users.id : members.userId),
    )
    .$dynamic();
  return groupId === undefined
    ? rows
    : rows.innerJoin(members, and(eq(members.userId, users.id), eq(members.groupId, groupId)));
}

function userOf(row: User & Position): User {
  const { key: _, ...user } = row;
  return user;
}
