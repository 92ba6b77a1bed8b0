import { eq } from "drizzle-orm";
import { createRemoteJWKSet, decodeJwt, jwtVerify } from "jose";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { day, minute } from "../../../src/lib/clock.ts";
import { updateEndpoint } from "../../../src/records/webhooks/endpoint-store.ts";
import * as logins from "../../../src/sessions/login-administration.ts";
import type { SigningAlgorithm } from "../../../src/storage/column-types.ts";
import * as idTokens from "../../../src/tokens/id-tokens.ts";
import * as userAdministration from "../../../src/people/administration.ts";
import * as profiles from "../../../src/people/profile.ts";
import { openAccount, press } from "../../support/account.ts";
import { createClient, receiverOf, secretOf, signInByClient } from "../../support/clients-logout.ts";
import { bearer } from "../../support/methods.ts";
import { refreshWith } from "../../support/openid-tokens.ts";
import { invalidToken } from "../../support/outcomes.ts";
import { call, isLive, refresh, signedUp, validate, Visitor } from "../../support/person.ts";
import { startReceiver, until, type Receiver } from "../../support/receiver.ts";
import { describeSqliteFirst, describeOnSqlite, type TestApp } from "../../support/service.ts";
import { createEndpoint, localWebhooks, operator } from "../../support/webhooks.ts";

const doing = { dryRun: false };

const lines: unknown[] = [];
const note = (...line: unknown[]): void => void lines.push(line);
const log = { debug: note, info: note, warn: note, error: note, debugging: true };

