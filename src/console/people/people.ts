/** Finds people by an address, a user ID, any part of an address or name, or a filter. */
import type { ApplicationAnswer } from "../../applications/service.ts";
import { AppError, invalidRequest } from "../../lib/errors.ts";
import { canonicalEmail } from "../../lib/email.ts";
import { isId } from "../../lib/names.ts";
import type { Context } from "../../runtime/context.ts";
import * as list from "../../people/list.ts";
import type { Asked, Listed } from "../../people/list.ts";
import * as userListings from "../../users/listing.ts";
import * as groups from "../../users/groups/service.ts";
import * as users from "../../users/service.ts";
import { cursorOf, pageSize, placeIn } from "../parts/paging.ts";
import type { Visit } from "../route.ts";
import { applicationsOf, chosenApplication, sees } from "../scope.ts";

/** What forms send and the address holds; empty for none. */
const filterNames = ["q", "app", "state", "group", "method", "factor"] as const;
export type Search = Record<(typeof filterNames)[number] | "sort" | "cursor", string>;

export type Found = {
  /** The only person with this address or ID. */
  exact?: string;
  people: Listed[];
  /** The parameters of the next page; undefined: this is the last one. */
  next?: Record<string, string> | undefined;
  /** How far back it has looked, if not at everybody. Epoch milliseconds; 0: unknown. */
  lookedBackTo?: number | undefined;
  /** Of a search: how many it could not look at yet. */
  notSearchable?: number;
  /** Why nothing was found. */
  problem?: string;
  /** The same as a list; undefined if no command lists these. */
  command?: string[] | undefined;
};

export type People = Found & {
  search: Search;
  applications: ApplicationAnswer[];
  appId: string | undefined;
  /** Of the application. */
  groupNames: string[];
};

const nothing: Found = { people: [] };

/** A filter of the values of a query or a form. */
export function searchIn(values: ReadonlyMap<string, string>): Search {
  const of = (name: keyof Search): string => (values.get(name) ?? "").trim();
  const [q, app, state, group] = [of("q"), of("app"), of("state"), of("group")];
  return { q, app, state, group, method: of("method"), factor: of("factor"), sort: of("sort"), cursor: of("cursor") };
}

/** The parameters of a filter that are given. */
export function filterOf(search: Search): Record<string, string> {
  return Object.fromEntries(filterNames.flatMap((name) => (search[name] === "" ? [] : [[name, search[name]]])));
}

const given = (text: string): string | undefined => (text === "" ? undefined : text);

/** Throws INVALID_REQUEST. */
export function askedBy({ q, state, group, method, factor }: Search, appId: string | undefined): Asked {
  if (!["", "none"].includes(factor)) throw invalidRequest("factor", "none, or nothing");
  const asked = { text: given(q), appId, state: given(state), group: given(group), method: given(method) };
  return { ...asked, lacksFactor: factor === "none" };
}

/** Throws APP_NOT_FOUND. */
export async function find(ctx: Context, visit: Visit): Promise<People> {
  const search = searchIn(visit.request.query());
  const applications = await applicationsOf(ctx, visit);
  const chosen = await chosenApplication(ctx, visit);
  const appId = chosen?.id ?? (applications.length === 1 ? applications[0]?.id : undefined);
  const groupNames = appId === undefined ? [] : await groups.names(appId, ctx.storage.reader);
  const about = { search: { ...search, app: appId ?? "" }, applications, appId, groupNames };
  try {
    return { ...about, ...(await found(ctx, visit, search, appId)) };
  } catch (error) {
    if (!(error instanceof AppError) || !error.rejected) throw error;
    const { field, rule } = error.rejected;
    return { ...about, ...nothing, problem: `${field}: ${rule}` };
  }
}

async function found(ctx: Context, visit: Visit, search: Search, appId: string | undefined): Promise<Found> {
  const { q, sort } = search;
  const isShown = (user: { appId: string } | undefined): boolean =>
    user !== undefined && sees(visit, user.appId) && (appId ?? user.appId) === user.appId;
  if (isId(q) && isShown(await users.find(ctx.storage.reader, q))) return { ...nothing, exact: q };
  if (canonicalEmail(q) !== undefined) {
    const [first, ...others] = (await userListings.allByEmail(ctx, q, appId)).filter(isShown);
    if (first && others.length === 0) return { ...nothing, exact: first.id };
  }
  // A search has no other order.
  if (q === "" && sort !== "" && sort !== "-createdAt") return await ordered(ctx, search, appId);
  const wanted = await list.checked(ctx, askedBy(search, appId));
  const place = placeIn(visit);
  const after = place && { createdAt: place.at, id: place.id };
  const { next, ...page } = await list.page(ctx, wanted, { after, limit: pageSize });
  const nextPage = next && { after: cursorOf({ at: next.createdAt, id: next.id }) };
  return { ...page, next: nextPage, command: commandOf(search, appId) };
}

/** The command that lists the same; undefined if there is none. */
function commandOf({ q, state, group, method, factor }: Search, appId: string | undefined): string[] | undefined {
  const isOfConsole = !["", "disabled"].includes(state) || method !== "" || factor !== "";
  if (isOfConsole || (q === "" && appId === undefined)) return undefined;
  const sort = q === "" && group === "" ? "-createdAt" : "";
  return ["user", "list", ...flagsOf({ app: appId ?? "", search: q, state, group, sort })];
}

/** In another order, which only lists of an application have. */
async function ordered(ctx: Context, search: Search, appId: string | undefined): Promise<Found> {
  const { state, group, sort, cursor, method, factor } = search;
  if (appId === undefined) throw invalidRequest("sort", "choose an application, or the order with the newest first");
  if (method !== "" || factor !== "") throw invalidRequest("sort", "it cannot be combined with method or factor");
  const query = { state: given(state), group: given(group), sort };
  const page = await userListings.page(ctx, appId, query, { cursor: given(cursor), limit: pageSize });
  const people = await list.byIds(
    ctx,
    page.users.map(({ id }) => id),
  );
  const next = page.nextCursor === null ? undefined : { cursor: page.nextCursor };
  return { people, next, command: ["user", "list", ...flagsOf({ app: appId, state, group, sort })] };
}

const flagsOf = (query: Record<string, string>): string[] =>
  Object.entries(query).flatMap(([name, value]) => (value === "" ? [] : [`--${name}`, value]));
