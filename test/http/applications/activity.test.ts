import { and, eq } from "drizzle-orm";
import { expect, it, vi } from "vitest";
import { findMiscounts, readLiveLogins } from "../../../src/applications/counter-store.ts";
import * as applications from "../../../src/applications/service.ts";
import { series, totals, totalsByApplication } from "../../../src/records/activity/activity.ts";
import { aggregatedEvents } from "../../../src/records/audit/aggregated-events.ts";
import { day, hour } from "../../../src/lib/clock.ts";
import { auditedCountsOf, countsOf, withoutUnaudited } from "../../support/activity.ts";
import { codeAt, firstProof, signedInWithTotp, signedUpWithTotp, wrongCodeAt } from "../../support/factors.ts";
import { enqueue, resetMail } from "../../support/mail-flows.ts";
import { useMailServer } from "../../support/mail.ts";
import { bearer } from "../../support/methods.ts";
import { authorizeUrl, createTestClient } from "../../support/openid.ts";
import { call, newEmail, redeem, signedUp, signIn } from "../../support/person.ts";
import { useReceiver } from "../../support/receiver.ts";
import { describeEachDatabase, withApp, type TestApp, type TestService } from "../../support/service.ts";
import { createEndpoint, happen, localWebhooks } from "../../support/webhooks.ts";

const patience = { timeout: 30_000, interval: 20 };

async function fail(service: TestService, app: TestApp, email: string): Promise<void> {
  await expect(signIn(service, app, { email, password: "not the password" })).rejects.toThrow();
}

const readerOf = ({ server }: TestService) => server.app.ctx.storage.reader;
const written = async ({ server }: TestService) => await aggregatedEvents(server.app.ctx).flush();

