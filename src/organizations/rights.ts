/** Who may do what in an organization: one place for pages, API and commands. */
import { AppError, invalidRequest } from "../lib/errors.ts";
import { builtInRoles } from "../storage/column-types.ts";
import type { Handle } from "../storage/storage.ts";
import { findMembership } from "./membership-store.ts";
import { notAllowed, organizationNotFound, type Acting, type Organization } from "./organization.ts";

/** From most to least: the application's server and operators, then members by their roles. */
export type Rank = "server" | "owner" | "admin" | "member";

export const maxRoles = 16;
const ownersSuffix = ":owners";

/**
 * The rank of who acts, as this transaction sees it. Throws ORGANIZATION_NOT_FOUND for a member who
 * is not live.
 */
export async function rankOf(handle: Handle, { id }: Pick<Organization, "id">, { member }: Acting): Promise<Rank> {
  if (!member) return "server";
  const membership = await findMembership(handle, { organizationId: id, userId: member.userId });
  if (!membership) throw organizationNotFound();
  const rank = rankOfRoles(membership.roles);
  return rank === "owner" && (member.throughServer || member.isNew === true) ? "admin" : rank;
}

/** The rank of a live member. */
export function rankOfRoles(roles: readonly string[]): Rank {
  return roles.includes("owner") ? "owner" : roles.includes("admin") ? "admin" : "member";
}

/** The roles that somebody of this rank may give. `added`: the application's own. */
export function rolesToGive(rank: Rank, added: readonly string[]): string[] {
  const known = [...builtInRoles, ...added.map((role) => role.replace(ownersSuffix, ""))];
  return known.filter((role) => mayChangeRoles(rank, { before: [], after: [role], isOwn: false, added }));
}

/** Throws INSUFFICIENT_SCOPE for a lower rank. */
export function requireRank(rank: Rank, least: "owner" | "admin"): void {
  if (rank === "member" || (rank === "admin" && least === "owner")) throw notAllowed();
}

/** The roles of `added` (NAME, or NAME:owners) that only owners give and take. */
function isForOwners(role: string, added: readonly string[]): boolean {
  return role === "owner" || role === "admin" || added.includes(role + ownersSuffix);
}

/** Each once, sorted. `added`: the application's own. Throws INVALID_REQUEST naming the role. */
export function checkedRoles(roles: readonly string[], added: readonly string[], field = "roles"): string[] {
  const known = [...builtInRoles, ...added.map((role) => role.replace(ownersSuffix, ""))];
  const unknown = roles.findIndex((role) => !known.includes(role));
  if (unknown !== -1) throw invalidRequest(`${field}[${unknown}]`, `one of ${known.join(", ")}`);
  const each = [...new Set(roles)].toSorted();
  if (each.length < 1 || each.length > maxRoles) throw invalidRequest(field, `1 to ${maxRoles} roles`);
  return each;
}

/** A change of roles: of nobody yet (an invitation), of oneself, or of another member. */
export type RoleChange = {
  before: readonly string[];
  after: readonly string[];
  isOwn: boolean;
  added: readonly string[];
};

/** Whether somebody of this rank may make this change; removing somebody takes all their roles. */
export function mayChangeRoles(rank: Rank, { before, after, isOwn, added }: RoleChange): boolean {
  if (rank === "server" || rank === "owner") return true;
  if (rank === "member" || isOwn || before.includes("owner") || before.includes("admin")) return false;
  const changed = [...before, ...after].filter((role) => before.includes(role) !== after.includes(role));
  return !changed.some((role) => isForOwners(role, added));
}

/** Throws INSUFFICIENT_SCOPE. */
export function refuseRoleChange(rank: Rank, change: RoleChange): void {
  if (!mayChangeRoles(rank, change)) throw notAllowed();
}

export function lastOwner(): AppError {
  return new AppError("CONFLICT", "An organization keeps an owner: make somebody else an owner first.");
}
