import { beforeAll, beforeEach, expect, it } from "vitest";
import { day } from "../../src/lib/clock.ts";
import type { ClaimedDelivery } from "../../src/webhooks/deliveries.ts";
import { describeEachDatabase, type TestApp } from "../support/service.ts";
import { createEndpoint, happen, operator } from "../support/webhooks.ts";

describeEachDatabase("a webhook endpoint that changes while attempts are under way", (current) => {
  const services = () => current().server.app.services;
  const endpoint = async () => await services().webhooks.get(id);
  let app: TestApp;
  let id: string;
  beforeAll(async () => {
    // The tests claim and settle themselves, to have what is under way in their hands.
    await current().server.app.webhookWorker.stop();
  });
  beforeEach(async () => {
    app = await current().createApp();
    id = await createEndpoint(current(), app, { url: "https://hooks.example/first" });
  });

  /** An attempt that has begun. */
  async function begun(): Promise<ClaimedDelivery> {
    await happen(current(), app);
    const [claimed] = await services().deliveries.claim(id, 1);
    if (!claimed) throw new Error("nothing is due");
    return claimed;
  }

  async function end(claimed: ClaimedDelivery, status: number): Promise<void> {
    const delivered = status === 204;
    const error = delivered ? null : `status ${status}`;
    const answer = { at: current().clock.now, durationMilliseconds: 1, status, error, response: "" };
    const outcome = { ...answer, delivered, gone: status === 410, retryAfterMilliseconds: undefined };
    await services().deliveries.settle([{ claimed, outcome }]);
  }

  /** Two attempts at an endpoint that has failed for five days. */
  async function begunAfterFiveDays(): Promise<[ClaimedDelivery, ClaimedDelivery]> {
    await end(await begun(), 500);
    current().clock.advance(5 * day);
    return [await begun(), await begun()];
  }

  it("is not disabled by the 410 of an address that it does not have any more", async () => {
    const claimed = await begun();
    await services().webhooks.update(id, { url: "https://hooks.example/second" }, operator);
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
    expect(await services().webhooks.update(id, change, operator)).toMatchObject({ failingSince: null });
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
