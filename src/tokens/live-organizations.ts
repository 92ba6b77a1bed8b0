/** Whether what a live token says about its organization is still true (docs/decisions/0095). */
import * as recentApplications from "../applications/recent.ts";
import { acrValues } from "../factors/assurance.ts";
import { second } from "../lib/clock.ts";
import { requiresFactor } from "../organizations/gate.ts";
import type { Membership } from "../organizations/membership-store.ts";
import * as recentMemberships from "../organizations/recent.ts";
import { findOrganization } from "../organizations/store.ts";
import type { Context } from "../runtime/context.ts";
import type { SecondFactorProof } from "../storage/column-types.ts";
import type { AccessTokenClaims } from "./access-tokens.ts";

/** Why a token without a membership is not valid. */
export const ended = "it says more about its organization than is true now";

/** The claims that decide. Missing in a machine's token: `sid`. */
type Named = Pick<AccessTokenClaims, "app_id" | "org_id" | "org_roles" | "org_confined" | "acr" | "sid" | "iat"> & {
  amr: string[];
};
type OfApplication = Pick<Named, "app_id" | "org_id">;
type Found = Membership | null | undefined;

type User = { id: string; claimsVersion: number; secondFactor: SecondFactorProof | null };

/**
 * The membership that a token of a live login names, at once if it is remembered; null if it names
 * none of ours. Undefined if the membership has ended, lacks a role of the token or a second factor
 * that the organization requires, or the application has no organizations any more.
 */
export function membershipOf(ctx: Context, named: Named, user: User): Found | Promise<Found> {
  const isOn = recentApplications.organizationsAreOn(ctx, named.app_id);
  if (isOn === true) return ofLogin(ctx, named, user);
  return Promise.resolve(isOn).then(async (on) => {
    if (on) return await ofLogin(ctx, named, user);
    return (await isOwnClaim(ctx, named)) ? null : undefined;
  });
}

/**
 * Whether `org_id` of a token is a claim of the application's own, which it may have while it has
 * no organizations.
 */
export async function isOwnClaim(ctx: Context, { app_id: appId, org_id: named }: OfApplication): Promise<boolean> {
  if (await recentApplications.organizationsAreOn(ctx, appId)) return false;
  const claims = await recentApplications.claims(ctx, appId);
  if (claims?.some(({ claim }) => claim === "org_id")) return true;
  // The claim may have been removed since. One of ours was named before they were turned off.
  return typeof named !== "string" || (await findOrganization(ctx.storage.reader, named))?.appId !== appId;
}

/**
 * Whether a token rests on an organization's provider alone. Without organizations, the claim may
 * be one of the application's own.
 */
export function isConfined(
  ctx: Context,
  { app_id: appId, org_confined: claimed }: Pick<AccessTokenClaims, "app_id" | "org_confined">,
): boolean | Promise<boolean> {
  if (claimed !== true) return false;
  return (async () => {
    if (await recentApplications.organizationsAreOn(ctx, appId)) return true;
    const claims = await recentApplications.claims(ctx, appId);
    return claims?.some(({ claim }) => claim === "org_confined") !== true;
  })();
}

function ofLogin(ctx: Context, named: Named, user: User): Found | Promise<Found> {
  const { org_id: organizationId, sid: loginId } = named;
  // From before they were turned on, when it was a claim of the application's own.
  if (typeof organizationId !== "string") return undefined;
  const { id: userId, claimsVersion: version } = user;
  const found = recentMemberships.membershipOf(ctx, { loginId, userId, organizationId, version });
  if (!(found instanceof Promise)) return ifTrue(found, named, user);
  return found.then((membership) => ifTrue(membership, named, user));
}

function ifTrue(
  membership: Membership | undefined,
  { org_roles: roles = [], org_confined: isConfined, acr, amr, iat }: Named,
  { secondFactor }: User,
): Membership | undefined {
  // Its login ends soon after; what was issued before, or in the same second, counts no longer.
  if (isConfined && !(membership?.provider && iat >= Math.ceil(membership.provider.proofsFrom / second)))
    return undefined;
  if (!membership || !Array.isArray(roles) || !roles.every((role) => membership.roles.includes(role))) return undefined;
  // As `isEnough` in factors/assurance.ts; a token that an operator minted has no proof at all.
  const isOwn = secondFactor !== null && (secondFactor !== "organization" || acr === acrValues[1]);
  const isProven = isOwn || acr === "phr" || amr.includes("pop") || amr.includes("operator");
  return requiresFactor(membership) && !isProven ? undefined : membership;
}
