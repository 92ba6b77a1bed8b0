import { afterAll, afterEach, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { minute, second } from "../../../src/lib/clock.ts";
import * as audit from "../../../src/records/audit/audit.ts";
import { auditSender } from "../../../src/records/audit/syslog/sender.ts";
import { hasState } from "../../../src/records/audit/syslog-store.ts";
import { examine } from "../../../src/upkeep/doctor/service.ts";
import { describeSqliteFirst, serviceOfTest, type TestService } from "../../support/service.ts";
import { startReceiver } from "../../support/syslog-receiver.ts";

const receiver = await startReceiver();
const { port, caFile } = receiver;
const audited = { retentionDays: 90, retention: [], syslog: { host: "localhost", port, caFile } };
afterAll(async () => await receiver.close());
afterEach(() => receiver.behave("confirms"));

/** Writes entries, and returns their ids in the order of their commits. */
async function write({ server: { app }, clock }: TestService, count: number): Promise<string[]> {
  const before = await ids(app.ctx);
  for (let entry = 0; entry < count; entry += 1) {
    clock.advance(1);
    const event = { actor: { kind: "cli", name: "test" }, action: "mail.test", result: "success" } as const;
    await app.ctx.storage.write((tx) => audit.record(app.ctx, tx, event, clock.now));
  }
  return (await ids(app.ctx)).slice(before.length);
}

async function ids(ctx: TestService["server"]["app"]["ctx"]): Promise<string[]> {
  const events = await audit.list(ctx, { limit: 10_000, action: "mail.test" });
  return events.map(({ id }) => id);
}

const patience = { timeout: 20_000, interval: 20 };

/** Waits until the receiver has these, after `from` others, and then until it confirms them. */
async function confirmed(service: TestService, written: string[], from: number): Promise<void> {
  const { ctx } = service.server.app;
  await vi.waitFor(() => {
    // The pause after a failure.
    if (!receiver.isOpen()) service.clock.advance(second);
    auditSender(ctx).look();
    const last = receiver.received.slice(from).map(({ id }) => id);
    expect(last).toEqual(written);
  }, patience);
  service.clock.advance(minute);
  await vi.waitFor(async () => {
    auditSender(ctx).look();
    expect(receiver.isOpen()).toBe(false);
    expect(await auditSender(ctx).lag()).toBe(0);
  }, patience);
}

/** What is written before the first turn is not sent. */
async function begun({ server: { app } }: TestService): Promise<void> {
  await vi.waitFor(async () => expect(await hasState(app.ctx.storage.reader)).toBe(true), patience);
}

describeSqliteFirst("the audit log by syslog", { audit: audited }, (service, { restart }) => {
  beforeAll(async () => await begun(service));

  it("G7: sends each entry in order, and counts it as delivered once the receiver has ended its side", async () => {
    const before = receiver.received.length;
    const written = await write(service, 5);
    await vi.waitFor(() => expect(receiver.received.at(-1)?.id).toBe(written.at(-1)), patience);
    service.clock.advance(second);
    expect(await auditSender(service.server.app.ctx).lag()).toBeGreaterThan(0);
    await confirmed(service, written, before);
    await confirmed(service, await write(service, 1), before + 5);
    const numbers = receiver.received.slice(-6).map(({ number }) => number);
    expect(numbers).toEqual(numbers.map((_, place) => (numbers[0] ?? 0) + place));
  });

  it.for(["dies at the end", "dies after half", "ends first"] as const)(
    "G7: sends again from its first entry, with the same numbers, what went to a receiver that %s",
    async (manner) => {
      receiver.behave(manner);
      const start = receiver.received.length;
      const written = await write(service, 5);
      await vi.waitFor(() => expect(receiver.received.length).toBeGreaterThan(start), patience);
      if (manner === "dies at the end") {
        await vi.waitFor(() => expect(receiver.received.length).toBe(start + 5), patience);
        service.clock.advance(minute);
      }
      await vi.waitFor(() => {
        auditSender(service.server.app.ctx).look();
        expect(receiver.isOpen()).toBe(false);
      }, patience);
      receiver.behave("confirms");
      await confirmed(service, written, receiver.received.length);
      const numbers = new Map(receiver.received.slice(-5).map(({ id, number }) => [id, number]));
      for (const { id, number } of receiver.received.slice(start)) expect(numbers.get(id)).toBe(number);
    },
  );

  it("G7: gives up a receiver that stops reading, after 10 seconds without progress", async () => {
    receiver.behave("reads nothing");
    const connections = receiver.connections.length;
    const written = await write(service, 3);
    await vi.waitFor(() => expect(receiver.connections.length).toBeGreaterThan(connections), patience);
    service.clock.advance(minute);
    // It took everything without reading it, so only its end is missing.
    await vi.waitFor(() => {
      service.clock.advance(second);
      expect(receiver.connections.length).toBeGreaterThan(connections + 1);
    }, patience);
    receiver.behave("confirms");
    await confirmed(service, written, receiver.received.length);
  });

  it("keeps what a receiver that is down has missed, and a restart changes nothing", async () => {
    await receiver.pause();
    const written = await write(service, 3);
    await restart();
    written.push(...(await write(service, 2)));
    const from = receiver.received.length;
    await receiver.resume();
    await confirmed(service, written, from);
  });

  it("G7: sends nothing to a receiver whose certificate it does not trust", async () => {
    const stranger = await startReceiver();
    onTestFinished(stranger.close);
    // The other one's certificate.
    const audit = { ...audited, syslog: { ...audited.syslog, port: stranger.port } };
    const other = await serviceOfTest(service.dialect, { audit });
    await begun(other);
    await write(other, 1);
    await vi.waitFor(() => {
      other.clock.advance(second);
      auditSender(other.server.app.ctx).look();
      expect(stranger.connections.length).toBeGreaterThan(1);
    }, patience);
    expect(stranger.received).toEqual([]);
    const doctorOf = async ({ server: { app } }: TestService) =>
      (await examine(app.ctx, { isQuick: true })).find(({ check }) => check === "audit-log");
    other.clock.advance(6 * minute);
    expect(await doctorOf(other)).toMatchObject({
      status: "problem",
      message: expect.stringMatching(/^The receiver of audit\.syslog has confirmed no entry since /u) as string,
    });
    expect(await doctorOf(service)).toMatchObject({ status: "ok" });
  });
});
