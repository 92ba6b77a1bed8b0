/** The claims that applications make of groups and metadata (docs/decisions/0045). */
import { LRUCache } from "lru-cache";
import type { Application } from "../applications/application.ts";
import { isOwnProgram } from "../applications/clients/own-programs.ts";
import { fieldsInClaims } from "../applications/profile-fields.ts";
import * as recentApplications from "../applications/recent.ts";
import { maxClaimBytes } from "../lib/claim-size.ts";
import { invalidRequest } from "../lib/errors.ts";
import { organizationClaims } from "../organizations/claims.ts";
import { part, type Context } from "../runtime/context.ts";
import type { ApplicationClaim, ClaimPlace } from "../storage/column-types.ts";
import type { Handle } from "../storage/storage.ts";
import { readClaimSources, type ClaimSources } from "../users/claim-sources-store.ts";
import {
  applicationClaims,
  fittingClaims,
  hasApplicationClaims,
  profileInClaims,
  type ClaimRecipient,
} from "./application-claims.ts";
import type { Bearer } from "./authentication.ts";

const maxRemembered = 10_000;
const maxRememberedCharacters = 10_000_000;

type Claims = Record<string, unknown>;

/**
 * The audience of a token. `client`: undefined for the application itself. `isConfined`: it tells
 * nothing that the person has elsewhere.
 */
type Token = {
  application: Pick<Application, "claims">;
  client?: { consent: "none" | "ask" } | undefined;
  scopes: readonly string[];
  userId: string;
  isConfined?: boolean | undefined;
};

const rememberedSources = part(
  () =>
    new LRUCache<string, { version: number; sources: ClaimSources }>({
      max: maxRemembered,
      maxSize: maxRememberedCharacters,
      sizeCalculation: ({ sources }) => JSON.stringify(sources).length,
    }),
);

/** The sources for a live login, remembered until its `claimsVersion` changes. */
export async function ofLogin(
  ctx: Context,
  { loginId, userId, claimsVersion: version }: { loginId: string; userId: string; claimsVersion: number },
): Promise<ClaimSources> {
  const cached = rememberedSources(ctx).get(loginId);
  if (cached?.version === version) return cached.sources;
  const sources = await readClaimSources(ctx.storage.reader, userId);
  rememberedSources(ctx).set(loginId, { version, sources });
  return sources;
}

async function sourcesOf(
  ctx: Context,
  { claims: { sid: loginId, sub: userId }, user: { claimsVersion }, isPersonal }: Bearer,
): Promise<ClaimSources> {
  // Only a login counts the changes.
  if (isPersonal) return await readClaimSources(ctx.storage.reader, userId);
  return await ofLogin(ctx, { loginId, userId, claimsVersion });
}

async function bearerRecipient(ctx: Context, { scopes, claims }: Bearer): Promise<ClaimRecipient> {
  const { aud, client_id: clientId } = claims;
  return { scopes, isOwnProgram: clientId === aud || (await isOwnProgram(ctx, clientId)) };
}

async function currentOf(ctx: Context, bearer: Bearer, claims: ApplicationClaim[] | null): Promise<Claims | undefined> {
  if (!hasApplicationClaims(claims, bearer.scopes)) return undefined;
  const recipient = await bearerRecipient(ctx, bearer);
  return applicationClaims(claims, "access", recipient, await sourcesOf(ctx, bearer));
}

function recipientOf({ client, scopes }: Pick<Token, "client" | "scopes">): ClaimRecipient {
  return { scopes, isOwnProgram: client?.consent !== "ask" };
}

export async function read(handle: Handle, userId: string): Promise<ClaimSources> {
  return await readClaimSources(handle, userId);
}

