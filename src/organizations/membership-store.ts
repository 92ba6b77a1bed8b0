/** Memberships. All reading of `organization_members` is here, and only live ones count. */
import {
  and,
  asc,
  count,
  eq,
  gt,
  inArray,
  isNotNull,
  isNull,
  ne,
  not,
  notExists,
  or,
  sql,
  type SQL,
} from "drizzle-orm";
import { ownsFactor } from "../factors/store.ts";
import type { JoinedBy, SecondFactorPolicy } from "../storage/column-types.ts";
import { prepare, statements, type Handle, type Row } from "../storage/storage.ts";
import type { ProviderRules } from "./provider/provider.ts";

/** A membership that counts now: neither the person nor the organization is disabled. */
export type Membership = {
  organizationId: string;
  appId: string;
  userId: string;
  slug: string;
  name: string;
  secondFactor: SecondFactorPolicy | null;
  /** The provider of the organization that works; null: none. */
  provider: ProviderRules | null;
  /** Whether the member may do without it. */
  providerExempt: boolean;
  /** Sorted. */
  roles: string[];
  joinedAt: number;
  /** When the person last chose this organization. */
  usedAt: number | null;
};

/** Raw SQL, because drizzle omits table names in subqueries. Roles contain no spaces. */
const rolesOfMember = sql`COALESCE((
  SELECT string_agg(r.role, ' ') FROM organization_member_roles r
  WHERE r.organization_id = organization_members.organization_id AND r.user_id = organization_members.user_id
), '')`.mapWith((roles: string) => roles.split(" ").filter(Boolean).toSorted());

function columnsOf({ organizationMembers: members, organizations, organizationProviders }: Handle["tables"]) {
  const { organizationId, state, issuer, sessionSeconds, requiredSince, proofsFrom } = organizationProviders;
  return {
    organizationId: members.organizationId,
    appId: members.appId,
    userId: members.userId,
    slug: organizations.slug,
    name: organizations.name,
    secondFactor: organizations.secondFactor,
    provider: { organizationId, state, issuer, sessionSeconds, requiredSince, proofsFrom },
    providerExempt: members.providerExempt,
    roles: rolesOfMember,
    joinedAt: members.createdAt,
    usedAt: members.usedAt,
  };
}

/** The provider that works, of the row's organization. */
function isItsProvider({ organizationProviders: providers, organizations }: Handle["tables"]) {
  return and(eq(providers.organizationId, organizations.id), eq(providers.state, "active"));
}

/** Live memberships that fulfil `condition`. */
function live({ db, tables }: Handle, condition: SQL | undefined) {
  const { organizationMembers: members, organizations, organizationProviders, users } = tables;
  return db
    .select(columnsOf(tables))
    .from(members)
    .innerJoin(organizations, eq(organizations.id, members.organizationId))
    .innerJoin(users, eq(users.id, members.userId))
    .leftJoin(organizationProviders, isItsProvider(tables))
    .where(
      and(
        condition,
        isNull(members.leftAt),
        isNull(organizations.disabledAt),
        isNull(organizations.deletedAt),
        isNull(users.disabledAt),
      ),
    );
}

const prepared = statements((handle) => {
  const { organizationMembers: members } = handle.tables;
  const ofUser = eq(members.userId, sql.placeholder("userId"));
  const isMember = eq(members.organizationId, sql.placeholder("organizationId"));
  return {
    use: prepare(
      handle.db
        .update(members)
        .set({ usedAt: sql`${sql.placeholder("usedAt")}` })
        .where(and(ofUser, isMember)),
      "record_use_of_organization",
    ),
    one: prepare(live(handle, and(ofUser, isMember)), "live_membership"),
    ofUser: prepare(live(handle, ofUser).orderBy(asc(members.organizationId)), "live_memberships_of_user"),
  };
});

/** A sign-in took the organization. */
export async function recordUse(
  tx: Handle,
  { organizationId, userId }: { organizationId: string; userId: string },
  now: number,
): Promise<void> {
  await prepared(tx).use.execute({ organizationId, userId, usedAt: now });
}

