import { sql } from "drizzle-orm";
import type { Kit } from "./kit.ts";

/** The service's own state. */
export function serviceTables(kit: Kit) {
  const { table, index, text, integer, instant, json } = kit;

  const isFailure = sql`result = 'failure'`;
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
    (t) => [
      index("audit_events_at").on(t.at),
      index("audit_events_user_id").on(t.userId, t.at),
      // For the filters of `audit list`. What they cost: docs/performance.md.
      index("audit_events_by_app").on(t.appId, t.at),
      index("audit_events_by_action").on(t.action, t.at),
      index("audit_events_by_address")
        .on(t.ipAddress, t.at)
        .where(sql`ip_address IS NOT NULL`),
      // Only operators and applications: what users do is found by `user_id`.
      index("audit_events_by_actor")
        .on(t.actor, t.at)
        .where(sql`actor < 'user:'`),
      // Failures may be rare: without these, their page would read a log of successes to its end.
      index("audit_failures").on(t.at).where(isFailure),
      index("audit_failures_by_app").on(t.appId, t.at).where(isFailure),
      index("audit_failures_by_action").on(t.action, t.at).where(isFailure),
    ],
  );

  /** One row per fact about the database, such as the check value of the master key. */
  const facts = table("facts", { name: text("name").primaryKey(), value: text("value").notNull() });

  /**
   * Calls of one caller in one clock minute; the digest covers both. Not worth a disk flush: the
   * table is UNLOGGED on PostgreSQL and empty after a crash (docs/decisions/0022).
   */
  const rateLimitCounts = table(
    "rate_limit_counts",
    { digest: text("digest").primaryKey(), endsAt: instant("ends_at").notNull(), used: integer("used").notNull() },
    (t) => [index("rate_limit_counts_ends_at").on(t.endsAt)],
  );

  return { auditEvents, facts, rateLimitCounts };
}