/** The claims for a new token. Those that would make it too large are omitted and logged. */
export async function forToken(
  ctx: Context,
  place: "access" | "id",
  { application: { claims }, userId, isConfined, ...token }: Token,
): Promise<Claims> {
  if (isConfined) return constants({ claims }, place);
  if (!hasApplicationClaims(claims, token.scopes)) return {};
  const all = applicationClaims(claims, place, recipientOf(token), await readClaimSources(ctx.storage.reader, userId));
  const { fitting, omitted } = fittingClaims(all);
  if (omitted.length > 0)
    ctx.log.warn("claims were omitted from a token: together they are too large", {
      userId,
      claims: omitted.join(" "),
    });
  return fitting;
}

/** The claims of a token that is nobody's, or tells nothing of its person: only constants. */
export function constants({ claims }: Pick<Application, "claims">, place: ClaimPlace = "access"): Claims {
  const own = (claims ?? []).filter(({ from }) => from === "value");
  const nobody = { groups: [], public: {}, private: {}, profile: {} };
  return fittingClaims(applicationClaims(own, place, { scopes: [], isOwnProgram: true }, nobody)).fitting;
}

/** All claims of the place, for an answer in JSON. */
export async function forAnswer(
  ctx: Context,
  place: "access" | "userinfo",
  { application: { claims }, userId, isConfined, ...token }: Token,
): Promise<Claims> {
  if (isConfined) return constants({ claims }, place);
  if (!hasApplicationClaims(claims, token.scopes)) return {};
  return applicationClaims(claims, place, recipientOf(token), await readClaimSources(ctx.storage.reader, userId));
}

/**
 * The claims that a live access token would have if it were issued now. At once if its application
 * has none: then only those of its organization, or undefined.
 */
export function current(ctx: Context, bearer: Bearer): undefined | Claims | Promise<Claims | undefined> {
  const { membership } = bearer;
  const claims = recentApplications.claims(ctx, bearer.claims.aud);
  if (bearer.isConfined || claims instanceof Promise || hasApplicationClaims(claims, bearer.scopes))
    return withOrganization(ctx, bearer, claims);
  return membership && organizationClaims(membership);
}

/**
 * The fields of the profile that the application's claims name, with their current values. At once
 * if there are none.
 */
export function currentProfile(ctx: Context, bearer: Bearer): undefined | Promise<Claims | undefined> {
  if (bearer.isConfined) return undefined;
  const claims = recentApplications.claims(ctx, bearer.claims.aud);
  if (claims instanceof Promise) return claims.then((known) => profileOf(ctx, bearer, known));
  return fieldsInClaims(claims).length === 0 ? undefined : profileOf(ctx, bearer, claims);
}

async function profileOf(ctx: Context, bearer: Bearer, claims: ApplicationClaim[] | null): Promise<Claims | undefined> {
  if (fieldsInClaims(claims).length === 0) return undefined;
  const profile = profileInClaims(claims, await bearerRecipient(ctx, bearer), await sourcesOf(ctx, bearer));
  return Object.keys(profile).length === 0 ? undefined : profile;
}

async function withOrganization(
  ctx: Context,
  bearer: Bearer,
  claims: ApplicationClaim[] | null | Promise<ApplicationClaim[] | null>,
): Promise<Claims | undefined> {
  if (bearer.isConfined)
    return { ...constants({ claims: await claims }), ...organizationClaims(bearer.membership), org_confined: true };
  const own = await currentOf(ctx, bearer, await claims);
  return bearer.membership ? { ...own, ...organizationClaims(bearer.membership) } : own;
}

/** Throws INVALID_REQUEST if the claims of a user are too large, as seen by `tx`. */
export async function refuseTooLarge(
  tx: Handle,
  { claims, settings }: Application,
  userId: string,
  field: string,
): Promise<void> {
  const scopes = settings.scopes;
  if (!hasApplicationClaims(claims, scopes)) return;
  const sources = await readClaimSources(tx, userId);
  for (const place of ["access", "id"] as const) {
    const all = applicationClaims(claims, place, { scopes, isOwnProgram: true }, sources);
    if (fittingClaims(all).omitted.length > 0)
      throw invalidRequest(field, `the claims of the user's tokens would exceed ${maxClaimBytes} bytes`);
  }
}
