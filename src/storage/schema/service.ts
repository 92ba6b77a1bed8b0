import { sql } from "drizzle-orm";
import type { ActivityEvent, ActivitySpan, AuditCursor, SettingChanges } from "../column-types.ts";
import type { Kit } from "./kit.ts";

/** The service's own state. */
export function serviceTables(kit: Kit) {
  const { table, index, onPostgres, primaryKey, text, integer, instant, json, transaction } = kit;

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
      /** The id of what was changed, if it is not the user. */
      target: text("target"),
      changes: json("changes").$type<SettingChanges>(),
      organizationId: text("organization_id"),
      /** Only for who reads the log in the order of its commits (docs/decisions/0103). */
      writtenIn: transaction("written_in"),
    },
    (t) => [
      index("audit_events_at").on(t.at),
      index("audit_events_user_id").on(t.userId, t.at),
      // For the filters of `audit list`. What they cost: docs/performance.md.
      index("audit_events_by_app").on(t.appId, t.at),
      // First, because SQLite takes the one created first of two equal indexes.
      index("audit_events_by_app_action").on(t.appId, t.action, t.at),
      index("audit_events_by_action").on(t.action, t.at),
      index("audit_events_by_address")
        .on(t.ipAddress, t.at)
        .where(sql`ip_address IS NOT NULL`),
      // Only operators and applications: actions of users are found by `user_id`.
      index("audit_events_by_actor")
        .on(t.actor, t.at)
        .where(sql`actor < 'user:'`),
      // Failures may be rare: without these, their page would read a log of successes to its end.
      index("audit_failures").on(t.at).where(isFailure),
      index("audit_failures_by_app").on(t.appId, t.at).where(isFailure),
      index("audit_failures_by_action").on(t.action, t.at).where(isFailure),
      // Most entries are of sign-ins, and have no target.
      index("audit_events_by_target")
        .on(t.target, t.at)
        .where(sql`target IS NOT NULL`),
      // For ids that are pasted from a log.
      index("audit_events_by_request")
        .on(t.requestId)
        .where(sql`request_id IS NOT NULL`),
      ...onPostgres(index("audit_events_written_in").on(t.writtenIn)),
    ],
  );

  /** How far the log is sent to a receiver, and which process sends it (docs/decisions/0103). */
  const auditSenders = table("audit_senders", {
    name: text("name").primaryKey(),
    /** Up to where entries have numbers (`records/audit/stream.ts`). */
    cursor: json("cursor").$type<AuditCursor>().notNull(),
    /** The last number that was given. */
    number: integer("number").notNull(),
    /** The newest entry that has a number; for a database whose positions began anew. */
    newestAt: instant("newest_at").notNull(),
    /** Of this process alone, until then. */
    holder: text("holder"),
    leaseUntil: instant("lease_until"),
  });

  /** Numbered entries that the receiver has not confirmed. No reference: the log is swept. */
  const auditSendings = table("audit_sendings", {
    number: integer("number").primaryKey(),
    eventId: text("event_id").notNull(),
  });

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

  /**
   * How often something happened in an hour or a day (docs/decisions/0054). Written in the
   * transaction of the counted event. A number is the sum of its shards.
   */
  const activityCounts = table(
    "activity_counts",
    {
      /** Empty for the whole service. No reference, because of those rows. */
      appId: text("app_id").notNull(),
      span: text("span").$type<ActivitySpan>().notNull(),
      event: text("event").$type<ActivityEvent>().notNull(),
      /** Of a UTC hour or day. */
      startsAt: instant("starts_at").notNull(),
      /** Such as a method or an error code; empty for none. */
      kind: text("kind").notNull(),
      shard: integer("shard").notNull(),
      value: integer("value").notNull(),
    },
    (t) => [
      primaryKey({ columns: [t.appId, t.span, t.event, t.startsAt, t.kind, t.shard] }),
      index("activity_counts_shards")
        .on(t.startsAt)
        .where(sql`shard > 0`),
    ],
  );

  return { auditEvents, auditSenders, auditSendings, facts, rateLimitCounts, activityCounts };
}