describeEachDatabase("activity", localWebhooks, (current) => {
  const receiver = useReceiver();

  it("is counted by event and kind, of the application and of the service, in hours and days", async () => {
    const { service, app } = await withApp(current());
    await written(service);
    const before = await countsOf(readerOf(service));
    const { email, accessToken } = await signedUp(service, app);
    const again = await redeem(service, app, await signIn(service, app, { email }));
    for (let times = 0; times < 3; times += 1) await fail(service, app, email);
    await call(service, "POST", "/auth/initiate", { ...app.headers, authorization: "Bearer wrong" }, {});
    await call(service, "POST", "/auth/logout", bearer(again.accessToken), {});
    await call(service, "DELETE", "/users/profile", bearer(accessToken));
    await written(service);

    const expected = {
      "sign-up password": 1,
      "sign-in password": 2,
      "sign-in.failed password": 3,
      active: 1,
      "refusal INVALID_API_KEY": 1,
      "logout user": 2,
      "user.deleted user": 1,
    };
    for (const span of ["hour", "day"] as const)
      expect(await countsOf(readerOf(service), app.id, span)).toEqual(expected);
    const after = await countsOf(readerOf(service));
    const grown = Object.keys(expected).map((key) => [key, (after[key] ?? 0) - (before[key] ?? 0)]);
    expect(Object.fromEntries(grown)).toEqual(expected);
  });

  it("equals the audit log", async () => {
    const { service, app } = await withApp(current());
    const { email } = await signedUp(service, app);
    await Promise.all([
      ...Array.from({ length: 8 }, async () => await redeem(service, app, await signIn(service, app, { email }))),
      ...Array.from({ length: 5 }, async () => await fail(service, app, newEmail())),
    ]);
    await written(service);
    const audited = await auditedCountsOf(readerOf(service), app.id);
    expect(audited).toMatchObject({ "sign-in password": 9, "sign-in.failed password": 5 });
    expect(withoutUnaudited(await countsOf(readerOf(service), app.id))).toEqual(audited);
    expect(withoutUnaudited(await countsOf(readerOf(service)))).toEqual(await auditedCountsOf(readerOf(service)));
  });

  it("has each second factor that was proven, and each that failed", async () => {
    const { service, app } = await withApp(current(), { settings: { secondFactor: "required" } });
    const { email, key } = await signedUpWithTotp(service, app);
    service.clock.advance(hour);
    const { page, visitor } = await firstProof(service, app, email);
    const wrong = await visitor.submit(page, "/step/code", { code: wrongCodeAt(key, service.clock.now) });
    await visitor.submit(wrong, "/step/code", { code: codeAt(key, service.clock.now) });
    await written(service);
    expect(await countsOf(readerOf(service), app.id)).toMatchObject({
      "second-factor new-totp": 1,
      "second-factor totp": 1,
      "second-factor.failed totp": 1,
    });
  });

  it("has no second factor of single sign-on, which proves none", async () => {
    const { service, app } = await withApp(current(), { settings: { secondFactor: "required" } });
    const person = await signedUpWithTotp(service, app);
    const { visitor } = await signedInWithTotp(service, app, person);
    const client = await createTestClient(service, app);
    for (const prompt of [null, "none"])
      expect((await visitor.get(authorizeUrl(service, client, { prompt }))).location.searchParams.has("code")).toBe(
        true,
      );
    await written(service);
    expect(await countsOf(readerOf(service), app.id)).toMatchObject({
      "second-factor new-totp": 1,
      "second-factor totp": 1,
    });
  });

  it("counts a user as active once on a UTC day", async () => {
    const { service, app } = await withApp(current());
    const { email } = await signedUp(service, app);
    for (const pause of [1, 1, day]) {
      service.clock.advance(pause);
      await redeem(service, app, await signIn(service, app, { email }));
    }
    expect((await countsOf(readerOf(service), app.id))["active"]).toBe(2);
  });

  it("is a series by hour or day, of some events, of one application or of each", async () => {
    const { service, app } = await withApp(current());
    const other = await service.createApp();
    service.clock.advance(day);
    const { now } = service.clock;
    const [today, thisHour] = [now - (now % day), now - (now % hour)];
    const { email } = await signedUp(service, app);
    await signedUp(service, other);
    service.clock.advance(day);
    await redeem(service, app, await signIn(service, app, { email }));
    const wanted = { from: today, to: today + 2 * day, events: ["sign-in"] } as const;
    const row = { event: "sign-in", kind: "password", value: 1 };
    const reader = readerOf(service);
    expect(await series(reader, { ...wanted, span: "day", appId: app.id })).toEqual([
      { ...row, startsAt: today },
      { ...row, startsAt: today + day },
    ]);
    expect(await series(reader, { ...wanted, span: "hour", appId: app.id, to: today + day })).toEqual([
      { ...row, startsAt: thisHour },
    ]);
    const each = await totalsByApplication(reader, { ...wanted, span: "day" });
    expect(each).toContainEqual({ ...row, appId: app.id, value: 2 });
    expect(each).toContainEqual({ ...row, appId: other.id });
    expect(await totals(reader, { ...wanted, span: "day" })).toEqual([{ ...row, value: 3 }]);
  });

  it("goes with the application, except from the service", async () => {
    const { service, app } = await withApp(current());
    await signedUp(service, app);
    const before = await countsOf(readerOf(service));
    const { ctx, sweep } = service.server.app;
    await applications.remove(ctx, app.id, { kind: "cli", name: "test" });
    expect(await countsOf(readerOf(service), app.id)).toEqual({});
    expect(await countsOf(readerOf(service))).toEqual(before);
    // Counted while the application was deleted.
    const late = { action: "sign-in", result: "failure", details: { method: "password" } } as const;
    const source = { ipAddress: "192.0.2.7", userAgent: null, requestId: "req_1" };
    aggregatedEvents(ctx).note({ ...late, app: { id: app.id }, source });
    await written(service);
    expect(await countsOf(readerOf(service), app.id)).toEqual({ "sign-in.failed password": 1 });
    await sweep();
    expect(await countsOf(readerOf(service), app.id)).toEqual({});
  });

  it("keeps hours for 90 days and days without end, as the sum of their shards", async () => {
    const { service, app } = await withApp(current());
    const { now } = service.clock;
    await signedUp(service, app);
    const { storage } = service.server.app.ctx;
    const { activityCounts: counts } = storage.reader.tables;
    const row = {
      appId: app.id,
      span: "day",
      event: "sign-in",
      kind: "password",
      startsAt: now - (now % day),
    } as const;
    await storage.write(
      async ({ db }) => void (await db.insert(counts).values([21, 22].map((shard) => ({ ...row, shard, value: 5 })))),
    );
    service.clock.advance(3 * day);
    await service.server.app.sweep();
    expect((await countsOf(readerOf(service), app.id))["sign-in password"]).toBe(11);
    expect((await countsOf(readerOf(service), app.id, "hour"))["sign-in password"]).toBe(1);
    const kept = await readerOf(service)
      .db.select()
      .from(counts)
      .where(and(eq(counts.appId, app.id), eq(counts.event, "sign-in"), eq(counts.span, "day")));
    expect(kept).toEqual([{ ...row, shard: 0, value: 11 }]);
    service.clock.advance(88 * day);
    await service.server.app.sweep();
    expect(await countsOf(readerOf(service), app.id, "hour")).toEqual({});
    expect((await countsOf(readerOf(service), app.id))["sign-in password"]).toBe(11);
  });

  it("has the attempts of webhooks", async () => {
    const { service, app } = await withApp(current());
    await createEndpoint(service, app, { url: receiver.url });
    receiver.next(500);
    receiver.always(204);
    const counts = async () => await countsOf(readerOf(service), app.id);
    await happen(service, app);
    await vi.waitFor(async () => expect(await counts()).toEqual({ "webhook.failed": 1 }), patience);
    service.clock.advance(hour);
    await vi.waitFor(
      async () => expect(await counts()).toEqual({ "webhook.failed": 1, "webhook.delivered": 1 }),
      patience,
    );
  });

  it("knows how many logins are live, however they end", async () => {
    const { service, app } = await withApp(current());
    const { ctx, sweep } = service.server.app;
    const { email, accessToken } = await signedUp(service, app);
    const stranger = await signedUp(service, app);
    for (let times = 0; times < 3; times += 1) await redeem(service, app, await signIn(service, app, { email }));
    const live = async () => {
      expect(await findMiscounts(readerOf(service), ctx.clock())).toEqual([]);
      return (await readLiveLogins(readerOf(service))).get(app.id);
    };
    expect(await live()).toBe(5);
    await call(service, "POST", "/auth/logout", bearer(accessToken), {});
    expect(await live()).toBe(4);
    await call(service, "DELETE", "/users/profile", bearer(stranger.accessToken));
    expect(await live()).toBe(3);
    await sweep();
    expect(await live()).toBe(3);
    service.clock.advance(31 * day);
    await sweep();
    expect(await live()).toBe(0);
  });
});

const server = await useMailServer();
describeEachDatabase("activity of mails", { mail: server.mail }, (current) => {
  it("has those that were sent, failed and were dropped, by kind", async () => {
    const { service, app } = await withApp(current());
    const counts = async () => await countsOf(readerOf(service), app.id);
    await enqueue(service, resetMail(service, app.id));
    await vi.waitFor(async () => expect(await counts()).toEqual({ "mail.sent reset": 1 }), patience);
    server.behave({ answers: 451 });
    await enqueue(service, resetMail(service, app.id));
    await vi.waitFor(async () => expect(await counts()).toMatchObject({ "mail.failed reset": 1 }), patience);
    server.behave({ answers: 550 });
    await enqueue(service, resetMail(service, app.id));
    await vi.waitFor(async () => expect(await counts()).toMatchObject({ "mail.dropped reset": 1 }), patience);
    server.behave("takes");
  });
});
