import type { OperatorRole } from "../column-types.ts";
import type { Kit } from "./kit.ts";
import { ofUser } from "./owners.ts";
import type { UserTables } from "./users.ts";

/** The operators of the console, and their sessions. */
export function operatorTables(kit: Kit, { users }: Pick<UserTables, "users">) {
  const { table, index, text, instant } = kit;

  /** Users of the console's application. Without a row here, such a user may do nothing. */
  const operators = table("operators", {
    userId: ofUser(kit, users)().primaryKey(),
    role: text("role").$type<OperatorRole>().notNull(),
    createdAt: instant("created_at").notNull(),
  });

  const operatorSessions = table(
    "operator_sessions",
    {
      /** Of the browser's cookie. */
      digest: text("digest").primaryKey(),
      userId: ofUser(kit, users)(),
      /** Ends with this login. */
      loginId: text("login_id").notNull(),
      createdAt: instant("created_at").notNull(),
      seenAt: instant("seen_at").notNull(),
    },
    (t) => [index("operator_sessions_user_id").on(t.userId), index("operator_sessions_seen_at").on(t.seenAt)],
  );

  return { operators, operatorSessions };
}
