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
    oracle: "O9",
  },
  {
    name: "the-last-node-decides-the-keys",
    file: "secrets/store.ts",
    replaced: ".values({ name, value }).onConflictDoNothing();",
    by: ".values({ name, value }).onConflictDoUpdate({ target: tables.facts.name, set: { value } });",
    oracle: "O4",
  },
  {
    name: "refreshes-without-a-lock",
    file: "sessions/gathered-login-store.ts",
    replaced: "LIMIT 1 FOR UPDATE SKIP LOCKED",
    by: "LIMIT 1",
    oracle: "O2",
  },
  {
    name: "feed-without-late-commits",
    file: "storage/queries/commit-order.ts",
    replaced: "AND NOT pg_visible_in_snapshot(${writtenIn}, ${snapshot(after)})",
    by: "AND ${writtenIn} >= pg_snapshot_xmax(${snapshot(after)})",
    oracle: "O1",
  },
];
