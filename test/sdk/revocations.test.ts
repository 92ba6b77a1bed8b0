import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import * as clientSecrets from "../../src/applications/clients/secrets.ts";
import * as applications from "../../src/applications/service.ts";
import * as machineTokens from "../../src/tokens/machine-tokens.ts";
import { claimsOf } from "../support/feed.ts";
import { useService } from "../support/one-service.ts";
import { call, redeem, signedUp, signIn } from "../support/person.ts";
import { by, newMachine } from "../support/resources.ts";
import { verifiers } from "./verifiers.ts";

const current = useService();
const { clientOf, listening, listeningClient, mint, signedWith } = verifiers(current);
const invalid = { code: "INVALID_TOKEN" };
/** The feed reports within a second, if the machine is not busy. */
const patience = { timeout: 60_000 };
const minute = 60_000;

async function logOut(accessToken: string): Promise<void> {
  const { status } = await call(current(), "POST", "/auth/logout", { authorization: `Bearer ${accessToken}` }, {});
  expect(status).toBe(200);
}

describe("an ended login of a token that is valid for a day", () => {
  test("stays ended when its entry of the feed is forgotten", async () => {
    const { app, client } = await listening({ feed: "on-demand" });
    const token = await mint(app);
    await client.verify(token);
    await logOut(token);
    current().clock.advance(6000);
    await expect(client.verify(token)).rejects.toMatchObject(invalid);
    for (const minutes of [59, 2, 60]) {
      current().clock.advance(minutes * minute);
      // Reads the feed, and forgets.
      await client.verify((await signedUp(current(), app)).accessToken);
      await expect(client.verify(token)).rejects.toMatchObject(invalid);
    }
  });

  test("stays ended, also if the service had called it live before", async () => {
    const app = await current().createApp();
    const token = await mint(app);
    const { client, asked } = clientOf(app, { feed: "on-demand" });
    await client.verify(token);
    await client.verify(token);
    expect(asked()).toBe(1);
    await logOut(token);
    for (const minutes of [0.1, 59, 2, 60]) {
      current().clock.advance(minutes * minute);
      await expect(client.verify(token)).rejects.toMatchObject(invalid);
    }
  });

  test("stays ended when more than a hundred thousand others end after it", async () => {
    const app = await current().createApp();
    const pages: object[] = [];
    const { client } = await listeningClient(app, {
      feed: "on-demand",
      maxStalenessSeconds: 60,
      intercept: async (path, response) => {
        if (path !== "/auth/revocations" || pages.length === 0) return response;
        const { cursor } = (await response.json()) as { cursor: string };
        return Response.json({ cursor, ...pages.shift() });
      },
    });
    const token = await mint(app);
    await client.verify(token);
    await logOut(token);
    const ended = (page: number) => Array.from({ length: 1000 }, (_, index) => ({ sid: `lgn_${page}_${index}` }));
    pages.push({ revoked: [{ sid: claimsOf(token).sid }], more: true });
    for (let page = 0; page < 100; page += 1) pages.push({ revoked: ended(page), more: page < 99 });
    current().clock.advance(61_000);
    await expect(client.verify(token)).rejects.toMatchObject(invalid);
    expect(pages).toEqual([]);
    await expect(client.verify(token)).rejects.toMatchObject(invalid);
  });
});

test("tokens of an application that is being deleted are refused at once", async () => {
  const { app, client, accessToken } = await listening({ maxStalenessSeconds: 600 });
  await client.verify(accessToken);
  await applications.remove(current().server.app.ctx, app.id, { kind: "cli", name: "test" });
  await vi.waitFor(async () => await expect(client.verify(accessToken)).rejects.toMatchObject(invalid), patience);
});

describe("clocks apart by less than five minutes", () => {
  test.each([-299_000, 299_000])("let no login in that ended before: %d ms", async (apart) => {
    const app = await current().createApp();
    const { accessToken } = await signedUp(current(), app);
    await logOut(accessToken);
    const now = (): number => current().clock.now + apart;
    const { client } = clientOf(app, { now, feed: "on-demand" });
    // Reading the feed begins here.
    await client.verify((await signedUp(current(), app)).accessToken);
    for (let time = 0; time < 5; time += 1) {
      await expect(client.verify(accessToken)).rejects.toMatchObject(invalid);
      current().clock.advance(100_000);
    }
  });

  test.each([-299_000, 299_000])("let no login in that ended with all of its user: %d ms", async (apart) => {
    const app = await current().createApp();
    const now = (): number => current().clock.now + apart;
    const { client } = await listeningClient(app, { now, feed: "on-demand" });
    const { accessToken, email } = await signedUp(current(), app);
    const other = await redeem(current(), app, await signIn(current(), app, { email }));
    await client.verify(accessToken);
    await client.logout(other.accessToken, { allSessions: true });
    current().clock.advance(6000);
    await expect(client.verify(accessToken)).rejects.toMatchObject(invalid);
  });
});

