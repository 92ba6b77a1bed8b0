import { and, desc, eq, gt, inArray, isNotNull, sql, type SQL } from "drizzle-orm";
import { maxFailures } from "../rate-limits/failures.ts";
import type { Column } from "../storage/queries/sort-keys.ts";
import type { Handle } from "../storage/storage.ts";
import { isDisabled, isInvitation, isOfApp, isPending, isWanted, needsInvitation } from "./people-filter-store.ts";
import type { PeopleFilter } from "./people-filter.ts";
import type { Position } from "./search-store.ts";

/** How many people one page looks at, if no index knows the filter. */
const maxLookedAt = 2000;

/**
 * The rows that an index holds in the order of the list, and the rest of the filter. Without `at`,
 * the order is that of ids, of which those of this service begin with the time.
 */
type Source = {
  table: Handle["tables"]["users" | "userSearch" | "groupMembers" | "emailTokens"];
  id: Column;
  appId: Column | undefined;
  at: Column | undefined;
  is: SQL | undefined;
  rest: Partial<PeopleFilter>;
};

function sourceOf(tables: Handle["tables"], filter: PeopleFilter): Source {
  const { groupMembers: members, emailTokens: tokens, users, userSearch: rows } = tables;
  const { groupId, state, ...rest } = filter;
  if (groupId !== undefined) {
    const is = eq(members.groupId, groupId);
    return { table: members, id: members.userId, appId: undefined, at: undefined, is, rest: { state, ...rest } };
  }
  if (state === "invited") {
    // Few: they expire, and the one who uses it is new no more.
    const is = and(
      isInvitation,
      gt(tokens.expiresAt, rest.now ?? 0),
      needsInvitation(tables, tokens.userId, filter.appId),
    );
    return { table: tokens, id: tokens.userId, appId: undefined, at: undefined, is, rest };
  }
  if (state === "disabled" || state === "pending") {
    const is = state === "pending" ? isPending : isDisabled;
    return { table: users, id: users.id, appId: users.appId, at: users.createdAt, is, rest };
  }
  return {
    table: rows,
    id: rows.userId,
    appId: rows.appId,
    at: rows.createdAt,
    is: undefined,
    rest: { state, ...rest },
  };
}

/**
 * The next people of a list, the newest first: at most `limit`, and where the next page begins;
 * undefined: nobody is left. `isCut`: it looked at as many as it may.
 */
export async function findPeople(
  handle: Handle,
  filter: PeopleFilter,
  after: Position | undefined,
  limit: number,
): Promise<{ found: string[]; next: Position | undefined; isCut: boolean }> {
  const source = sourceOf(handle.tables, filter);
  const { method, state, lacksFactor } = source.rest;
  const isSearched = method !== undefined || state !== undefined || lacksFactor === true;
  // First, so that people who come or go between the two reads move no border.
  const [end] = isSearched
    ? await rowsOf(handle, source, filter, { after })
        .limit(1)
        .offset(maxLookedAt - 1)
    : [];
  const beside = isSearched ? isWanted(handle.tables, source.id, source.rest) : undefined;
  const rows = await rowsOf(handle, source, filter, { after, end, beside }).limit(limit + 1);
  const found = rows.slice(0, limit);
  const isMore = rows.length > limit;
  return { found: found.map(({ id }) => id), next: isMore ? found.at(-1) : end, isCut: !isMore && end !== undefined };
}

function rowsOf(
  { db }: Handle,
  { table, id, appId, at, is }: Source,
  filter: PeopleFilter,
  { after, end, beside }: { after: Position | undefined; end?: Position | undefined; beside?: SQL | undefined },
) {
  const place = at ? sql`(${at}, ${id})` : sql`${id}`;
  const value = (position: Position): SQL => (at ? sql`(${position.createdAt}, ${position.id})` : sql`${position.id}`);
  return db
    .select({ createdAt: (at ? sql<number>`${at}` : sql<number>`0`).mapWith(Number), id: sql<string>`${id}` })
    .from(table)
    .where(
      and(
        is,
        appId && isOfApp(appId, filter.appId),
        after && sql`${place} < ${value(after)}`,
        end && sql`${place} >= ${value(end)}`,
        beside,
      ),
    )
    .orderBy(...(at ? [desc(at)] : []), desc(id))
    .$dynamic();
}

/** Who of these users has an invitation, an authenticator app, and too many wrong codes. */
export async function findStanding(
  { db, tables: { emailTokens: tokens, secondFactors: factors } }: Handle,
  ids: readonly string[],
  now: number,
): Promise<{ invited: Set<string | null>; withFactor: Set<string>; blocked: Set<string> }> {
  const invitations = await db
    .select({ id: tokens.userId })
    .from(tokens)
    .where(and(inArray(tokens.userId, [...ids]), isInvitation, gt(tokens.expiresAt, now)));
  const found = await db
    .select({
      id: factors.userId,
      failures: factors.failures,
      hasFactor: isNotNull(factors.encryptedSecret).mapWith(Boolean),
    })
    .from(factors)
    .where(inArray(factors.userId, [...ids]));
  return {
    invited: new Set(invitations.map(({ id }) => id)),
    withFactor: new Set(found.filter(({ hasFactor }) => hasFactor).map(({ id }) => id)),
    blocked: new Set(found.filter(({ failures }) => failures >= maxFailures).map(({ id }) => id)),
  };
}
