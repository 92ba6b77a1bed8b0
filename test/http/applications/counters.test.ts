import { describe, expect, it } from "vitest";
import * as applications from "../../../src/applications/service.ts";
import * as users from "../../../src/users/service.ts";
import { recordLogin } from "../../../src/users/store.ts";
import { bearer } from "../../support/methods.ts";
import { call, newEmail, redeem, signedUp, signIn, signUp } from "../../support/person.ts";
import { describeEachDatabase, type TestApp } from "../../support/service.ts";

const byCommand = { method: null, source: null };

const day = 24 * 60 * 60 * 1000;

describeEachDatabase("an application's counts", (current) => {
  const stats = async (app: TestApp) =>
    (await call(current(), "GET", `/applications/${app.id}`, bearer(app.apiKey))).body["stats"];
  const counts = (totalUsers: number, activeUsers: number, totalLogins: number) => ({
    totalUsers,
    activeUsers,
    totalLogins,
  });

  it("count a user when it is made, a sign-in and the user's activity when the code is redeemed", async () => {
    const app = await current().createApp();
    expect(await stats(app)).toEqual(counts(0, 0, 0));
    const email = newEmail();
    const signedUpOnly = await signUp(current(), app, { email });
    expect(await stats(app)).toEqual(counts(1, 0, 0));
    await redeem(current(), app, signedUpOnly);
    expect(await stats(app)).toEqual(counts(1, 1, 1));
    await redeem(current(), app, await signIn(current(), app, { email }));
    expect(await stats(app)).toEqual(counts(1, 1, 2));
  });

  it("count each app by itself, in the list of all applications as well", async () => {
    const [app, other] = [await current().createApp(), await current().createApp()];
    await signedUp(current(), app);
    expect(await stats(app)).toEqual(counts(1, 1, 1));
    expect(await stats(other)).toEqual(counts(0, 0, 0));
    const listed = await applications.list(current().server.app.ctx);
    const statsOf = (id: string) => listed.find((application) => application.id === id)?.stats;
    expect([statsOf(app.id), statsOf(other.id)]).toEqual([counts(1, 1, 1), counts(0, 0, 0)]);
  });

  it("lose no sign-in of many at once", async () => {
    const app = await current().createApp();
    const email = newEmail();
    await signedUp(current(), app, email);
    const [again, strangers] = await Promise.all([
      Promise.all(Array.from({ length: 10 }, async () => await signIn(current(), app, { email }))),
      Promise.all(Array.from({ length: 10 }, async () => await signUp(current(), app, { email: newEmail() }))),
    ]);
    await Promise.all([...again, ...strangers].map(async (signedIn) => await redeem(current(), app, signedIn)));
    expect(await stats(app)).toEqual(counts(11, 11, 21));
  });

  it("do not count what was rolled back, refused or redeemed twice", async () => {
    const service = current();
    const app = await service.createApp();
    const signedIn = await signUp(service, app);
    await redeem(service, app, signedIn);
    await expect(redeem(service, app, signedIn)).rejects.toThrow("callback answered 400");
    const { ctx } = service.server.app;
    const { storage } = ctx;
    const undone = storage.write(async (tx) => {
      const user = await users.create(
        ctx,
        tx,
        { appId: app.id, email: newEmail(), name: null, signedUp: byCommand },
        1,
      );
      await recordLogin(tx, user?.id ?? "", { at: 1, ipAddress: null, userAgent: null });
      throw new Error("undone");
    });
    await expect(undone).rejects.toThrow("undone");
    expect(await stats(app)).toEqual(counts(1, 1, 1));
  });

  it("take a deleted user away, and keep the sign-ins that there were", async () => {
    const service = current();
    const app = await service.createApp();
    const [{ accessToken }] = [await signedUp(service, app), await signedUp(service, app)];
    await call(service, "DELETE", "/users/profile", bearer(accessToken));
    expect(await stats(app)).toEqual(counts(1, 1, 2));
  });

  it("go with the application", async () => {
    const service = current();
    const app = await service.createApp();
    await signedUp(service, app);
    const { ctx } = service.server.app;
    await applications.remove(ctx, app.id, { kind: "cli", name: "test" });
    expect((await call(service, "GET", `/applications/${app.id}`, bearer(app.apiKey))).status).toBe(401);
    const { db, tables } = service.server.app.ctx.storage.reader;
    for (const table of [tables.applicationCounters, tables.users, tables.apiKeys, tables.signInSessions])
      expect((await db.select().from(table)).filter(({ appId }) => appId === app.id)).toEqual([]);
    await expect(applications.remove(ctx, app.id, { kind: "cli", name: "test" })).rejects.toMatchObject({
      code: "APP_NOT_FOUND",
    });
  });

  describe("of active users", () => {
    it("hold somebody for the day of a sign-in and 29 days after it, however often the table was swept", async () => {
      const service = current();
      const app = await service.createApp();
      const email = newEmail();
      await signedUp(service, app, email);
      service.clock.advance(29 * day);
      await service.server.app.sweep();
      expect(await stats(app)).toEqual(counts(1, 1, 1));
      service.clock.advance(day);
      await service.server.app.sweep();
      expect(await stats(app)).toEqual(counts(1, 0, 1));
      service.clock.advance(30 * day);
      await service.server.app.sweep();
      await redeem(service, app, await signIn(service, app, { email }));
      expect(await stats(app)).toEqual(counts(1, 1, 2));
      await service.server.app.sweep();
      expect(await stats(app)).toEqual(counts(1, 1, 2));
    });

    it("hold somebody once who signs in on many days", async () => {
      const service = current();
      const app = await service.createApp();
      const email = newEmail();
      await signedUp(service, app, email);
      for (let days = 1; days <= 3; days += 1) {
        service.clock.advance(day);
        await redeem(service, app, await signIn(service, app, { email }));
        expect(await stats(app)).toEqual(counts(1, 1, days + 1));
      }
      service.clock.advance(29 * day);
      expect(await stats(app)).toEqual(counts(1, 1, 4));
      service.clock.advance(day);
      expect(await stats(app)).toEqual(counts(1, 0, 4));
    });
  });
});
