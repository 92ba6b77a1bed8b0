import { beforeEach, describe, expect, it } from "vitest";
import { minute } from "../../../src/lib/clock.ts";
import * as webhooks from "../../../src/records/webhooks/service.ts";
import { useService } from "../../support/one-service.ts";
import { call } from "../../support/person.ts";
import { useReceiver } from "../../support/receiver.ts";
import { describeSqliteFirst, type TestApp } from "../../support/service.ts";
import { localWebhooks, webhookSecret as secret } from "../../support/webhooks.ts";

const path = "/webhooks/endpoints";
const good = { url: "https://hooks.example.com/auth", events: ["user.login", "user.created"], secret };

describeSqliteFirst("webhook endpoints", (current) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await current().createApp();
  });

  const send = async (method: string, to: string, body?: unknown, headers = app.headers) =>
    await call(current(), method, to, headers, body);

  async function create(input: Record<string, unknown> = {}): Promise<Record<string, unknown> & { id: string }> {
    const { status, body } = await send("POST", path, { ...good, ...input });
    expect(status, JSON.stringify(body)).toBe(201);
    return body as Record<string, unknown> & { id: string };
  }

  it("are registered with 201, and shown without their secret", async () => {
    const created = await create();
    expect(created).toStrictEqual({
      id: expect.stringMatching(/^whe_[0-9a-z]{26}$/u),
      appId: app.id,
      url: good.url,
      events: ["user.login", "user.created"],
      enabled: true,
      disabledReason: null,
      failingSince: null,
      oldSecretUntil: null,
      createdAt: expect.stringMatching(/Z$/u),
      updatedAt: created["createdAt"],
    });
    expect((await send("GET", `${path}/${created.id}`)).body).toEqual(created);
    expect((await send("GET", path)).body).toEqual({ endpoints: [created] });
    expect(await current().databaseText()).not.toContain(secret);
  });

  it("count as webhook calls", async () => {
    const { headers } = await send("GET", path);
    const usual = await send("GET", `/applications/${app.id}`);
    expect(headers.get("x-ratelimit-limit")).not.toBeNull();
    expect(Number(headers.get("x-ratelimit-remaining"))).toBeGreaterThanOrEqual(
      Number(usual.headers.get("x-ratelimit-remaining")),
    );
  });

  it("change in what is given, and in nothing else", async () => {
    const created = await create();
    current().clock.advance(1000);
    const changed = await send("PATCH", `${path}/${created.id}`, {
      events: ["token.reuse", "user.logout", "user.logout"],
    });
    expect(changed.body).toMatchObject({
      ...created,
      events: ["user.logout", "token.reuse"],
      updatedAt: expect.any(String),
    });
    expect(changed.body["updatedAt"]).not.toBe(created["updatedAt"]);
    const off = await send("PATCH", `${path}/${created.id}`, { enabled: false });
    expect(off.body).toMatchObject({ enabled: false, disabledReason: "operator" });
    const on = await send("PATCH", `${path}/${created.id}`, { enabled: true });
    expect(on.body).toMatchObject({ enabled: true, disabledReason: null });
    const rotated = await send("PATCH", `${path}/${created.id}`, { secret: "another secret, long enough" });
    const until = Date.parse(String(rotated.body["oldSecretUntil"]));
    expect(until - current().clock.now).toBe(24 * 60 * 60 * 1000);
    const atOnce = { secret: "a third secret, long enough", secretOverlapSeconds: 0 };
    expect((await send("PATCH", `${path}/${created.id}`, atOnce)).body).toMatchObject({ oldSecretUntil: null });
  });

  it("are removed for good", async () => {
    const { id } = await create();
    expect((await send("DELETE", `${path}/${id}`)).body).toMatchObject({ success: true });
    expect((await send("GET", path)).body).toEqual({ endpoints: [] });
    expect(await send("DELETE", `${path}/${id}`)).toMatchObject({ status: 404 });
  });

  it.each([
    ["url", { url: 7 }, "url: required, a string"],
    ["events", { events: [] }, "events: at least one"],
    ["events", { events: ["user.login", "user.exploded"] }, "events[1]: one of user.login"],
    ["events", { events: "user.login" }, "events: required, a list"],
    ["secret", { secret: undefined }, "secret: required, a string"],
    ["extra", { extra: true }, 'body: unknown key "extra"'],
    ["id", { id: "whe_mine" }, 'body: unknown key "id"'],
  ])("are refused with a wrong %s: %o", async (_field, wrong, details) => {
    const { status, body } = await send("POST", path, { ...good, ...wrong });
    expect({ status, code: body.error?.code }).toEqual({ status: 400, code: "INVALID_REQUEST" });
    expect(body.error?.details).toContain(details);
    expect((await send("GET", path)).body).toEqual({ endpoints: [] });
  });

  it.each([
    [{ secretOverlapSeconds: 5 }, "secretOverlapSeconds: only with secret"],
    [{ secret, secretOverlapSeconds: -1 }, "secretOverlapSeconds: from 0"],
  ])("refuse the change %o", async (change, details) => {
    const { id } = await create();
    const { status, body } = await send("PATCH", `${path}/${id}`, change);
    expect({ status, details: body.error?.details }).toEqual({
      status: 400,
      details: expect.stringContaining(details),
    });
  });

  it("are at most twenty, also for those who come at the same time", async () => {
    for (let count = 0; count < 18; count += 1) await create();
    const last = await Promise.all(Array.from({ length: 6 }, async () => await send("POST", path, good)));
    expect(last.filter(({ status }) => status === 201)).toHaveLength(2);
    expect(last.filter(({ status }) => status === 400)).toHaveLength(4);
    expect(last.find(({ status }) => status === 400)?.body.error?.details).toBe("webhook endpoints: at most 20");
    expect((await send("GET", path)).body["endpoints"]).toHaveLength(20);
  });

  it("may have ids of the operator's choice, which are taken once", async () => {
    const { ctx } = current().server.app;
    const by = { actor: { kind: "cli", name: "test" } as const };
    const id = `whe-${app.id}`;
    expect(await webhooks.create(ctx, app.id, { ...good, id }, by)).toMatchObject({ id });
    await expect(webhooks.create(ctx, app.id, { ...good, id }, by)).rejects.toMatchObject({ code: "CONFLICT" });
    await expect(webhooks.create(ctx, app.id, { ...good, id: "no spaces" }, by)).rejects.toMatchObject({
      details: expect.stringContaining("id:"),
    });
    await expect(webhooks.create(ctx, "app_none", good, by)).rejects.toMatchObject({ code: "APP_NOT_FOUND" });
  });

  it("are audited without address and secret", async () => {
    const { id } = await create();
    await send("PATCH", `${path}/${id}`, { secret: "another secret, long enough" });
    await send("DELETE", `${path}/${id}`);
    const { db, tables } = current().server.app.ctx.storage.reader;
    const events = (await db.select().from(tables.auditEvents)).filter(
      (event) => event.appId === app.id && event.action.startsWith("webhook."),
    );
    expect(events.map(({ action, actor, details }) => ({ action, actor, details }))).toEqual([
      { action: "webhook.create", actor: `app:${app.id}`, details: { endpointId: id } },
      { action: "webhook.update", actor: `app:${app.id}`, details: { endpointId: id, fields: "secret" } },
      { action: "webhook.delete", actor: `app:${app.id}`, details: { endpointId: id } },
    ]);
  });
});

