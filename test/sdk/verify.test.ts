import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { decodeProtectedHeader } from "jose";
import { describe, expect, test, vi } from "vitest";
import * as signingKeys from "../../src/tokens/signing-keys.ts";
import { claimsOf } from "../support/feed.ts";
import { useService } from "../support/one-service.ts";
import { newParty, applicationParty, tokensFor } from "../support/openid-tokens.ts";
import { signedUp, signIn, redeem } from "../support/person.ts";
import { verifiers } from "./verifiers.ts";

const current = useService();
const { clientOf, listening, listeningClient, mint, signedWith } = verifiers(current);

const invalid = { code: "INVALID_TOKEN" };
/** The feed reports within a second, if the machine is not busy. */
const patience = { timeout: 60_000 };
const operator = { kind: "cli", name: "test" } as const;

describe("verifying a token", () => {
  test("asks once about each login from before the start, and never about later ones", async () => {
    const app = await current().createApp();
    const tokens = await signedUp(current(), app);
    const { client, asked } = clientOf(app);
    for (let time = 0; time < 3; time += 1)
      expect(await client.verify(tokens.accessToken)).toMatchObject({ sub: tokens.user["id"], email: tokens.email });
    const fresh = await client.refresh(tokens.refreshToken);
    await client.verify(fresh.accessToken);
    expect(asked()).toBe(1);
    current().clock.advance(6 * 60_000);
    await client.verify((await signedUp(current(), app)).accessToken);
    expect(asked()).toBe(1);
  });

  test("refuses it as soon as its login has ended", async () => {
    const { client, asked, accessToken } = await listening();
    await client.verify(accessToken);
    await client.logout(accessToken);
    await vi.waitFor(async () => await expect(client.verify(accessToken)).rejects.toMatchObject(invalid), patience);
    expect(asked()).toBe(0);
  });

  test("asks once about the other logins of a user when all end", async () => {
    const { app, client, asked, accessToken, email } = await listening();
    await redeem(current(), app, await signIn(current(), app, { email }));
    await client.verify(accessToken);
    await client.logout(accessToken, { allSessions: true });
    await vi.waitFor(async () => await expect(client.verify(accessToken)).rejects.toMatchObject(invalid), patience);
    const later = await redeem(current(), app, await signIn(current(), app, { email }));
    const before = asked();
    for (let time = 0; time < 3; time += 1) await client.verify(later.accessToken);
    expect(asked() - before).toBe(1);
    await expect(client.verify(accessToken)).rejects.toMatchObject(invalid);
  });

  test("asks every time while the feed is cut, and remembers nothing of it", async () => {
    const { client, asked, blocked, accessToken } = await listening({ maxStalenessSeconds: 2 });
    await client.verify(accessToken);
    blocked.add("/auth/revocations");
    current().clock.advance(3000);
    await client.verify(accessToken);
    await client.verify(accessToken);
    expect(asked()).toBe(2);
    await client.logout(accessToken);
    await expect(client.verify(accessToken)).rejects.toMatchObject(invalid);
  });

  test("decides nothing while the service is down: a cut feed never means valid", async () => {
    const { client, blocked, accessToken } = await listening();
    await client.verify(accessToken);
    for (const path of ["/auth/revocations", "/auth/validate"]) blocked.add(path);
    // Knowledge that is young enough still counts.
    await client.verify(accessToken);
    current().clock.advance(6000);
    await expect(client.verify(accessToken)).rejects.toMatchObject({ code: "UNREACHABLE" });
    blocked.clear();
    current().clock.advance(2000);
    await client.verify(accessToken);
  });

  test("reads the feed again after a minute at most, whatever Retry-After says", async () => {
    const app = await current().createApp();
    const { accessToken } = await signedUp(current(), app);
    const refused = { status: 503, headers: { "retry-after": "99999999" } };
    const { client } = clientOf(app, {
      fetch: async (url, init) =>
        url.includes("/auth/revocations") ? new Response("{}", refused) : await fetch(url, init),
    });
    const timers = vi.spyOn(globalThis, "setTimeout");
    await client.verify(accessToken);
    await expect.poll(() => timers.mock.calls.map(([, pause]) => pause)).toContain(60_000);
    timers.mockRestore();
  });

  test.each([
    ["more without end", Response.json({ cursor: "x", revoked: [], more: true })],
    ["that its place is gone, and more, in turns", undefined],
  ])("does not wait without end for a feed that says %s: it asks", async (_, always) => {
    const app = await current().createApp();
    const { accessToken } = await signedUp(current(), app);
    const gone = Response.json({ error: { code: "INVALID_REQUEST", message: "gone" } }, { status: 410 });
    const more = Response.json({ cursor: "x", revoked: [], more: true });
    const { client, asked, calls } = clientOf(app, {
      async fetch(url, init) {
        const { pathname, searchParams } = new URL(url);
        calls.push(pathname);
        if (pathname !== "/auth/revocations") return await fetch(url, init);
        current().clock.advance(500);
        return (always ?? (searchParams.has("after") ? gone : more)).clone();
      },
    });
    await client.verify(accessToken);
    expect(asked()).toBe(1);
    await client.logout(accessToken);
    await expect(client.verify(accessToken)).rejects.toMatchObject(invalid);
  });

  test("refuses instead of asking, if told so", async () => {
    const { client, blocked, asked, accessToken } = await listening({ whenStale: "refuse" });
    await client.verify(accessToken);
    blocked.add("/auth/revocations");
    current().clock.advance(6000);
    await expect(client.verify(accessToken)).rejects.toMatchObject({ code: "UNREACHABLE" });
    expect(asked()).toBe(0);
  });

  test("starts again when its place in the feed is gone, and asks about each login anew", async () => {
    const { client, asked, calls, accessToken, refreshToken } = await listening({ feed: "on-demand" });
    await client.verify(accessToken);
    expect(asked()).toBe(0);
    current().clock.advance(25 * 3_600_000);
    const fresh = await client.refresh(refreshToken);
    calls.splice(0);
    await client.verify(fresh.accessToken);
    await client.verify(fresh.accessToken);
    expect(calls).toEqual(
      ["/auth/revocations", "/auth/revocations", "/.well-known/jwks.json", "/auth/validate"].toSorted(),
    );
  });

  test("in Workers and Edge functions reads the feed only when it needs to", async () => {
    const { client, calls, accessToken } = await listening({ feed: "on-demand" });
    for (let time = 0; time < 3; time += 1) await client.verify(accessToken);
    expect(calls.filter((path) => path === "/auth/revocations")).toHaveLength(1);
    await client.logout(accessToken);
    current().clock.advance(6000);
    await expect(client.verify(accessToken)).rejects.toMatchObject(invalid);
  });

  test("keeps no process running", async () => {
    const app = await current().createApp();
    const { accessToken } = await signedUp(current(), app);
    const source = join(import.meta.dirname, "../../packages/sdk/src/index.ts");
    const program = `import { createAuthsvc } from ${JSON.stringify(source)};
      await createAuthsvc({ now: () => ${current().clock.now} }).verify(${JSON.stringify(accessToken)});
      // The poll is on its way before the program has nothing left to do.
      await new Promise((resolve) => setTimeout(resolve, 300));
      console.log("done", performance.now());
      process.on("exit", () => console.log("ended", performance.now()));`;
    const env = { ...process.env, AUTHSVC_ISSUER: current().url, AUTHSVC_APP_ID: app.id, AUTHSVC_API_KEY: app.apiKey };
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], { env });
    const output: string[] = [];
    child.stdout.on("data", (data: Buffer) => output.push(String(data)));
    const [code] = await once(child, "exit");
    const [done = 0, ended = 0] = [...output.join("").matchAll(/(?:done|ended) ([\d.]+)/gu)].map(([, at]) =>
      Number(at),
    );
    expect(code).toBe(0);
    expect(ended - done).toBeLessThan(2000);
  });
});

