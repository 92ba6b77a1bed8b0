import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import * as apiKeys from "../../../src/applications/keys.ts";
import * as providers from "../../../src/applications/providers/provider-clients.ts";
import * as audit from "../../../src/records/audit/audit.ts";
import { insertLogin } from "../../../src/sessions/login-store.ts";
import { loginOf } from "../../storage/rows.ts";
import { askToAdd, prove, signedUpIn } from "../../support/adding.ts";
import { attest, newPasskey } from "../../support/authenticator.ts";
import { givePasskey } from "../../support/methods.ts";
import { askedBy, askOptions, post, openAdding } from "../../support/passkey-ceremonies.ts";
import { initiate, redeem, signedUp, signIn, validate, Visitor } from "../../support/person.ts";
import { useApp, describeSqliteFirst, type TestApp, type TestService } from "../../support/service.ts";
import { createEndpoint } from "../../support/webhooks.ts";

const operator = { kind: "cli", name: "test" } as const;

describeSqliteFirst("what one user or application may have", (service) => {
  const app = useApp(service);

  it("G6: 20 passkeys of a user: the 21st is refused by the API, before it is made, and when two are made at once", async () => {
    const person = await signedUpIn(service, app);
    const userId = String(person.user["id"]);
    for (let turn = 0; turn < 19; turn += 1) await givePasskey(service, userId);
    const ask = { type: "passkey", redirectUri: app.redirectUri };
    const [one, other] = [await openAdding(service, app, person), await openAdding(service, app, person)];
    const made = await Promise.all(
      [one, other].map(async (ceremony) => {
        const options = await askOptions(ceremony);
        return { ceremony, credential: attest(newPasskey("ES256", options.user?.id), askedBy(service, options)) };
      }),
    );
    const answers = await Promise.all(made.map(({ ceremony, credential }) => post(ceremony, credential)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303, 422]));
    expect(answers.find(({ status }) => status === 422)?.text).toContain("the most passkeys it can have");
    const { reader } = service.server.app.ctx.storage;
    const { passkeys } = reader.tables;
    expect(await reader.db.select().from(passkeys).where(eq(passkeys.userId, userId))).toHaveLength(20);

    const refused = await askToAdd(service, person.accessToken, ask);
    expect([refused.status, refused.body.error?.code]).toEqual([400, "INVALID_REQUEST"]);
    const open = answers[0]?.status === 303 ? other : one;
    const page = await person.visitor.get(open.session.authUrl);
    expect(page.text).toContain("the most passkeys it can have");
    await expect(askOptions({ ...open, page })).rejects.toThrow("options answered 400");
  });

  it("G6: 100 live logins of a user: one more ends the oldest, in the audit log and for webhooks, also when several start at once", async () => {
    await createEndpoint(service, app, { url: "https://hooks.example.com/", events: ["user.logout"] });
    const { accessToken, user, email } = await signedUp(service, app);
    const userId = String(user["id"]);
    await haveLogins(service, app, userId, 99);
    expect((await validate(service, app, accessToken)).status).toBe(200);
    const signedIn = await Promise.all(Array.from({ length: 3 }, () => signIn(service, app, { email })));
    const tokens = await Promise.all(signedIn.map((one) => redeem(service, app, one)));
    for (const pair of tokens) expect((await validate(service, app, pair.accessToken)).status).toBe(200);

    const { reader } = service.server.app.ctx.storage;
    const { logins, webhookDeliveries } = reader.tables;
    const rows = await reader.db.select().from(logins).where(eq(logins.userId, userId));
    expect(rows.filter(({ endedAt }) => endedAt === null)).toHaveLength(100);
    const ended = rows.filter(({ endedAt }) => endedAt !== null);
    const oldest = [0, 1, 2].map((turn) => `lgn_${userId}_${turn}`);
    expect(ended.map(({ id }) => id).toSorted()).toEqual(oldest);
    expect(ended.map(({ endReason }) => endReason)).toEqual(["too-many", "too-many", "too-many"]);
    const events = await audit.list(service.server.app.ctx, { userId, limit: 1000 });
    const told = events.filter(({ action }) => action === "user.logout");
    expect(told.map(({ details }) => String(details["loginId"])).toSorted()).toEqual(oldest);
    expect(told[0]).toMatchObject({ actor: "service:logins", details: { reason: "too-many" } });
    const deliveries = await reader.db.select().from(webhookDeliveries).where(eq(webhookDeliveries.userId, userId));
    expect(deliveries.map(({ sessionId }) => String(sessionId)).toSorted()).toEqual(oldest);
  });

  it("G6: the login that is one too many is not the one that ends, though the other node's clock is ahead", async () => {
    const { user, email } = await signedUp(service, app);
    const userId = String(user["id"]);
    await haveLogins(service, app, userId, 100, service.clock.now + 1000);
    const { accessToken } = await redeem(service, app, await signIn(service, app, { email }));
    expect((await validate(service, app, accessToken)).status).toBe(200);
    const { reader } = service.server.app.ctx.storage;
    const rows = await reader.db.select().from(reader.tables.logins).where(eq(reader.tables.logins.userId, userId));
    expect(rows.filter(({ endedAt }) => endedAt === null)).toHaveLength(100);
  });

  it.each([
    ["of the application: it has expired, and one that a page lost in a reload ends before older ones", null, 50],
    ["for a resource: it may still be valid, and the oldest login ends", "https://api.example", 0],
  ])("G6: of too many logins, one got a token fifteen minutes ago %s", async (_title, resource, ended) => {
    const { user, email } = await signedUp(service, app);
    const userId = String(user["id"]);
    await haveLogins(service, app, userId, 99);
    const { storage } = service.server.app.ctx;
    const { logins } = storage.reader.tables;
    await storage.write(async ({ db }) => {
      const lost = { publicClient: true, generation: 0, createdAt: service.clock.now - 901_000, resource };
      await db
        .update(logins)
        .set(lost)
        .where(eq(logins.id, `lgn_${userId}_50`));
    });
    await redeem(service, app, await signIn(service, app, { email }));
    const rows = await storage.reader.db.select().from(logins).where(eq(logins.userId, userId));
    expect(rows.filter(({ endedAt }) => endedAt !== null).map(({ id }) => id)).toEqual([`lgn_${userId}_${ended}`]);
  });

  it("G6: a sign-in of somebody who has signed in a hundred times but has few live logins ends none", async () => {
    const { accessToken, user, email } = await signedUp(service, app);
    await haveLogins(service, app, String(user["id"]), 0);
    await redeem(service, app, await signIn(service, app, { email }));
    expect((await validate(service, app, accessToken)).status).toBe(200);
  });

  it("G6: 100 known browsers of a user: one more is remembered, and the oldest forgotten", async () => {
    const { user, email } = await signedUp(service, app);
    const userId = String(user["id"]);
    const { storage } = service.server.app.ctx;
    const { knownBrowsers } = storage.reader.tables;
    const kept = async () =>
      (await storage.reader.db.select().from(knownBrowsers).where(eq(knownBrowsers.userId, userId))).map(
        ({ digest }) => digest,
      );
    const [first = ""] = await kept();
    // As long as a real one: what is before that names an organization.
    const digestOf = (turn: number) => `browser ${turn}`.padEnd(43);
    await storage.write(async ({ db }) => {
      const rows = Array.from({ length: 105 }, (_, turn) => ({
        userId,
        digest: digestOf(turn),
        expiresAt: service.clock.now + 1000 + turn,
      }));
      await db.insert(knownBrowsers).values(rows);
    });
    const visitor = new Visitor();
    await prove(visitor, await initiate(service, app), email);
    const digests = await kept();
    expect(digests).toHaveLength(100);
    expect(digests).toContain(first);
    for (let turn = 0; turn < 7; turn += 1) expect(digests).not.toContain(digestOf(turn));
    expect(digests).toContain(digestOf(7));
    // The new one is the newest: it is known from now on.
    await prove(visitor, await initiate(service, app), email);
    expect((await kept()).toSorted()).toEqual(digests.toSorted());
  });

  it("G6: 50 live API keys of an application, and 50 providers", async () => {
    const own = await service.createApp();
    const { ctx } = service.server.app;
    for (let turn = 1; turn < 49; turn += 1) await apiKeys.createKey(ctx, { appId: own.id }, operator);
    const atOnce = await Promise.allSettled([1, 2].map(() => apiKeys.createKey(ctx, { appId: own.id }, operator)));
    expect(atOnce.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const tooMany = { code: "CONFLICT", details: "live API keys: at most 50" };
    await expect(apiKeys.createKey(ctx, { appId: own.id }, operator)).rejects.toMatchObject(tooMany);
    const [key] = await apiKeys.listKeys(ctx, own.id);
    await apiKeys.revokeKey(ctx, key?.id ?? "", operator);
    await apiKeys.createKey(ctx, { appId: own.id }, operator);

    const provider = (turn: number) => ({
      name: `corp${turn}`,
      issuer: "https://issuer.example.com",
      clientId: "client",
      secret: "secret",
    });
    for (let turn = 0; turn < 50; turn += 1) await providers.set(ctx, own.id, provider(turn), operator);
    await expect(providers.set(ctx, own.id, provider(50), operator)).rejects.toMatchObject({ code: "CONFLICT" });
    expect(await providers.list(ctx, own.id)).toHaveLength(50);
    // One that is there can still be changed.
    await providers.set(ctx, own.id, { ...provider(7), clientId: "another" }, operator);
  });
});

/**
 * Gives a user this many live logins, older than any of today unless told otherwise, and a hundred
 * sign-ins behind them.
 */
async function haveLogins(
  service: TestService,
  app: TestApp,
  userId: string,
  live: number,
  startedAt = 0,
): Promise<void> {
  const { storage } = service.server.app.ctx;
  await storage.write(async (tx) => {
    const { users } = tx.tables;
    await tx.db.update(users).set({ loginCount: 100 }).where(eq(users.id, userId));
    for (let turn = 0; turn < live; turn += 1) {
      const login = loginOf(app.id, `lgn_${userId}_${turn}`, service.clock.now + 1_000_000);
      await insertLogin(tx, { ...login, userId, createdAt: startedAt + turn });
    }
  });
}
