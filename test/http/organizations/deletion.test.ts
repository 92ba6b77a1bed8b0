import { expect, it } from "vitest";
import * as applications from "../../../src/applications/service.ts";
import { isoTime } from "../../../src/lib/clock.ts";
import * as audit from "../../../src/records/audit/audit.ts";
import type { Context } from "../../../src/runtime/context.ts";
import * as deletion from "../../../src/organizations/deletion.ts";
import type { Acting, Organization } from "../../../src/organizations/organization.ts";
import {
  findOrganization,
  insertOrganization,
  listMachines,
  listOrganizations,
} from "../../../src/organizations/store.ts";
import { withOrganizations } from "../../support/organizations.ts";
import { newMachine } from "../../support/resources.ts";
import { describeEachDatabase } from "../../support/service.ts";

/** The same context, in which `happens` comes before the n-th transaction from now. */
function before(ctx: Context, step: number, happens: () => Promise<unknown>): Context {
  let begun = 0;
  const write = async (...work: Parameters<Context["storage"]["write"]>): Promise<unknown> => {
    begun += 1;
    if (begun === step) await happens();
    return await ctx.storage.write(...work);
  };
  const storage = Object.create(ctx.storage, { write: { value: write } }) as Context["storage"];
  return Object.create(ctx, { storage: { value: storage } }) as Context;
}

const day = 86_400_000;
const byMember = (userId: string): Acting => ({
  actor: { kind: "user", name: userId },
  member: { userId, throughServer: false },
});
const dies = async (): Promise<never> => await Promise.reject(new Error("killed"));

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
      const whole = await deletion.remove(before(ctx, step, dies), row, by).then(
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

  it("touches nothing of one that was undone between its reading and its writing", async () => {
    const service = current();
    const { ctx } = service.server.app;
    const { app, send, newOrganization } = await withOrganizations(service);
    const rowOf = async (id: string): Promise<Organization> => {
      const row = await findOrganization(ctx.storage.reader, id);
      if (!row) throw new Error("no such organization");
      return row;
    };
    const undoings: [string, (owner: string, path: string, row: Organization) => Promise<unknown>][] = [
      ["by the owner", async (owner, _, row) => await deletion.restore(ctx, row, byMember(owner))],
      ["by the server", async (_, path) => await send("PATCH", path, { disabled: false })],
    ];
    for (const [how, undo] of undoings) {
      const { id, owner, path, newMember } = await newOrganization();
      await newMember("member");
      await newMachine(service, { organizationId: id }, app);
      const row = await rowOf(id);
      await deletion.remove(ctx, row, byMember(owner));
      service.clock.advance(7 * day);
      await deletion.sweep(before(ctx, 1, async () => await undo(owner, path, row)));
      await deletion.sweep(ctx);
      const { body } = await send("GET", path);
      expect([how, body["name"], body["members"], body["disabledAt"]]).toEqual([how, "Acme", 2, null]);
      expect([how, await listMachines(ctx.storage.reader, id)]).toEqual([how, [expect.any(String)]]);
    }
  });

  it("is replaced by the server's word: disabled stays disabled, whatever an owner presses", async () => {
    const service = current();
    const { ctx } = service.server.app;
    const { send, newOrganization } = await withOrganizations(service);
    const { id, owner, path } = await newOrganization();
    const row = await findOrganization(ctx.storage.reader, id);
    if (!row) throw new Error("no such organization");
    await deletion.remove(ctx, row, byMember(owner));
    const deletesAt = isoTime(ctx.clock() + 7 * day);
    expect((await send("GET", path)).body).toMatchObject({ deletesAt });
    // The log says who deleted it, and when it will be gone.
    expect(await audit.list(ctx, { target: id, action: "organization.disable", limit: 1 })).toMatchObject([
      { actor: `user:${owner}`, details: { deletesAt } },
    ]);
    expect((await send("PATCH", path, { disabled: true })).body).toMatchObject({ deletesAt: null });
    await deletion.restore(ctx, row, byMember(owner));
    service.clock.advance(8 * day);
    await deletion.sweep(ctx);
    expect((await send("GET", path)).body).toMatchObject({ name: "Acme", disabledAt: expect.any(String) });
  });

  it("is finished together with another process that continues it, also with machines", async () => {
    const service = current();
    const { ctx } = service.server.app;
    const { app, newOrganization } = await withOrganizations(service);
    const { id } = await newOrganization();
    await newMachine(service, { organizationId: id }, app);
    const row = await findOrganization(ctx.storage.reader, id);
    if (!row) throw new Error("no such organization");
    // The other process finishes after this one has read which machine is next.
    const other = async (): Promise<void> => {
      while (await deletion.sweep(ctx));
    };
    await deletion.remove(before(ctx, 2, other), row, { actor: { kind: "app", name: app.id } });
    expect(await findOrganization(ctx.storage.reader, id)).toMatchObject({ name: "", deletesAt: null });
  });

  it("goes in batches with its application", async () => {
    const { ctx } = current().server.app;
    const { app, newOrganization } = await withOrganizations(current());
    const first = await findOrganization(ctx.storage.reader, (await newOrganization()).id);
    if (!first) throw new Error("no such organization");
    await ctx.storage.write(async (tx) => {
      for (let n = 0; n < 600; n += 1) await insertOrganization(tx, { ...first, id: `${first.id}_${n}`, slug: `${n}` });
    });
    const left = async () => (await listOrganizations(ctx.storage.reader, app.id, { after: "", limit: 1000 })).length;
    // The feed's entry, the users and the first batch; before the third transaction 101 are left.
    let leftThen = 0;
    const counting = before(ctx, 3, async () => (leftThen = await left()));
    await applications.remove(counting, app.id, { kind: "cli", name: "ada" });
    expect([leftThen, await left()]).toEqual([101, 0]);
  });
});
