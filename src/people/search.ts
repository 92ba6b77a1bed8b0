/** Finds people by any part of an address or name (docs/decisions/0079). */
import { applicationNotFound, invalidRequest, userNotFound } from "../lib/errors.ts";
import * as applications from "../applications/service.ts";
import { digestOf } from "../lib/random.ts";
import type { Context } from "../runtime/context.ts";
import { checkedState, type UserQuery } from "../users/list-query.ts";
import * as userListings from "../users/listing.ts";
import type { UserAnswer } from "../users/user-answer.ts";
import { searcher } from "./searcher.ts";
import { findPosition, type Position } from "./search-store.ts";
import type { Search } from "./search-steps.ts";
import { searchText } from "./search-text.ts";

/** What is searched for. `appId`: undefined for all applications but that of the console. */
export type PeopleQuery = {
  text: string;
  appId?: string | undefined;
  state?: string | undefined;
  /** The name of a group of the application. */
  group?: string | undefined;
};

/**
 * `lookedBackTo`: the search stopped at people created then, and `nextCursor` leads on from
 * there; null: it looked at everybody. `notSearchable`: how many it could not look at, because they
 * wait to be folded after an upgrade or an import.
 */
export type PeoplePage = {
  people: UserAnswer[];
  nextCursor: string | null;
  lookedBackTo: number | null;
  notSearchable: number;
};

const pageMilliseconds = 100;

/**
 * A page of the people who have every word of the text, the newest first. It may be short, even
 * empty: only a null cursor is the end. Throws INVALID_REQUEST naming the field, BUSY.
 */
export async function searchPeople(
  ctx: Context,
  { limit, cursor, ...asked }: PeopleQuery & { limit: number; cursor: string | undefined },
): Promise<PeoplePage> {
  const search = await checkedSearch(ctx, asked);
  const after = cursor === undefined ? undefined : readCursor(ctx, search, cursor);
  const { found, next, notSearchable } = await searcher(ctx).look({
    search,
    after,
    limit,
    milliseconds: pageMilliseconds,
  });
  return {
    people: await userListings.byIds(ctx, found),
    nextCursor: next ? writeCursor(ctx, search, next) : null,
    lookedBackTo: next?.createdAt ?? null,
    notSearchable,
  };
}

/**
 * For commands: the first `limit` people after the user with the id `after`, and whether there are
 * more. Throws APP_NOT_FOUND, INVALID_REQUEST, USER_NOT_FOUND if there is no such user.
 */
export async function searchAll(
  ctx: Context,
  asked: PeopleQuery,
  { after, limit }: { after?: string | undefined; limit: number },
): Promise<{ users: UserAnswer[]; more: boolean; notSearchable: number }> {
  const { appId } = asked;
  if (appId !== undefined && !(await applications.find(ctx, ctx.storage.reader, appId))) throw applicationNotFound();
  const search = await checkedSearch(ctx, asked);
  const from = after === undefined ? undefined : await findPosition(ctx.storage.reader, { appId }, after);
  if (after !== undefined && !from) throw userNotFound();
  const looking = { search, after: from, limit, milliseconds: Infinity };
  const { found, next, notSearchable } = await searcher(ctx).look(looking);
  return { users: await userListings.byIds(ctx, found), more: next !== undefined, notSearchable };
}

/** A search has its own order and filters. Throws INVALID_REQUEST. */
export function refuseBesideSearch(query: UserQuery): void {
  for (const [field, value] of Object.entries(query))
    if (value !== undefined && field !== "group" && field !== "state")
      throw invalidRequest(field, "it cannot be combined with search");
}

async function checkedSearch(ctx: Context, { text, appId, state, group }: PeopleQuery): Promise<Search> {
  if (group !== undefined && appId === undefined) throw invalidRequest("group", "only with an application");
  return {
    text: searchText(text),
    filter: {
      appId,
      state: stateOf(state),
      groupId: group === undefined ? undefined : await userListings.groupId(ctx, appId ?? "", group),
    },
  };
}

/** Sealed for the search and its application, as in `users/cursor.ts`. */
function writeCursor(ctx: Context, search: Search, { createdAt, id }: Position): string {
  return ctx.keyring.sealCursor(JSON.stringify([digestOfSearch(search), createdAt, id]), "search", appOf(search));
}

/** Throws INVALID_REQUEST. */
function readCursor(ctx: Context, search: Search, cursor: string): Position {
  const body = ctx.keyring.openCursor(cursor, "search", appOf(search));
  if (body === undefined) throw invalidRequest("cursor", "this search did not return it; start again without it");
  const [digest, createdAt, id] = JSON.parse(body) as [string, number, string];
  if (digest !== digestOfSearch(search))
    throw invalidRequest("cursor", "it belongs to another search; send the same one, or start again without it");
  return { createdAt, id };
}

const appOf = ({ filter: { appId = "" } }: Search): string => appId;

function digestOfSearch({ text, filter: { state, groupId } }: Search): string {
  return digestOf(JSON.stringify([text, state ?? null, groupId ?? null])).slice(0, 16);
}

/** The users' API calls active who is not disabled. */
function stateOf(given: string | undefined): Search["filter"]["state"] {
  const state = given === undefined ? undefined : checkedState(given);
  return state === "active" ? "enabled" : state;
}
