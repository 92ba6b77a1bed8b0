import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createAuthsvc, type AuthsvcOptions } from "../../packages/sdk/src/index.ts";
import { signedUp, signIn, redeem } from "../support/person.ts";
import { useService } from "../support/one-service.ts";
import type { TestApp } from "../support/service.ts";

const current = useService();
const clients: { close(): void }[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});

/** A client that counts its calls. `blocked` ones find no service. */
function clientOf(app: TestApp, options: AuthsvcOptions = {}) {
  const calls: string[] = [];
  const blocked = new Set<string>();
  const client = createAuthsvc({
    issuer: current().url,
    appId: app.id,
    apiKey: app.apiKey,
    now: () => current().clock.now,
    async fetch(url, init) {
      const path = new URL(url).pathname;
      calls.push(path);
      if (blocked.has(path)) throw new TypeError("fetch failed");
      return await fetch(url, init);
    },
    ...options,
  });
  clients.push(client);
  const asked = (): number => calls.filter((path) => path === "/auth/validate").length;
  return { client, calls, blocked, asked };
}

/** A client that has listened for so long that new tokens are not in doubt. */
async function listeningClient(app: TestApp, options: AuthsvcOptions = {}) {
  const made = clientOf(app, options);
  await made.client.verify((await signedUp(current(), app)).accessToken);
  current().clock.advance(6 * 60_000);
  made.calls.splice(0);
  return made;
}

const invalid = { code: "INVALID_TOKEN" };

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
    const app = await current().createApp();
    const { client, asked } = await listeningClient(app);
    const { accessToken } = await signedUp(current(), app);
    await client.verify(accessToken);
    await client.logout(accessToken);
    await vi.waitFor(async () => await expect(client.verify(accessToken)).rejects.toMatchObject(invalid));
    expect(asked()).toBe(0);
  });

  test("asks once about the other logins of a user when all end", async () => {
    const app = await current().createApp();
    const { client, asked } = await listeningClient(app);
    const { accessToken, email } = await signedUp(current(), app);
    await redeem(current(), app, await signIn(current(), app, { email }));
    await client.verify(accessToken);
    await client.logout(accessToken, { allSessions: true });
    await vi.waitFor(async () => await expect(client.verify(accessToken)).rejects.toMatchObject(invalid));
    const later = await redeem(current(), app, await signIn(current(), app, { email }));
    const before = asked();
    for (let time = 0; time < 3; time += 1) await client.verify(later.accessToken);
    expect(asked() - before).toBe(1);
    await expect(client.verify(accessToken)).rejects.toMatchObject(invalid);
  });

  test("asks every time while the feed is cut, and remembers nothing of it", async () => {
    const app = await current().createApp();
    const { client, asked, blocked } = await listeningClient(app, { maxStalenessSeconds: 2 });
    const { accessToken } = await signedUp(current(), app);
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
    const app = await current().createApp();
    const { client, blocked } = await listeningClient(app);
    const { accessToken } = await signedUp(current(), app);
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
    await vi.waitFor(() => expect(timers.mock.calls.map(([, pause]) => pause)).toContain(60_000));
    timers.mockRestore();
  });

  test.each([
    ["more without end", Response.json({ cursor: "x", revoked: [], more: true })],
    ["that its place is gone, and more, in turns", undefined],
  ])("does not wait for ever for a feed that says %s: it asks", async (_, always) => {
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
    const app = await current().createApp();
    const { client, blocked, asked } = await listeningClient(app, { whenStale: "refuse" });
    const { accessToken } = await signedUp(current(), app);
    await client.verify(accessToken);
    blocked.add("/auth/revocations");
    current().clock.advance(6000);
    await expect(client.verify(accessToken)).rejects.toMatchObject({ code: "UNREACHABLE" });
    expect(asked()).toBe(0);
  });

  test("starts again when its place in the feed is gone, and asks about each login anew", async () => {
    const app = await current().createApp();
    const { client, asked, calls } = await listeningClient(app, { feed: "on-demand" });
    const { accessToken, refreshToken } = await signedUp(current(), app);
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
    const app = await current().createApp();
    const { client, calls } = await listeningClient(app, { feed: "on-demand" });
    const { accessToken } = await signedUp(current(), app);
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
      await createAuthsvc().verify(${JSON.stringify(accessToken)});
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
  const operator = { kind: "cli", name: "test" } as const;

  test("is read when its first token arrives", async () => {
    const app = await current().createApp();
    const { client, calls } = await listeningClient(app);
    await current().server.app.services.signingKeys.rotateByCommand({ atOnce: true, dryRun: false }, operator);
    await client.verify((await signedUp(current(), app)).accessToken);
    expect(calls).toContain("/.well-known/jwks.json");
  });

  test("replaces one that was withdrawn, whose tokens are refused at once", async () => {
    const app = await current().createApp();
    const { client } = await listeningClient(app);
    const { accessToken, refreshToken } = await signedUp(current(), app);
    await client.verify(accessToken);
    const { kid } = JSON.parse(Buffer.from(accessToken.split(".")[0] ?? "", "base64url").toString());
    await current().server.app.services.signingKeyRevocation.revoke(kid, operator);
    await vi.waitFor(async () => await expect(client.verify(accessToken)).rejects.toMatchObject(invalid));
    await client.verify((await client.refresh(refreshToken)).accessToken);
  });
});
