import { beforeEach, expect, it, vi } from "vitest";
import { openApp } from "../../../src/process/app.ts";
import type { Log, LogFields } from "../../../src/lib/log.ts";
import { mailDelivery } from "../../../src/records/mail/delivery.ts";
import type { Mail } from "../../../src/records/mail/mail.ts";
import * as outbox from "../../../src/records/mail/service.ts";
import { startServer } from "../../../src/process/server.ts";
import { enqueue, resetMail } from "../../support/mail-flows.ts";
import { useMailServer } from "../../support/mail.ts";
import { call, initiate, newEmail } from "../../support/person.ts";
import { withApp, describeEachDatabase, type TestService } from "../../support/service.ts";

const server = await useMailServer();

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

const logged: { message: string; fields: LogFields | undefined }[] = [];
const keep = (message: string, fields?: LogFields): void => void logged.push({ message, fields });
const log: Log = {
  debug() {},
  info: keep,
  warn: keep,
  error: (message, _error, fields) => keep(message, fields),
  debugging: false,
};

beforeEach(() => {
  logged.length = 0;
  server.behave("takes");
});

describeEachDatabase("the outbox", { mail: server.mail, surroundings: { log } }, (current) => {
  // A test that fails leaves its mail behind, and must not take the others with it.
  beforeEach(async () => {
    const { storage } = current().server.app.ctx;
    await storage.write(async ({ db, tables }) => void (await db.delete(tables.mails)));
  });

  it("sends a mail once its transaction is committed, once, and forgets it", async () => {
    const to = newEmail();
    await enqueue(current(), await mailOfNewApp(current(), { to }));
    await arrived(to);
    expect(server.to(to)).toHaveLength(1);
    await empty(current());
    mailDelivery(current().server.app.ctx).look();
    await arrivedAfter(current());
    expect(server.to(to)).toHaveLength(1);
  });

  it("never sends a mail whose transaction was rolled back", async () => {
    const to = newEmail();
    const mail = await mailOfNewApp(current(), { to });
    const { ctx } = current().server.app;
    const { storage, clock } = ctx;
    const failing = storage.write(async (tx) => {
      await outbox.enqueue(ctx, tx, mail, clock());
      throw new Error("changed its mind");
    });
    await expect(failing).rejects.toThrow("changed its mind");
    await arrivedAfter(current());
    expect(server.to(to)).toEqual([]);
  });

  it("tries again when a mail server that was away is back", async () => {
    const to = newEmail();
    server.behave("is-away");
    await enqueue(current(), await mailOfNewApp(current(), { to }));
    const [waiting] = await failedTimes(current(), 1);
    expect(waiting?.lastError).toBe("the connection was closed");
    server.behave("takes");
    later(current(), 10 * second);
    await arrived(to);
    await empty(current());
  });

  it("waits longer after each failure, and drops what has expired, which is audited and logged without the address", async () => {
    const service = current();
    const to = newEmail();
    server.behave({ answers: 451 });
    const mail = await mailOfNewApp(service, { to, expiresAt: service.clock.now + 24 * hour });
    await enqueue(service, mail);
    const waits: number[] = [];
    for (let attempts = 1; attempts <= 8; attempts += 1) {
      const [row] = await failedTimes(service, attempts);
      waits.push((row?.nextAttemptAt ?? 0) - service.clock.now);
      expect(row?.lastError).toBe("it refuses the recipient's address for now (451)");
      later(service, waits.at(-1) ?? 0);
    }
    const schedule = [10 * second, 30 * second, 2 * minute, 10 * minute, 30 * minute, hour, 2 * hour, 2 * hour];
    expect(waits).toEqual(schedule);
    await failedTimes(service, 9);
    server.behave("takes");
    later(service, 24 * hour);
    await arrivedAfter(service);
    expect(server.to(to)).toEqual([]);
    await service.server.app.sweep();
    expect(await rows(service)).toEqual([]);
    await expectDropped(service, mail, "expired");
  });

  it("drops a mail that its recipient's server refuses for good, audited and logged without the address", async () => {
    const to = newEmail();
    server.behave({ answers: 550 });
    const mail = await mailOfNewApp(current(), { to });
    await enqueue(current(), mail);
    await empty(current());
    await expectDropped(current(), mail, "it refuses the recipient's address (550)");
    expect(JSON.stringify(logged)).not.toContain(to);
  });

  it("answers requests while the mail server stalls (experiment E18)", async () => {
    const { service, app } = await withApp(current());
    server.behave("stalls");
    for (let mails = 0; mails < 6; mails += 1) await enqueue(service, resetMail(service, app.id));
    // As many at a time as there are connections, and no more.
    await vi.waitFor(() => expect(server.stalled()).toBe(4), patience);
    const { authUrl } = await initiate(service, app);
    expect((await call(service, "GET", "/readyz", {})).status).toBe(200);
    expect((await fetch(authUrl)).status).toBe(200);
    expect(server.stalled()).toBe(4);
    server.behave("takes");
    await empty(service);
  });

  it("lets another process take over a mail whose holder has died, and believes the new holder only", async () => {
    const service = current();
    const { clock } = service;
    const { ctx } = service.server.app;
    await mailDelivery(ctx).stop();
    await enqueue(service, await mailOfNewApp(service));
    const [dead] = await outbox.claim(ctx, 10);
    expect(await outbox.claim(ctx, 10)).toEqual([]);
    clock.advance(minute - 1);
    expect(await outbox.claim(ctx, 10)).toEqual([]);
    clock.advance(1);
    const [taken, ...others] = await outbox.claim(ctx, 10);
    expect(taken).toMatchObject({ id: dead?.id, attempts: 2 });
    expect(others).toEqual([]);
    if (dead) await outbox.settle(ctx, dead, { result: "sent" });
    if (dead) await outbox.settle(ctx, dead, { result: "failed", reason: "late" });
    expect(await rows(service)).toMatchObject([{ id: dead?.id, leaseUntil: taken?.leaseUntil, lastError: null }]);
    if (taken) await outbox.settle(ctx, taken, { result: "sent" });
    expect(await rows(service)).toEqual([]);
    mailDelivery(ctx).start();
  });

  it("sends what another process has put in, such as a command", async () => {
    const service = current();
    const to = newEmail();
    const mail = await mailOfNewApp(service, { to });
    const command = await openApp(service.config, { clock: () => service.clock.now });
    await command.ctx.storage.write((tx) => outbox.enqueue(command.ctx, tx, mail, service.clock.now));
    await command.close();
    await arrived(to);
    await empty(service);
  });

  it("sends each mail once when two services share the database", async () => {
    const service = current();
    const second = await startServer(service.config, { clock: () => service.clock.now });
    try {
      const people = Array.from({ length: 30 }, () => newEmail());
      for (const to of people) {
        await enqueue(service, await mailOfNewApp(service, { to }));
        mailDelivery(second.app.ctx).look();
        mailDelivery(service.server.app.ctx).look();
      }
      await empty(service);
      expect(people.filter((to) => server.to(to).length !== 1)).toEqual([]);
    } finally {
      await second.close();
    }
  });

  it("waits for the mail that is being sent when the service stops", async () => {
    const service = current();
    const to = newEmail();
    server.behave("stalls");
    await enqueue(service, await mailOfNewApp(service, { to }));
    await vi.waitFor(() => expect(server.stalled()).toBe(1), patience);
    const stopping = mailDelivery(service.server.app.ctx).stop();
    server.behave("takes");
    await stopping;
    expect(server.to(to)).toHaveLength(1);
    expect(await rows(service)).toEqual([]);
    mailDelivery(service.server.app.ctx).start();
  });

  it("counts what waits, and why", async () => {
    const service = current();
    server.behave({ answers: 451 });
    await enqueue(service, await mailOfNewApp(service));
    await failedTimes(service, 1);
    expect(await outbox.pending(service.server.app.ctx)).toEqual({
      mails: 1,
      retried: 1,
      oldest: service.clock.now,
      reasons: ["it refuses the recipient's address for now (451)"],
    });
    server.behave("takes");
    later(service, minute);
    await empty(service);
  });
});

