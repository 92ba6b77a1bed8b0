/** Rows of second factors that failed after an organization's provider. */
import { and, eq } from "drizzle-orm";
import type { Handle, Row } from "../storage/storage.ts";

type FactorFailures = Row<"organizationFactorFailures">;
export type Place = Pick<FactorFailures, "organizationId" | "userId">;

function at({ tables: { organizationFactorFailures: t } }: Handle, { organizationId, userId }: Place) {
  return and(eq(t.organizationId, organizationId), eq(t.userId, userId));
}

export async function find(tx: Handle, place: Place): Promise<FactorFailures | undefined> {
  const [row] = await tx.db.select().from(tx.tables.organizationFactorFailures).where(at(tx, place));
  return row;
}

export async function save(tx: Handle, row: FactorFailures): Promise<void> {
  const { organizationFactorFailures: t } = tx.tables;
  const { failures, lastFailedAt } = row;
  await tx.db
    .insert(t)
    .values(row)
    .onConflictDoUpdate({ target: [t.organizationId, t.userId], set: { failures, lastFailedAt } });
}

/** The right one was typed. */
export async function forget(tx: Handle, place: Place): Promise<void> {
  await tx.db.delete(tx.tables.organizationFactorFailures).where(at(tx, place));
}