describe("what an answer of the feed says is as old as its question", () => {
  test("a logout while the answer is on its way is noticed", async () => {
    const app = await current().createApp();
    const race = { delay: async (): Promise<void> => {} };
    const { client, asked } = await listeningClient(app, {
      feed: "on-demand",
      intercept: async (path, response) => {
        if (path === "/auth/revocations") await race.delay();
        return response;
      },
    });
    const { accessToken } = await signedUp(current(), app);
    await client.verify(accessToken);
    expect(asked()).toBe(0);
    current().clock.advance(6000);
    race.delay = async () => {
      await logOut(accessToken);
      current().clock.advance(6000);
    };
    await expect(client.verify(accessToken)).rejects.toMatchObject(invalid);
  });

  test("a logout while the service is asked about the login is noticed", async () => {
    const app = await current().createApp();
    const { accessToken } = await signedUp(current(), app);
    const { sid } = claimsOf(accessToken);
    const isListed = Promise.withResolvers<void>();
    let isRaced = false;
    const { client } = clientOf(app, {
      intercept: async (path, response) => {
        const text = await response.text();
        if (path === "/auth/revocations" && text.includes(sid)) isListed.resolve();
        if (path === "/auth/validate" && isRaced) {
          await logOut(accessToken);
          await isListed.promise;
          await nextTurn();
        }
        return new Response(text, response);
      },
    });
    await client.verify((await signedUp(current(), app)).accessToken);
    isRaced = true;
    await expect(client.verify(accessToken)).rejects.toMatchObject(invalid);
  });
});

test("all logins of a user have ended for tokens that may be older than the entry, to the second", async () => {
  const { app, client, asked, accessToken, email } = await listening({ feed: "on-demand" });
  // The end of a single login would name that login.
  await redeem(current(), app, await signIn(current(), app, { email }));
  current().clock.advance(1000 - (current().clock.now % 1000));
  const iat = current().clock.now / 1000 + 300;
  const [atLast, later] = [await signedWith(accessToken, { iat }), await signedWith(accessToken, { iat: iat + 1 })];
  await client.logout(accessToken, { allSessions: true });
  current().clock.advance(6000);
  await expect(client.verify(atLast)).rejects.toMatchObject(invalid);
  const before = asked();
  // The service never issues this one: it shows where the package begins to ask.
  await client.verify(later);
  expect(asked()).toBe(before);
});

describe("the list of ended logins is too old", () => {
  test("by the clock that nobody sets, although the other stands still", async () => {
    const { client, blocked, accessToken } = await listening({ whenStale: "refuse", maxStalenessSeconds: 60 });
    await client.verify(accessToken);
    blocked.add("/auth/revocations");
    const real = performance.now.bind(performance);
    // Only for the package: the service beside it would put off its writes for a minute.
    const isOfPackage = (): boolean => new Error("who asks?").stack?.includes("/packages/sdk/") ?? false;
    const later = vi.spyOn(performance, "now").mockImplementation(() => real() + (isOfPackage() ? 61_000 : 0));
    await expect(client.verify(accessToken)).rejects.toMatchObject({ code: "UNREACHABLE" });
    later.mockRestore();
  });

  test("although the service was asked to wait, if it answered at once", async () => {
    const app = await current().createApp();
    let asked = 0;
    let polls = 0;
    let isCut = false;
    const { client } = await listeningClient(app, {
      maxStalenessSeconds: 20,
      async fetch(url, init) {
        if (url.includes("/auth/revocations") && isCut) throw new TypeError("fetch failed");
        if (url.includes("/auth/validate")) asked += 1;
        const response = await fetch(url.replace(/wait=\d+/u, "wait=0"), init);
        if (/wait=[1-9]/u.test(url)) polls += 1;
        return response;
      },
    });
    const { accessToken } = await signedUp(current(), app);
    await client.verify(accessToken);
    await vi.waitFor(() => expect(polls).toBeGreaterThan(1), patience);
    isCut = true;
    const before = asked;
    current().clock.advance(21_000);
    await client.verify(accessToken);
    expect(asked).toBe(before + 1);
  });
});

test.each<[what: string, entries: (sub: string, now: string) => Record<string, string>[]]>([
  [
    "an older end of all logins after a newer one",
    (sub, now) => [
      { sub, before: now },
      { sub, before: "2020-01-01T00:00:00Z" },
    ],
  ],
  ["an end of all logins at a time that cannot be read", (sub) => [{ sub, before: "soon" }]],
  ["a kind that is not known", () => [{ device: "dev_1" }]],
])("%s makes the package ask about a token", async (_, entries) => {
  const app = await current().createApp();
  let revoked: Record<string, string>[] = [];
  const { client, asked } = await listeningClient(app, {
    feed: "on-demand",
    intercept: async (path, response) =>
      path === "/auth/revocations"
        ? Response.json({ ...((await response.json()) as object), revoked: revoked.splice(0) })
        : response,
  });
  const { accessToken, user } = await signedUp(current(), app);
  await client.verify(accessToken);
  expect(asked()).toBe(0);
  revoked = entries(String(user["id"]), new Date(current().clock.now).toISOString());
  current().clock.advance(6000);
  await client.verify(accessToken);
  expect(asked()).toBe(1);
});

describe("a machine and a resource of the application", () => {
  test("neither has a token that verify takes, and the end of a machine leaves people's tokens alone", async () => {
    const { app, client, asked, accessToken } = await listening({ feed: "on-demand" });
    const { ctx } = current().server.app;
    const machine = await newMachine(current(), {}, { ...app });
    const { client: of, resource, secretId: credential } = machine;
    const asking = { client: of, credential, resource, scope: undefined, proofKey: null };
    const issued = await machineTokens.issue(ctx, asking, by);
    await expect(client.verify(issued.accessToken ?? "")).rejects.toMatchObject(invalid);
    await client.verify(accessToken);
    const before = asked();
    await clientSecrets.revokeSecret(ctx, credential, by.actor);
    current().clock.advance(6000);
    await client.verify(accessToken);
    await expect(client.verify(issued.accessToken ?? "")).rejects.toMatchObject(invalid);
    expect(asked()).toBe(before);
  });
});
