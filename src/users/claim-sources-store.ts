import { and, eq, inArray, isNull, sql } from "drizzle-orm";
import { prepare, statements, type Handle } from "../storage/storage.ts";
import type { Metadata, ProfileValues } from "../storage/column-types.ts";

/** What an application's claims are made of. Groups are sorted by name. */
export type ClaimSources = { groups: string[]; public: Metadata; private: Metadata; profile: ProfileValues };

const prepared = statements(({ db, tables: { users } }) => ({
  sources: prepare(
    db
      .select({
        public: users.publicMetadata,
        private: users.privateMetadata,
        profile: users.profile,
        // Names contain no spaces; those of deleted groups are null.
        groups: sql<string | null>`(
          SELECT string_agg(groups.name, ' ') FROM group_members JOIN groups ON groups.id = group_members.group_id
          WHERE group_members.user_id = users.id
        )`,
      })
      .from(users)
      .where(eq(users.id, sql.placeholder("userId"))),
    "claim_sources_of_user",
  ),
}));

/** The sources of claims about a user; empty if there is no such user. */
export async function readClaimSources(handle: Handle, userId: string): Promise<ClaimSources> {
  const [row] = await prepared(handle).sources.execute({ userId });
  return {
    groups: row?.groups?.split(" ").toSorted() ?? [],
    public: row?.public ?? {},
    private: row?.private ?? {},
    profile: row?.profile ?? {},
  };
}

/** Makes every node read metadata, groups and memberships of these users again. Lock them first. */
export async function countClaimsChange({ db, tables: { logins } }: Handle, userIds: readonly string[]): Promise<void> {
  await db
    .update(logins)
    .set({ claimsVersion: sql`${logins.claimsVersion} + 1` })
    .where(and(inArray(logins.userId, [...userIds]), isNull(logins.endedAt)));
}
