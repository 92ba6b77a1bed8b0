import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Kit } from "../kit.ts";

type Owner = { id: AnySQLiteColumn };

/** Makes the column that says which application a row belongs to: the row goes with it. */
export function ofApplication({ text }: Kit, applications: Owner) {
  return () =>
    text("app_id")
      .notNull()
      .references(() => applications.id, { onDelete: "cascade" });
}

/** The same for a user. */
export function ofUser({ text }: Kit, users: Owner) {
  return () =>
    text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" });
}
