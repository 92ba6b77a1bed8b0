import { connect } from "node:net";
import { beforeAll, expect, it } from "vitest";
import * as applications from "../../../src/applications/service.ts";
import { answerOf } from "../../../src/records/revocations/revocation.ts";
import { revocations } from "../../../src/records/revocations/service.ts";
import { insertRevocations } from "../../../src/records/revocations/store.ts";
import { askFeed, claimsOf } from "../../support/feed.ts";
import { call, newEmail, redeem, signIn, signUp, type Tokens } from "../../support/person.ts";
import { useApp, describeSqliteFirst } from "../../support/service.ts";

const hour = 3_600_000;
const minute = 60_000;

describeSqliteFirst("GET /auth/revocations", (current, { restart }) => {
  const app = useApp(current);
  const other = useApp(current);
  const person = { email: newEmail() };
  beforeAll(async () => {
    for (const where of [app, other]) await redeem(current(), where, await signUp(current(), where, person));
  });
  const newLogin = async (where = app): Promise<Tokens> =>
    await redeem(current(), where, await signIn(current(), where, person));
  const logout = async ({ accessToken }: Tokens, body?: unknown) =>
    await call(current(), "POST", "/auth/logout", { authorization: `Bearer ${accessToken}` }, body);
  const ask = async (query: string, headers = app.headers) =>
    await call(current(), "GET", `/auth/revocations${query}`, headers);
  const waits = () => revocations(current().server.app.ctx).waiting();
  const entry = ({ accessToken }: Tokens) => ({ sid: claimsOf(accessToken).sid });

  it("begins with the present cursor and nothing else", async () => {
    await logout(await newLogin());
    expect(await askFeed(current(), app)).toEqual({ cursor: expect.any(String), revoked: [], more: false });
  });

  it("has a logout as soon as it is answered, for every earlier cursor and for no later one", async () => {
    const { cursor } = await askFeed(current(), app);
    const login = await newLogin();
    await logout(login);
    const first = await askFeed(current(), app, { after: cursor });
    expect(first).toEqual({ cursor: expect.any(String), revoked: [entry(login)], more: false });
    expect((await askFeed(current(), app, { after: first.cursor })).revoked).toEqual([]);
    expect((await askFeed(current(), app, { after: cursor })).revoked).toEqual([entry(login)]);
  });

  it("answers a waiting call at the commit, also of another process", async () => {
    const login = await newLogin();
    const { cursor } = await askFeed(current(), app);
    const waiting = askFeed(current(), app, { after: cursor, wait: 25 });
    await expect.poll(waits).toBe(1);
    await logout(login);
    expect((await waiting).revoked).toEqual([entry(login)]);
    const again = askFeed(current(), app, { after: (await waiting).cursor, wait: 25 });
    await expect.poll(waits).toBe(1);
    // As another process would: this one gets no notice.
    const ended = {
      appId: app.id,
      loginId: "lgn_elsewhere",
      userId: null,
      keyId: null,
      organizationId: null,
      at: current().clock.now,
    };
    await current().server.app.ctx.storage.write((tx) => insertRevocations(tx, [ended]));
    expect((await again).revoked).toEqual([answerOf(ended, [])]);
    expect(waits()).toBe(0);
  });

  it("is counted apart from sign-ins: an app at its limit still learns of logouts", async () => {
    const limited = await current().createApp();
    const settings = { rateLimits: { authentication: 2 } };
    await applications.update(current().server.app.ctx, limited.id, { settings }, { kind: "cli", name: "test" });
    const start = async () =>
      await call(current(), "POST", "/auth/initiate", limited.headers, { redirectUri: limited.redirectUri });
    for (let round = 0; round < 4; round += 1) expect((await ask("", limited.headers)).status).toBe(200);
    expect((await start()).status).toBe(200);
    expect((await start()).status).toBe(200);
    expect((await start()).status).toBe(429);
    expect((await ask("", limited.headers)).headers.get("x-ratelimit-limit")).toBe("6000");
  });

  it("waits no longer than asked, and answers what is true at the end", async () => {
    const { cursor } = await askFeed(current(), app);
    const startedAt = performance.now();
    expect((await askFeed(current(), app, { after: cursor, wait: 1 })).revoked).toEqual([]);
    expect(performance.now() - startedAt).toBeGreaterThan(990);
  });

  it("forgets a waiting call whose caller hangs up", async () => {
    const { cursor } = await askFeed(current(), app);
    const { hostname, port } = new URL(current().url);
    const socket = connect(Number(port), hostname);
    // Twice on one connection.
    const lines = Object.entries(app.headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const request = `GET /auth/revocations?after=${cursor}&wait=25 HTTP/1.1\r\nhost: x\r\n${lines.join("")}\r\n`;
    socket.write(request + request);
    await expect.poll(waits).toBe(2);
    socket.destroy();
    await expect.poll(waits).toBe(0);
  });

  it("is read in pages of 1,000, although entries are added in between", async () => {
    const { cursor } = await askFeed(current(), app);
    const add = async (from: number, count: number) => {
      const at = current().clock.now;
      const rows = Array.from({ length: count }, (_, place) => ({
        appId: app.id,
        loginId: `lgn_${from + place}`,
        userId: null,
        keyId: null,
        organizationId: null,
        at,
      }));
      for (let start = 0; start < count; start += 500)
        await current().server.app.ctx.storage.write((tx) => insertRevocations(tx, rows.slice(start, start + 500)));
    };
    await add(0, 2500);
    const received: string[] = [];
    let answer = await askFeed(current(), app, { after: cursor, wait: 25 });
    expect(answer.revoked).toHaveLength(1000);
    await add(2500, 20);
    for (;;) {
      received.push(...answer.revoked.map(({ sid = "" }) => sid));
      if (!answer.more) break;
      answer = await askFeed(current(), app, { after: answer.cursor });
    }
    expect(received.toSorted()).toEqual(Array.from({ length: 2520 }, (_, place) => `lgn_${place}`).toSorted());
  });

  it("keeps an entry for as long as its cursors, and forgets both", async () => {
    const { cursor } = await askFeed(current(), app);
    const login = await newLogin();
    await logout(login);
    current().clock.advance(24 * hour - minute);
    await current().server.app.sweep();
    expect((await askFeed(current(), app, { after: cursor })).revoked).toContainEqual(entry(login));
    current().clock.advance(12 * minute);
    expect((await ask(`?after=${cursor}`)).status).toBe(410);
    await current().server.app.sweep();
    const { db, tables } = current().server.app.ctx.storage.reader;
    expect((await db.select().from(tables.revocations)).map(({ loginId }) => loginId)).not.toContain(entry(login).sid);
  });

  it("continues after a restart with the same cursor, and answers waiting calls before it stops", async () => {
    const { cursor } = await askFeed(current(), app);
    const waiting = askFeed(current(), app, { after: cursor, wait: 25 });
    await expect.poll(waits).toBe(1);
    const startedAt = performance.now();
    await restart();
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    const { cursor: next, revoked } = await waiting;
    expect(revoked).toEqual([]);
    const login = await newLogin();
    await logout(login);
    expect((await askFeed(current(), app, { after: next })).revoked).toEqual([entry(login)]);
  });
});
