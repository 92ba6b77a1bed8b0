import { eq } from "drizzle-orm";
import { beforeAll, beforeEach, expect, it } from "vitest";
import { day } from "../../../src/lib/clock.ts";
import * as deliveries from "../../../src/records/webhooks/deliveries.ts";
import type { ClaimedDelivery } from "../../../src/records/webhooks/deliveries.ts";
import { forgetUserInDeliveries } from "../../../src/records/webhooks/delivery-store.ts";
import * as webhooks from "../../../src/records/webhooks/service.ts";
import { webhookWorker } from "../../../src/records/webhooks/worker.ts";
import { describeEachDatabase, type TestApp } from "../../support/service.ts";
import { createEndpoint, happen, operator } from "../../support/webhooks.ts";

describeEachDatabase("a webhook endpoint that changes while attempts are under way", (current) => {
  const ctx = () => current().server.app.ctx;
  const endpoint = async () => await webhooks.get(ctx(), id);
  let app: TestApp;
  let id: string;
  beforeAll(async () => {
    // The tests claim and settle themselves, to have what is under way in their hands.
    await webhookWorker(current().server.app.ctx).stop();
  });
  beforeEach(async () => {
    app = await current().createApp();
    id = await createEndpoint(current(), app, { url: "https://hooks.example/first" });
  });

  /** An attempt that has begun. */
  async function begun(): Promise<ClaimedDelivery> {
    await happen(current(), app);
    const [claimed] = await deliveries.claim(ctx(), id, 1);
    if (!claimed) throw new Error("nothing is due");
    return claimed;
  }

  async function end(claimed: ClaimedDelivery, status: number): Promise<void> {
    const delivered = status === 204;
    const error = delivered ? null : `status ${status}`;
    const answer = { at: current().clock.now, durationMilliseconds: 1, status, error, response: "" };
    const outcome = { ...answer, delivered, gone: status === 410, retryAfterMilliseconds: undefined };
    await deliveries.settle(ctx(), [{ claimed, outcome }]);
  }

  /** Two attempts at an endpoint that has failed for five days. */
  async function begunAfterFiveDays(): Promise<[ClaimedDelivery, ClaimedDelivery]> {
    await end(await begun(), 500);
    current().clock.advance(5 * day);
    return [await begun(), await begun()];
  }

  it("is not disabled by the 410 of an address that it does not have any more", async () => {
    const claimed = await begun();
    await webhooks.update(ctx(), id, { url: "https://hooks.example/second" }, operator);
    await end(claimed, 410);
    expect(await endpoint()).toMatchObject({ enabled: true, disabledReason: null });
    await end(await begun(), 410);
    expect(await endpoint()).toMatchObject({ enabled: false, disabledReason: "gone" });
  });

  it.each([
    ["it was enabled anew", { enabled: true }],
    ["it got another address", { url: "https://hooks.example/second" }],
  ])("is not disabled for the failures from before %s", async (_, change) => {
    const [claimed, other] = await begunAfterFiveDays();
    expect(await webhooks.update(ctx(), id, change, operator)).toMatchObject({ failingSince: null });
    await end(claimed, 500);
    await end(other, 500);
    expect(await endpoint()).toMatchObject({ enabled: true, disabledReason: null });
  });

  it("is not disabled for failing when another attempt has just succeeded", async () => {
    const [claimed, other] = await begunAfterFiveDays();
    await end(claimed, 204);
    await end(other, 500);
    expect(await endpoint()).toMatchObject({ enabled: true, disabledReason: null });
  });

  it("is disabled for failing when nothing of that happens", async () => {
    const [claimed] = await begunAfterFiveDays();
    await end(claimed, 500);
    expect(await endpoint()).toMatchObject({ enabled: false, disabledReason: "failing" });
  });
});

describeEachDatabase("a person who is forgotten while attempts are under way", (current) => {
  beforeAll(async () => {
    await webhookWorker(current().server.app.ctx).stop();
  });

  it.each([
    ["an address and a network", { email: "quoted@example.com", ipAddress: "192.0.2.7" }],
    ["an address", { email: "quoted@example.com", ipAddress: null }],
    ["a network", { email: null, ipAddress: "192.0.2.7" }],
  ])(
    "leaves nothing of what a receiver answers to %s, which may quote it; anybody else's is kept",
    async (_, known) => {
      const service = current();
      const { ctx } = service.server.app;
      const { storage } = ctx;
      const { webhookDeliveries: table } = storage.reader.tables;
      const app = await service.createApp();
      const id = await createEndpoint(service, app, { url: "https://hooks.example/first" });
      for (const userId of ["usr_forgotten", "usr_other"]) await happen(service, app, { userId });
      await storage.write((tx) => tx.db.update(table).set(known).where(eq(table.endpointId, id)));
      const claimed = await deliveries.claim(ctx, id, 2);
      await storage.write((tx) => forgetUserInDeliveries(tx, "usr_forgotten"));
      const answer = {
        at: service.clock.now,
        durationMilliseconds: 1,
        status: 500,
        error: "status 500",
        response: "you sent",
      };
      const outcome = { ...answer, delivered: false, gone: false, retryAfterMilliseconds: undefined };
      await deliveries.settle(
        ctx,
        claimed.map((one) => ({ claimed: one, outcome })),
      );

      const rows = await storage.reader.db.select().from(table).where(eq(table.endpointId, id));
      const kept = new Map(rows.map((row) => [row.userId, row]));
      const noted = { attempts: 1, status: "waiting", leaseUntil: service.clock.now };
      expect(kept.get("usr_forgotten")).toMatchObject({ ...noted, email: null, ipAddress: null, history: [] });
      expect(kept.get("usr_other")).toMatchObject({ ...noted, ...known, history: [answer] });
    },
  );
});
