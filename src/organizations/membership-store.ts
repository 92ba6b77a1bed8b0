/** Memberships. All reading of `organization_members` is here, and only live ones count. */
import { and, asc, eq, isNull, sql, type SQL } from "drizzle-orm";
import type { SecondFactorPolicy } from "../storage/column-types.ts";
import { prepare, statements, type Handle } from "../storage/storage.ts";

/** A membership that counts now: neither the person nor the organization is disabled. */
export type Membership = {
  organizationId: string;
  appId: string;
  userId: string;
  slug: string;
  name: string;
  secondFactor: SecondFactorPolicy | null;
  /** Sorted. */
  roles: string[];
  joinedAt: number;
  /** When the person last chose this organization. */
  usedAt: number | null;
};

/** Raw SQL, because drizzle omits table names in subqueries. Roles contain no spaces. */
const rolesOfMember = sql<string>`(
  SELECT string_agg(r.role, ' ') FROM organization_member_roles r
  WHERE r.organization_id = organization_members.organization_id AND r.user_id = organization_members.user_id
)`.mapWith((roles: string | null) => roles?.split(" ").toSorted() ?? []);

/** Live memberships that fulfil `condition`. */
function live({ db, tables }: Handle, condition: SQL | undefined) {
  const { organizationMembers: members, organizations, users } = tables;
  return db
    .select({
      organizationId: members.organizationId,
      appId: members.appId,
      userId: members.userId,
      slug: organizations.slug,
      name: organizations.name,
      secondFactor: organizations.secondFactor,
      roles: rolesOfMember as SQL<string[]>,
      joinedAt: members.createdAt,
      usedAt: members.usedAt,
    })
    .from(members)
    .innerJoin(organizations, eq(organizations.id, members.organizationId))
    .innerJoin(users, eq(users.id, members.userId))
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
  return {
    one: prepare(
      live(handle, and(ofUser, eq(members.organizationId, sql.placeholder("organizationId")))),
      "live_membership",
    ),
    ofUser: prepare(live(handle, ofUser).orderBy(asc(members.organizationId)), "live_memberships_of_user"),
  };
});

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

/** The live owners of an organization that have a verified address, at most 100. */
export async function listOwners(
  { db, tables }: Handle,
  organizationId: string,
): Promise<{ id: string; email: string | null; locale: string | null }[]> {
  const { organizationMembers: members, organizationMemberRoles: roles, users } = tables;
  return await db
    .select({ id: users.id, email: users.email, locale: users.locale })
    .from(roles)
    .innerJoin(members, and(eq(members.organizationId, roles.organizationId), eq(members.userId, roles.userId)))
    .innerJoin(users, eq(users.id, members.userId))
    .where(
      and(
        eq(roles.organizationId, organizationId),
        eq(roles.role, "owner"),
        isNull(members.leftAt),
        isNull(users.disabledAt),
        eq(users.emailVerified, true),
      ),
    )
    .orderBy(asc(users.id))
    .limit(100);
}
