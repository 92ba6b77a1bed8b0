import { lt } from "drizzle-orm";
import type { Handle } from "../storage/storage.ts";

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

export async function insertAuditEvent({ db, tables: { auditEvents } }: Handle, row: AuditRow): Promise<void> {
  await db.insert(auditEvents).values(row);
}

export async function sweepAuditEvents({ db, tables: { auditEvents } }: Handle, before: number): Promise<void> {
  await db.delete(auditEvents).where(lt(auditEvents.at, before));
}
