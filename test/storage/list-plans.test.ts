import Database from "better-sqlite3";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { readOrganizations } from "../../src/console/organizations/list-store.ts";
import { findProved, listProvedDomainsOf } from "../../src/organizations/domains/store.ts";
import { countOfOrganization, listForAddress, listOpen } from "../../src/organizations/invitation-store.ts";
import * as memberships from "../../src/organizations/membership-store.ts";
import {
  countCreatedBy,
  findNamed,
  findToDelete,
  listMachines,
  listOrganizations,
} from "../../src/organizations/store.ts";
import { countWaiting, countWaitingOfAll, listUnproved } from "../../src/people/approval-store.ts";
import { countMarked } from "../../src/people/required-passwords-store.ts";
import { listAuditEvents, type AuditFilter } from "../../src/records/audit/store.ts";
import { listUndelivered } from "../../src/records/webhooks/delivery-list-store.ts";
import { openStorage } from "../../src/storage/open.ts";
import type { Handle, Storage } from "../../src/storage/storage.ts";

let storage: Storage;
let file: string;

beforeAll(async () => {
  file = join(mkdtempSync(join(tmpdir(), "authsvc-plans-")), "authsvc.db");
  storage = await openStorage({ url: undefined, poolSize: 1, file }, 0, () => {});
});
afterAll(async () => {
  await storage.close();
});

/** How SQLite, which has no statistics in the service, carries out the statements of `work`. */
async function plansOf(work: () => Promise<unknown>): Promise<string[][]> {
  const prepare = vi.spyOn(Database.prototype, "prepare");
  try {
    await work();
    const statements = prepare.mock.calls.map(([statement]) => statement);
    const connection = new Database(file, { readonly: true });
    const plans = statements.map((statement) => {
      const explained = connection.prepare(`EXPLAIN QUERY PLAN ${statement}`);
      // A plan does not depend on the values.
      const values = Array.from({ length: statement.split("?").length - 1 }, () => "x");
      return (explained.all(...values) as { detail: string }[]).map(({ detail }) => detail);
    });
    connection.close();
    return plans;
  } finally {
    prepare.mockRestore();
  }
}

/** That of its last statement. */
async function planOf(work: () => Promise<unknown>): Promise<string[]> {
  return (await plansOf(work)).at(-1) ?? [];
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

  const [id, page] = ["org_1", { after: "", limit: 51 }];
  const place = { organizationId: id, userId: "usr_1" };
  const ofOrganizations: Record<string, (reader: Handle) => Promise<unknown>> = {
    memberships: async (reader) => await memberships.listMemberships(reader, "usr_1"),
    "all memberships": async (reader) => await memberships.listAllMemberships(reader, "usr_1"),
    "whether somebody left": async (reader) => await memberships.hasLeft(reader, place),
    members: async (reader) => await memberships.listMembers(reader, id, page),
    "a member": async (reader) => await memberships.findMember(reader, place),
    owners: async (reader) => await memberships.listOwners(reader, id),
    "recent owners": async (reader) => await memberships.listRecentOwners(reader, id, 0),
    "the number of members": async (reader) => await memberships.countMembers(reader, id),
    "a page of an application": async (reader) => await listOrganizations(reader, "app_1", page),
    "one by its slug": async (reader) => await findNamed(reader, "app_1", "acme"),
    "those of a creator": async (reader) => await countCreatedBy(reader, "usr_1"),
    "what is to be deleted": async (reader) => await findToDelete(reader, 0, 0),
    machines: async (reader) => await listMachines(reader, id),
    "the list of the console": async (reader) => await readOrganizations(reader, "app_1", { before: "x", limit: 51 }),
    "proved domains": async (reader) => await listProvedDomainsOf(reader, [id]),
    "a proved domain": async (reader) => await findProved(reader, { appId: "app_1", domain: "a.example" }),
    "open invitations": async (reader) => await listOpen(reader, id, page, 0),
    "the number of invitations": async (reader) => await countOfOrganization(reader, id, 0, 0),
    "the invitations of an address": async (reader) => await listForAddress(reader, { appId: "app_1", email: "a" }, 0),
    "its audit": async (reader) => await listAuditEvents(reader, { target: id, limit: 50 }),
  };
  it.each(Object.entries(ofOrganizations))("no table is read whole for organizations: %s", async (_name, read) => {
    const steps = (await plansOf(async () => await read(storage.reader))).flat();
    expect(steps.length).toBeGreaterThan(0);
    expect(steps.filter((step) => step.startsWith("SCAN"))).toEqual([]);
  });

  it.each([1, Number.MAX_SAFE_INTEGER])(
    "passwords that must change are found by their own index (at most %i)",
    async (most) => {
      const plan = await planOf(() => countMarked(storage.reader, most));
      expect(plan.filter((step) => /SCAN|passwords/u.test(step))).toEqual([
        "SCAN passwords USING INDEX passwords_must_change",
        "SCAN marked",
      ]);
    },
  );

  const waiting: Record<string, (reader: Handle) => Promise<unknown>> = {
    "of all": async (reader) => await countWaiting(reader, undefined),
    "of an application": async (reader) => await countWaiting(reader, "app_1"),
    "of each application": countWaitingOfAll,
    "without a proved address": async (reader) => await listUnproved(reader, 0),
  };
  it.each(Object.entries(waiting))(
    "people who wait for approval are found by their own index: %s",
    async (_name, read) => {
      const plan = await planOf(async () => await read(storage.reader));
      expect(plan).toEqual([expect.stringMatching(/^(?:SCAN|SEARCH) users USING INDEX users_pending/u)]);
    },
  );

  it.each([undefined, "app_1"])("organizations without an owner are found by their own index (%s)", async (appId) => {
    const plan = await planOf(() => memberships.listOwnerless(storage.reader, { limit: 5, appId }));
    expect(plan[0]).toMatch(/organizations USING INDEX organizations_ownerless/u);
  });
});
