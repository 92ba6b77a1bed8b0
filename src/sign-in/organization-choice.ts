/** The organization that a sign-in takes (docs/decisions/0095). */
import { z } from "zod";
import { hasOrganizations, type Application } from "../applications/application.ts";
import type { Client } from "../applications/clients/client.ts";
import * as consents from "../applications/clients/consents.ts";
import {
  consentEntry,
  lacksProvider,
  namesOrganizations,
  noOrganization,
  takesConfined,
  type ProvenFor,
} from "../organizations/gate.ts";
import { joinByDomain, offerFor, type DomainOffer } from "../organizations/domains/joining.ts";
import * as invitations from "../organizations/invitations.ts";
import type { Invited } from "../organizations/invitations.ts";
import { findMembership, listMemberships, type Membership } from "../organizations/membership-store.ts";
import { confinedTo, isConfined } from "../organizations/provider/provider.ts";
import type { Acting } from "../organizations/organization.ts";
import { findNamed } from "../organizations/store.ts";
import type { Context } from "../runtime/context.ts";
import * as browserSessions from "../sessions/browser-sessions.ts";
import type { Handle } from "../storage/storage.ts";
import type { User } from "../users/user.ts";
import * as clientAccess from "./client-access.ts";
import { demandOf, isAsking, organizationOf, type SignInSession } from "./session.ts";
import type { SignInAttempt } from "./sign-in-attempt.ts";

const maxNamedCharacters = 64;

/** The field `organization` of a request: an id, a slug or `none`. */
export const namedOrganization = z
  .string("must be a string")
  .max(maxNamedCharacters, `at most ${maxNamedCharacters} characters`);

/** Instead of an id: the person answers the invitations another time. */
export const later = "later";

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
  return (await findNamed(handle, application.id, named))?.id ?? unknownOrganization;
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
  // A protected host knows nothing of organizations.
  return (
    (purpose === "sign-in" || purpose === "tile") &&
    client?.kind !== "proxy" &&
    namesOrganizations(application, client, scopes)
  );
}

/** The organization that this browser's user chose last; undefined: none, or it was asked anew. */
async function remembered(
  ctx: Context,
  handle: Handle,
  { session, application, currentBrowserSession }: Place,
  userId: string,
): Promise<string | undefined> {
  if (session.authorization?.prompt.includes("select_account") === true) return undefined;
  const browser = await browserSessions.find(ctx, handle, currentBrowserSession, application);
  return browser?.userId === userId ? (browser.organizationId ?? undefined) : undefined;
}

/**
 * Asked once for a browser session: one membership is taken, of several the person chooses. Who can
 * no longer use the last one chooses anew, and is told why. `chosen`: by the person, just now.
 * `continues`: this person's stored proof. `showsInvitations`: new ones are offered.
 */
export async function decide(
  ctx: Context,
  tx: Handle,
  place: Place & Pick<SignInAttempt, "source">,
  {
    client,
    user,
    proven,
    chosen,
    continues,
    showsInvitations,
  }: {
    client: Client | undefined;
    user: User;
    proven: ProvenFor;
    chosen: string | undefined;
    continues: boolean;
    showsInvitations: boolean;
  },
): Promise<Choice> {
  const { session, application } = place;
  const { id: userId } = user;
  if (isConfined(proven)) return await confined(ctx, tx, place, { client, userId, proven, chosen });
  if (!isPossible(session, application, client)) return without;
  const isRequired = application.settings.organizations === "required";
  if (continues && chosen === undefined && isAsking(session)) return { kind: "asked" };
  // Another person than before may have signed in: only a demand holds for everybody.
  const demand = demandOf(session);
  const isOwn = demand === null;
  const wanted = chosen === later ? null : (chosen ?? demand ?? (continues ? organizationOf(session) : null));
  if (wanted === noOrganization) return isRequired ? { kind: "denied" } : { ...without, isOwn };
  const invited = async (): Promise<Invited[]> => await invitations.waitingFor(ctx, user, tx);
  const offer = await offerFor(ctx, tx, user);
  const mayJoin = offer !== undefined && (wanted === null || wanted === offer.organizationId);
  if (mayJoin && !offer.asks) await joinByDomain(ctx, tx, user, { ...offer, agreed: false }, byPerson(place, userId));
  if (wanted !== null) {
    const organization = await findMembership(tx, { organizationId: wanted, userId });
    if (organization) return { kind: "taken", organization, isOwn };
    const mayAccept = showsInvitations && (await invited()).some(({ organization: { id } }) => id === wanted);
    return (mayJoin && chosen === undefined) || mayAccept ? { kind: "asked" } : { kind: "denied" };
  }
  const isInvited = showsInvitations && (await invited()).some(({ invitation: { offeredAt } }) => offeredAt === null);
  const memberships = await listMemberships(tx, userId);
  const [only, ...others] = memberships;
  const before = await remembered(ctx, tx, place, userId);
  if (!only) return isRequired || isInvited || (offer && before !== noOrganization) ? { kind: "asked" } : without;
  const last = before === noOrganization ? undefined : before;
  const organization = last === undefined ? only : memberships.find(({ organizationId }) => organizationId === last);
  if (!organization || isInvited || (last === undefined && others.length > 0)) return { kind: "asked" };
  return { kind: "taken", organization, isOwn };
}

