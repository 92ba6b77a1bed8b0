/** Organizations of an application: creating, reading and changing them (docs/decisions/0093). */
import { isDeepStrictEqual } from "node:util";
import type { Application } from "../applications/application.ts";
import * as applications from "../applications/service.ts";
import * as ids from "../applications/ids.ts";
import { day, hour } from "../lib/clock.ts";
import { AppError, applicationNotFound, invalidRequest, userNotFound } from "../lib/errors.ts";
import { networkOf } from "../lib/networks.ts";
import { newId } from "../lib/random.ts";
import { checkedNewEmail } from "../lib/user-fields.ts";
import { changeOf, type Wanted } from "../lib/wanted.ts";
import * as audit from "../records/audit/audit.ts";
import * as mail from "../records/mail/service.ts";
import { changedValues } from "../records/audit/changes.ts";
import type { Context } from "../runtime/context.ts";
import type { SecondFactorPolicy } from "../storage/column-types.ts";
import type { Handle } from "../storage/storage.ts";
import { patchedMetadata } from "../users/metadata.ts";
import { lockUser } from "../users/store.ts";
import type { User } from "../users/user.ts";
import { note, organizationChanged, tokensEnd } from "./announcements.ts";
import { listProvedDomains } from "./domains/store.ts";
import * as invitations from "./invitations.ts";
import * as members from "./members.ts";
import { countMembers, listOwners } from "./membership-store.ts";
import {
  checkedMaxMembers,
  checkedOrganizationName,
  checkedSlug,
  maxOrganizations,
  organizationAnswer,
  notAllowed,
  organizationNotFound,
  refuseManySlugs,
  slugOf,
  tooMany,
  type Acting,
  type Organization,
  type OrganizationAnswer,
} from "./organization.ts";
import type { Rank } from "./rights.ts";
import {
  changeOrganization,
  countCreatedBy,
  findNamed,
  findOrganization,
  hasAsMany,
  hasSlug,
  insertOrganization,
  insertSlug,
  listOrganizations,
  listSlugs,
} from "./store.ts";

/** Undefined fields stay unchanged, or get the default. */
export type OrganizationChange = {
  name?: string | undefined;
  slug?: string | undefined;
  secondFactor?: SecondFactorPolicy | undefined;
  maxMembers?: number | null | undefined;
  /** A JSON merge patch (RFC 7396). */
  publicMetadata?: unknown;
  disabled?: boolean | undefined;
};

/** `owner`: the id of a user, or an address that is invited to own it. */
export type NewOrganization = Omit<OrganizationChange, "disabled"> & { name: string; owner: string };

export type OrganizationDetails = OrganizationAnswer & { members: number; owners: number };

const maxOfCreator = 10;
const maxOfNetworkInADay = 3;

/** For the calls of an application without them. */
export function areOff(): AppError {
  return new AppError("UNKNOWN_PATH", "The application has no organizations.", { details: "organizations: off" });
}

/** Throws UNKNOWN_PATH. */
export async function requireOn(ctx: Context, appId: string): Promise<void> {
  const application = await applications.find(ctx, ctx.storage.reader, appId);
  if (application?.settings.organizations === undefined) throw areOff();
}

/** One of this application that is not deleted; undefined if there is none. */
export async function find(handle: Handle, appId: string, id: string): Promise<Organization | undefined> {
  const organization = await findOrganization(handle, id);
  return organization?.appId === appId && organization.deletedAt === null ? organization : undefined;
}

/** Of any application; undefined if there is none. */
export async function byId(ctx: Context, id: string): Promise<Organization | undefined> {
  return await findOrganization(ctx.storage.reader, id);
}

/** By id, or by a slug that it has or had. Throws ORGANIZATION_NOT_FOUND. */
export async function named(handle: Handle, appId: string, idOrSlug: string): Promise<Organization> {
  const found = await findNamed(handle, appId, idOrSlug);
  if (!found) throw organizationNotFound();
  return found;
}