describeSqliteFirst(
  "logout tokens (OpenID Connect Back-Channel Logout 1.0)",
  { ...localWebhooks, surroundings: { log } },
  (current) => {
    let receiver: Receiver;
    let app: TestApp;
    beforeAll(async () => {
      receiver = await startReceiver();
    });
    beforeEach(async () => {
      app = await current().createApp();
      receiver.received.length = 0;
      receiver.always(204);
    });
    afterAll(async () => {
      await receiver.stop();
    });

    const tokensSent = () => receiver.received.map(({ body }) => String(body.data["logout_token"]));

    /** Somebody signed in by a client whose receiver is at `path`, in one browser. */
    async function someone(path = "", idTokenAlg: SigningAlgorithm = "RS256") {
      const { email, user } = await signedUp(current(), app);
      const clientId = await createClient(current(), app, {
        backchannelLogoutUri: `${receiver.url}${path}`,
        idTokenAlg,
      });
      const login = await signInByClient(current(), email, clientId);
      return { ...login, email, clientId, userId: String(user["id"]) };
    }

    async function logout({ accessToken }: { accessToken: string }, body: unknown = {}): Promise<void> {
      expect((await call(current(), "POST", "/auth/logout", bearer(accessToken), body)).status).toBe(200);
    }

    async function deliveriesOf(clientId: string) {
      const { db, tables } = current().server.app.ctx.storage.reader;
      const { webhookDeliveries: deliveries } = tables;
      return await db
        .select()
        .from(deliveries)
        .where(eq(deliveries.endpointId, await receiverOf(current(), clientId)));
    }

    it.each<SigningAlgorithm>(["RS256", "ES256", "EdDSA"])("says by %s which login of whom has ended", async (alg) => {
      const person = await someone("", alg);
      await logout(person);
      await until(() => receiver.received.length === 1);
      const [received] = receiver.received;
      expect(received?.headers).toMatchObject({ "content-type": "application/x-www-form-urlencoded" });
      expect(received?.headers).not.toHaveProperty("webhook-signature");
      const [token = ""] = tokensSent();
      const { url, clock } = current();
      const keys = createRemoteJWKSet(new URL(`${url}/.well-known/jwks.json`));
      const { payload, protectedHeader } = await jwtVerify(token, keys, {
        issuer: url,
        audience: person.clientId,
        typ: "logout+jwt",
        algorithms: [alg],
        currentDate: new Date(clock.now),
      });
      expect(protectedHeader.alg).toBe(alg);
      const iat = Math.floor(clock.now / 1000);
      expect(payload).toEqual({
        iss: url,
        aud: person.clientId,
        iat,
        exp: iat + 120,
        jti: expect.stringMatching(/^[\w-]{22}$/u),
        events: { "http://schemas.openid.net/event/backchannel-logout": {} },
        sub: person.userId,
        sid: person.loginId,
      });
    });

    it("C10: is taken for no other token", async () => {
      const person = await someone();
      const other = await signInByClient(current(), person.email, person.clientId);
      await logout(person);
      await until(() => receiver.received.length === 1);
      const [token = ""] = tokensSent();
      expect(await validate(current(), app, token)).toMatchObject(invalidToken);
      expect(await call(current(), "GET", "/users/profile", bearer(token))).toMatchObject(invalidToken);
      expect(await refresh(current(), app, token)).toMatchObject(invalidToken);
      expect(await idTokens.findHint(current().server.app.ctx, token)).toBeUndefined();
      expect((await validate(current(), app, other.accessToken)).status).toBe(200);
    });

    it("goes to each client of the browser, and to no other", async () => {
      const person = await someone("/first");
      const wiki = await createClient(current(), app, { backchannelLogoutUri: `${receiver.url}/wiki` });
      const silent = await createClient(current(), app);
      const stranger = await someone("/stranger");
      const visitor = new Visitor();
      const here = [];
      for (const clientId of [wiki, silent, person.clientId])
        here.push(await signInByClient(current(), person.email, clientId, visitor));
      const page = await openAccount(current(), app, visitor);
      await press(app, visitor, page, "/sign-out");
      await until(() => receiver.received.length === 2);
      const told = receiver.received.map(({ path }, call) => [path, decodeJwt(tokensSent()[call] ?? "")["sid"]]);
      expect(new Map(told as [string, string][])).toEqual(
        new Map([
          ["/hook/wiki", here[0]?.loginId],
          ["/hook/first", here[2]?.loginId],
        ]),
      );
      for (const other of [person, stranger]) expect(await isLive(current(), app, other)).toBe(true);
    });

    const ctx = () => current().server.app.ctx;

    const ends: [title: string, end: (person: Awaited<ReturnType<typeof someone>>) => Promise<unknown>][] = [
      ["all sessions are logged out", async (person) => await logout(person, { allSessions: true })],
      ["the user is disabled", async ({ userId }) => await userAdministration.disable(ctx(), userId, doing, operator)],
      ["the user is deleted", async ({ userId }) => await profiles.remove(current().server.app.ctx, userId, operator)],
      [
        "an operator ends it",
        async ({ loginId }) => await logins.end(current().server.app.ctx, loginId, doing, operator.actor),
      ],
      [
        "its refresh token is used twice",
        async ({ refreshToken, clientId }) => {
          const client = { client: { id: clientId }, secret: secretOf(clientId) };
          const next = await refreshWith(current(), client, refreshToken);
          await refreshWith(current(), client, String(next.body["refresh_token"]));
          current().clock.advance(minute);
          expect((await refreshWith(current(), client, refreshToken)).status).toBe(400);
        },
      ],
    ];

    it.each(ends)("goes out when %s", async (_, end) => {
      const person = await someone();
      await end(person);
      await until(() => receiver.received.length === 1);
      expect(decodeJwt(tokensSent()[0] ?? "")).toMatchObject({ sub: person.userId, sid: person.loginId });
    });

    it("is signed anew when the receiver fails, and told until it is taken", async () => {
      const person = await someone();
      receiver.next(500, 503);
      await logout(person);
      for (const attempts of [1, 2]) {
        await until(async () => (await deliveriesOf(person.clientId))[0]?.attempts === attempts);
        current().clock.advance(10 * minute);
      }
      await until(() => receiver.received.length === 3);
      const [first, , last] = tokensSent().map((token) => decodeJwt(token));
      expect(last).toMatchObject({ sid: person.loginId, exp: Number(last?.iat) + 120 });
      expect(Number(last?.iat)).toBeGreaterThan(Number(first?.exp));
      expect(last?.jti).not.toBe(first?.jti);
      await until(async () => (await deliveriesOf(person.clientId))[0]?.status === "delivered");
    });

    it.each([400, 410])("is given up when the client answers %s, which keeps getting the next ones", async (status) => {
      const person = await someone();
      receiver.next(status);
      await logout(person);
      await until(async () => (await deliveriesOf(person.clientId))[0]?.status === "failed");
      expect(await deliveriesOf(person.clientId)).toMatchObject([{ attempts: 1, nextAttemptAt: null }]);
      await logout(await signInByClient(current(), person.email, person.clientId));
      await until(() => receiver.received.length === 2);
    });

    it("goes to a receiver that has failed for a week, too", async () => {
      const person = await someone();
      receiver.always(500);
      for (let week = 0; week < 2; week += 1) {
        const login = await signInByClient(current(), person.email, person.clientId);
        await logout(login);
        const told = async () => (await deliveriesOf(person.clientId)).filter(({ attempts }) => attempts > 0);
        await until(async () => (await told()).length > week);
        current().clock.advance(7 * day);
      }
      receiver.always(204);
      await until(async () => (await deliveriesOf(person.clientId)).every(({ status }) => status === "delivered"));
    });

    it("a webhook endpoint is still told of the logout, by the event", async () => {
      await createEndpoint(current(), app, { url: `${receiver.url}/events`, events: ["user.logout"] });
      const person = await someone("/tokens");
      await logout(person);
      await until(() => receiver.received.length === 2);
      const event = receiver.received.find(({ path }) => path === "/hook/events");
      expect(event?.body.data).toMatchObject({ sessionId: person.loginId, email: person.email });
      expect(await deliveriesOf(person.clientId)).toMatchObject([{ email: null, ipAddress: null, userAgent: null }]);
    });

    it("G1: is in no log line, and neither is the address", async () => {
      lines.length = 0;
      const person = await someone("/only-we-know");
      receiver.next(400);
      await logout(person);
      await until(async () => (await deliveriesOf(person.clientId))[0]?.status === "failed");
      const said = JSON.stringify(lines);
      expect(said).toContain(person.clientId);
      for (const secret of [...tokensSent(), "only-we-know"]) expect(said).not.toContain(secret);
    });
  },
);

describeOnSqlite("logout tokens where private networks are not allowed", (current) => {
  it("W4: never go to a private address", async () => {
    const receiver = await startReceiver();
    const app = await current().createApp();
    const clientId = await createClient(current(), app, { backchannelLogoutUri: "https://wiki.example/logout" });
    // As if the name had been a public one when the client was created.
    await current().server.app.ctx.storage.write(async (tx) => {
      await updateEndpoint(tx, await receiverOf(current(), clientId), { url: receiver.url });
    });
    const { email } = await signedUp(current(), app);
    const { accessToken } = await signInByClient(current(), email, clientId);
    await call(current(), "POST", "/auth/logout", bearer(accessToken), {});
    const { db, tables } = current().server.app.ctx.storage.reader;
    const [delivery] = await until(async () => {
      const rows = await db.select().from(tables.webhookDeliveries);
      return rows[0]?.attempts === 1 ? rows : undefined;
    });
    expect(delivery?.history[0]?.error).toBe("its address is not public (webhooks.allowPrivateNetworks is off)");
    expect(receiver.received).toEqual([]);
    await receiver.stop();
  });
});
