import { fieldsInClaims } from "../applications/profile-fields.ts";
import { bytesOfClaim, maxClaimBytes } from "../lib/claim-size.ts";
import type { ApplicationClaim, ClaimPlace } from "../storage/column-types.ts";
import type { ClaimSources } from "../users/claim-sources-store.ts";

/** `isOwnProgram`: not a client that asks people for their consent. */
export type ClaimRecipient = { scopes: readonly string[]; isOwnProgram: boolean };

/** Whether a token of such scopes can have claims besides the service's own. */
export function hasApplicationClaims(claims: readonly ApplicationClaim[] | null, scopes: readonly string[]): boolean {
  return claims !== null || scopes.includes("groups");
}

/**
 * The claims of an application in one place, without those that the user has no value for. Other
 * people's programs get groups by the scope `groups`, public metadata and fields of the profile by
 * `profile`, and never private metadata.
 */
export function applicationClaims(
  claims: readonly ApplicationClaim[] | null,
  place: ClaimPlace,
  { scopes, isOwnProgram }: ClaimRecipient,
  sources: ClaimSources,
): Record<string, unknown> {
  const entries: [string, unknown][] = scopes.includes("groups") ? [["groups", sources.groups]] : [];
  for (const { claim, from, value, in: places } of claims ?? []) {
    if (!places.includes(place) || !(isOwnProgram || mayReach(from, scopes))) continue;
    const content = from === "value" ? value : valueOf(from, sources);
    if (content !== undefined && content !== null) entries.push([claim, content]);
  }
  return Object.fromEntries(entries);
}

function mayReach(from: string, scopes: readonly string[]): boolean {
  if (from === "value") return true;
  if (from === "groups") return scopes.includes("groups");
  return !from.startsWith("private.") && scopes.includes("profile");
}

function valueOf(from: string, sources: ClaimSources): unknown {
  if (from === "groups") return sources.groups;
  const dot = from.indexOf(".");
  const of = from.slice(0, dot) as "public" | "private" | "profile";
  const { [of]: values } = sources;
  const key = from.slice(dot + 1);
  return Object.hasOwn(values, key) ? values[key] : undefined;
}

/** The fields of the profile that claims are made of, with what this recipient may have of them. */
export function profileInClaims(
  claims: readonly ApplicationClaim[] | null,
  { scopes, isOwnProgram }: ClaimRecipient,
  { profile }: Pick<ClaimSources, "profile">,
): Record<string, unknown> {
  const values = fieldsInClaims(claims).flatMap((name) => {
    const value = Object.hasOwn(profile, name) ? profile[name] : undefined;
    return value === undefined || value === null ? [] : [[name, value] as const];
  });
  return isOwnProgram || scopes.includes("profile") ? Object.fromEntries(values) : {};
}

/** The claims that fit into a token, in their order, and the names of the others. */
export function fittingClaims(claims: Record<string, unknown>): {
  fitting: Record<string, unknown>;
  omitted: string[];
} {
  let room = maxClaimBytes;
  const fitting: [string, unknown][] = [];
  const omitted: string[] = [];
  for (const [name, value] of Object.entries(claims)) {
    const bytes = bytesOfClaim(name, value);
    if (bytes > room) {
      omitted.push(name);
      continue;
    }
    room -= bytes;
    fitting.push([name, value]);
  }
  return { fitting: Object.fromEntries(fitting), omitted };
}
