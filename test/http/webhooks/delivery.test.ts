import { afterEach, beforeEach, expect, it } from "vitest";
import { day, hour, second } from "../../../src/lib/clock.ts";
import * as deliveries from "../../../src/records/webhooks/deliveries.ts";
import * as webhooks from "../../../src/records/webhooks/service.ts";
import { webhookWorker } from "../../../src/records/webhooks/worker.ts";
import { startReceiver, until, useReceiver } from "../../support/receiver.ts";
import { describeSqliteFirst, type TestApp } from "../../support/service.ts";
import { createEndpoint, happen, localWebhooks, operator } from "../../support/webhooks.ts";

describeSqliteFirst("delivery of a webhook", localWebhooks, (current) => {
  const receiver = useReceiver();
  let app: TestApp;
  let id: string;
  beforeEach(async () => {
    app = await current().createApp();
    id = await createEndpoint(current(), app, { url: receiver.url });
    receiver.received.length = 0;
    receiver.always(204);
  });
  afterEach(async () => {
    await webhooks.remove(current().server.app.ctx, id, operator);
  });

  const listed = async () => await deliveries.list(current().server.app.ctx, id, { limit: 100 });
  const endpoint = async () => await webhooks.get(current().server.app.ctx, id);

  /** The one delivery, once it has been tried so often. */
  async function attempted(times: number) {
    return await until(async () => (await listed()).find(({ attempts }) => attempts.length === times));
  }

  /** Lets so much time pass that whatever failed is due. */
  async function pass(time: number): Promise<void> {
    current().clock.advance(time);
    await webhookWorker(current().server.app.ctx).look();
  }

  it("waits as long as Retry-After says, with everything else for this receiver as well (security rule W3)", async () => {
    receiver.next((answer) => void answer.writeHead(429, { "retry-after": "120" }).end());
    await happen(current(), app);
    await attempted(1);
    await happen(current(), app);
    await pass(100 * second);
    await pass(21 * second);
    await until(async () => (await listed()).every(({ status }) => status === "delivered"));
    const [refused = 0, ...later] = receiver.received.map((call) => Number(call.headers["webhook-timestamp"]));
    expect(later).toHaveLength(2);
    for (const time of later) expect(time - refused).toBeGreaterThanOrEqual(120);
  });

  it("ends with the tenth failure as a dead letter, which redelivery brings back", async () => {
    receiver.always(500);
    await happen(current(), app);
    for (let times = 1; times <= 10; times += 1) {
      await attempted(times);
      await pass(29 * hour);
      // Otherwise it would be disabled for having failed for five days.
      const { ctx } = current().server.app;
      await webhooks.update(ctx, id, { enabled: true }, operator);
    }
    expect(await listed()).toMatchObject([{ status: "failed", nextAttemptAt: null }]);
    expect(receiver.received).toHaveLength(10);
    receiver.always(204);
    const { ctx } = current().server.app;
    expect(await deliveries.redeliver(ctx, id, { status: "failed" }, operator)).toBe(1);
    const { status, eventId } = await attempted(11);
    expect(status).toBe("delivered");
    expect(receiver.received.at(-1)?.id).toBe(eventId);
  });

  it("waits for its next try no longer when it is redelivered, by its id or with all that failed", async () => {
    const { ctx } = current().server.app;
    const { storage } = current().server.app.ctx;
    receiver.always(500);
    await happen(current(), app);
    const { status: after, eventId } = await attempted(1);
    expect(after).toBe("waiting");
    receiver.always(204);
    expect(await deliveries.redeliver(ctx, id, { eventId }, operator)).toBe(1);
    await webhookWorker(current().server.app.ctx).look();
    await until(async () => (await listed()).every(({ status }) => status === "delivered"));

    receiver.always(500);
    await happen(current(), app);
    await until(async () => (await listed()).some(({ status, attempts }) => status === "waiting" && attempts[0]));
    receiver.always(204);
    // One that nobody has tried yet is no failure.
    await storage.write(async ({ db, tables }) => {
      const rows = await db.select().from(tables.webhookDeliveries);
      const [row] = rows.filter(({ endpointId, status }) => endpointId === id && status === "waiting");
      if (!row) throw new Error("nothing waits");
      const nextAttemptAt = current().clock.now + hour;
      const fresh = { ...row, eventId: `${row.eventId.slice(0, -1)}!`, attempts: 0, history: [], nextAttemptAt };
      await db.insert(tables.webhookDeliveries).values(fresh);
    });
    expect(await deliveries.redeliver(ctx, id, { status: "failed" }, operator)).toBe(1);
    await webhookWorker(current().server.app.ctx).look();
    await until(async () => (await listed()).filter(({ status }) => status === "waiting").length === 1);
  });

  it("410 disables the endpoint at once, which is audited; what comes later is not written down (security rule W3)", async () => {
    receiver.next((answer) => void answer.writeHead(410).end("thank you\0"));
    await happen(current(), app);
    await until(async () => !(await endpoint()).enabled);
    expect(await endpoint()).toMatchObject({ enabled: false, disabledReason: "gone" });
    const attempts = [{ status: 410, error: "status 410", response: "thank you\u{FFFD}" }];
    expect(await listed()).toMatchObject([{ status: "failed", attempts }]);
    expect(receiver.received[0]?.headers).toMatchObject({
      "content-type": "application/json",
      "webhook-id": expect.stringMatching(/^evt_[0-9a-z]{26}$/u),
    });
    await happen(current(), app);
    expect(await listed()).toHaveLength(1);
    const { db, tables } = current().server.app.ctx.storage.reader;
    const events = await db.select().from(tables.auditEvents);
    expect(events.filter((event) => event.appId === app.id && event.action === "webhook.disable")).toMatchObject([
      { actor: "service:webhooks", details: { endpointId: id, reason: "gone" } },
    ]);
  });

  it("five days of nothing but failure disable the endpoint; enabling it delivers what waits", async () => {
    receiver.always(503);
    await happen(current(), app);
    await attempted(1);
    expect((await endpoint()).failingSince).not.toBeNull();
    await pass(4 * day);
    await attempted(2);
    expect(await endpoint()).toMatchObject({ enabled: true });
    await pass(day);
    await attempted(3);
    await until(async () => !(await endpoint()).enabled);
    expect(await endpoint()).toMatchObject({ disabledReason: "failing" });
    receiver.always(204);
    await pass(day);
    expect((await listed())[0]?.attempts).toHaveLength(3);
    const { ctx } = current().server.app;
    expect(await webhooks.update(ctx, id, { enabled: true }, operator)).toMatchObject({
      enabled: true,
      disabledReason: null,
      failingSince: null,
    });
    await pass(0);
    expect(await attempted(4)).toMatchObject({ status: "delivered" });
  });

  it("one success ends the counting of failures", async () => {
    receiver.next(500);
    await happen(current(), app);
    await attempted(1);
    await pass(6 * second);
    await attempted(2);
    await until(async () => (await endpoint()).failingSince === null);
  });

  it("a cut connection, half an answer and a receiver that is not there are failures with a reason", async () => {
    receiver.next((answer) => void answer.socket?.destroy());
    await happen(current(), app);
    expect(await attempted(1)).toMatchObject({ attempts: [{ status: null, error: "the connection was closed" }] });
    const gone = await startReceiver();
    await gone.stop();
    const { ctx } = current().server.app;
    await webhooks.update(ctx, id, { url: gone.url }, operator);
    await pass(6 * second);
    expect((await attempted(2)).attempts[1]).toMatchObject({ status: null, error: "the connection was refused" });
  });

  it("an endless answer is read no further than 64 KiB, and 1 KiB of it is kept", async () => {
    let sent = 0;
    receiver.next((answer) => {
      answer.writeHead(200);
      const chunk = Buffer.alloc(16 * 1024, "x");
      const write = (): void => {
        while (!answer.destroyed && answer.write(chunk)) sent += chunk.length;
      };
      answer.on("drain", write);
      write();
    });
    await happen(current(), app);
    const { attempts, status } = await attempted(1);
    expect(status).toBe("delivered");
    expect(attempts[0]?.response).toBe("x".repeat(1024));
    // What the systems on both ends buffer comes on top.
    expect(sent).toBeLessThan(16 * 1024 * 1024);
  });
});
