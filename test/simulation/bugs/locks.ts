/** Faults of locks, which only several nodes on PostgreSQL show. */
import type { Bug } from "../planted.ts";

export const lockBugs: readonly Bug[] = [
  {
    name: "migrations-without-their-lock",
    file: "storage/postgres/migrate.ts",
    replaced: 'await query("SELECT pg_advisory_xact_lock(728471120)");',
    by: "",
    oracle: "O10",
  },
  {
    name: "counters-in-any-order",
    file: "storage/transaction.ts",
    replaced: "].toSorted(([a], [b]) => (a < b ? -1 : 1));",
    by: "];",
    oracle: "O10",
  },
  {
    name: "code-before-its-user",
    file: "sign-in/store.ts",
    replaced: "lockUser: prepare(\n      forChange(",
    by: "lockUser: prepare(\n      ((query) => query)(",
    oracle: "O10",
  },
  {
    name: "logout-ends-what-has-ended",
    file: "sessions/login-store.ts",
    replaced: "            isNull(logins.endedAt),\n            or(eq(logins.id, id)",
    by: "            or(eq(logins.id, id)",
    oracle: "O5",
  },
  {
    name: "change-reads-before-its-lock",
    file: "people/changes.ts",
    replaced: "const before = await lockUser(tx, userId);",
    by: "const before = await users.find(tx, userId);",
    oracle: "O4",
  },
  {
    name: "user-without-a-lock",
    file: "users/store.ts",
    replaced: "lock: prepare(forChange(db.select()",
    by: "lock: prepare(((query) => query)(db.select()",
    oracle: "O7",
  },
  {
    name: "tries-read-before-their-lock",
    file: "factors/service.ts",
    replaced: `const user = await lockUser(tx, userId);
    const factor = await findSecondFactor(tx, userId);
    if (!user || !factor) return undefined;
    const refusal`,
    by: `const factor = await findSecondFactor(tx, userId);
    const user = await lockUser(tx, userId);
    if (!user || !factor) return undefined;
    const refusal`,
    oracle: "O7",
  },
  {
    name: "application-without-its-lock",
    file: "applications/service.ts",
    replaced: "const before = await lockApplication(tx, id, now);",
    by: "const before = await findApplication(tx, id);",
    oracle: "O4",
  },
  {
    name: "feed-without-late-commits",
    file: "storage/queries/commit-order.ts",
    replaced: "AND NOT pg_visible_in_snapshot(${writtenIn}, ${snapshot(after)})",
    by: "AND ${writtenIn} >= pg_snapshot_xmax(${snapshot(after)})",
    oracle: "O1",
  },
];
