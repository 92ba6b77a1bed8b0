import Database from "better-sqlite3";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { listAuditEvents, type AuditFilter } from "../../src/records/audit/store.ts";
import { listUndelivered } from "../../src/records/webhooks/delivery-list-store.ts";
import { openStorage } from "../../src/storage/open.ts";
import type { Storage } from "../../src/storage/storage.ts";

let storage: Storage;
let file: string;

beforeAll(async () => {
  file = join(mkdtempSync(join(tmpdir(), "authsvc-plans-")), "authsvc.db");
  storage = await openStorage({ url: undefined, poolSize: 1, file }, 0, () => {});
});
afterAll(async () => {
  await storage.close();
});

/** How SQLite, which has no statistics in the service, carries out the last statement of `work`. */
async function planOf(work: () => Promise<unknown>): Promise<string[]> {
  const prepare = vi.spyOn(Database.prototype, "prepare");
  try {
    await work();
    const [statement = ""] = prepare.mock.calls.at(-1) ?? [];
    const connection = new Database(file, { readonly: true });
    const explained = connection.prepare(`EXPLAIN QUERY PLAN ${statement}`);
    // A plan does not depend on the values.
    const values = Array.from({ length: statement.split("?").length - 1 }, () => "x");
    const plan = explained.all(...values) as { detail: string }[];
    connection.close();
    return plan.map(({ detail }) => detail);
  } finally {
    prepare.mockRestore();
  }
}

describe("on SQLite", () => {
  it.each([undefined, "app_1"])(
    "what was not delivered in an hour is found by the hour (application %s)",
    async (appId) => {
      const plan = await planOf(() => listUndelivered(storage.reader, { appId, from: 0, to: 1, limit: 10 }));
      expect(plan.filter((step) => step.includes("webhook_deliveries"))).toEqual([
        "SEARCH webhook_deliveries USING INDEX webhook_deliveries_occurred_at (occurred_at>? AND occurred_at<?)",
      ]);
    },
  );

  const others = { appId: "app_1", action: "user.login", actor: "cli:root", ipAddress: "192.0.2.7", userId: "usr_1" };
  const narrow: [string, AuditFilter, string][] = [
    ["a request", { requestId: "req_1" }, "audit_events_by_request (request_id=?)"],
    ["a target", { target: "cli_1" }, "audit_events_by_target (target=?)"],
    ["a person", { target: "usr_1" }, "audit_events_user_id (user_id=?)"],
  ];
  it.each(
    narrow.flatMap(([of, wanted, index]) => [
      ...Object.entries(others).map(([key, value]) => [of, key, { ...wanted, [key]: value }, index] as const),
      [of, "result", { ...wanted, result: "failure" }, index] as const,
      [of, "appId and action", { ...wanted, appId: "app_1", action: "user.login" }, index] as const,
      [of, "all else", { ...wanted, ...others, result: "failure" }, index] as const,
    ]),
  )("the audit entries of %s and %s are found by the former", async (_of, _else, wanted, index) => {
    const plan = await planOf(() => listAuditEvents(storage.reader, { ...wanted, limit: 100 }));
    expect(plan.filter((step) => step.includes("audit_events"))).toEqual([`SEARCH audit_events USING INDEX ${index}`]);
  });
});
