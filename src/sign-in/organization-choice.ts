/** The organization that a sign-in takes (docs/decisions/0095). */
import { z } from "zod";
import { hasOrganizations, type Application } from "../applications/application.ts";
import type { Client } from "../applications/clients/client.ts";
import * as consents from "../applications/clients/consents.ts";
import { invalidRequest } from "../lib/errors.ts";
import { consentEntry, find, namesOrganizations, noOrganization } from "../organizations/gate.ts";
import { joinByDomain, offerFor, type DomainOffer } from "../organizations/domains/joining.ts";
import { findMembership, listMemberships, type Membership } from "../organizations/membership-store.ts";
import type { Acting } from "../organizations/organization.ts";
import type { Context } from "../runtime/context.ts";
import * as browserSessions from "../sessions/browser-sessions.ts";
import type { Handle } from "../storage/storage.ts";
import type { User } from "../users/user.ts";
import { demandOf, isAsking, organizationOf, type SignInSession } from "./session.ts";
import type { SignInAttempt } from "./sign-in-attempt.ts";

const maxNamedCharacters = 64;

/** The field `organization` of a request: an id, a slug or `none`. */
export const namedOrganization = z
  .string("must be a string")
  .max(maxNamedCharacters, `at most ${maxNamedCharacters} characters`);

/** While the application has no organizations, the field is unknown. Throws INVALID_REQUEST. */
export function refuseWhileOff(application: Application, named: string | null | undefined): void {
  if (named !== undefined && !hasOrganizations(application)) throw invalidRequest("body", 'unknown key "organization"');
}

/** In a session's `organizationId`: the request named one that does not exist. */
export const unknownOrganization = "unknown";

/**
 * `taken` with undefined: the sign-in continues without one. `isOwn`: not demanded by the request,
 * so this browser remembers it.
 */
export type Choice =
  | { kind: "taken"; organization: Membership | undefined; isOwn: boolean }
  | { kind: "asked" | "denied"; organization?: undefined };

const without: Choice & { kind: "taken" } = { kind: "taken", organization: undefined, isOwn: false };

/** What a session stores about the `organization` that a request names, by id, slug or `none`. */
export async function demanded(
  handle: Handle,
  application: Application,
  named: string | null | undefined,
): Promise<string | null> {
  if (!named || !hasOrganizations(application)) return null;
  if (named === noOrganization) return named;
  return (await find(handle, application, named))?.id ?? unknownOrganization;
}

type Place = Pick<SignInAttempt, "session" | "application" | "currentBrowserSession">;

export function byPerson({ source }: Pick<SignInAttempt, "source">, userId: string): Acting {
  return { actor: { kind: "user", name: userId }, source };
}

/** Whether this sign-in ends with tokens that can name an organization. */
function isPossible(
  { purpose, scopes }: Pick<SignInSession, "purpose" | "scopes">,
  application: Application,
  client: Client | undefined,
): boolean {
  return purpose === "sign-in" && namesOrganizations(application, client, scopes);
}

/** The organization that this browser's user chose last; undefined: none, or it was asked anew. */
async function remembered(
  ctx: Context,
  handle: Handle,
  { session, application, currentBrowserSession }: Place,
  userId: string,
): Promise<string | undefined> {
  if (session.authorization?.prompt.includes("select_account") === true) return undefined;
  const browser = await browserSessions.find(ctx, handle, currentBrowserSession, application.id);
  return browser?.userId === userId ? (browser.organizationId ?? undefined) : undefined;
}

/**
 * Asked once for a browser session: one membership is taken, of several the person chooses. Who can
 * no longer use the last one chooses anew, and is told why. `chosen`: by the person, just now.
 * `continues`: this person's stored proof.
 */
