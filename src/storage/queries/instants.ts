import { sql, type SQL } from "drizzle-orm";

/** The instant that many milliseconds after the statement's placeholder `now`. */
export function afterNow(milliseconds: number): SQL {
  return sql`CAST(${sql.placeholder("now")} AS bigint) + ${sql.raw(String(milliseconds))}`;
}
