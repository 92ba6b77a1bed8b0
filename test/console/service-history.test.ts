import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it, test } from "vitest";
import { hour } from "../../src/lib/clock.ts";
import { recordStart, recordStop } from "../../src/process/lifecycle.ts";
import * as audit from "../../src/records/audit/audit.ts";
import { replaceMetadata } from "../../src/secrets/store.ts";
import { readMigrations } from "../../src/storage/migrate.ts";
import { emptyFolder } from "../cli/command.ts";
import { answer } from "../cli/in-process.ts";
import { makeOldDatabase } from "../support/old-database.ts";
import { openConsole } from "../support/console.ts";
import { describeEachDatabase, type TestService } from "../support/service.ts";

async function actionsOf({ server, clock }: TestService, since: number): Promise<string[]> {
  const entries = await audit.list(server.app.ctx, { since, before: clock.now + 1, limit: 1000 });
  return entries.map(({ action }) => action).filter((action) => action.startsWith("service."));
}

async function crashesSince({ server, clock }: TestService, since: number): Promise<number> {
  const entries = await audit.list(server.app.ctx, { since, before: clock.now + 1, limit: 1000 });
  return entries.filter(({ details }) => details?.["afterCrash"] === true).length;
}

describeEachDatabase("starts and stops of the service", (service) => {
  it("are in the audit log and on its page, with another version once, whatever starts at once", async () => {
    const { ctx } = service.server.app;
    const since = service.clock.now;
    await ctx.storage.write(async (tx) => await replaceMetadata(tx, "service-version", "0.9.0"));
    await Promise.all([recordStart(ctx), recordStart(ctx)]);
    await recordStop(ctx);
    expect((await actionsOf(service, since)).toSorted()).toEqual([
      "service.start",
      "service.start",
      "service.stop",
      "service.version",
    ]);
    const { text } = await (await openConsole(service)).get("/service");
    for (const words of ["Service started", "Service stopped", "another version", "before: 0.9.0"])
      expect(text).toContain(words);
  });

  it("are at most 26 an hour of a node, and each start has its stop, however often a supervisor starts it", async () => {
    service.clock.advance(2 * hour);
    const { ctx } = service.server.app;
    await recordStop(ctx);
    service.clock.advance(2 * hour);
    const since = service.clock.now;
    for (let turn = 0; turn < 15; turn += 1) {
      await recordStart(ctx);
      service.clock.advance(1000);
      await recordStop(ctx);
      service.clock.advance(1000);
    }
    const actions = await actionsOf(service, since);
    expect(actions).toHaveLength(26);
    expect(actions.filter((action) => action === "service.start")).toHaveLength(13);
    service.clock.advance(hour);
    await recordStart(ctx);
    expect(await actionsOf(service, since)).toHaveLength(27);
    expect(await crashesSince(service, since)).toBe(0);
  });

  it("after a crash say so, up to twenty an hour, also after another version", async () => {
    service.clock.advance(2 * hour);
    const { ctx } = service.server.app;
    await recordStop(ctx);
    service.clock.advance(2 * hour);
    const since = service.clock.now;
    await ctx.storage.write(async (tx) => await replaceMetadata(tx, "service-version", "0.9.0"));
    for (let turn = 0; turn < 25; turn += 1) {
      await recordStart(ctx);
      service.clock.advance(1000);
    }
    expect(await actionsOf(service, since)).toHaveLength(20);
    expect(await crashesSince(service, since)).toBe(18);
    await recordStop(ctx);
    service.clock.advance(2 * hour);
    await recordStart(ctx);
    expect(await crashesSince(service, since)).toBe(18);
  });
});

test("a migration is in the audit log, whichever command opened the database first", async () => {
  const data = join(emptyFolder(), "data");
  makeOldDatabase(join(data, "authsvc.db"), 10);
  const list = async () =>
    ((await answer(["audit", "list", "--data", data], { cwd: data })) as { action: string; details: object }[]).filter(
      ({ action }) => action === "database.migrate",
    );
  const [initial, ...later] = readMigrations("sqlite").map(({ name }) => name);
  expect(initial).toBeDefined();
  expect(await list()).toMatchObject([{ details: { migrations: later.join(", ") } }]);
  expect(await list()).toHaveLength(1);
});

test("a migration that cannot be written to the audit log does not refuse the start", async () => {
  const data = join(emptyFolder(), "data");
  const file = join(data, "authsvc.db");
  makeOldDatabase(file, 10);
  const database = new Database(file);
  database.exec("CREATE TRIGGER full BEFORE INSERT ON audit_events BEGIN SELECT RAISE(ABORT, 'full'); END");
  database.close();
  const list = await answer(["audit", "list", "--data", data], { cwd: data });
  expect((list as { action: string }[]).filter(({ action }) => action === "database.migrate")).toEqual([]);
});