/** With the numbers of its members and owners. */
export async function details(ctx: Context, organization: Organization): Promise<OrganizationDetails> {
  const { reader } = ctx.storage;
  const [count, owners] = [await countMembers(reader, organization.id), await listOwners(reader, organization.id)];
  return { ...organizationAnswer(organization), members: count, owners: owners.length };
}

/** A page of an application's organizations, ordered by id. */
export async function list(
  ctx: Context,
  appId: string,
  { after, limit }: { after: string; limit: number },
): Promise<{ organizations: OrganizationAnswer[]; nextCursor: string | null }> {
  const rows = await listOrganizations(ctx.storage.reader, appId, { after, limit: limit + 1 });
  const organizations = rows.slice(0, limit).map(organizationAnswer);
  return { organizations, nextCursor: rows.length > limit ? (organizations.at(-1)?.id ?? null) : null };
}

/**
 * Creates an organization with its owner, a user or an address. Throws INVALID_REQUEST,
 * USER_NOT_FOUND, APP_NOT_FOUND, and CONFLICT for a slug that another one has or had.
 */
export async function create(
  ctx: Context,
  { id: appId }: Pick<Application, "id">,
  input: NewOrganization,
  acting: Acting,
): Promise<OrganizationAnswer> {
  const now = ctx.clock();
  const email = input.owner.includes("@") ? checkedNewEmail(input.owner, "owner") : undefined;
  if (email !== undefined && !mail.takesMail(ctx)) throw invalidRequest("owner", "the service has no mail server");
  return await ctx.storage.write<OrganizationAnswer>(async (tx, rollBack) => {
    if (!(await ids.lock(tx, appId, now))) throw applicationNotFound();
    const user = email === undefined ? await lockUser(tx, input.owner) : undefined;
    if (email === undefined && user?.appId !== appId) throw userNotFound();
    if (user && user.disabledAt !== null) throw invalidRequest("owner", "a user who is not disabled");
    const organization = await insert(ctx, tx, appId, input, { creatorId: null, acting }, now);
    if (user) await members.join(ctx, tx, organization, { user, roles: ["owner"], joinedBy: "server" }, acting, now);
    if (email !== undefined) {
      const wanted = { email, roles: ["owner"], redirectUri: null, added: [], rank: "server" as const };
      await invitations.send(ctx, tx, organization, wanted, acting, now);
    }
    if (acting.dryRun) throw rollBack(organizationAnswer(organization));
    return organizationAnswer(organization);
  });
}

/**
 * Creates an organization for a person with a verified address, who owns it. Throws CONFLICT if
 * they created too many, INVALID_REQUEST.
 */
export async function createByPerson(
  ctx: Context,
  { id: userId, appId }: Pick<User, "id" | "appId">,
  input: { name: string; slug?: string | undefined },
  acting: Acting,
): Promise<OrganizationAnswer> {
  const now = ctx.clock();
  return await ctx.storage.write(async (tx) => {
    if (!(await ids.lock(tx, appId, now))) throw applicationNotFound();
    const user = await lockUser(tx, userId);
    if (!user || user.disabledAt !== null || user.email === null || !user.emailVerified)
      throw new AppError("CONFLICT", "Only somebody with a verified address can create an organization.");
    if ((await countCreatedBy(tx, userId)) >= maxOfCreator)
      throw new AppError("CONFLICT", `A person can create at most ${maxOfCreator} organizations.`);
    await refuseManyFromNetwork(tx, appId, acting, now);
    const organization = await insert(ctx, tx, appId, input, { creatorId: userId, acting }, now);
    await members.join(ctx, tx, organization, { user, roles: ["owner"], joinedBy: "creator" }, acting, now);
    return organizationAnswer(organization);
  });
}

/** So that a network with many accounts does not fill the application. Throws RATE_LIMITED. */
async function refuseManyFromNetwork(tx: Handle, appId: string, { source }: Acting, now: number): Promise<void> {
  if (!source) return;
  const network = networkOf(source.ipAddress);
  const made = { appId, action: "organization.create", actorKind: "user" } as const;
  const recent = await audit.recent(tx, { ...made, since: now - day });
  const alike = recent.filter(({ ipAddress }) => ipAddress !== null && networkOf(ipAddress) === network);
  if (alike.length >= maxOfNetworkInADay) throw tooMany("This network has created its organizations of this day.", day);
}

