import type { LogoGround } from "../column-types.ts";
import type { ApplicationTables } from "./applications.ts";
import type { ClientTables } from "./clients.ts";
import type { Kit } from "./kit.ts";
import type { UserTables } from "./users.ts";

/** Uploaded pictures of people, and logos: one each (docs/decisions/0088). */
export function pictureTables(
  kit: Kit,
  {
    users,
    applications,
    clients,
  }: Pick<ApplicationTables, "applications"> & Pick<UserTables, "users"> & Pick<ClientTables, "clients">,
) {
  const { table, index, uniqueIndex, text, instant, bytes } = kit;

  const pictures = table(
    "pictures",
    {
      /** The random part of its address, which stays when another picture replaces it. */
      id: text("id").primaryKey(),
      /** Exactly one of the three. */
      userId: text("user_id").references(() => users.id, { onDelete: "cascade" }),
      appId: text("app_id").references(() => applications.id, { onDelete: "cascade" }),
      clientId: text("client_id").references(() => clients.id, { onDelete: "cascade" }),
      type: text("type").notNull(),
      /** The part of the digest that is in its address. */
      digest: text("digest").notNull(),
      /** What a logo needs under it, on pages of the other colour. */
      ground: text("ground").$type<LogoGround>(),
      bytes: bytes("bytes").notNull(),
      updatedAt: instant("updated_at").notNull(),
      /** Until then, the value of the owner's column before, and the bytes if it was uploaded. */
      undoUntil: instant("undo_until"),
      previousAddress: text("previous_address"),
      previousType: text("previous_type"),
      previousBytes: bytes("previous_bytes"),
    },
    (t) => [
      uniqueIndex("pictures_user_id").on(t.userId),
      uniqueIndex("pictures_app_id").on(t.appId),
      uniqueIndex("pictures_client_id").on(t.clientId),
      index("pictures_undo_until").on(t.undoUntil),
    ],
  );

  return { pictures };
}
