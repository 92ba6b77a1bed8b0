import { and, asc, desc, eq, inArray, not, or, sql, type SQL } from "drizzle-orm";
import { contains } from "../storage/queries/contains.ts";
import { foldNumber, isStale } from "../storage/schema/users.ts";
import { lockFree, type Handle } from "../storage/storage.ts";
import { isOfApp, isWanted } from "./people-filter-store.ts";
import type { PeopleFilter } from "./people-filter.ts";
import { foldedUser, maxNotSearchable, type Term } from "./search-text.ts";

/** Where a search stands: people are found from the newest on. */
export type Position = { createdAt: number; id: string };

/** After a position, up to and with another one; undefined: from the newest, to the oldest. */
type Range = { after: Position | undefined; end: Position | undefined };

type Rows = Handle["tables"]["userSearch"];

/** A search reads this many rows that wait to be folded: after an upgrade, everybody does. */
const maxStaleRead = maxNotSearchable + 1;

const position = (rows: Rows) => ({ createdAt: rows.createdAt, id: rows.userId });
const newestFirst = (rows: Rows): [SQL, SQL] => [desc(rows.createdAt), desc(rows.userId)];
const ofApp = (rows: Rows, appId: string | undefined): SQL | undefined =>
  appId === undefined ? undefined : eq(rows.appId, appId);

function within(rows: Rows, { after, end }: Range): SQL | undefined {
  const pair = sql`(${rows.createdAt}, ${rows.userId})`;
  return and(
    after && sql`${pair} < (${after.createdAt}, ${after.id})`,
    end && sql`${pair} >= (${end.createdAt}, ${end.id})`,
  );
}

/** The last of the next `count` rows; undefined if fewer are left. */
export async function findEndOfSlice(
  { db, tables: { userSearch: rows } }: Handle,
  { appId }: Pick<PeopleFilter, "appId">,
  after: Position | undefined,
  count: number,
): Promise<Position | undefined> {
  const [end] = await db
    .select(position(rows))
    .from(rows)
    .where(and(ofApp(rows, appId), within(rows, { after, end: undefined })))
    .orderBy(...newestFirst(rows))
    .limit(1)
    .offset(count - 1);
  return end;
}

/** Who in a slice has all of the terms, or is one of `others`. */
export async function findInSlice(
  { db, tables }: Handle,
  filter: PeopleFilter,
  { terms, others }: { terms: readonly Term[]; others: readonly string[] },
  range: Range,
  limit: number,
): Promise<Position[]> {
  const { userSearch: rows } = tables;
  const has = and(not(isStale), ...terms.map((term) => hasTerm(rows, term)));
  const isFound = others.length === 0 ? has : or(has, inArray(rows.userId, [...others]));
  return await db
    .select(position(rows))
    .from(rows)
    .where(and(within(rows, range), isFound, isOfApp(rows.appId, filter.appId), isWanted(tables, rows.userId, filter)))
    .orderBy(...newestFirst(rows))
    .limit(limit);
}

function hasTerm({ folded, userId }: Rows, { text, id }: Term): SQL | undefined {
  return or(text === undefined ? undefined : contains(folded, text), id && hasId(userId, id));
}

function hasId(userId: Rows["userId"], id: NonNullable<Term["id"]>): SQL | undefined {
  if ("whole" in id) return eq(userId, id.whole);
  const { begins, ends } = id;
  return and(
    sql`substr(${userId}, 1, ${begins.length}) = ${begins}`,
    ends === "" ? undefined : sql`substr(${userId}, length(${userId}) - ${ends.length - 1}) = ${ends}`,
  );
}

/** The newest stale rows of all applications: their index knows no application. */
function newestStale({ db, tables: { userSearch: rows } }: Handle, after: Position | undefined, limit: number) {
  return db
    .select({ ...position(rows), appId: rows.appId })
    .from(rows)
    .where(and(isStale, within(rows, { after, end: undefined })))
    .orderBy(...newestFirst(rows))
    .limit(limit)
    .as("stale");
}

/** The newest users who are not folded yet; of an application, among the rows that are read. */
export async function findStale(
  handle: Handle,
  { appId }: Pick<PeopleFilter, "appId">,
  after: Position | undefined,
  limit: number,
): Promise<(Position & { email: string | null; name: string | null })[]> {
  const { db, tables } = handle;
  const { users } = tables;
  const stale = newestStale(handle, after, appId === undefined ? limit : maxStaleRead);
  return await db
    .select({ createdAt: stale.createdAt, id: stale.id, email: users.email, name: users.name })
    .from(stale)
    .innerJoin(users, eq(users.id, stale.id))
    .where(appId === undefined ? undefined : eq(stale.appId, appId))
    .orderBy(desc(stale.createdAt), desc(stale.id))
    .limit(limit);
}

/** How many wait to be folded; `maxStaleRead` if more do, of whichever application. */
export async function countStale(
  handle: Handle,
  { appId }: Pick<PeopleFilter, "appId">,
  after?: Position,
): Promise<number> {
  const stale = newestStale(handle, after, maxStaleRead);
  const isOfApp = appId === undefined ? sql`1 = 1` : sql`${stale.appId} = ${appId}`;
  const ofApp = sql<number>`count(CASE WHEN ${isOfApp} THEN 1 END)`.mapWith(Number);
  const [counted] = await handle.db.select({ all: sql<number>`count(*)`.mapWith(Number), ofApp }).from(stale);
  const { all = 0, ofApp: wanted = 0 } = counted ?? {};
  return all < maxStaleRead ? wanted : maxStaleRead;
}

/**
 * Folds those of these users who still wait for it and whom nobody else is changing. Read after the
 * lock, because somebody may just have given them another name.
 */
export async function foldUsers(tx: Handle, ids: readonly string[]): Promise<void> {
  const { db, tables } = tx;
  const { userSearch: rows, users } = tables;
  const waiting = await lockFree(
    db
      .select({ id: rows.userId })
      .from(rows)
      .where(and(inArray(rows.userId, [...ids]), isStale)),
  );
  const found = await db
    .select({ userId: users.id, appId: users.appId, createdAt: users.createdAt, email: users.email, name: users.name })
    .from(users)
    .where(
      inArray(
        users.id,
        waiting.map(({ id }) => id),
      ),
    )
    .orderBy(asc(users.id));
  if (found.length === 0) return;
  await db
    .insert(rows)
    .values(found.map(({ email, name, ...row }) => ({ ...row, folded: foldedUser({ email, name }), fold: foldNumber })))
    .onConflictDoUpdate({ target: rows.userId, set: { folded: sql`excluded.folded`, fold: sql`excluded.fold` } });
}

/** Where a user stands; undefined if no search with this filter finds them. */
export async function findPosition(
  { db, tables }: Handle,
  filter: Partial<PeopleFilter>,
  id: string,
): Promise<Position | undefined> {
  const { userSearch: rows } = tables;
  const [row] = await db
    .select(position(rows))
    .from(rows)
    .where(and(eq(rows.userId, id), isOfApp(rows.appId, filter.appId), isWanted(tables, rows.userId, filter)));
  return row;
}