const patience = { timeout: 60_000, interval: 20 };

async function mailOfNewApp(service: TestService, given: Partial<Mail> & { expiresAt?: number } = {}): Promise<Mail> {
  return resetMail(service, (await service.createApp()).id, given);
}

async function rows(service: TestService) {
  const { reader } = service.server.app.ctx.storage;
  return await reader.db.select().from(reader.tables.mails);
}

async function arrived(to: string): Promise<void> {
  await vi.waitFor(() => expect(server.to(to)).not.toEqual([]), patience);
}

/** A mail that is put in now has arrived: whatever was before it would have, too. */
async function arrivedAfter(service: TestService): Promise<void> {
  const to = newEmail();
  await enqueue(service, await mailOfNewApp(service, { to }));
  await arrived(to);
  await vi.waitFor(
    async () => expect((await rows(service)).filter(({ attempts }) => attempts === 1)).toEqual([]),
    patience,
  );
}

async function empty(service: TestService): Promise<void> {
  await vi.waitFor(async () => expect(await rows(service)).toEqual([]), patience);
}

/** Every mail that waits, once each has failed so often. */
async function failedTimes(service: TestService, attempts: number, mails = 1) {
  const failed = { attempts, leaseUntil: service.clock.now, lastError: expect.any(String) as string };
  await vi.waitFor(
    async () => expect(await rows(service)).toMatchObject(Array.from({ length: mails }, () => failed)),
    patience,
  );
  return await rows(service);
}

function later(service: TestService, milliseconds: number): void {
  service.clock.advance(milliseconds);
  mailDelivery(service.server.app.ctx).look();
}

async function expectDropped(service: TestService, { appId, kind }: Mail, reason: string): Promise<void> {
  const { reader } = service.server.app.ctx.storage;
  const events = await reader.db.select().from(reader.tables.auditEvents);
  expect(events.filter((event) => event.appId === appId && event.action === "mail.dropped")).toMatchObject([
    { actor: "service:mail", result: "failure", details: { kind, reason } },
  ]);
  const lines = logged.filter(({ message, fields }) => message === "mail dropped" && fields?.["appId"] === appId);
  expect(lines).toMatchObject([{ fields: { kind, reason } }]);
}