describe("a token is refused", () => {
  test("when it is not what the service signed for this application", async () => {
    const app = await current().createApp();
    const other = await current().createApp();
    const { client } = clientOf(app);
    const { accessToken } = await signedUp(current(), app);
    const [header = "", payload = "", signature = ""] = accessToken.split(".");
    const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
    const decoded = (part: string): object => JSON.parse(Buffer.from(part, "base64url").toString());
    const forged = [
      "",
      "a.b.c",
      `${header}.${payload}`,
      `${accessToken}.${signature}`,
      `${header}.${payload}.`,
      `${encoded({ ...decoded(header), alg: "none" })}.${payload}.`,
      `${encoded({ ...decoded(header), alg: "RS256" })}.${payload}.${signature}`,
      `${encoded({ ...decoded(header), typ: "JWT" })}.${payload}.${signature}`,
      `${encoded({ ...decoded(header), kid: "x".repeat(43) })}.${payload}.${signature}`,
      `${header}.${encoded({ ...decoded(payload), sub: "usr_1" })}.${signature}`,
      (await signedUp(current(), other)).accessToken,
      "x".repeat(100_000),
    ];
    for (const token of forged) await expect(client.verify(token), token.slice(0, 80)).rejects.toMatchObject(invalid);
    // @ts-expect-error Programs in JavaScript pass on what a request lacks.
    await expect(client.verify(undefined)).rejects.toMatchObject(invalid);
    await client.verify(accessToken);
  });

  test("when it is an ID token of the application itself", async () => {
    const party = await applicationParty(current());
    const { client } = clientOf(party.app);
    const { access_token: accessToken, id_token: idToken } = await tokensFor(current(), party);
    await client.verify(accessToken);
    await expect(client.verify(idToken)).rejects.toMatchObject({
      ...invalid,
      message: expect.stringContaining("not an access token"),
    });
  });

  test("when it is of another client of the application, unless the option names that client", async () => {
    const party = await newParty(current());
    const other = await newParty(current(), {}, party.app);
    const token = (await tokensFor(current(), party)).access_token;
    const message = expect.stringContaining(`allowedClients lacks its client ${party.client.id}`);
    const refused = { ...invalid, message };
    await expect(clientOf(party.app).client.verify(token)).rejects.toMatchObject(refused);
    const { id } = party.client;
    for (const allowedClients of [[other.client.id], `${id}x`, [`${id}x`, ""]])
      await expect(clientOf(party.app, { allowedClients }).client.verify(token)).rejects.toMatchObject(refused);
    for (const allowedClients of [id, [other.client.id, id]])
      expect(await clientOf(party.app, { allowedClients }).client.verify(token)).toMatchObject({ client_id: id });
  });

  test.each<[why: string, isValid: boolean, change: (now: number) => object]>([
    ["is issued five minutes ahead", true, (now) => ({ iat: now + 300, exp: now + 900 })],
    ["is issued further ahead", false, (now) => ({ iat: now + 301, exp: now + 900 })],
    ["is valid for a day", true, (now) => ({ exp: now + 86_400 })],
    ["is valid for longer than a day", false, (now) => ({ exp: now + 86_401 })],
    ["is of another issuer", false, () => ({ iss: "https://elsewhere.example" })],
    ["is for another application", false, () => ({ aud: "app_elsewhere", client_id: "app_elsewhere" })],
    ["is for several applications", false, () => ({ aud: ["app_elsewhere"] })],
    ["names no login", false, () => ({ sid: undefined })],
    ["names a login that is no text", false, () => ({ sid: 5 })],
    ["is as long as tokens may be", true, () => ({ note: "x".repeat(11_000) })],
    ["is longer than any of the service", false, () => ({ note: "x".repeat(12_288) })],
    ["names no user", false, () => ({ sub: undefined })],
    ["has no expiry", false, () => ({ exp: undefined })],
    ["has no time of issue", false, () => ({ iat: undefined })],
    ["expires at a time that is no whole number", false, (now) => ({ exp: now + 900.5 })],
    ["expires now", false, (now) => ({ exp: now })],
    ["expires in a second", true, (now) => ({ exp: now + 1 })],
  ])("if it %s: valid is %s, although the right key signed it", async (_, isValid, change) => {
    const { app, client } = await listening();
    // To a full second.
    current().clock.advance(1000 - (current().clock.now % 1000));
    const { accessToken } = await signedUp(current(), app);
    const now = Math.floor(current().clock.now / 1000);
    const verifying = client.verify(await signedWith(accessToken, { iat: now, ...change(now) }));
    if (isValid) expect(await verifying).toMatchObject(change(now));
    else await expect(verifying).rejects.toMatchObject(invalid);
  });

  test("if it needs an extension that the package does not know (crit)", async () => {
    const { client, accessToken } = await listening();
    await client.verify(await signedWith(accessToken, {}));
    const critical = await signedWith(accessToken, {}, { crit: ["exp"] });
    await expect(client.verify(critical)).rejects.toMatchObject(invalid);
  });

  test("if it names another algorithm than that of its key, although that key signed it", async () => {
    const { client, accessToken } = await listening();
    for (const alg of ["RS256", "EdDSA", "none", undefined])
      await expect(client.verify(await signedWith(accessToken, {}, { alg }))).rejects.toMatchObject(invalid);
  });

  test("if its key is unknown: many such tokens cause one read of the key set in ten seconds", async () => {
    const { client, calls, accessToken } = await listening();
    const reads = () => calls.filter((path) => path === "/.well-known/jwks.json").length;
    for (let n = 0; n < 10; n += 1)
      await expect(client.verify(await signedWith(accessToken, {}, { kid: `k${n}` }))).rejects.toMatchObject(invalid);
    for (const [milliseconds, times] of [
      [0, 1],
      [9999, 1],
      [1, 2],
    ] as const) {
      current().clock.advance(milliseconds);
      await expect(client.verify(await signedWith(accessToken, {}, { kid: "k10" }))).rejects.toMatchObject(invalid);
      expect([milliseconds, reads()]).toEqual([milliseconds, times]);
    }
  });

  test("when the service refused it once: it is not asked again", async () => {
    const app = await current().createApp();
    const { accessToken } = await signedUp(current(), app);
    await clientOf(app).client.logout(accessToken);
    const { client, asked } = clientOf(app);
    for (let time = 0; time < 3; time += 1) await expect(client.verify(accessToken)).rejects.toMatchObject(invalid);
    expect(asked()).toBe(1);
  });

  test("when it has expired, also one that was remembered", async () => {
    const app = await current().createApp();
    const { client } = clientOf(app);
    const { accessToken } = await signedUp(current(), app);
    await client.verify(accessToken);
    current().clock.advance(900_000);
    await expect(client.verify(accessToken)).rejects.toMatchObject(invalid);
  });
});

