import { and, desc, eq, gte, isNotNull, sql } from "drizzle-orm";
import { placeholders, prepare, statements, type Handle, type Row } from "../storage/storage.ts";
import { prepareSweep } from "../storage/sweep.ts";

export type AuditRow = {
  id: string;
  at: number;
  actor: string;
  action: string;
  result: "success" | "failure";
  appId: string | null;
  userId: string | null;
  ipAddress: string | null;
  requestId: string | null;
  details: Record<string, string | number | boolean | null>;
};

const prepared = statements((handle) => {
  const { db, tables } = handle;
  const { auditEvents: events } = tables;
  return {
    insert: prepare(db.insert(events).values(placeholders(events)), "insert_audit_event"),
    forgetAddresses: prepare(
      db
        .update(events)
        .set({ ipAddress: null })
        .where(and(eq(events.userId, sql.placeholder("userId")), isNotNull(events.ipAddress))),
      "forget_addresses_of_audit_events",
    ),
    sweep: prepareSweep(handle, { table: events, key: events.id, instant: events.at }, "sweep_audit_events"),
  };
});

export async function insertAuditEvent(tx: Handle, row: AuditRow): Promise<void> {
  await prepared(tx).insert.execute(row satisfies Row<"auditEvents">);
}

/** Leaves of a person only the id. */
export async function forgetAddressesInAudit(tx: Handle, userId: string): Promise<void> {
  await prepared(tx).forgetAddresses.execute({ userId });
}

/** Removes a batch of events from before `before`; true when more may be left. */
export async function sweepAuditEvents(tx: Handle, before: number): Promise<boolean> {
  return await prepared(tx).sweep(before);
}

/** The newest events that fit, at most `limit`, newest first. */
export async function listAuditEvents(
  { db, tables: { auditEvents: events } }: Handle,
  wanted: { appId?: string | undefined; userId?: string | undefined; since?: number | undefined; limit: number },
): Promise<AuditRow[]> {
  const { appId, userId, since, limit } = wanted;
  return await db
    .select()
    .from(events)
    .where(
      and(
        appId === undefined ? undefined : eq(events.appId, appId),
        userId === undefined ? undefined : eq(events.userId, userId),
        since === undefined ? undefined : gte(events.at, since),
      ),
    )
    .orderBy(desc(events.at), desc(events.id))
    .limit(limit);
}
