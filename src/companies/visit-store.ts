/** Statements for visits to the provider of an organization. */
import { eq } from "drizzle-orm";
import { prepareSweep } from "../storage/queries/sweep.ts";
import { placeholders, prepare, statements } from "../storage/storage.ts";

export const prepared = statements((handle) => {
  const { organizationVisits: visits } = handle.tables;
  const row = placeholders(visits);
  return {
    insert: prepare(handle.db.insert(visits).values(row), "insert_organization_visit"),
    consume: prepare(
      handle.db.delete(visits).where(eq(visits.digest, row.digest)).returning(),
      "consume_organization_visit",
    ),
    sweep: prepareSweep(
      handle,
      { table: visits, key: visits.digest, instant: visits.expiresAt },
      "sweep_organization_visits",
    ),
  };
});