describe("a new signing key", () => {
  test("is read when its first token arrives", async () => {
    const { app, client, calls } = await listening();
    await signingKeys.rotateByCommand(current().server.app.ctx, { atOnce: true, dryRun: false }, { actor: operator });
    await client.verify((await signedUp(current(), app)).accessToken);
    expect(calls).toContain("/.well-known/jwks.json");
  });

  test("replaces one that was withdrawn, whose tokens are refused at once", async () => {
    const { client, accessToken, refreshToken } = await listening();
    await client.verify(accessToken);
    const { kid = "" } = decodeProtectedHeader(accessToken);
    await signingKeys.revoke(current().server.app.ctx, kid, { actor: operator });
    await vi.waitFor(async () => await expect(client.verify(accessToken)).rejects.toMatchObject(invalid), patience);
    await client.verify((await client.refresh(refreshToken)).accessToken);
  });

  test("is waited for no longer than an hour: older key sets verify nothing", async () => {
    const { app, client, blocked, calls } = await listening();
    const token = await mint(app);
    await client.verify(token);
    blocked.add("/.well-known/jwks.json");
    current().clock.advance(53 * 60_000);
    await client.verify(token);
    await vi.waitFor(() => expect(calls).toContain("/.well-known/jwks.json"), patience);
    current().clock.advance(2 * 60_000);
    await expect(client.verify(token)).rejects.toMatchObject({ code: "UNREACHABLE" });
    blocked.clear();
    await client.verify(token);
  });

  test("leaves nothing of one that was withdrawn, however long ago, and whatever a cache still has", async () => {
    const app = await current().createApp();
    let cached: string | undefined;
    const { client, asked } = await listeningClient(app, {
      feed: "on-demand",
      intercept: async (path, response) => {
        if (path !== "/.well-known/jwks.json") return response;
        cached ??= await response.text();
        return new Response(cached);
      },
    });
    const token = await mint(app);
    const { kid } = claimsOf(token);
    // Known to the package, and remembered only after the key was withdrawn.
    const stolen = await signedWith(token, { iat: claimsOf(token).iat + 300 });
    await client.verify(token);
    await signingKeys.revoke(current().server.app.ctx, kid, { actor: operator });
    current().clock.advance(6000);
    await expect(client.verify(stolen)).rejects.toMatchObject(invalid);
    const before = asked();
    for (const minutes of [59, 2, 70]) {
      current().clock.advance(minutes * 60_000);
      for (const each of [token, stolen]) await expect(client.verify(each)).rejects.toMatchObject(invalid);
    }
    expect(asked()).toBe(before);
  });

  test("replaces one that was withdrawn a moment after the key set was read", async () => {
    const app = await current().createApp();
    const { client } = clientOf(app);
    const { accessToken, refreshToken } = await signedUp(current(), app);
    await client.verify(accessToken);
    await signingKeys.revoke(current().server.app.ctx, claimsOf(accessToken).kid, { actor: operator });
    await vi.waitFor(async () => await expect(client.verify(accessToken)).rejects.toMatchObject(invalid), patience);
    await client.verify((await client.refresh(refreshToken)).accessToken);
  });

  test("replaces one that was withdrawn while the key set was being read", async () => {
    const app = await current().createApp();
    const isListed = Promise.withResolvers<void>();
    const hasRead = Promise.withResolvers<void>();
    let isRaced = false;
    const { client } = await listeningClient(app, {
      intercept: async (path, response) => {
        const text = await response.text();
        if (path === "/auth/revocations" && text.includes('"kid"')) isListed.resolve();
        if (path === "/.well-known/jwks.json" && isRaced) {
          isRaced = false;
          await signingKeys.revoke(current().server.app.ctx, claimsOf(accessToken).kid, { actor: operator });
          await isListed.promise;
          await nextTurn();
          hasRead.resolve();
        }
        return new Response(text, response);
      },
    });
    const { accessToken, refreshToken } = await signedUp(current(), app);
    await client.verify(accessToken);
    // So that the set is read again, while the known key still verifies.
    current().clock.advance(10 * 60_000);
    isRaced = true;
    // Verifies, or is refused if the feed tells sooner that its key was withdrawn meanwhile.
    await client.verify(accessToken).catch(() => {});
    await hasRead.promise;
    const fresh = await client.refresh(refreshToken);
    // The clock stands still: a set that counted as new would be kept.
    await vi.waitFor(async () => await client.verify(fresh.accessToken), patience);
  });
});
