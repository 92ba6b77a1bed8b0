/** The steps of a search: short queries, so that none holds up the database for long. */
import type { Handle } from "../storage/storage.ts";
import { isNarrow, type PeopleFilter } from "./people-filter.ts";
import { countStale, findEndOfSlice, findInSlice, findPosition, findStale, type Position } from "./search-store.ts";
import { foldedUser, matches, maxNotSearchable, type SearchText } from "./search-text.ts";

export type Search = { text: SearchText; filter: PeopleFilter };

/**
 * `milliseconds`: after this time it stops at the end of a slice. `Infinity`: only when it knows
 * whether there are more.
 */
export type Looking = { search: Search; after: Position | undefined; limit: number; milliseconds: number };

/** `next`: where it continues; undefined: nobody is left. */
export type Looked = { found: string[]; next: Position | undefined; notSearchable: number };

/** The first slice is small, because most searches find enough at once. */
const rowsAtFirst = 2_000;
const rowsOfSlice = 50_000;
/** Where each row that matches is looked up in another table. */
const rowsOfFilteredSlice = 5_000;
/** As many rows that wait to be folded are folded for the search alone. */
const maxFoldedAtOnce = 500;

export async function lookFor(handle: Handle, { search, after, limit, milliseconds }: Looking): Promise<Looked> {
  const { text, filter } = search;
  if ("id" in text) {
    const only = await findPosition(handle, filter, text.id);
    return { found: only ? [only.id] : [], next: undefined, notSearchable: 0 };
  }
  const { terms } = text;
  const until = performance.now() + milliseconds;
  const waiting = await countStale(handle, filter, after);
  const stale = waiting === 0 ? [] : await findStale(handle, filter, after, maxFoldedAtOnce);
  const notSearchable = waiting > maxNotSearchable ? waiting : Math.max(0, waiting - stale.length);
  const others = stale.filter((user) => matches(terms, { id: user.id, folded: foldedUser(user) })).map(({ id }) => id);
  const found: string[] = [];
  let from = after;
  for (let rows = rowsAtFirst; ; rows = isNarrow(filter) ? rowsOfFilteredSlice : rowsOfSlice) {
    const end = await findEndOfSlice(handle, filter, from, rows);
    const here = await findInSlice(handle, filter, { terms, others }, { after: from, end }, limit + 1 - found.length);
    const last = here[limit - found.length - 1];
    const isMore = here.length > limit - found.length;
    found.push(...here.slice(0, limit - found.length).map(({ id }) => id));
    if (isMore) return { found, next: last ?? from, notSearchable };
    if (!end) return { found, next: undefined, notSearchable };
    const isEnough = found.length === limit && milliseconds !== Infinity;
    if (isEnough || performance.now() > until) return { found, next: end, notSearchable };
    from = end;
  }
}
