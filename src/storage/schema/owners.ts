import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Kit } from "./kit.ts";

type Owner = { id: AnySQLiteColumn };

/** The column for a row's application. Deleting the application deletes the row. */
export function ofApplication({ text }: Kit, applications: Owner) {
  return () =>
    text("app_id")
      .notNull()
      .references(() => applications.id, { onDelete: "cascade" });
}

/** The column for a row's user. Deleting the user deletes the row. */
export function ofUser({ text }: Kit, users: Owner) {
  return () =>
    text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" });
}