/** The live membership of a person in an organization; undefined if there is none. */
export async function findMembership(
  handle: Handle,
  wanted: { organizationId: string; userId: string },
): Promise<Membership | undefined> {
  const [row] = await prepared(handle).one.execute(wanted);
  return row;
}

/** All live memberships of a person, at most 100, ordered by id. */
export async function listMemberships(handle: Handle, userId: string): Promise<Membership[]> {
  return await prepared(handle).ofUser.execute({ userId });
}

/** The same, live or not, for operators; `disabledAt`: of the organization. */
export async function listAllMemberships(
  { db, tables }: Handle,
  userId: string,
): Promise<(Membership & { disabledAt: number | null })[]> {
  const { organizationMembers: members, organizations, organizationProviders } = tables;
  return await db
    .select({ ...columnsOf(tables), disabledAt: organizations.disabledAt })
    .from(members)
    .innerJoin(organizations, eq(organizations.id, members.organizationId))
    .leftJoin(organizationProviders, isItsProvider(tables))
    .where(and(eq(members.userId, userId), isNull(members.leftAt), isNull(organizations.deletedAt)))
    .orderBy(asc(members.organizationId));
}

/** A member, live or not: without those who left. */
export type Member = {
  userId: string;
  email: string | null;
  emailVerified: boolean;
  name: string | null;
  locale: string | null;
  disabledAt: number | null;
  /** As of a user: who waits for approval is disabled, too. */
  pendingAt: number | null;
  /** Sorted. */
  roles: string[];
  joinedBy: JoinedBy;
  /** Whether the member may do without the organization's provider. */
  providerExempt: boolean;
  createdAt: number;
  /** When the member last became an owner; null: before that was noted, or never. */
  ownerSince: number | null;
};

function people({ db, tables }: Handle, condition: SQL | undefined) {
  const { organizationMembers: members, users } = tables;
  const { email, emailVerified, name, locale, disabledAt, pendingAt } = users;
  return db
    .select({
      userId: members.userId,
      email,
      emailVerified,
      name,
      locale,
      disabledAt,
      pendingAt,
      roles: rolesOfMember,
      joinedBy: members.joinedBy,
      providerExempt: members.providerExempt,
      createdAt: members.createdAt,
      ownerSince: members.ownerSince,
    })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(condition);
}

function present(handle: Handle, condition: SQL | undefined) {
  return people(handle, and(condition, isNull(handle.tables.organizationMembers.leftAt)));
}

type Place = { organizationId: string; userId: string };

function at({ organizationMembers: members }: Handle["tables"], { organizationId, userId }: Place) {
  return and(eq(members.organizationId, organizationId), eq(members.userId, userId));
}

/** Whether somebody was a member and left by themselves, or was removed. */
export async function hasLeft({ db, tables }: Handle, place: Place): Promise<boolean> {
  const { organizationMembers: members } = tables;
  const left = and(at(tables, place), isNotNull(members.leftAt));
  return (await db.select({ id: members.userId }).from(members).where(left)).length === 1;
}

/** The same person of another organization is none. */
export async function findMember(handle: Handle, place: Place): Promise<Member | undefined> {
  const [row] = await present(handle, at(handle.tables, place));
  return row;
}

/** A page of the members, ordered by id. */
export async function listMembers(
  handle: Handle,
  organizationId: string,
  { after, limit }: { after: string; limit: number },
): Promise<Member[]> {
  const { organizationMembers: members } = handle.tables;
  const page = and(eq(members.organizationId, organizationId), gt(members.userId, after));
  return await present(handle, page).orderBy(asc(members.userId)).limit(limit);
}

/** Read first: as a subquery, PostgreSQL expects many owners, and reads all users instead. */
async function ownerIds(
  { db, tables: { organizationMemberRoles: roles } }: Handle,
  organizationId: string,
): Promise<string[]> {
  const isOwner = and(eq(roles.organizationId, organizationId), eq(roles.role, "owner"));
  return (await db.select({ id: roles.userId }).from(roles).where(isOwner)).map(({ id }) => id);
}

