import type { Claims } from "./token.ts";

/** The organization that a token names. Slug and name are null with a bearer token. */
export type UserOrganization = {
  id: string;
  slug: string | null;
  name: string | null;
  /** The user's roles in it. */
  roles: string[];
};

/** What a route asks. `id`: of the form or call. `roles`: the user needs one of them. */
export type OrganizationNeeds = { id?: unknown; roles?: readonly string[] };

/** What a route for users takes. `confined`: also who is there for their organization only. */
export type UserNeeds = { confined?: boolean };

/** Whether a user is there for one organization and nothing else. */
export function isConfined({ claims, organization }: { claims: Claims; organization: unknown }): boolean {
  // Without an organization, it may be a claim of the application's own.
  return organization !== null && claims.org_confined === true;
}

/** As the service answers it beside tokens. */
export type NamedOrganization = { id: string; slug: string; name: string };

/** `named`: beside the token; null: none; undefined: only the claims say it. */
export function organizationOf(
  { org_id: id, org_roles: roles }: Claims,
  named: NamedOrganization | null | undefined,
): UserOrganization | null {
  if (named === null || typeof id !== "string" || id === "") return null;
  const { slug = null, name = null } = named?.id === id ? named : {};
  return { id, slug, name, roles: Array.isArray(roles) ? roles : [] };
}

/** What is wrong for a route that asks this. Whatever is missing, on either side, is wrong. */
export function organizationProblem(
  organization: UserOrganization | null,
  needs: OrganizationNeeds,
): "none" | "another" | "role" | undefined {
  if (organization === null) return "none";
  if ("id" in needs && needs.id !== organization.id) return "another";
  const { roles } = needs;
  return roles === undefined || roles.some((role) => organization.roles.includes(role)) ? undefined : "role";
}