describe("POST /webhooks/endpoints/{id}/test", () => {
  const receiver = useReceiver();
  const current = useService(localWebhooks);

  it("sends a sample at once and says how it went, but not what the receiver said", async () => {
    const service = current();
    const app = await service.createApp();
    const registered = { ...good, url: receiver.url, events: ["user.logout", "token.reuse"] };
    const { body } = await call(service, "POST", path, app.headers, registered);
    receiver.next((answer) => void answer.writeHead(418).end("internal words"));
    const tested = await call(service, "POST", `${path}/${String(body["id"])}/test`, app.headers);
    expect(tested).toMatchObject({ status: 200, body: { delivered: false, event: "user.logout", status: 418 } });
    expect(JSON.stringify(tested.body)).not.toContain("internal words");
    expect(receiver.received).toMatchObject([{ id: tested.body["eventId"], body: { event: "user.logout" } }]);
    const other = await call(service, "POST", `${path}/${String(body["id"])}/test`, app.headers, {
      event: "user.created",
    });
    expect(other.body).toMatchObject({ delivered: true, event: "user.created", status: 204, error: null });
  });

  it("sends at most ten samples a minute to an endpoint, no matter who asks", async () => {
    const service = current();
    const app = await service.createApp();
    const register = async () =>
      String((await call(service, "POST", path, app.headers, { ...good, url: receiver.url })).body["id"]);
    const [id, other] = [await register(), await register()];
    const { ctx } = service.server.app;
    const test = async (endpoint: string) => call(service, "POST", `${path}/${endpoint}/test`, app.headers);
    const answers = [];
    for (let times = 0; times < 9; times += 1) answers.push((await test(id)).status);
    expect(new Set(answers)).toEqual(new Set([200]));
    await webhooks.test(ctx, id, { actor: { kind: "cli", name: "test" } });
    const refused = await test(id);
    expect(refused).toMatchObject({ status: 429, body: { error: { code: "RATE_LIMITED" } } });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    const command = webhooks.test(ctx, id, { actor: { kind: "cli", name: "test" } });
    await expect(command).rejects.toThrow("can be tested 10 times a minute");
    expect((await test(other)).status).toBe(200);
    service.clock.advance(minute);
    expect((await test(id)).status).toBe(200);
  });
});
