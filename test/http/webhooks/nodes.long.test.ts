import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { second } from "../../../src/lib/clock.ts";
import * as deliveries from "../../../src/records/webhooks/deliveries.ts";
import { insertDelivery, type DeliveryRow } from "../../../src/records/webhooks/delivery-store.ts";
import { findEndpoint } from "../../../src/records/webhooks/endpoint-store.ts";
import * as webhooks from "../../../src/records/webhooks/service.ts";
import { webhookWorker } from "../../../src/records/webhooks/worker.ts";
import { startServer, type RunningServer } from "../../../src/process/server.ts";
import { startReceiver, until, type Received, useReceiver } from "../../support/receiver.ts";
import { describeEachDatabase, startTestService, type TestApp } from "../../support/service.ts";
import { createEndpoint, happen, localWebhooks, operator } from "../../support/webhooks.ts";

const anEvent: Omit<DeliveryRow, "endpointId" | "eventId"> = {
  kind: "user.login",
  occurredAt: 0,
  userId: null,
  email: null,
  authMethod: null,
  ipAddress: null,
  userAgent: null,
  sessionId: null,
  organizationId: null,
  roles: null,
  status: "waiting",
  attempts: 0,
  history: [],
  nextAttemptAt: 0,
  leaseUntil: null,
};

describe("two nodes on one database", () => {
  const receiver = useReceiver();
  let running: Awaited<ReturnType<typeof startTestService>>;
  let second: RunningServer;
  beforeAll(async () => {
    running = await startTestService("postgres", localWebhooks);
    const { config, clock } = running.service;
    second = await startServer(config, { clock: () => clock.now });
  });
  afterAll(async () => {
    await second.close();
    await running.stop();
  });

  it("deliver each event once, and never both at the same time", async () => {
    const { service } = running;
    const app = await service.createApp();
    await createEndpoint(service, app, { url: receiver.url });
    receiver.always(async (answer, { id }) => {
      await pause(20);
      // A third of them fails at first, so that both nodes find them due again.
      const times = receiver.received.filter((call) => call.id === id).length;
      answer.writeHead(id.charCodeAt(id.length - 1) % 3 === 0 && times === 1 ? 500 : 204).end();
    });
    const events = 90;
    await Promise.all(Array.from({ length: events }, async () => await happen(service, app)));
    const callsById = () => Map.groupBy(receiver.received, (call) => call.id);
    const { db, tables } = service.server.app.ctx.storage.reader;
    const rows = async () => await db.select().from(tables.webhookDeliveries);
    // What is noted after the clock has moved would be due later still.
    await until(async () => (await rows()).every(({ attempts }) => attempts === 1));
    service.clock.advance(7000);
    await until(async () => (await rows()).every(({ status }) => status === "delivered"));
    for (const calls of callsById().values()) {
      expect(calls.length).toBeLessThanOrEqual(2);
      const [first, again] = calls as [Received, Received | undefined];
      if (again) expect(again.began).toBeGreaterThanOrEqual(first.ended ?? Number.POSITIVE_INFINITY);
    }
  });

  it("fail nobody's sign-in when an endpoint is removed at the moment of its event", async () => {
    const { service } = running;
    const app = await service.createApp();
    const id = await createEndpoint(service, app, { url: receiver.url });
    const { ctx } = service.server.app;
    const { storage } = ctx;
    let times = 0;
    await storage.write(async (tx) => {
      times += 1;
      const endpoint = await findEndpoint(tx, id);
      // As the other node does it, between the look at the endpoints and the note for them.
      if (times === 1) await webhooks.remove(second.app.ctx, id, operator);
      if (endpoint) await insertDelivery(tx, { ...anEvent, endpointId: endpoint.id, eventId: "evt_1" });
    });
    expect(times).toBe(2);
    expect(await webhooks.list(ctx, app.id)).toEqual([]);
  });
});

describeEachDatabase("a delivery in the hands of a process that died", localWebhooks, (current) => {
  const receiver = useReceiver();
  let app: TestApp;
  beforeEach(async () => {
    app = await current().createApp();
  });

  it("is taken over within 30 seconds, and by nobody before", async () => {
    const id = await createEndpoint(current(), app, { url: receiver.url });
    const { ctx } = current().server.app;
    await webhookWorker(ctx).stop();
    await happen(current(), app);
    expect(await deliveries.claim(ctx, id, 10)).toHaveLength(1);
    current().clock.advance(15 * second);
    expect(await deliveries.claim(ctx, id, 10)).toHaveLength(0);
    expect(await deliveries.dueEndpoints(ctx)).toEqual([]);
    current().clock.advance(14 * second);
    webhookWorker(ctx).start();
    await until(() => receiver.received.length === 1);
  });

  it("is not taken away from a process whose clock has jumped", async () => {
    const stalls = await startReceiver();
    const releases: (() => void)[] = [];
    stalls.always((answer) => void releases.push(() => answer.writeHead(204).end()));
    const id = await createEndpoint(current(), app, { url: stalls.url });
    await happen(current(), app);
    await until(() => stalls.received.length === 1);
    current().clock.advance(60 * second);
    await webhookWorker(current().server.app.ctx).look();
    // Another event passes, so that the due ones have been claimed once more.
    await happen(current(), app, { userId: "usr_2" });
    await until(() => stalls.received.length === 2);
    expect(new Set(stalls.received.map((call) => call.id)).size).toBe(2);
    for (const release of releases) release();
    const { ctx } = current().server.app;
    await until(async () =>
      (await deliveries.list(ctx, id, { limit: 9 })).every(({ status }) => status === "delivered"),
    );
    await stalls.stop();
  });

  it("is given back when the process is stopped in good order", async () => {
    const stalls = await startReceiver();
    stalls.always(() => {});
    const id = await createEndpoint(current(), app, { url: stalls.url });
    await happen(current(), app);
    await until(() => stalls.received.length === 1);
    const { ctx } = current().server.app;
    await webhookWorker(ctx).stop();
    // The clock has not moved: it is nobody's again.
    expect(await deliveries.claim(ctx, id, 10)).toMatchObject([{ row: { attempts: 0, history: [] } }]);
    await stalls.stop();
  });
});