export async function decide(
  ctx: Context,
  tx: Handle,
  place: Place & Pick<SignInAttempt, "source">,
  {
    client,
    user,
    chosen,
    continues,
  }: { client: Client | undefined; user: User; chosen: string | undefined; continues: boolean },
): Promise<Choice> {
  const { session, application } = place;
  const { id: userId } = user;
  if (!isPossible(session, application, client)) return without;
  const isRequired = application.settings.organizations === "required";
  if (continues && chosen === undefined && isAsking(session)) return { kind: "asked" };
  // Another person than before may have signed in: only a demand holds for everybody.
  const demand = demandOf(session);
  const isOwn = demand === null;
  const wanted = chosen ?? demand ?? (continues ? organizationOf(session) : null);
  if (wanted === noOrganization) return isRequired ? { kind: "denied" } : { ...without, isOwn };
  const offer = await offerFor(ctx, tx, user);
  const mayJoin = offer !== undefined && (wanted === null || wanted === offer.organizationId);
  if (mayJoin && !offer.asks) await joinByDomain(ctx, tx, user, { ...offer, agreed: false }, byPerson(place, userId));
  if (wanted !== null) {
    const organization = await findMembership(tx, { organizationId: wanted, userId });
    if (organization) return { kind: "taken", organization, isOwn };
    return mayJoin && chosen === undefined ? { kind: "asked" } : { kind: "denied" };
  }
  const memberships = await listMemberships(tx, userId);
  const [only, ...others] = memberships;
  const before = await remembered(ctx, tx, place, userId);
  if (!only) return isRequired || (offer && before !== noOrganization) ? { kind: "asked" } : without;
  const last = before === noOrganization ? undefined : before;
  const organization = last === undefined ? only : memberships.find(({ organizationId }) => organizationId === last);
  if (!organization || (last === undefined && others.length > 0)) return { kind: "asked" };
  return { kind: "taken", organization, isOwn };
}

/** Whether this browser's user may take an organization for which the client lacks a consent. */
export async function mayAskConsent(
  ctx: Context,
  handle: Handle,
  place: Place & { client: Client },
  user: User,
): Promise<boolean> {
  const { session, application, client } = place;
  // A demanded one is part of the session's own consent.
  if (client.consent === "none" || demandOf(session) !== null || !isPossible(session, application, client))
    return false;
  const last = await remembered(ctx, handle, place, user.id);
  const offer = await offerFor(ctx, handle, user);
  const offered = offer && (!offer.asks || last !== noOrganization) ? [offer] : [];
  const all = [...(await listMemberships(handle, user.id)), ...offered];
  const only = all.filter(({ organizationId }) => organizationId === last);
  const scopes = (only.length > 0 ? only : all).map(({ organizationId }) => consentEntry(organizationId));
  return await consents.lacks(handle, { client, userId: user.id, scopes });
}

/**
 * The choices of a person, the last used first. `isLost`: the last one can no longer be used.
 * `offer`: one that they may join. `isDemanded`: the request demands one, and the others are no
 * choices.
 */
export async function choices(
  ctx: Context,
  handle: Handle,
  place: Place,
  user: User,
): Promise<{ memberships: Membership[]; isLost: boolean; offer: DomainOffer | undefined; isDemanded: boolean }> {
  const demand = demandOf(place.session);
  const fits = ({ organizationId }: { organizationId: string }): boolean =>
    demand === null || organizationId === demand;
  const memberships = (await listMemberships(handle, user.id)).filter(fits);
  const offer = await offerFor(ctx, handle, user);
  const last = await remembered(ctx, handle, place, user.id);
  const isLost =
    demand === null &&
    last !== undefined &&
    last !== noOrganization &&
    !memberships.some(({ organizationId }) => organizationId === last);
  const sorted = memberships.toSorted(
    (a, b) => (b.usedAt ?? 0) - (a.usedAt ?? 0) || a.name.localeCompare(b.name, "en"),
  );
  return { memberships: sorted, isLost, offer: offer && fits(offer) ? offer : undefined, isDemanded: demand !== null };
}
