import type { Membership } from "./membership-store.ts";

/** The organization of an access token, as the API shows it beside the token. */
export type ActiveOrganization = { id: string; slug: string; name: string; roles: string[] };

export function activeOrganization({ organizationId: id, slug, name, roles }: Membership): ActiveOrganization {
  return { id, slug, name, roles };
}

/** The claims of an access token. */
export type OrganizationClaims = { org_id?: string; org_roles?: string[]; org_confined?: true };

export function organizationClaims(membership: Membership | undefined): OrganizationClaims {
  return membership ? { org_id: membership.organizationId, org_roles: membership.roles } : {};
}

/** That a token rests on the provider of its organization alone. */
export function confinedClaim(isConfined: boolean | undefined): Pick<OrganizationClaims, "org_confined"> {
  return isConfined === true ? { org_confined: true } : {};
}

/** The same in ID tokens and userinfo, which also say its name. */
export function namedOrganizationClaims(membership: Membership | undefined): Record<string, unknown> {
  return membership ? { ...organizationClaims(membership), org_slug: membership.slug, org_name: membership.name } : {};
}

export const organizationClaimNames = ["org_id", "org_roles", "org_slug", "org_name", "org_confined"];