/** Nothing but the organization whose provider named this person, if the program may have that. */
async function confined(
  ctx: Context,
  tx: Handle,
  { session, application }: Place,
  {
    client,
    userId,
    proven,
    chosen,
  }: Pick<Parameters<typeof decide>[3], "client" | "proven" | "chosen"> & { userId: string },
): Promise<Choice> {
  const organizationId = confinedTo(proven);
  const demand = demandOf(session);
  const resource = await clientAccess.resourceOf(tx, session, client);
  const takes = isPossible(session, application, client) && takesConfined(application, client, resource);
  if (organizationId === undefined || !takes) return { kind: "denied" };
  if ([demand, chosen].some((wanted) => wanted && wanted !== organizationId)) return { kind: "denied" };
  const organization = await findMembership(tx, { organizationId, userId });
  if (!organization || lacksProvider(application, organization, proven, ctx.clock())) return { kind: "denied" };
  return { kind: "taken", organization, isOwn: demand === null };
}

/**
 * Whether this browser's user may get to an organization for which the client lacks a consent: by
 * taking, joining or creating it.
 */
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
  const memberships = await listMemberships(handle, user.id);
  if (memberships.length === 0 && application.settings.organizations === "required") return true;
  const waiting = await invitations.waitingFor(ctx, user, handle);
  const offer = await offerFor(ctx, handle, user);
  const last = await remembered(ctx, handle, place, user.id);
  const isAsked = offer?.asks === false || waiting.some(({ invitation: { offeredAt } }) => offeredAt === null);
  if (!isAsked && memberships.length === 0 && last === noOrganization) return false;
  const offered = [...(offer ? [offer.organizationId] : []), ...waiting.map(({ organization: { id } }) => id)];
  const all = [...memberships.map(({ organizationId }) => organizationId), ...offered];
  const only = isAsked ? [] : all.filter((id) => id === last);
  const scopes = (only.length > 0 ? only : all).map(consentEntry);
  return await consents.lacks(handle, { client, userId: user.id, scopes });
}

const maxInvitationsOnPage = 3;

/** The invitations on the page, those not offered yet last: they are, once it is shown. */
async function invitationsFor(ctx: Context, handle: Handle, session: SignInSession, user: User): Promise<Invited[]> {
  const demand = demandOf(session);
  const waiting = await invitations.waitingFor(ctx, user, handle);
  return waiting
    .filter(({ organization: { id } }) => demand === null || id === demand)
    .toSorted((a, b) => (b.invitation.offeredAt ?? 0) - (a.invitation.offeredAt ?? 0));
}

/** The page of the choice is shown next: its invitations do not bring it up again. */
export async function recordOffered(ctx: Context, tx: Handle, { session }: Place, user: User): Promise<void> {
  const waiting = await invitationsFor(ctx, tx, session, user);
  const fresh = waiting.filter(({ invitation: { offeredAt } }) => offeredAt === null);
  await invitations.recordOffered(ctx, tx, fresh.slice(0, maxInvitationsOnPage));
}

/** What the page of a choice shows. `memberships`: the last used first. */
export type Choices = {
  memberships: Membership[];
  /** The last one can no longer be used. */
  isLost: boolean;
  /** One that they may join. */
  offer: DomainOffer | undefined;
  invited: Invited[];
  /** The sign-in can continue with an organization without an answer to the invitations. */
  mayWait: boolean;
  mayGoWithout: boolean;
  /** The person has none, and the application requires one. */
  isNeeded: boolean;
};

export async function choices(ctx: Context, handle: Handle, place: Place, user: User): Promise<Choices> {
  const demand = demandOf(place.session);
  const isMeant = ({ organizationId }: { organizationId: string }): boolean =>
    demand === null || organizationId === demand;
  const memberships = (await listMemberships(handle, user.id)).filter(isMeant);
  const before = await remembered(ctx, handle, place, user.id);
  const last = before === noOrganization ? undefined : before;
  const hasLast = memberships.some(({ organizationId }) => organizationId === last);
  const offer = await offerFor(ctx, handle, user);
  const waiting = await invitationsFor(ctx, handle, place.session, user);
  const hasNone = demand === null && memberships.length === 0;
  const isRequired = place.application.settings.organizations === "required";
  return {
    memberships: memberships.toSorted(
      (a, b) => (b.usedAt ?? 0) - (a.usedAt ?? 0) || a.name.localeCompare(b.name, "en"),
    ),
    isLost: demand === null && last !== undefined && !hasLast,
    offer: offer && isMeant(offer) ? offer : undefined,
    invited: waiting.slice(0, maxInvitationsOnPage),
    mayGoWithout: hasNone && !isRequired,
    isNeeded: hasNone && isRequired,
    mayWait: last === undefined ? memberships.length === 1 : hasLast,
  };
}
