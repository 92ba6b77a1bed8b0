import { eq } from "drizzle-orm";
import { afterAll, expect, it } from "vitest";
import { aggregatedEvents } from "../../src/records/audit/aggregated-events.ts";
import { mailDelivery } from "../../src/records/mail/delivery.ts";
import { webhookWorker } from "../../src/records/webhooks/worker.ts";
import { eventKinds } from "../../src/storage/column-types.ts";
import * as newUsers from "../../src/people/new-users.ts";
import * as users from "../../src/users/service.ts";
import { answer } from "../cli/in-process.ts";
import { placeOf } from "../cli/service-place.ts";
import { openAccount, press } from "../support/account.ts";
import { addingSession, prove, signedUpIn, type SignedInVisitor } from "../support/adding.ts";
import { newUser } from "../support/mail-flows.ts";
import { isLongRun } from "../support/long-run.ts";
import { useMailServer } from "../support/mail.ts";
import { bearer, giveFactor } from "../support/methods.ts";
import { signInByPasskey, signUpByPasskey } from "../support/passkey-ceremonies.ts";
import {
  call,
  goodPassword,
  initiate,
  newEmail,
  redeem,
  refresh,
  signIn,
  validate,
  Visitor,
} from "../support/person.ts";
import { startReceiver, until } from "../support/receiver.ts";
import { useApp, describeEachDatabase, type TestService } from "../support/service.ts";
import { createEndpoint, localWebhooks } from "../support/webhooks.ts";

const removeAccount = async (service: TestService, accessToken: string) =>
  await call(service, "DELETE", "/users/profile", bearer(accessToken));

/** The tables that name one of these users; and rows that say more of it than the bare id. */
async function tracesOf(
  service: TestService,
  ...userIds: string[]
): Promise<{ tables: string[]; talkative: unknown[] }> {
  // What is counted in memory is written first.
  await aggregatedEvents(service.server.app.ctx).flush();
  const { db, tables } = service.server.app.ctx.storage.reader;
  const found: [string, Record<string, unknown>[]][] = [];
  for (const [name, table] of Object.entries(tables)) {
    const rows: Record<string, unknown>[] = await db.select().from(table);
    found.push([name, rows.filter((row) => userIds.some((id) => JSON.stringify(row).includes(id)))]);
  }
  const talkative = found
    .flatMap(([, rows]) => rows)
    .filter((row) => ["ipAddress", "userAgent", "email"].some((key) => (row[key] ?? null) !== null));
  // The revocation feed keeps the bare id for as long as a token could be valid.
  const lasting = found.filter(([name]) => name !== "revocations");
  return { tables: lasting.flatMap(([name, rows]) => (rows.length > 0 ? name : [])), talkative };
}

