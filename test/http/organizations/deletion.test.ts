import { expect, it } from "vitest";
import type { Context } from "../../../src/runtime/context.ts";
import * as deletion from "../../../src/organizations/deletion.ts";
import { findOrganization } from "../../../src/organizations/store.ts";
import { withOrganizations } from "../../support/organizations.ts";
import { describeEachDatabase } from "../../support/service.ts";

/** The same context, whose process dies before its n-th transaction from now. */
function dyingAt(ctx: Context, step: number): Context {
  let begun = 0;
  const write = async (...work: Parameters<Context["storage"]["write"]>): Promise<unknown> => {
    begun += 1;
    if (begun === step) throw new Error("killed");
    return await ctx.storage.write(...work);
  };
  const storage = Object.create(ctx.storage, { write: { value: write } }) as Context["storage"];
  return Object.create(ctx, { storage: { value: storage } }) as Context;
}

describeEachDatabase("the deletion of an organization", (current) => {
  it("is finished by a sweep, whichever step it died in (84)", async () => {
    const service = current();
    const { ctx, sweep } = service.server.app;
    const { app, send, newOrganization } = await withOrganizations(service);
    const by = { actor: { kind: "app", name: app.id } } as const;
    const outcomes: boolean[] = [];
    for (let step = 1; !outcomes.includes(true); step += 1) {
      const { id, path, newMember } = await newOrganization();
      const member = await newMember("member");
      const row = await findOrganization(ctx.storage.reader, id);
      if (!row) throw new Error("no such organization");
      const whole = await deletion.remove(dyingAt(ctx, step), row, by).then(
        () => true,
        () => false,
      );
      outcomes.push(whole);
      // Before the first transaction, nothing has happened; after it, nobody finds it any more.
      const begun = step > 1;
      expect([step, (await send("GET", path)).status]).toEqual([step, begun ? 404 : 200]);
      const { body } = await send("GET", `/users/${member}/organizations`);
      expect([step, body["organizations"]]).toEqual([step, begun ? [] : [expect.objectContaining({ id })]]);
      await sweep();
      const { db, tables } = ctx.storage.reader;
      const kept = await db.select().from(tables.organizationMembers);
      expect([step, kept.filter((each) => each.organizationId === id).length]).toEqual([step, begun ? 0 : 2]);
      const after = await findOrganization(ctx.storage.reader, id);
      expect([step, after?.name, after?.deletesAt]).toEqual([step, begun ? "" : "Acme", null]);
      if (!begun) await send("DELETE", path);
    }
    expect(outcomes.length).toBeGreaterThan(3);
  });
});