function enabledIn({ tables }: Handle, organizationId: string, condition: SQL | undefined) {
  return and(eq(tables.organizationMembers.organizationId, organizationId), condition, isNull(tables.users.disabledAt));
}

/** The owners who are not disabled, at most 50. */
export async function listOwners(handle: Handle, organizationId: string): Promise<Member[]> {
  const isOwner = inArray(handle.tables.organizationMembers.userId, await ownerIds(handle, organizationId));
  return await present(handle, enabledIn(handle, organizationId, isOwner)).limit(50);
}

/** The live memberships of a person who is the only owner who is not disabled. */
export async function listOwnedAlone(handle: Handle, userId: string): Promise<Membership[]> {
  const { organizationMemberRoles: roles, users } = handle.tables;
  const owned = (await listMemberships(handle, userId)).filter((membership) => membership.roles.includes("owner"));
  if (owned.length === 0) return [];
  const ids = owned.map(({ organizationId }) => organizationId);
  const others = await handle.db
    .selectDistinct({ id: roles.organizationId })
    .from(roles)
    .innerJoin(users, eq(users.id, roles.userId))
    .where(
      and(
        inArray(roles.organizationId, ids),
        eq(roles.role, "owner"),
        ne(roles.userId, userId),
        isNull(users.disabledAt),
      ),
    );
  const shared = new Set(others.map(({ id }) => id));
  return owned.filter(({ organizationId }) => !shared.has(organizationId));
}

/** Those of these people who are members. */
export async function listMembersAmong(
  handle: Handle,
  organizationId: string,
  userIds: readonly string[],
): Promise<Member[]> {
  const { organizationMembers: members } = handle.tables;
  const among = and(eq(members.organizationId, organizationId), inArray(members.userId, [...userIds]));
  return userIds.length === 0 ? [] : await present(handle, among);
}

/** Everybody who is an owner or was one after `since`, apart from the disabled; at most 100. */
export async function listRecentOwners(handle: Handle, organizationId: string, since: number): Promise<Member[]> {
  const { organizationMembers: members } = handle.tables;
  const wasOwner = or(gt(members.ownerUntil, since), inArray(members.userId, await ownerIds(handle, organizationId)));
  return await people(handle, enabledIn(handle, organizationId, wasOwner)).limit(100);
}

/** Some enabled organizations, perhaps of one application, that had a live owner and have none. */
export async function listOwnerless(
  { db, tables }: Handle,
  { limit, appId: ofApp }: { limit: number; appId?: string | undefined },
): Promise<Pick<Row<"organizations">, "id" | "appId" | "slug" | "ownerlessAt">[]> {
  const { organizations, organizationMemberRoles: roles, users } = tables;
  const owner = db
    .select({ id: roles.userId })
    .from(roles)
    .innerJoin(users, eq(users.id, roles.userId))
    .where(
      and(
        eq(roles.appId, organizations.appId),
        eq(roles.role, "owner"),
        eq(roles.organizationId, organizations.id),
        isNull(users.disabledAt),
      ),
    );
  const { id, appId, slug, ownerlessAt, disabledAt, deletedAt } = organizations;
  return await db
    .select({ id, appId, slug, ownerlessAt })
    .from(organizations)
    .where(
      and(
        ofApp === undefined ? undefined : eq(appId, ofApp),
        isNotNull(ownerlessAt),
        isNull(disabledAt),
        isNull(deletedAt),
        notExists(owner),
      ),
    )
    .limit(limit);
}

/** All organizations in which a person is a member, live or not, ordered by id. */
export async function listOrganizationsOf({ db, tables }: Handle, userId: string): Promise<string[]> {
  const { organizationMembers: members } = tables;
  const rows = await db
    .select({ id: members.organizationId })
    .from(members)
    .where(and(eq(members.userId, userId), isNull(members.leftAt)))
    .orderBy(asc(members.organizationId));
  return rows.map(({ id }) => id);
}