/** Creates an organization without members, for an import, which stays. Throws as `create`. */
export async function createEmpty(
  ctx: Context,
  appId: string,
  input: Omit<NewOrganization, "owner">,
  acting: Acting,
): Promise<Organization> {
  const now = ctx.clock();
  return await ctx.storage.write<Organization>(async (tx, rollBack) => {
    if (!(await ids.lock(tx, appId, now))) throw applicationNotFound();
    const organization = await insert(ctx, tx, appId, input, { creatorId: null, ownedAt: now, acting }, now);
    if (acting.dryRun) throw rollBack(organization);
    return organization;
  });
}

/** Inserts the row and its slug, with the application locked. */
async function insert(
  ctx: Context,
  tx: Handle,
  appId: string,
  input: Omit<NewOrganization, "owner">,
  { creatorId, ownedAt = null, acting }: { creatorId: string | null; ownedAt?: number | null; acting: Acting },
  now: number,
): Promise<Organization> {
  const name = checkedOrganizationName(input.name);
  const id = newId("org", now, ctx.random);
  const organization: Organization = {
    id,
    appId,
    name,
    creatorId,
    slug: await firstSlug(ctx, tx, { appId, name, slug: input.slug }, now),
    secondFactor: storedPolicy(input.secondFactor),
    maxMembers: checkedMaxMembers(input.maxMembers ?? null),
    publicMetadata:
      input.publicMetadata === undefined ? null : patchedMetadata("publicMetadata", null, input.publicMetadata),
    approvedAt: creatorId === null ? now : null,
    ownedAt,
    ownerlessAt: ownedAt,
    sharedAt: null,
    ownerRemovedAt: null,
    invitationCount: 0,
    createdAt: now,
    updatedAt: now,
    disabledAt: null,
    deletesAt: null,
    deletedAt: null,
  };
  if (await hasAsMany(tx, appId, maxOrganizations))
    throw new AppError("CONFLICT", `An application can have at most ${maxOrganizations} organizations.`);
  await insertOrganization(tx, organization);
  const slug = { appId, slug: organization.slug, organizationId: id, createdAt: now };
  if (!(await insertSlug(tx, slug))) throw slugTaken();
  const noted = {
    action: "create",
    event: "organization.created",
    ...(creatorId !== null && { userId: creatorId }),
  } as const;
  await note(ctx, tx, organization, noted, acting, now);
  return organization;
}

/** The given slug, or a free one derived from the name. Throws INVALID_REQUEST. */
async function firstSlug(
  ctx: Context,
  tx: Handle,
  { appId, name, slug }: { appId: string; name: string; slug: string | undefined },
  now: number,
): Promise<string> {
  if (slug !== undefined) return checkedSlug(slug);
  const made = slugOf(name);
  if (made !== undefined && !(await hasSlug(tx, appId, made))) return made;
  return `${made ?? "org"}-${newId("org", now, ctx.random).slice(-6)}`;
}

function slugTaken(): AppError {
  return new AppError("CONFLICT", "Another organization of the application has or had this slug.");
}

function storedPolicy(policy: SecondFactorPolicy | undefined): SecondFactorPolicy | null {
  return policy === undefined || policy === "off" ? null : policy;
}

const fieldsOf: Record<Rank, readonly (keyof OrganizationChange)[]> = {
  server: ["name", "slug", "secondFactor", "maxMembers", "publicMetadata", "disabled"],
  owner: ["name", "slug", "secondFactor"],
  admin: ["name"],
  member: [],
};

const maxPolicyChangesInAnHour = 6;

/**
 * Changes an organization. Enabling or disabling it also ends an owner's deletion. Throws
 * ORGANIZATION_NOT_FOUND, INSUFFICIENT_SCOPE for a field that is not the member's to change,
 * INVALID_REQUEST, CONFLICT.
 */
