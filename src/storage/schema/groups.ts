import type { SecondFactorPolicy } from "../column-types.ts";
import type { Kit } from "./kit.ts";
import { ofApplication, ofUser } from "./owners.ts";
import type { ApplicationTables } from "./applications.ts";
import type { UserTables } from "./users.ts";

/** Groups of an application's users. */
export function groupsTables(
  kit: Kit,
  { applications, users }: Pick<ApplicationTables, "applications"> & Pick<UserTables, "users">,
) {
  const { table, index, uniqueIndex, primaryKey, text, instant } = kit;

  const groups = table(
    "groups",
    {
      id: text("id").primaryKey(),
      appId: ofApplication(kit, applications)(),
      /** Null once deleted, while its members are removed in batches: then it grants nothing. */
      name: text("name"),
      /** The second-factor policy for its members; null: off. */
      secondFactor: text("second_factor").$type<SecondFactorPolicy>(),
      createdAt: instant("created_at").notNull(),
    },
    (t) => [uniqueIndex("groups_app_id_name").on(t.appId, t.name)],
  );

  const groupMembers = table(
    "group_members",
    {
      groupId: text("group_id")
        .notNull()
        .references(() => groups.id, { onDelete: "cascade" }),
      userId: ofUser(kit, users)(),
      createdAt: instant("created_at").notNull(),
    },
    (t) => [primaryKey({ columns: [t.groupId, t.userId] }), index("group_members_user_id").on(t.userId, t.groupId)],
  );

  return { groups, groupMembers };
}
