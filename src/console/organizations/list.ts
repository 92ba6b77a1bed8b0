/** The organizations of an application, newest first, by a part of their name, slug or domain. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { invalidRequest } from "../../lib/errors.ts";
import { isId } from "../../lib/names.ts";
import { listProvedDomainsOf } from "../../organizations/domains/store.ts";
import { countSomeMembers } from "../../organizations/membership-store.ts";
import { fold } from "../../people/search-text.ts";
import type { Context } from "../../runtime/context.ts";
import { pageOf, pageSize } from "../parts/paging.ts";
import { readOrganizations, type OrganizationRow } from "./list-store.ts";

/** `ownerless`: it had an owner. `new`: nobody accepted to own it yet. */
export type OrganizationState = "active" | "ownerless" | "new" | "disabled" | "deleted";

export const stateLabels: Record<OrganizationState, string> = {
  active: "Active",
  ownerless: "No owner",
  new: "No owner yet",
  disabled: "Disabled",
  deleted: "Being deleted",
};

export function stateIn({
  deletesAt,
  disabledAt,
  ownedAt,
  owners,
}: Pick<OrganizationRow, "deletesAt" | "disabledAt" | "ownedAt" | "owners">): OrganizationState {
  if (deletesAt !== null) return "deleted";
  if (disabledAt !== null) return "disabled";
  if (owners > 0) return "active";
  return ownedAt === null ? "new" : "ownerless";
}

export type ListedOrganization = OrganizationRow & { domain: string | undefined; members: number };

export type OrganizationList = {
  organizations: ListedOrganization[];
  /** Of the next page. */
  next?: string;
  /** There may be more, at which the next page looks. */
  isCut: boolean;
};

/** More members than this are not counted. */
export const maxCounted = 1000;
const sliceSize = 1000;
/** A request reads no more. */
const maxSlices = 5;

/** An id after which a page begins. Throws INVALID_REQUEST. */
export function checkedPlace(after: string | undefined): string | undefined {
  if (after !== undefined && !isId(after)) throw invalidRequest("after", "a link of the previous page");
  return after;
}

/** The newest first; `after`: without those up to this one. */
export async function findOrganizations(
  ctx: Context,
  appId: string,
  { text, state, after }: { text: string; state: string; after: string | undefined },
): Promise<OrganizationList> {
  const { reader } = ctx.storage;
  const words = fold(text).split(/\s+/u).filter(Boolean);
  const isFound = (row: OrganizationRow): boolean => {
    const folded = fold(`${row.id} ${row.name} ${row.slug} ${row.domains}`);
    return words.every((word) => folded.includes(word)) && (state === "" || stateIn(row) === state);
  };
  const limit = words.length === 0 && state === "" ? pageSize + 1 : sliceSize;
  const found: OrganizationRow[] = [];
  let [last, isLast] = [after, false];
  for (let slice = 0; slice < maxSlices && !isLast && found.length <= pageSize; slice += 1) {
    const rows = await readOrganizations(reader, appId, { before: last, limit });
    found.push(...rows.filter(isFound));
    last = rows.at(-1)?.id;
    isLast = rows.length < limit;
    await nextTurn();
  }
  const { rows, next } = pageOf(found, ({ id }) => id);
  const isCut = next === undefined && !isLast;
  const ids = rows.map(({ id }) => id);
  const domains = await listProvedDomainsOf(reader, ids);
  const members = await countSomeMembers(reader, ids, maxCounted + 1);
  const continued = isCut ? last : next;
  return {
    organizations: rows.map((row) => ({ ...row, domain: domains.get(row.id), members: members.get(row.id) ?? 0 })),
    isCut,
    ...(continued !== undefined && { next: continued }),
  };
}