export async function countMembers({ db, tables }: Handle, organizationId: string): Promise<number> {
  const { organizationMembers: members } = tables;
  return await db.$count(members, and(eq(members.organizationId, organizationId), isNull(members.leftAt)));
}

/** How many members that are not disabled have neither a passkey nor a second factor. */
export async function countMembersWithoutFactor({ db, tables }: Handle, organizationId: string): Promise<number> {
  const { organizationMembers: members, users } = tables;
  const isMember = and(eq(members.organizationId, organizationId), isNull(members.leftAt));
  const [row] = await db
    .select({ people: count() })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(and(isMember, isNull(users.disabledAt), not(ownsFactor)));
  return row?.people ?? 0;
}

/** How many members each of these organizations has, counted up to `most`. */
export async function countSomeMembers(
  { db, tables: { organizations } }: Handle,
  organizationIds: readonly string[],
  most: number,
): Promise<Map<string, number>> {
  const value = sql`(SELECT count(*) FROM (
    SELECT 1 FROM organization_members m WHERE m.organization_id = organizations.id AND m.left_at IS NULL LIMIT ${most}
  ) AS counted)`.mapWith(Number);
  const ids = [...organizationIds];
  const rows = await db
    .select({ id: organizations.id, value })
    .from(organizations)
    .where(inArray(organizations.id, ids));
  return new Map(rows.map(({ id, value }) => [id, value]));
}

/** Makes somebody a member who is none, perhaps again. */
export async function insertMember(
  { db, tables: { organizationMembers: members } }: Handle,
  member: Place & { appId: string; joinedBy: JoinedBy; providerExempt: boolean; createdAt: number },
): Promise<void> {
  const { joinedBy, providerExempt, createdAt } = member;
  await db
    .insert(members)
    .values(member)
    .onConflictDoUpdate({
      target: [members.organizationId, members.userId],
      set: { joinedBy, providerExempt, createdAt, leftAt: null },
    });
}

/** Keeps the row, by which is known who left. */
export async function endMember({ db, tables }: Handle, place: Place, now: number): Promise<void> {
  await db.update(tables.organizationMembers).set({ leftAt: now, usedAt: null }).where(at(tables, place));
}

export async function recordExempt({ db, tables }: Handle, place: Place, providerExempt: boolean): Promise<void> {
  await db.update(tables.organizationMembers).set({ providerExempt }).where(at(tables, place));
}

export async function recordOwnerSince({ db, tables }: Handle, place: Place, now: number): Promise<void> {
  await db.update(tables.organizationMembers).set({ ownerSince: now }).where(at(tables, place));
}

export async function recordOwnerUntil({ db, tables }: Handle, place: Place, now: number): Promise<void> {
  await db.update(tables.organizationMembers).set({ ownerUntil: now }).where(at(tables, place));
}

/** Replaces all roles of a member. */
export async function replaceRoles(
  { db, tables: { organizationMemberRoles: roles } }: Handle,
  { organizationId, userId, appId }: Place & { appId: string },
  wanted: readonly string[],
): Promise<void> {
  await db.delete(roles).where(and(eq(roles.organizationId, organizationId), eq(roles.userId, userId)));
  if (wanted.length > 0) await db.insert(roles).values(wanted.map((role) => ({ organizationId, userId, appId, role })));
}

/** Deletes the rows of some members. */
export async function deleteSomeMembers(
  { db, tables: { organizationMembers: members } }: Handle,
  organizationId: string,
  userIds: readonly string[],
): Promise<void> {
  await db
    .delete(members)
    .where(and(eq(members.organizationId, organizationId), inArray(members.userId, [...userIds])));
}

/** The ids of some members and former members. */
export async function listSomeMemberIds(
  { db, tables: { organizationMembers: members } }: Handle,
  organizationId: string,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .select({ id: members.userId })
    .from(members)
    .where(eq(members.organizationId, organizationId))
    .orderBy(asc(members.userId))
    .limit(limit);
  return rows.map(({ id }) => id);
}
