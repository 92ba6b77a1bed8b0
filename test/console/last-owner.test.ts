import { beforeEach, expect, test } from "vitest";
import * as operators from "../../src/operators/service.ts";
import * as profiles from "../../src/people/profile.ts";
import { freePort } from "../support/free-port.ts";
import { makeOperator } from "../support/operators.ts";
import { newEmail } from "../support/person.ts";
import { describeEachDatabase } from "../support/service.ts";

const port = await freePort();
const console = { host: "127.0.0.1", port, baseUrl: `http://127.0.0.1:${port}` };
const by = { actor: { kind: "cli", name: "test" } } as const;
const refused = "One operator must be an owner";

describeEachDatabase("one operator stays an owner", { console }, (service) => {
  const ctx = () => service().server.app.ctx;

  beforeEach(async () => {
    await ctx().storage.write(async ({ db, tables }) => {
      await db.delete(tables.operators);
    });
  });

  async function roles(): Promise<string[]> {
    return (await operators.list(ctx())).map(({ role }) => role);
  }

  async function invite(email: string, role: string, dryRun = false): Promise<unknown> {
    return await operators.invite(ctx(), { email, role, name: null }, { link: true, dryRun }, by);
  }

  test("when the only one is invited again with another role", async () => {
    const email = newEmail();
    await invite(email, "owner");
    await expect(invite(email, "viewer")).rejects.toThrow(refused);
    await expect(invite(email, "viewer", true)).rejects.toThrow(refused);
    expect(await roles()).toEqual(["owner"]);
  });

  test("when the first one is invited", async () => {
    await expect(invite(newEmail(), "support")).rejects.toThrow(refused);
    await expect(invite(newEmail(), "support", true)).rejects.toThrow(refused);
    expect(await roles()).toEqual([]);
  });

  const changes: [name: string, change: (id: string) => Promise<unknown>][] = [
    ["removed", async (id) => await operators.remove(ctx(), id, {}, by)],
    ["made a viewer", async (id) => await operators.update(ctx(), id, { role: "viewer" }, {}, by)],
  ];

  test.each(changes)("when the last two are %s at once", async (_name, change) => {
    await makeOperator(service(), "owner");
    await makeOperator(service(), "viewer");
    // Each round may by chance happen in the right order.
    for (let round = 0; round < 10; round += 1) {
      const [kept] = (await operators.list(ctx())).filter(({ role }) => role === "owner");
      const { id } = await makeOperator(service(), "owner");
      const both = await Promise.allSettled([change(kept?.id ?? ""), change(id)]);
      expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
      expect((await roles()).filter((role) => role === "owner")).toHaveLength(1);
    }
  });

  test("when they would delete their account themselves", async () => {
    const { id } = await makeOperator(service(), "owner");
    await expect(profiles.remove(ctx(), id, { actor: { kind: "user", name: id } })).rejects.toThrow(
      "Use authsvc operator instead",
    );
    expect(await roles()).toEqual(["owner"]);
  });
});
