import { and, asc, desc, eq, getTableColumns, gt, gte, isNotNull, isNull, lt, sql, type SQL } from "drizzle-orm";
import { foldedName, foldedText, instantOrNever, type Column } from "../storage/sort-keys.ts";
import type { Handle } from "../storage/storage.ts";
import type { Position, Span, UserFilter, UserListing, UserOrder } from "./list-query.ts";
import type { User } from "./user.ts";

/**
 * The rows that one part of a page reads at most where an index does not cover the whole filter, so
 * that every page takes a few milliseconds.
 */
const maxScanned = 2000;

/** After every name that begins with a prefix: no name contains this character. */
const last = "\u{10FFFF}";

type Columns = Record<"id" | "email" | "name" | "createdAt" | "lastLoginAt" | "disabledAt", Column>;

/**
 * A page of an application's users: at most `limit` after a position, and the position to go on
 * from. A page may be short, even empty, though more follow (`maxScanned`).
 */
export async function listUsers(
  handle: Handle,
  appId: string,
  { filter, order, after, limit }: UserListing & { after: Position | undefined; limit: number },
): Promise<{ users: User[]; next: Position | undefined }> {
  const found: (User & Position)[] = [];
  const { inIndex, beside } = conditions(filter, order);
  for (const part of partsAfter(handle.tables.users, order, after)) {
    const range = { appId, order, part, inIndex };
    found.push(...(await readRange(handle, range, beside, limit + 1 - found.length)));
    const cut = found.length > limit ? found[limit - 1] : undefined;
    if (cut) return { users: found.slice(0, limit).map(userOf), next: { key: cut.key, id: cut.id } };
    const end = beside === undefined ? undefined : await lastScanned(handle, range);
    if (end) return { users: found.map(userOf), next: end };
  }
  return { users: found.map(userOf), next: undefined };
}

/** Where a user stands in an order. */
export async function positionOf(
  { db, tables: { users } }: Handle,
  appId: string,
  id: string,
  order: UserOrder,
): Promise<Position | undefined> {
  const [found] = await db
    .select({ key: keyOf(users, order), id: users.id })
    .from(users)
    .where(and(eq(users.appId, appId), eq(users.id, id)));
  return found;
}

/** What the order's index finds, and what is left to check on each of its rows. */
function conditions(filter: UserFilter, order: UserOrder) {
  const { email, namePrefix, state, created, lastLogin } = filter;
  const inIndex: Condition[] = [];
  const beside: Condition[] = [];
  const place = (isInIndex: boolean, condition: Condition): void => void (isInIndex ? inIndex : beside).push(condition);
  // An address has one user at most: nothing is read in vain.
  const isOne = email !== undefined;
  if (isOne) inIndex.push((users) => eq(users.email, email));
  if (namePrefix !== undefined) place(isOne || order.by === "name", (users) => beginsWith(users, namePrefix));
  if (state === "disabled") place(isOne || order.by === "createdAt", (users) => isNotNull(users.disabledAt));
  if (state === "active") place(isOne, (users) => isNull(users.disabledAt));
  for (const [by, span] of [["createdAt", created] as const, ["lastLoginAt", lastLogin] as const]) {
    if (span.since === undefined && span.before === undefined) continue;
    place(isOne || order.by === by, (users) => within(keyOf(users, { by }), span));
  }
  const all = (list: Condition[]) =>
    list.length === 0 ? undefined : (users: Columns) => and(...list.map((each) => each(users)));
  return { inIndex: all(inIndex), beside: all(beside) };
}

type Condition = (users: Columns) => SQL | undefined;

function beginsWith(users: Columns, prefix: string): SQL | undefined {
  const folded = foldedText(prefix);
  const name = foldedName(users.name);
  return and(gte(name, folded), lt(name, `${folded}${last}`));
}

function within(key: SQL, { since, before }: Span): SQL | undefined {
  return and(since === undefined ? undefined : gte(key, since), before === undefined ? undefined : lt(key, before));
}

function keyOf(users: Columns, { by }: Pick<UserOrder, "by">): SQL<string | number> {
  if (by === "name") return foldedName(users.name);
  return by === "lastLoginAt" ? instantOrNever(users.lastLoginAt) : sql<number>`${users.createdAt}`;
}

/**
 * What follows a position, in parts that an index can begin at: SQLite cannot begin at a pair of
 * values whose first is computed, and a million users may have none.
 */
function partsAfter(users: Columns, order: UserOrder, after: Position | undefined): (SQL | undefined)[] {
  if (!after) return [undefined];
  const key = keyOf(users, order);
  const follows = order.descending ? lt : gt;
  return [and(eq(key, after.key), follows(users.id, after.id)), follows(key, after.key)];
}

type Range = { appId: string; order: UserOrder; part: SQL | undefined; inIndex: Condition | undefined };

async function readRange(
  { db, tables: { users } }: Handle,
  { appId, order, part, inIndex }: Range,
  beside: Condition | undefined,
  limit: number,
): Promise<(User & Position)[]> {
  const direction = order.descending ? desc : asc;
  const rows = db
    .select({ ...getTableColumns(users), key: keyOf(users, order).as("key") })
    .from(users)
    .where(and(eq(users.appId, appId), inIndex?.(users), part))
    .orderBy(direction(keyOf(users, order)), direction(users.id));
  if (!beside) return await rows.limit(limit);
  const scanned = rows.limit(maxScanned).as("scanned");
  return await db
    .select()
    .from(scanned)
    .where(beside(scanned))
    .orderBy(direction(order.by === "createdAt" ? scanned.createdAt : scanned.key), direction(scanned.id))
    .limit(limit);
}

/** The last row that `readRange` may read; undefined if it read all. */
async function lastScanned(
  { db, tables: { users } }: Handle,
  { appId, order, part, inIndex }: Range,
): Promise<Position | undefined> {
  const direction = order.descending ? desc : asc;
  const [end] = await db
    .select({ key: keyOf(users, order), id: users.id })
    .from(users)
    .where(and(eq(users.appId, appId), inIndex?.(users), part))
    .orderBy(direction(keyOf(users, order)), direction(users.id))
    .limit(1)
    .offset(maxScanned - 1);
  return end;
}

function userOf({ key: _, ...user }: User & Position): User {
  return user;
}
