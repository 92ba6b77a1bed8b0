import { expect, it } from "vitest";
import { day } from "../../src/lib/clock.ts";
import * as audit from "../../src/records/audit/audit.ts";
import * as stream from "../../src/records/audit/stream.ts";
import type { AuditCursor } from "../../src/storage/column-types.ts";
import { describeEachDatabase, type TestService } from "../support/service.ts";

const event = { actor: { kind: "cli", name: "test" }, action: "mail.test", result: "success" } as const;

async function write({ server: { app }, clock }: TestService, at = clock.now): Promise<void> {
  await app.ctx.storage.write((tx) => audit.record(app.ctx, tx, event, at));
}

/** All that comes after a cursor, in pages. */
async function readAll({ server: { app } }: TestService, from: AuditCursor, limit = 3) {
  const ids: string[] = [];
  let cursor = from;
  for (;;) {
    const page = await stream.readOn(app.ctx, cursor, { limit });
    ids.push(...page.entries.map(({ id }) => id));
    cursor = page.cursor;
    if (!page.more) return { ids, cursor };
  }
}

describeEachDatabase("the audit log in the order of its commits", (service) => {
  it("has each entry once, in pages, whatever time it has", async () => {
    const { ctx } = service.server.app;
    for (let entry = 0; entry < 10; entry += 1) await write(service, service.clock.now - entry * 1000);
    const first = await readAll(service, await stream.beginning(ctx));
    const stored = await audit.list(ctx, { limit: 1000 });
    expect(first.ids.toSorted()).toEqual(stored.map(({ id }) => id).toSorted());
    // Later in commit, but earlier in time.
    await write(service, service.clock.now - 60_000);
    await write(service);
    const second = await readAll(service, first.cursor);
    expect(second.ids).toHaveLength(2);
    expect((await readAll(service, second.cursor)).ids).toEqual([]);
  });

  it("G7: passes nothing over that a slower transaction commits later", async () => {
    if (service.dialect === "sqlite") return;
    const { ctx } = service.server.app;
    const { cursor } = await readAll(service, await stream.beginning(ctx));
    const written = Promise.withResolvers<void>();
    const mayCommit = Promise.withResolvers<void>();
    const slow = ctx.storage.write(async (tx) => {
      await audit.record(ctx, tx, event, service.clock.now);
      written.resolve();
      await mayCommit.promise;
    });
    await written.promise;
    await write(service);
    const before = await readAll(service, cursor);
    expect(before.ids).toHaveLength(1);
    mayCommit.resolve();
    await slow;
    const after = await readAll(service, before.cursor);
    expect(after.ids).toHaveLength(1);
    expect(after.ids).not.toEqual(before.ids);
    expect((await readAll(service, after.cursor)).ids).toEqual([]);
  });

  it("knows cursors of another database, and positions that this one has not reached", async () => {
    const { ctx } = service.server.app;
    const here = await stream.beginning(ctx);
    expect(await stream.foreignBecause(ctx, here)).toBeUndefined();
    expect(await stream.foreignBecause(ctx, { ...here, origin: "x" })).toMatch(/another database/u);
    const ahead = service.dialect === "sqlite" ? "999999999" : "9999999999:9999999999:";
    expect(await stream.foreignBecause(ctx, { ...here, after: ahead })).toMatch(/ahead/u);
    expect(await stream.foreignBecause(ctx, { ...here, after: "no" })).toMatch(/not a cursor/u);
  });

  it("refuses cursors once the numbers of rows begin anew on SQLite", async () => {
    const { ctx, sweep } = service.server.app;
    await write(service);
    const { cursor } = await readAll(service, await stream.beginning(ctx));
    service.clock.advance(91 * day);
    await sweep();
    const foreign = await stream.foreignBecause(ctx, cursor);
    expect(foreign === undefined).toBe(service.dialect === "postgres");
  });

  it("keeps actions as long as the configuration says, the longest name first", async () => {
    const { ctx, sweep } = service.server.app;
    const { audit: before } = ctx.config;
    const retention = [
      { action: "mail", days: 7 },
      { action: "mail.test", days: 200 },
    ];
    ctx.config.audit = { ...before, retention };
    const actions = ["mail.test", "mail.sent", "mailing", "user.login"];
    for (const action of actions)
      await ctx.storage.write((tx) => audit.record(ctx, tx, { ...event, action }, service.clock.now));
    const left = async (): Promise<string[]> => {
      await sweep();
      const entries = await audit.list(ctx, { limit: 1000 });
      return actions.filter((action) => entries.some((entry) => entry.action === action));
    };
    service.clock.advance(8 * day);
    expect(await left()).toEqual(["mail.test", "mailing", "user.login"]);
    service.clock.advance(83 * day);
    expect(await left()).toEqual(["mail.test"]);
    service.clock.advance(110 * day);
    expect(await left()).toEqual([]);
    ctx.config.audit = before;
  });
});
