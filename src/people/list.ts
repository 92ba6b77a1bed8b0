/** Lists people of all applications, as operators see them (docs/decisions/0070). */
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { second } from "../lib/clock.ts";
import { AppError, invalidRequest } from "../lib/errors.ts";
import type { Context } from "../runtime/context.ts";
import * as userListings from "../users/listing.ts";
import type { UserAnswer } from "../users/user-answer.ts";
import { findPeople, findStanding } from "./list-store.ts";
import { personStates, type PeopleFilter, type PersonState } from "./people-filter.ts";
import { searcher } from "./searcher.ts";
import type { Position } from "./search-store.ts";
import { searchText, type SearchText } from "./search-text.ts";

/** As an operator gives it; undefined: anybody. */
export type Asked = {
  text?: string | undefined;
  appId: string | undefined;
  state?: string | undefined;
  group?: string | undefined;
  method?: string | undefined;
  lacksFactor?: boolean;
};

/** Who is looked for, checked. */
export type Wanted = { text: SearchText | undefined; filter: PeopleFilter };

/** A person as a list shows them. */
export type Listed = UserAnswer & { listedAs: PersonState; hasFactor: boolean };

export type Page = {
  people: Listed[];
  next: Position | undefined;
  /** It looked at everybody down to those of then, and stopped. Epoch milliseconds; 0: unknown. */
  lookedBackTo: number | undefined;
  /** Of a search: how many it could not look at. */
  notSearchable: number;
};

const searchMilliseconds = 100;
const [waitsIfBusy, maxWaits] = [second, 60];

const methodForm = /^(?:passkey|password|none|provider:[a-z][a-z0-9-]{0,31})$/u;

/** Throws INVALID_REQUEST naming the field. */
export async function checked(
  ctx: Context,
  { text, appId, state, group, method, lacksFactor }: Asked,
): Promise<Wanted> {
  const known = personStates.find((word) => word === state);
  if (state !== undefined && !known) throw invalidRequest("state", `one of ${personStates.join(", ")}`);
  if (method !== undefined && !methodForm.test(method))
    throw invalidRequest("method", "passkey, password, none, or a provider, such as provider:google");
  if (group !== undefined && appId === undefined) throw invalidRequest("group", "only with an application");
  const groupId = group === undefined ? undefined : await userListings.groupId(ctx, appId ?? "", group);
  return {
    text: text === undefined ? undefined : searchText(text),
    filter: { appId, state: known, groupId, method, lacksFactor: lacksFactor === true, now: ctx.clock() },
  };
}

type Looked = { found: string[]; next: Position | undefined; isCut: boolean; notSearchable: number };

async function look(
  ctx: Context,
  { text, filter }: Wanted,
  after: Position | undefined,
  limit: number,
): Promise<Looked> {
  if (!text) return { ...(await findPeople(ctx.storage.reader, filter, after, limit)), notSearchable: 0 };
  const search = { text, filter };
  const looked = await searcher(ctx).look({ search, after, limit, milliseconds: searchMilliseconds });
  return { ...looked, isCut: looked.next !== undefined && looked.found.length < limit };
}

/** A page of these people, which may be short: only without `next` it is the end. Throws BUSY. */
export async function page(
  ctx: Context,
  wanted: Wanted,
  { after, limit }: { after: Position | undefined; limit: number },
): Promise<Page> {
  const { found, next, isCut, notSearchable } = await look(ctx, wanted, after, limit);
  return { people: await byIds(ctx, found), next, lookedBackTo: isCut ? next?.createdAt : undefined, notSearchable };
}

/** Those of these people who are there, in this order. */
export async function byIds(ctx: Context, ids: readonly string[]): Promise<Listed[]> {
  if (ids.length === 0) return [];
  const people = await userListings.byIds(ctx, ids);
  const { invited, withFactor, blocked } = await findStanding(ctx.storage.reader, ids, ctx.clock());
  const stateOf = ({ id, disabledAt, state, emailVerified, lastLoginAt }: UserAnswer): PersonState => {
    if (state === "pending" && emailVerified) return "pending";
    if (disabledAt !== null) return "disabled";
    if (invited.has(id) && lastLoginAt === null) return "invited";
    return blocked.has(id) ? "blocked" : "active";
  };
  return people.map((person) => ({ ...person, listedAs: stateOf(person), hasFactor: withFactor.has(person.id) }));
}

/**
 * The ids of all of these people, in batches: each is a read of its own, and other work comes
 * between.
 */
export async function* allIds(ctx: Context, wanted: Wanted, size: number): AsyncGenerator<string[]> {
  let after: Position | undefined;
  do {
    const { found, next } = await whenNotBusy(() => look(ctx, wanted, after, size));
    if (found.length > 0) yield found;
    after = next;
    await nextTurn();
  } while (after);
}

/** The ids of these people, at most `most`, and one more if there are more. */
export async function someIds(ctx: Context, wanted: Wanted, most: number): Promise<string[]> {
  const ids: string[] = [];
  for await (const found of allIds(ctx, wanted, most + 1)) {
    ids.push(...found);
    if (ids.length > most) break;
  }
  return ids.slice(0, most + 1);
}

/** Many may be searching: this one can wait. */
async function whenNotBusy<T>(work: () => Promise<T>): Promise<T> {
  for (let waits = 0; ; waits += 1)
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "BUSY" || waits === maxWaits) throw error;
      await pause(waitsIfBusy);
    }
}