export async function update(
  ctx: Context,
  given: Organization,
  wanted: Wanted<OrganizationChange, OrganizationAnswer>,
  acting: Acting,
): Promise<OrganizationAnswer> {
  const now = ctx.clock();
  return await ctx.storage.write<OrganizationAnswer>(async (tx, rollBack) => {
    const { organization, rank } = await members.lockFor(tx, given, acting, "admin");
    const change = changeOf(wanted, organizationAnswer(organization));
    const names = Object.entries(change).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    if (!names.every((name) => (fieldsOf[rank] as readonly string[]).includes(name))) throw notAllowed();
    const altered = await alteredBy(tx, organization, change, now);
    const fields = Object.keys(altered);
    if (fields.length === 0) throw rollBack(organizationAnswer(organization));
    if (rank !== "server" && altered.secondFactor !== undefined) await refuseManyPolicies(tx, organization, now);
    const after = { ...organization, ...altered, updatedAt: now };
    await changeOrganization(tx, organization.id, { ...altered, updatedAt: now });
    const changes = changedValues("secondFactor", [organization.secondFactor ?? "off"], [after.secondFactor ?? "off"]);
    const details = { fields: fields.filter((field) => field !== "disabledAt").join(", ") };
    const action = altered.disabledAt === undefined ? "update" : altered.disabledAt === null ? "enable" : "disable";
    await note(ctx, tx, after, { action, event: "organization.updated", details, changes }, acting, now);
    await organizationChanged(tx, after, now);
    if (altered.disabledAt || altered.secondFactor === "required") await tokensEnd(ctx, tx, after);
    if (acting.dryRun) throw rollBack(organizationAnswer(after));
    return organizationAnswer(after);
  });
}

/** The columns to which the change gives another value. */
async function alteredBy(
  tx: Handle,
  organization: Organization,
  { name, slug, secondFactor, maxMembers, publicMetadata, disabled }: OrganizationChange,
  now: number,
): Promise<Partial<Organization>> {
  const { id } = organization;
  const next: Partial<Organization> = {
    ...(name !== undefined && { name: checkedOrganizationName(name, await listProvedDomains(tx, id)) }),
    ...(slug !== undefined && { slug: await changedSlug(tx, organization, slug, now) }),
    ...(secondFactor !== undefined && { secondFactor: storedPolicy(secondFactor) }),
    ...(maxMembers !== undefined && {
      maxMembers: checkedMaxMembers(maxMembers),
      approvedAt: organization.approvedAt ?? now,
    }),
    ...(publicMetadata !== undefined && {
      publicMetadata: patchedMetadata("publicMetadata", organization.publicMetadata, publicMetadata),
    }),
    ...(disabled !== undefined && { disabledAt: disabled ? (organization.disabledAt ?? now) : null }),
    // The server's word replaces an owner's deletion.
    ...(disabled !== undefined && { deletesAt: null }),
  };
  const altered = Object.entries(next).filter(
    ([field, value]) => !isDeepStrictEqual(value, organization[field as keyof Organization]),
  );
  return Object.fromEntries(altered);
}

/** An own earlier slug is always possible. Throws INVALID_REQUEST, CONFLICT. */
async function changedSlug(tx: Handle, organization: Organization, slug: string, now: number): Promise<string> {
  const { id: organizationId, appId } = organization;
  const own = await listSlugs(tx, organizationId);
  if (own.includes(slug)) return slug;
  checkedSlug(slug);
  refuseManySlugs(own);
  if (!(await insertSlug(tx, { appId, slug, organizationId, createdAt: now }))) throw slugTaken();
  return slug;
}

/** Each change makes every node check all members again. Throws RATE_LIMITED. */
async function refuseManyPolicies(tx: Handle, { id, appId }: Organization, now: number): Promise<void> {
  const about = { appId, target: id, action: "organization.update" };
  const recent = await audit.recent(tx, { ...about, since: now - hour });
  if (recent.filter(({ changes }) => changes?.["secondFactor"]).length >= maxPolicyChangesInAnHour)
    throw tooMany("The policy was changed six times in the last hour.", hour);
}
