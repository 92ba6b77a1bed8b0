/** Finds people by a whole address or user ID, or by any part of an address or name. */
import type { ApplicationAnswer } from "../../applications/service.ts";
import { AppError } from "../../lib/errors.ts";
import { canonicalEmail } from "../../lib/email.ts";
import { isId } from "../../lib/names.ts";
import type { Context } from "../../runtime/context.ts";
import { searchPeople } from "../../people/search.ts";
import * as userListings from "../../users/listing.ts";
import * as users from "../../users/service.ts";
import type { UserAnswer } from "../../users/user-answer.ts";
import type { Visit } from "../route.ts";
import { applicationsOf, chosenApplication, sees } from "../scope.ts";

/** The entered text; empty for none. */
export type Search = Record<"q" | "app" | "state" | "group" | "sort" | "cursor", string>;

export type Found = {
  /** The only person with this address or ID. */
  exact?: string;
  people: UserAnswer[];
  nextCursor: string | null;
  /** Of a search: how far back it has looked; null if at everybody. Epoch milliseconds. */
  lookedBackTo?: number | null;
  /** Of a search: how many it could not look at yet. */
  notSearchable?: number;
  /** Why nothing was found. */
  problem?: string;
  /** The same as a list; undefined if nothing was listed. */
  command?: string[];
};

export type People = Found & { search: Search; applications: ApplicationAnswer[]; appId: string | undefined };

const pageSize = 50;
const nothing: Found = { people: [], nextCursor: null };

function searchIn({ request }: Visit): Search {
  const query = request.query();
  const of = (name: keyof Search): string => (query.get(name) ?? "").trim();
  return { q: of("q"), app: of("app"), state: of("state"), group: of("group"), sort: of("sort"), cursor: of("cursor") };
}

/** Throws APP_NOT_FOUND. */
export async function find(ctx: Context, visit: Visit): Promise<People> {
  const search = searchIn(visit);
  const applications = await applicationsOf(ctx, visit);
  const chosen = await chosenApplication(ctx, visit);
  const appId = chosen?.id ?? (applications.length === 1 ? applications[0]?.id : undefined);
  const about = { search, applications, appId };
  try {
    return { ...about, ...(await found(ctx, visit, search, appId)) };
  } catch (error) {
    if (!(error instanceof AppError) || !error.rejected) throw error;
    const { field, rule } = error.rejected;
    return { ...about, ...nothing, problem: `${field}: ${rule}` };
  }
}

async function found(ctx: Context, visit: Visit, search: Search, appId: string | undefined): Promise<Found> {
  const { q } = search;
  const isShown = (user: { appId: string } | undefined): boolean =>
    user !== undefined && sees(visit, user.appId) && (appId ?? user.appId) === user.appId;
  if (isId(q) && isShown(await users.find(ctx.storage.reader, q))) return { ...nothing, exact: q };
  if (canonicalEmail(q) !== undefined) {
    const [first, ...others] = (await userListings.allByEmail(ctx, q, appId)).filter(isShown);
    if (first && others.length === 0) return { ...nothing, exact: first.id };
  }
  if (q !== "") return await searched(ctx, search, appId);
  if (appId === undefined) {
    const isFiltered = [search.state, search.group, search.sort, search.cursor].some((text) => text !== "");
    return isFiltered ? { ...nothing, problem: "To list people without a search, choose an application." } : nothing;
  }
  return await listed(ctx, search, appId);
}

const given = (text: string): string | undefined => (text === "" ? undefined : text);

/** The newest first: a search has no other order. */
async function searched(ctx: Context, search: Search, appId: string | undefined): Promise<Found> {
  const query = { state: given(search.state), group: given(search.group) };
  const page = { limit: pageSize, cursor: given(search.cursor) };
  const found = await searchPeople(ctx, { text: search.q, appId, ...query, ...page });
  const command = ["user", "list", ...flagsOf({ app: appId, search: search.q, ...query })];
  return { ...found, command };
}

async function listed(ctx: Context, { state, group, sort, cursor }: Search, appId: string): Promise<Found> {
  // A group has its own order, which reads the fewest rows.
  const order = given(sort) ?? (group === "" ? "-createdAt" : undefined);
  const query = { state: given(state), group: given(group), sort: order };
  const page = { cursor: given(cursor), limit: pageSize };
  const { users: people, nextCursor } = await userListings.page(ctx, appId, query, page);
  return { people, nextCursor, command: ["user", "list", ...flagsOf({ app: appId, ...query })] };
}

const flagsOf = (query: Record<string, string | undefined>): string[] =>
  Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));
