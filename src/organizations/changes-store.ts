import { sql } from "drizzle-orm";
import { prepare, statements, type Handle } from "../storage/storage.ts";

const prepared = statements((handle) => {
  const { db, tables, commitOrder } = handle;
  const { organizationChanges: changes } = tables;
  const position = commitOrder.position(changes);
  const one = sql`(SELECT 1 AS one) AS one`;
  const isNew = commitOrder.between(changes, sql`${sql.placeholder("after")}`, sql`${null}`);
  return {
    position: prepare(db.select({ position }).from(one), "organization_changes_position"),
    after: prepare(
      db.select({ position, organizationId: changes.organizationId }).from(one).leftJoin(changes, isNew),
      "organization_changes_after",
    ),
  };
});

/** The organizations that changed since `after`, the position of an earlier call. */
export async function findChangedOrganizations(
  handle: Handle,
  after: string | undefined,
): Promise<{ position: string; changed: string[] }> {
  const rows =
    after === undefined
      ? (await prepared(handle).position.execute()).map((row) => ({ ...row, organizationId: null }))
      : await prepared(handle).after.execute({ after });
  return { position: rows[0]?.position ?? "", changed: rows.flatMap(({ organizationId }) => organizationId ?? []) };
}