describeEachDatabase("a deletion", (service) => {
  const app = useApp(service);

  const ways: [string, (service: TestService, person: SignedInVisitor) => Promise<void>][] = [
    [
      "by the app",
      async (service, { accessToken }) => expect((await removeAccount(service, accessToken)).status).toBe(200),
    ],
    [
      "on the account page",
      async (service, { visitor }) => {
        const page = await openAccount(service, app, visitor, "/delete");
        expect((await press(app, visitor, page, "/account/delete")).status).toBe(303);
      },
    ],
    [
      "by a command",
      async (service, { user }) =>
        void (await answer(["user", "delete", String(user["id"]), "--yes"], placeOf(service))),
    ],
  ];

  it.each(ways)(
    "D1, GHSA-2vg6-77g8-24mp: %s leaves no login, session, code, link, method or half-done step that works",
    async (_way, remove) => {
      const person = await signedUpIn(service, app);
      const { visitor, email } = person;
      const userId = String(person.user["id"]);
      const others = await Promise.all(
        [1, 2, 3].map(async () => await redeem(service, app, await signIn(service, app, { email }))),
      );
      const rotated = (await refresh(service, app, others[0]?.refreshToken ?? "")).body;
      const unredeemed = await signIn(service, app, { email });
      const adding = await addingSession(service, app, person.accessToken, {
        type: "password",
        redirectUri: app.redirectUri,
      });
      const addPage = await visitor.get(adding.authUrl);
      const overview = await openAccount(service, app, visitor);
      const reset = (await answer(["user", "reset-link", userId, "--yes"], placeOf(service))) as { link: string };
      const minted = (await answer(["token", "mint", "--user", userId], placeOf(service))) as { accessToken: string };

      await remove(service, person);

      const accessTokens = [person, ...others, minted].map(({ accessToken }) => accessToken);
      for (const accessToken of [...accessTokens, String(rotated["accessToken"])]) {
        expect((await validate(service, app, accessToken)).status).toBe(401);
        expect((await call(service, "GET", "/users/profile", bearer(accessToken))).status).toBe(401);
        expect((await call(service, "POST", "/auth/logout", bearer(accessToken), { allSessions: true })).status).toBe(
          401,
        );
        const query = await call(service, "GET", `/auth/verify-token?app_id=${app.id}&token=${accessToken}`, {});
        expect(query.body).toEqual({ valid: false });
      }
      for (const refreshToken of [person, ...others, rotated].map((pair) => String(pair["refreshToken"])))
        expect((await refresh(service, app, refreshToken)).body.error?.code).toBe("INVALID_TOKEN");
      await expect(redeem(service, app, unredeemed)).rejects.toThrow("callback answered 400");
      await expect(signIn(service, app, { email })).rejects.toThrow("sign-in answered 401");
      const added = await visitor.submit(addPage, "/add/password", { password: "a new password for nobody" });
      expect(added.location.searchParams.get("status")).toBeNull();
      // The account page asks who is there, whatever the browser has kept.
      expect((await openAccount(service, app, visitor)).location.pathname).toMatch(/^\/sign-in\//u);
      expect((await press(app, visitor, overview, "/logins/end-all")).location.href).not.toContain("signed-out");
      expect((await new Visitor().get(reset.link)).text).not.toContain('type="password"');
      const { tables, talkative } = await tracesOf(service, userId);
      expect({ tables, talkative }).toEqual({ tables: ["auditEvents"], talkative: [] });
    },
  );

  it("D1: the second factor, its recovery codes, trusted browsers and recovery link go with the user", async () => {
    const { id } = await newUser(service, app, { password: goodPassword });
    await giveFactor(service, id);
    await answer(["user", "recovery-link", id], placeOf(service));
    expect((await tracesOf(service, id)).tables).toEqual(
      expect.arrayContaining(["secondFactors", "recoveryCodes", "trustedBrowsers", "emailTokens"]),
    );
    await answer(["user", "delete", id, "--yes"], placeOf(service));
    expect(await tracesOf(service, id)).toEqual({ tables: ["auditEvents"], talkative: [] });
  });

  it("D1: people who go with their application leave only their id", async () => {
    const other = await service.createApp();
    const { user } = await signedUpIn(service, other);
    await answer(["app", "delete", other.id, "--yes"], placeOf(service));
    expect(await tracesOf(service, String(user["id"]))).toEqual({ tables: ["auditEvents"], talkative: [] });
  });

  it("D2: a count that is written after a deletion has no address, even if the process dies right afterwards", async () => {
    const { ctx } = service.server.app;
    const { id: userId } = await newUser(service, app, {});
    await answer(["user", "delete", userId, "--yes"], placeOf(service));
    const source = { ipAddress: "203.0.113.9", userAgent: null, requestId: "late" };
    const counted = { action: "sign-in", result: "failure", app: { id: app.id }, userId, source, details: {} } as const;
    aggregatedEvents(ctx).note(counted);
    const { storage } = ctx;
    const { write } = storage;
    let writes = 0;
    storage.write = async <T>(work: Parameters<typeof write<T>>[0]): Promise<T> => {
      writes += 1;
      if (writes > 1) throw new Error("the process has died");
      return await write<T>(work);
    };
    await aggregatedEvents(ctx)
      .flush()
      .catch(() => {});
    storage.write = write;
    const { db, tables } = storage.reader;
    const rows = await db.select().from(tables.auditEvents).where(eq(tables.auditEvents.requestId, "late"));
    expect(rows.map(({ ipAddress }) => ipAddress)).toEqual([null]);
  });

  it("D1, GHSA-2vg6-77g8-24mp: a passkey of a deleted account signs nobody in, and is not taken over by a new one", async () => {
    const owner = await signUpByPasskey(service, app);
    expect((await signInByPasskey(service, app, owner.passkey)).status).toBe(303);
    await removeAccount(service, owner.accessToken);
    expect((await signInByPasskey(service, app, owner.passkey)).status).toBe(401);
    const again = await signedUpIn(service, app, new Visitor(), owner.email);
    expect(again.user["id"]).not.toBe(owner.user["id"]);
    expect((await signInByPasskey(service, app, owner.passkey)).status).toBe(401);
    expect((await validate(service, app, owner.accessToken)).status).toBe(401);
  });

  it("D2: races of a deletion with a refresh, a code, a sign-in, a new password, a download and a failure leave no orphan", async () => {
    const people = isLongRun ? 40 : 14;
    const deleted: string[] = [];
    let deletions = 0;
    let tokensOfLosers = 0;
    for (let turn = 0; turn < people; turn += 1) {
      const person = await signedUpIn(service, app);
      const { visitor, email } = person;
      const unredeemed = await signIn(service, app, { email });
      const adding = await addingSession(service, app, person.accessToken, {
        type: "password",
        redirectUri: app.redirectUri,
      });
      const addPage = await visitor.get(adding.authUrl);
      const dataPage = await openAccount(service, app, visitor, "/data");
      const stranger = new Visitor();
      const strangersPage = await stranger.get((await initiate(service, app)).authUrl);
      const acts = [
        async () => (await refresh(service, app, person.refreshToken)).body,
        async () => await redeem(service, app, unredeemed),
        async () => {
          const page = await stranger.submit(strangersPage, "/password", { email, password: goodPassword });
          const code = page.location.searchParams.get("code");
          const sessionId = page.location.searchParams.get("sessionId");
          if (code === null || sessionId === null) return {};
          return (await call(service, "POST", "/auth/callback", app.headers, { code, sessionId })).body;
        },
        async () => void (await visitor.submit(addPage, "/add/password", { password: "a new password of somebody" })),
        async () => void (await press(app, visitor, dataPage, "/account/data")),
        async () => void (await prove(new Visitor(), await initiate(service, app), email, "not the password at all")),
      ];
      // Some are refused, as they should be.
      const begin = async (act: number): Promise<unknown> => await acts[act]?.().catch(() => undefined);
      // Another order each time: whoever is asked first is not always first.
      const order = [...acts.keys()].map((act) => (act + turn) % acts.length);
      const racing = order.slice(0, turn % (acts.length + 1)).map(begin);
      // In every other race the deletion begins when the first of the others is through, and the
      // rest are on their way.
      if (turn % 2 === 1 && racing.length > 0) await Promise.race(racing);
      const deletion = removeAccount(service, person.accessToken);
      const late = order.slice(turn % (acts.length + 1)).map(begin);
      const results = await Promise.all([...racing, ...late]);
      const { status } = await deletion;
      expect([200, 401, 404]).toContain(status);
      if (status === 200) deletions += 1;
      for (const result of results) {
        const accessToken = (result as { accessToken?: string } | undefined)?.accessToken;
        if (accessToken === undefined) continue;
        tokensOfLosers += 1;
        expect((await validate(service, app, accessToken)).status).toBe(401);
      }
      deleted.push(String(person.user["id"]));
      expect(await users.findByEmail(service.server.app.ctx.storage.reader, app.id, email)).toBeUndefined();
    }
    expect(await tracesOf(service, ...deleted)).toEqual({ tables: ["auditEvents"], talkative: [] });
    // They were races: the deletion won in the end, and often enough another was first.
    expect(deletions).toBe(people);
    expect(tokensOfLosers).toBeGreaterThan(people / 10);
    // References, counters, pages.
    expect(await answer(["db", "check"], placeOf(service))).toMatchObject({ problems: [] });
  });
});

const mailServer = await useMailServer();
const receiver = await startReceiver();
afterAll(async () => await receiver.stop());

describeEachDatabase(
  "what waits to be sent when a user is deleted",
  { ...localWebhooks, mail: mailServer.mail },
  (service) => {
    it("D3: carries the bare id: no address, network or browser in a delivery, and no mail at all", async () => {
      const app = await service.createApp();
      const email = newEmail();
      receiver.always(500);
      mailServer.behave("is-away");
      await createEndpoint(service, app, { url: receiver.url, events: [...eventKinds] });
      const { ctx } = service.server.app;
      const created = await newUsers.create(
        ctx,
        { appId: app.id, email, emailVerified: true, name: "Zebedee Quixote", password: goodPassword },
        { dryRun: false },
        { actor: { kind: "cli", name: "test" } },
      );
      await redeem(service, app, await signIn(service, app, { email }));
      // Another browser, which its owner is told of by mail, and a failure.
      const tokens = await redeem(service, app, await signIn(service, app, { email }));
      await prove(new Visitor(), await initiate(service, app), email, "not the password of anybody");
      const { reader } = service.server.app.ctx.storage;
      const { mails, webhookDeliveries } = reader.tables;
      const ofUser = async () =>
        (await reader.db.select().from(webhookDeliveries)).filter(({ userId }) => userId === created.id);
      expect((await reader.db.select().from(mails)).filter(({ userId }) => userId === created.id)).not.toEqual([]);
      expect((await ofUser()).some((row) => row.email === email && row.ipAddress !== null)).toBe(true);
      // An attempt has failed by now: else there would be no history to forget.
      await until(async () => (await ofUser()).some(({ history }) => history.length > 0), "an attempt is noted");
      // Nor is a mail under way, which nothing could take back: each was tried, and waits.
      const ofMails = async () => (await reader.db.select().from(mails)).filter(({ userId }) => userId === created.id);
      await until(async () => (await ofMails()).every(({ lastError }) => lastError !== null), "each mail was tried");

      expect((await removeAccount(service, tokens.accessToken)).status).toBe(200);
      const waiting = await ofUser();
      expect(new Set(waiting.map(({ kind }) => kind))).toEqual(
        new Set(["user.created", "user.login", "user.logout", "user.deleted"]),
      );
      for (const row of waiting) {
        expect([row.email, row.ipAddress, row.userAgent]).toEqual([null, null, null]);
        // What a receiver has answered may quote what it was sent.
        expect(row.kind === "user.deleted" || JSON.stringify(row.history).length < 3).toBe(true);
      }
      expect((await reader.db.select().from(mails)).filter(({ userId }) => userId === created.id)).toEqual([]);

      const sentBefore = receiver.received.length;
      receiver.always(204);
      mailServer.behave("takes");
      await until(async () => {
        // More than once: an attempt that was under way is noted, and its next one put off, by the
        // clock as it stands afterwards.
        service.clock.advance(10 * 60_000);
        await webhookWorker(ctx).look();
        return receiver.received.slice(sentBefore).some(({ body }) => body.event === "user.deleted");
      }, "the deletion is told");
      mailDelivery(ctx).look();
      const after = receiver.received.slice(sentBefore).filter(({ body }) => body.data["userId"] === created.id);
      expect(after.length).toBeGreaterThan(0);
      for (const { text } of after)
        for (const said of [email, "127.0.0.1", "Zebedee"]) expect(text).not.toContain(said);
      expect(mailServer.to(email)).toEqual([]);
    });
  },
);
