/** Faults of locks and transactions, which only PostgreSQL shows. */
import { alone, type Bug } from "../planted.ts";

export const lockBugs: readonly Bug[] = [
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
    without: alone("people"),
  },
  {
    name: "change-reads-before-its-lock",
    file: "people/changes.ts",
    replaced: "const before = await lockUser(tx, userId);",
    by: "const before = await users.find(tx, userId);",
    oracle: "O4",
    without: alone("server"),
  },
  {
    name: "user-without-a-lock",
    file: "users/store.ts",
    replaced: "lock: prepare(forChange(db.select()",
    by: "lock: prepare(((query) => query)(db.select()",
    oracle: "O4",
    without: alone("server"),
  },
  {
    name: "feed-without-late-commits",
    file: "storage/queries/commit-order.ts",
    replaced: "AND NOT pg_visible_in_snapshot(${writtenIn}, ${snapshot(after)})",
    by: "AND ${writtenIn} >= pg_snapshot_xmax(${snapshot(after)})",
    oracle: "O1",
    without: alone("server", "people", "feed"),
  },
  {
    name: "locks-of-a-failed-transaction-stay",
    file: "storage/postgres/transaction.ts",
    replaced: 'if (!isDue) await client.query("ROLLBACK");',
    by: "",
    oracle: "O4",
    without: alone("people", "server"),
  },
  {
    name: "lost-commit-is-run-again",
    file: "storage/postgres/postgres.ts",
    replaced: 'return ["40001", "40P01",',
    by: 'return ["40001", "40P01", "ECONNRESET",',
    oracle: "O9",
    without: alone("server", "people", "commands"),
  },
  {
    // Chosen from `src` alone: who polls while an older transaction runs never gets its entry.
    name: "blind-feed-misses-late-commit",
    file: "storage/queries/commit-order.ts",
    replaced: "${writtenIn} >= pg_snapshot_xmin(${snapshot(after)})",
    by: "${writtenIn} >= pg_snapshot_xmax(${snapshot(after)})",
    oracle: "O1",
  },
];
