import type { Kit } from "../kit.ts";

/** What the service notes about itself. */
export function serviceTables(kit: Kit) {
  const { table, index, text, instant, json } = kit;

  const auditEvents = table(
    "audit_events",
    {
      id: text("id").primaryKey(),
      at: instant("at").notNull(),
      actor: text("actor").notNull(),
      action: text("action").notNull(),
      result: text("result").$type<"success" | "failure">().notNull(),
      appId: text("app_id"),
      userId: text("user_id"),
      ipAddress: text("ip_address"),
      requestId: text("request_id"),
      details: json("details").$type<Record<string, string | number | boolean | null>>().notNull(),
    },
    (t) => [index("audit_events_at").on(t.at), index("audit_events_user_id").on(t.userId)],
  );

  /** One row a fact about the database itself: the check value of the master key. */
  const facts = table("facts", { name: text("name").primaryKey(), value: text("value").notNull() });

  return { auditEvents, facts };
}
