/** Whether what a live token says about its organization is still true (docs/decisions/0095). */
import * as recentApplications from "../applications/recent.ts";
import { requiresFactor } from "../organizations/gate.ts";
import type { Membership } from "../organizations/membership-store.ts";
import * as recentMemberships from "../organizations/recent.ts";
import type { Context } from "../runtime/context.ts";
import type { SecondFactorProof } from "../storage/column-types.ts";
import type { AccessTokenClaims } from "./access-tokens.ts";

/** The claims that decide. Missing in a machine's token: `sid`. */
type Named = Pick<AccessTokenClaims, "app_id" | "org_id" | "org_roles" | "acr" | "sid"> & { amr: string[] };

type User = { id: string; claimsVersion: number; secondFactor: SecondFactorProof | null };

/**
 * The membership that a token of a live login names, at once if it is remembered; undefined if it
 * has ended, lacks a role of the token or a second factor that the organization requires, or the
 * application has no organizations.
 */
export function membershipOf(
  ctx: Context,
  named: Named,
  user: User,
): Membership | undefined | Promise<Membership | undefined> {
  const { app_id: appId, org_id: organizationId = "", sid: loginId } = named;
  const isOn = recentApplications.hasOrganizations(ctx, appId);
  const { id: userId, claimsVersion: version } = user;
  const found = recentMemberships.membershipOf(ctx, { loginId, userId, organizationId, version });
  if (!(isOn instanceof Promise) && !(found instanceof Promise)) return isOn ? ifTrue(found, named, user) : undefined;
  return Promise.all([isOn, found]).then(([on, membership]) => (on ? ifTrue(membership, named, user) : undefined));
}

function ifTrue(
  membership: Membership | undefined,
  { org_roles: roles = [], acr, amr }: Named,
  { secondFactor }: User,
): Membership | undefined {
  if (!membership || !roles.every((role) => membership.roles.includes(role))) return undefined;
  // As `isEnough` in factors/assurance.ts; a token that an operator minted has no proof at all.
  const isProven = secondFactor !== null || acr === "phr" || amr.includes("pop") || amr.includes("operator");
  return requiresFactor(membership) && !isProven ? undefined : membership;
}
