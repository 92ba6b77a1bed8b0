import { describe, expect, it } from "vitest";
import * as apiKeys from "../../../src/applications/keys.ts";
import { bearer } from "../../support/methods.ts";
import { call } from "../../support/person.ts";
import { describeSqliteFirst, type TestApp } from "../../support/service.ts";

const operator = { kind: "cli", name: "test" } as const;
const hour = 60 * 60 * 1000;

describeSqliteFirst("API keys", (current) => {
  const ctx = () => current().server.app.ctx;
  const works = async (app: TestApp, apiKey: string): Promise<boolean> =>
    (await call(current(), "GET", `/applications/${app.id}`, bearer(apiKey))).status === 200;

  describe("rotation", () => {
    it("gives a new key, and lets the old ones end after the overlap", async () => {
      const service = current();
      const app = await service.createApp();
      service.clock.advance(1);
      const rotated = await apiKeys.rotateKey(ctx(), { appId: app.id, overlap: hour }, operator);
      expect(rotated.ending).toMatchObject([
        { state: "live", expiresAt: new Date(service.clock.now + hour).toISOString() },
      ]);
      expect([await works(app, app.apiKey), await works(app, rotated.apiKey)]).toEqual([true, true]);
      service.clock.advance(hour);
      expect([await works(app, app.apiKey), await works(app, rotated.apiKey)]).toEqual([false, true]);
      expect((await apiKeys.listKeys(ctx(), app.id)).map(({ state }) => state)).toEqual(["expired", "live"]);
    });

    it("never lengthens the life of a key, and with no overlap ends the old ones at once", async () => {
      const service = current();
      const app = await service.createApp();
      const second = await apiKeys.rotateKey(ctx(), { appId: app.id, overlap: hour }, operator);
      const third = await apiKeys.rotateKey(ctx(), { appId: app.id, overlap: 24 * hour }, operator);
      service.clock.advance(hour);
      expect([await works(app, app.apiKey), await works(app, second.apiKey)]).toEqual([false, true]);
      const fourth = await apiKeys.rotateKey(ctx(), { appId: app.id, overlap: 0 }, operator);
      expect([await works(app, third.apiKey), await works(app, fourth.apiKey)]).toEqual([false, true]);
      // The clock was ahead: what ended at once stays ended.
      service.clock.advance(-hour);
      expect(await works(app, third.apiKey)).toBe(false);
    });

    it("of the same application twice at once leaves two keys and no other", async () => {
      const app = await current().createApp();
      const rotate = async () => await apiKeys.rotateKey(ctx(), { appId: app.id, overlap: 0 }, operator);
      const rotations = await Promise.all([rotate(), rotate()]);
      const alive = await Promise.all(rotations.map(async ({ apiKey }) => await works(app, apiKey)));
      expect(alive.filter(Boolean)).toHaveLength(1);
      expect(await works(app, app.apiKey)).toBe(false);
    });

    it.each([-1, 0.5, Number.NaN, 91 * 24 * hour])("refuses an overlap of %d milliseconds", async (overlap) => {
      const app = await current().createApp();
      await expect(apiKeys.rotateKey(ctx(), { appId: app.id, overlap }, operator)).rejects.toMatchObject({
        code: "INVALID_REQUEST",
        details: "overlap: from 0 to 90 days",
      });
      expect(await works(app, app.apiKey)).toBe(true);
    });
  });

  it("are in the audit log with their ids, never with the key", async () => {
    const app = await current().createApp();
    const { id, apiKey } = await apiKeys.rotateKey(ctx(), { appId: app.id, overlap: hour }, operator);
    await apiKeys.revokeKey(ctx(), id, operator);
    const { db, tables } = current().server.app.ctx.storage.reader;
    const events = (await db.select().from(tables.auditEvents)).filter(({ appId }) => appId === app.id);
    const actions = events.map(({ action }) => action).filter((action) => action.startsWith("api-key"));
    expect(actions.toSorted()).toEqual(["api-key.create", "api-key.create", "api-key.expire", "api-key.revoke"]);
    expect(JSON.stringify(events)).not.toContain(apiKey.slice(0, 20));
  });
});
