import { eq } from "drizzle-orm";
import { decodeJwt } from "jose";
import { describe, expect, it } from "vitest";
import type { NewClient } from "../../../src/applications/clients/rules.ts";
import * as clientSecrets from "../../../src/applications/clients/secrets.ts";
import * as clients from "../../../src/applications/clients/service.ts";
import * as applications from "../../../src/applications/service.ts";
import * as audit from "../../../src/records/audit/audit.ts";
import * as deliveries from "../../../src/records/webhooks/deliveries.ts";
import * as webhooks from "../../../src/records/webhooks/service.ts";
import * as logins from "../../../src/sessions/login-administration.ts";
import { newParty, refreshWith, tokensFor, userInfo } from "../../support/openid-tokens.ts";
import { call } from "../../support/person.ts";
import { describeSqliteFirst } from "../../support/service.ts";

const actor = { kind: "cli", name: "test" } as const;
const hour = 60 * 60 * 1000;

describeSqliteFirst("clients", (current) => {
  const ctx = () => current().server.app.ctx;
  const create = async (appId: string, input: Partial<NewClient> = {}, secret?: string) =>
    await clients.create(ctx(), { appId, name: "Grafana", ...input }, { secret }, { actor });
  /** A client of a new application. */
  const created = async (input: Partial<NewClient> = {}) => {
    const app = await current().createApp();
    return { app, ...(await create(app.id, input)) };
  };
  const actions = async (appId: string): Promise<string[]> => {
    const events = await audit.list(current().server.app.ctx, { appId, limit: 100 });
    // In any order: the clock stands still.
    return events
      .filter(({ action }) => action.startsWith("client"))
      .map(({ action, details }) => [action, details["clientId"], details["fields"]].join(" ").trim())
      .toSorted();
  };
  const receivers = async (appId: string) => {
    const { db, tables } = current().server.app.ctx.storage.reader;
    const { webhookEndpoints: endpoints } = tables;
    return await db.select().from(endpoints).where(eq(endpoints.appId, appId));
  };

  it("A1: a client is created with a secret that is shown once and stored as a digest", async () => {
    const app = await current().createApp();
    const { client, secret } = await create(app.id, { id: `grafana_${app.id}` });
    expect(client).toMatchObject({ id: `grafana_${app.id}`, appId: app.id, kind: "web", disabledAt: null });
    expect(secret).toMatch(/^cs_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/u);
    expect(await current().databaseText()).not.toContain(secret);
    expect(await clients.get(ctx(), client.id)).toEqual(client);
    expect(await clients.list(ctx(), app.id)).toEqual([client]);
    expect((await create(app.id, { kind: "spa" })).secret).toBeNull();
    expect((await create(app.id)).client.id).toMatch(/^cli_[0-9a-z]{26}$/u);
  });

  it("are changed and deleted, and each change is in the audit log", async () => {
    const { app, client } = await created();
    await clients.update(ctx(), client.id, { name: "Graphs", requirePkce: true }, { actor });
    await clients.update(ctx(), client.id, { name: "Graphs" }, { actor });
    await clients.update(ctx(), client.id, { enabled: false }, { actor });
    expect(await clients.find(ctx(), ctx().storage.reader, client.id)).toBeUndefined();
    await clients.update(ctx(), client.id, { enabled: true }, { actor });
    expect(await clients.find(ctx(), ctx().storage.reader, client.id)).toMatchObject({
      client: { name: "Graphs", requirePkce: true },
    });
    await clients.remove(ctx(), client.id, { actor });
    await expect(clients.get(ctx(), client.id)).rejects.toMatchObject({ code: "CLIENT_NOT_FOUND" });
    expect(await actions(app.id)).toEqual([
      `client-secret.create ${client.id}`,
      `client.create ${client.id}`,
      `client.delete ${client.id}`,
      `client.update ${client.id} enabled`,
      `client.update ${client.id} enabled`,
      `client.update ${client.id} name, requirePkce`,
    ]);
  });

  it("change nothing in a dry run", async () => {
    const { app, client } = await created();
    const dry = { actor, dryRun: true };
    await clients.create(ctx(), { appId: app.id, name: "Other" }, {}, dry);
    expect(await clients.update(ctx(), client.id, { name: "New" }, dry)).toMatchObject({ name: "New" });
    await clients.remove(ctx(), client.id, dry);
    expect(await clients.list(ctx(), app.id)).toEqual([client]);
    await expect(clients.create(ctx(), { appId: app.id, name: "A", id: client.id }, {}, dry)).rejects.toMatchObject({
      code: "CONFLICT",
    });
  });

  it("an application is its own first client, which its own commands change", async () => {
    const app = await current().createApp();
    expect(await clients.get(ctx(), app.id)).toMatchObject({
      id: app.id,
      appId: app.id,
      redirectUris: [app.redirectUri],
    });
    expect(await clients.list(ctx(), app.id)).toEqual([]);
    await expect(clients.update(ctx(), app.id, { name: "X" }, { actor })).rejects.toMatchObject({ code: "CONFLICT" });
    await expect(clients.remove(ctx(), app.id, { actor })).rejects.toMatchObject({ code: "CONFLICT" });
    expect(await clients.get(ctx(), app.id)).toBeDefined();
  });

  it("need an application, and a client that exists", async () => {
    await expect(create("app_unknown")).rejects.toMatchObject({ code: "APP_NOT_FOUND" });
    await expect(clients.list(ctx(), "app_unknown")).rejects.toMatchObject({ code: "APP_NOT_FOUND" });
    for (const work of [
      async () => await clients.get(ctx(), "cli_unknown"),
      async () => await clients.update(ctx(), "cli_unknown", { name: "X" }, { actor }),
      async () => await clients.remove(ctx(), "cli_unknown", { actor }),
      async () => await clientSecrets.createSecret(ctx(), { clientId: "cli_unknown" }, actor),
      async () => await clientSecrets.listSecrets(ctx(), "cli_unknown"),
      async () => await clientSecrets.rotateSecret(ctx(), { clientId: "cli_unknown", overlap: 0 }, actor),
    ])
      await expect(work()).rejects.toMatchObject({ code: "CLIENT_NOT_FOUND" });
  });

  describe("an id belongs to one application or client, for good", () => {
    const createApp = async (id: string) =>
      await applications.create(current().server.app.ctx, { id, name: "App" }, actor);
    const refusals = { code: "CONFLICT" };

    it("while it exists and after it was deleted", async () => {
      const { app, client } = await created();
      await expect(create(app.id, { id: app.id })).rejects.toMatchObject(refusals);
      await expect(create(app.id, { id: client.id })).rejects.toMatchObject(refusals);
      await expect(createApp(client.id)).rejects.toMatchObject(refusals);
      await clients.remove(ctx(), client.id, { actor });
      await expect(create(app.id, { id: client.id })).rejects.toMatchObject(refusals);
      await expect(createApp(client.id)).rejects.toMatchObject(refusals);
    });

    it("and when its application is deleted", async () => {
      const [app, other] = [await current().createApp(), await current().createApp()];
      const { client } = await create(app.id);
      await applications.remove(current().server.app.ctx, app.id, actor);
      for (const id of [app.id, client.id]) {
        await expect(create(other.id, { id })).rejects.toMatchObject(refusals);
        await expect(createApp(id)).rejects.toMatchObject(refusals);
      }
    });

    it("also when both are created at once", async () => {
      const app = await current().createApp();
      for (let round = 0; round < 5; round += 1) {
        const id = `twin_${app.id}_${round}`;
        const results = await Promise.allSettled([createApp(id), create(app.id, { id }), createApp(id)]);
        expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      }
    });
  });

  it("D1: the deletion of a client ends its logins, and no other", async () => {
    const service = current();
    const [mine, other] = [await newParty(service), await newParty(service)];
    const kept = await tokensFor(service, other);
    const tokens = [];
    // More than one batch.
    for (let count = 0; count < 21; count += 1) tokens.push(await tokensFor(service, mine));
    await clients.remove(ctx(), mine.client.id, { actor });
    const refused = await Promise.all(tokens.map(async ({ access_token }) => await userInfo(service, access_token)));
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([401]));
    const [last] = tokens;
    expect(await refreshWith(service, mine, last?.refresh_token ?? "")).toMatchObject({
      status: 401,
      body: { error: "invalid_client" },
    });
    const userId = String(decodeJwt(last?.id_token ?? "").sub);
    const ended = await logins.list(service.server.app.ctx, userId, { all: true });
    expect(ended.map(({ endReason }) => endReason)).toEqual(Array.from({ length: 21 }, () => "client-deleted"));
    expect(await userInfo(service, kept.access_token)).toMatchObject({ status: 200 });
  });

  describe("back-channel logout", () => {
    const uri = "https://graphs.example/logout";

    it("has a receiver exactly while a client has the address", async () => {
      const { app, client } = await created({ backchannelLogoutUri: uri });
      expect(await receivers(app.id)).toMatchObject([{ clientId: client.id, url: uri, events: [], enabled: true }]);
      await clients.update(ctx(), client.id, { backchannelLogoutUri: `${uri}/2` }, { actor });
      expect(await receivers(app.id)).toMatchObject([{ clientId: client.id, url: `${uri}/2` }]);
      await clients.update(ctx(), client.id, { backchannelLogoutUri: null }, { actor });
      expect(await receivers(app.id)).toEqual([]);
      await clients.update(ctx(), client.id, { backchannelLogoutUri: uri }, { actor });
      await clients.remove(ctx(), client.id, { actor });
      expect(await receivers(app.id)).toEqual([]);
    });

    it.each(["http://graphs.example/", "https://10.0.0.1/", "https://localhost/", "https://graphs.example:25/"])(
      "W4: a logout token is not sent to %s, where webhooks may not go either",
      async (url) => {
        const app = await current().createApp();
        await expect(create(app.id, { backchannelLogoutUri: url })).rejects.toMatchObject({
          code: "INVALID_REQUEST",
          details: expect.stringMatching(/^backchannelLogoutUri: /u) as string,
        });
      },
    );

    it("is no webhook: not listed, not counted, not changed, not removed", async () => {
      const app = await current().createApp();
      await create(app.id, { backchannelLogoutUri: uri });
      const id = (await receivers(app.id))[0]?.id ?? "";
      const { ctx } = current().server.app;
      expect(await webhooks.list(ctx, app.id)).toEqual([]);
      expect((await webhooks.list(ctx)).some((endpoint) => endpoint.id === id)).toBe(false);
      for (const work of [
        async () => await webhooks.get(ctx, id),
        async () => await webhooks.update(ctx, id, { enabled: false }, { actor }),
        async () => await webhooks.remove(ctx, id, { actor }),
        async () => await webhooks.test(ctx, id, { actor }),
        async () => await webhooks.secret(ctx, id),
        async () => await deliveries.list(ctx, id, { limit: 10 }),
        async () => await deliveries.redeliver(ctx, id, {}, { actor }),
      ])
        await expect(work()).rejects.toMatchObject({ code: "WEBHOOK_NOT_FOUND" });
      expect((await call(current(), "GET", `/webhooks/endpoints/${id}`, app.headers)).status).toBe(404);
      const secret = "0123456789abcdef";
      for (let count = 0; count < 20; count += 1)
        await webhooks.create(ctx, app.id, { url: "https://a.example/", events: ["user.login"], secret }, { actor });
      expect(await receivers(app.id)).toHaveLength(21);
    });
  });

  describe("secrets", () => {
    const works = async (clientId: string, secret: string) =>
      (await clientSecrets.liveId(ctx(), clientId, secret)) !== undefined;

    it("A5: client secrets rotate with an overlap, and end at once when they are revoked", async () => {
      const { app, client, secret } = await created();
      const first = secret ?? "";
      current().clock.advance(1);
      const second = await clientSecrets.rotateSecret(ctx(), { clientId: client.id, overlap: hour }, actor);
      expect(second.ending).toMatchObject([{ clientId: client.id, state: "live" }]);
      expect([await works(client.id, first), await works(client.id, second.secret)]).toEqual([true, true]);
      current().clock.advance(hour);
      expect([await works(client.id, first), await works(client.id, second.secret)]).toEqual([false, true]);
      expect((await clientSecrets.listSecrets(ctx(), client.id)).map(({ state }) => state)).toEqual([
        "expired",
        "live",
      ]);
      await clientSecrets.revokeSecret(ctx(), second.id, actor);
      expect(await works(client.id, second.secret)).toBe(false);
      expect(JSON.stringify(await clientSecrets.listSecrets(ctx()))).not.toContain(second.secret);
      expect((await actions(app.id)).map((event) => event.split(" ")[0])).toEqual([
        "client-secret.create",
        "client-secret.create",
        "client-secret.expire",
        "client-secret.revoke",
        "client.create",
      ]);
    });

    it("A5: a client secret that is about to end, or has ended, is not kept longer by the next rotation", async () => {
      const { client, secret } = await created();
      const rotate = async (overlap: number) =>
        await clientSecrets.rotateSecret(ctx(), { clientId: client.id, overlap }, actor);
      const second = await rotate(hour);
      await rotate(2 * hour);
      current().clock.advance(hour - 1);
      expect([await works(client.id, secret ?? ""), await works(client.id, second.secret)]).toEqual([true, true]);
      current().clock.advance(1);
      expect([await works(client.id, secret ?? ""), await works(client.id, second.secret)]).toEqual([false, true]);
      await rotate(hour);
      expect(await works(client.id, secret ?? "")).toBe(false);
    });

    it("A5: a client secret that a rotation ended at once stays ended, also if the clock was ahead", async () => {
      const { client, secret } = await created();
      await clientSecrets.rotateSecret(ctx(), { clientId: client.id, overlap: 0 }, actor);
      current().clock.advance(-hour);
      expect(await works(client.id, secret ?? "")).toBe(false);
    });

    it("A2: a client secret belongs to one client", async () => {
      const app = await current().createApp();
      const [mine, other] = [await create(app.id), await create(app.id)];
      expect(await works(other.client.id, mine.secret ?? "")).toBe(false);
      const chosen = `chosen-${app.id}-0123456789-0123456789-0123456789`;
      await clientSecrets.createSecret(ctx(), { clientId: mine.client.id, secret: chosen }, actor);
      expect(await works(mine.client.id, chosen)).toBe(true);
      await expect(
        clientSecrets.createSecret(ctx(), { clientId: other.client.id, secret: chosen }, actor),
      ).rejects.toMatchObject({
        code: "CONFLICT",
      });
    });

    it("are not for programs that cannot keep one", async () => {
      const app = await current().createApp();
      for (const kind of ["spa", "native"] as const) {
        const { client } = await create(app.id, { kind });
        await expect(clientSecrets.createSecret(ctx(), { clientId: client.id }, actor)).rejects.toMatchObject({
          code: "CONFLICT",
        });
      }
    });

    it.each(["short", "with space ".repeat(5), "cs_0000000000000000000000000000000000000000000_000000"])(
      "refuse %j",
      async (secret) => {
        const app = await current().createApp();
        await expect(create(app.id, {}, secret)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
      },
    );

    it("are at most ten", async () => {
      const { client } = await created();
      for (let count = 1; count < 10; count += 1)
        await clientSecrets.createSecret(ctx(), { clientId: client.id }, actor);
      await expect(clientSecrets.createSecret(ctx(), { clientId: client.id }, actor)).rejects.toMatchObject({
        code: "CONFLICT",
      });
    });

    it("of two rotations at once, one is left", async () => {
      const { client } = await created();
      const rotate = async () => await clientSecrets.rotateSecret(ctx(), { clientId: client.id, overlap: 0 }, actor);
      const rotated = await Promise.all([rotate(), rotate()]);
      const alive = await Promise.all(rotated.map(async ({ secret }) => await works(client.id, secret)));
      expect(alive.filter(Boolean)).toHaveLength(1);
    });
  });
});
