import { expect, it, onTestFinished, vi } from "vitest";
import { minute, second } from "../../src/lib/clock.ts";
import { startServer } from "../../src/process/server.ts";
import * as audit from "../../src/records/audit/audit.ts";
import { auditSender } from "../../src/records/audit/syslog/sender.ts";
import { hasState } from "../../src/records/audit/syslog-store.ts";
import { serviceOfTest } from "../support/service.ts";
import { startReceiver } from "../support/syslog-receiver.ts";

const event = { actor: { kind: "cli", name: "test" }, action: "mail.test", result: "success" } as const;
const patience = { timeout: 30_000, interval: 50 };

it("G7: of two nodes one sends at a time, and the other takes over, without a gap and in order", async () => {
  const receiver = await startReceiver();
  onTestFinished(receiver.close);
  const { port, caFile } = receiver;
  const audited = { retentionDays: 90, retention: [], syslog: { host: "localhost", port, caFile } };
  const service = await serviceOfTest("postgres", { audit: audited });
  // The first one sends.
  await vi.waitFor(async () => expect(await hasState(service.server.app.ctx.storage.reader)).toBe(true), patience);
  const other = await startServer(service.config, { clock: () => service.clock.now });
  onTestFinished(async () => await other.close());
  const nodes = [service.server, other];
  const write = async (count: number): Promise<void> => {
    for (let entry = 0; entry < count; entry += 1) {
      service.clock.advance(1);
      for (const { app } of nodes)
        await app.ctx.storage.write((tx) => audit.record(app.ctx, tx, event, service.clock.now));
    }
  };
  await write(10);
  await vi.waitFor(() => {
    for (const { app } of nodes) auditSender(app.ctx).look();
    expect(receiver.received).toHaveLength(20);
  }, patience);
  expect(receiver.connections.filter((numbers) => numbers.length > 0)).toHaveLength(1);
  await auditSender(service.server.app.ctx).stop();
  await write(10);
  await vi.waitFor(() => {
    service.clock.advance(second);
    auditSender(other.app.ctx).look();
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(40);
  }, patience);
  for (const numbers of receiver.connections) expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  const written = await audit.list(other.app.ctx, { limit: 100, action: "mail.test" });
  const got = new Set(receiver.received.map(({ id }) => id));
  expect(written.filter(({ id }) => !got.has(id))).toEqual([]);
  service.clock.advance(minute);
  await vi.waitFor(async () => {
    auditSender(other.app.ctx).look();
    expect(await auditSender(other.app.ctx).lag()).toBe(0);
  }, patience);
});
