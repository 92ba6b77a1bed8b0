/** Finds people by indexed values: an address, a user ID, the beginning of a name. */
import type { ApplicationAnswer } from "../../applications/service.ts";
import { AppError } from "../../lib/errors.ts";
import { isId } from "../../lib/names.ts";
import type { Context } from "../../runtime/context.ts";
import * as userAdministration from "../../people/administration.ts";
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
  if (q.includes("@")) {
    const [first, ...others] = (await userListings.allByEmail(ctx, q, appId)).filter(isShown);
    if (first && others.length === 0) return { ...nothing, exact: first.id };
    const shown = (first ? [first, ...others] : []).slice(0, pageSize);
    return { ...nothing, people: await Promise.all(shown.map(({ id }) => userAdministration.get(ctx, id))) };
  }
  if (appId === undefined) {
    const isFiltered = [q, search.state, search.group, search.sort, search.cursor].some((text) => text !== "");
    return isFiltered
      ? { ...nothing, problem: "To search by anything but an address or a user ID, choose an application." }
      : nothing;
  }
  return await listed(ctx, search, appId);
}

async function listed(ctx: Context, { q, state, group, sort, cursor }: Search, appId: string): Promise<Found> {
  const given = (text: string): string | undefined => (text === "" ? undefined : text);
  // A name and a group have their own order, which reads the fewest rows.
  const order = given(sort) ?? (q === "" && group === "" ? "-createdAt" : undefined);
  const query = { name: given(q), state: given(state), group: given(group), sort: order };
  const flags = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));
  const page = { cursor: given(cursor), limit: pageSize };
  const { users: people, nextCursor } = await userListings.page(ctx, appId, query, page);
  return { people, nextCursor, command: ["user", "list", "--app", appId, ...flags] };
}
