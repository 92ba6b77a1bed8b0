import { invalidRequest } from "../lib/errors.ts";
import { displayName, maxNameCharacters } from "../lib/text.ts";
import { checkedEmail } from "../lib/user-fields.ts";

/** The orders of a list; `-` reverses. Users with equal values are ordered by id. */
export const userSorts = ["createdAt", "-createdAt", "name", "-name", "lastLoginAt", "-lastLoginAt"] as const;
export const userStates = ["active", "disabled", "pending"] as const;

/** Which users to list, as the caller gave it. Instants are epoch milliseconds. */
export type UserQuery = {
  email?: string | undefined;
  /** The beginning of the name. The letters A to Z match in either case. */
  name?: string | undefined;
  /** The name of a group; only its members. */
  group?: string | undefined;
  state?: string | undefined;
  /** A user who never signed in is before every instant. */
  createdSince?: number | undefined;
  createdBefore?: number | undefined;
  lastLoginSince?: number | undefined;
  lastLoginBefore?: number | undefined;
  sort?: string | undefined;
};

export type UserFilter = {
  email?: string | undefined;
  namePrefix?: string | undefined;
  group?: string | undefined;
  state?: (typeof userStates)[number] | undefined;
  created: Span;
  lastLogin: Span;
};

export type Span = { since?: number | undefined; before?: number | undefined };

/** By `id`: only the members of a group. */
export type UserOrder = { by: "createdAt" | "name" | "lastLoginAt" | "id"; descending: boolean };

/** The end of a page: the last user's value in the order, and its id. */
export type Position = { key: string | number; id: string };

export type UserListing = { filter: UserFilter; order: UserOrder };

/**
 * Checks a query. Without `sort`, chooses the order in which the filter reads the fewest rows.
 * Throws INVALID_REQUEST naming the field.
 */
export function checkedListing(query: UserQuery): UserListing {
  const { email, name, group, state, sort } = query;
  if (group !== undefined && sort !== undefined)
    throw invalidRequest("sort", "it cannot be combined with group, whose members are ordered by id");
  const created = checkedSpan("created", { since: query.createdSince, before: query.createdBefore });
  const lastLogin = checkedSpan("lastLogin", { since: query.lastLoginSince, before: query.lastLoginBefore });
  const filter = {
    email: email === undefined ? undefined : checkedEmail(email),
    namePrefix: name === undefined ? undefined : checkedPrefix(name),
    group,
    state: state === undefined ? undefined : checkedState(state),
    created,
    lastLogin,
  };
  return { filter, order: orderOf(filter, sort === undefined ? undefined : checkedWord("sort", userSorts, sort)) };
}

function orderOf(
  { namePrefix, group, created, lastLogin }: UserFilter,
  sort: (typeof userSorts)[number] | undefined,
): UserOrder {
  if (sort !== undefined) {
    const by = sort.replace(/^-/u, "") as UserOrder["by"];
    return { by, descending: sort.startsWith("-") };
  }
  if (group !== undefined) return { by: "id", descending: false };
  if (namePrefix !== undefined) return { by: "name", descending: false };
  const isByLastLogin = !isLimited(created) && isLimited(lastLogin);
  return { by: isByLastLogin ? "lastLoginAt" : "createdAt", descending: false };
}

function isLimited({ since, before }: Span): boolean {
  return since !== undefined || before !== undefined;
}

function checkedPrefix(text: string): string {
  const prefix = displayName(text);
  if (!prefix) throw invalidRequest("name", `1 to ${maxNameCharacters} characters, no control characters`);
  return prefix;
}

/** Throws INVALID_REQUEST. */
export function checkedState(state: string): (typeof userStates)[number] {
  return checkedWord("state", userStates, state);
}

function checkedWord<const Word extends string>(field: string, words: readonly Word[], text: string): Word {
  const word = words.find((word) => word === text);
  if (word === undefined) throw invalidRequest(field, `one of ${words.join(", ")}`);
  return word;
}

function checkedSpan(field: string, { since, before }: Span): Span {
  if (since !== undefined && before !== undefined && before <= since)
    throw invalidRequest(`${field}Before`, `a time after ${field}Since`);
  return { since, before };
}
