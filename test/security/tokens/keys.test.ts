import { setTimeout as pause } from "node:timers/promises";
import { eq } from "drizzle-orm";
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  jwtVerify,
  type JSONWebKeySet,
} from "jose";
import { expect, it } from "vitest";
import { startServer } from "../../../src/process/server.ts";
import * as signingKeyRevocation from "../../../src/sessions/signing-key-revocation.ts";
import * as signingKeys from "../../../src/tokens/signing-keys.ts";
import { call, refresh, signedUp, validate } from "../../support/person.ts";
import {
  atUrl,
  updateApp,
  describeEachDatabase,
  describeOnSqlite,
  describeSqliteFirst,
  type TestService,
} from "../../support/service.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const operator = { kind: "cli", name: "test" } as const;
const algorithms = ["ES256", "EdDSA", "RS256"] as const;

/** The members that a public key may have (RFC 7517, 7518, 8037), beside those of every key. */
const publicMembers: Record<string, string[]> = { EC: ["crv", "x", "y"], OKP: ["crv", "x"], RSA: ["n", "e"] };

async function keySet(service: TestService): Promise<JSONWebKeySet> {
  return (await call(service, "GET", "/.well-known/jwks.json", {})).body as unknown as JSONWebKeySet;
}

describeOnSqlite("the published keys", (service) => {
  it("T5: hold no private member, a kid each, and the key of every live token; they may be cached", async () => {
    const tokens: string[] = [];
    for (const signingAlgorithm of algorithms) {
      const app = await service.createApp();
      const { ctx } = service.server.app;
      await updateApp(service, app, { settings: { signingAlgorithm } });
      await signingKeys.announce(ctx, signingAlgorithm, { atOnce: true, dryRun: false });
      const first = await signedUp(service, app);
      await signingKeys.rotateByCommand(ctx, { atOnce: true, dryRun: false }, { actor: operator });
      tokens.push(first.accessToken, String((await refresh(service, app, first.refreshToken)).body["accessToken"]));
    }
    const { headers } = await call(service, "GET", "/.well-known/jwks.json", {});
    // For less time than keys are published before use.
    expect(Number(/^public, max-age=(\d+)/u.exec(headers.get("cache-control") ?? "")?.[1])).toBeLessThanOrEqual(3600);
    const { keys } = await keySet(service);
    const kids = keys.map(({ kid }) => kid);
    expect(new Set(kids).size).toBe(keys.length);
    for (const token of tokens) {
      const { kid, alg } = decodeProtectedHeader(token);
      expect(keys.find((key) => key.kid === kid)).toMatchObject({ alg, use: "sig" });
      await jwtVerify(token, createLocalJWKSet({ keys }), { issuer: service.url, typ: "at+jwt" });
    }
    for (const key of keys) {
      const members = ["kty", "kid", "alg", "use", ...(publicMembers[key.kty ?? ""] ?? [])];
      expect(Object.keys(key).toSorted()).toEqual(members.toSorted());
      for (const value of Object.values(key)) expect(typeof value).toBe("string");
    }
    expect(JSON.stringify(await keySet(service))).not.toMatch(/PRIVATE|-----BEGIN/u);
  });
});

describeEachDatabase("a signing algorithm that an application is switched to", (service, { restart }) => {
  it("signs 15 minutes after its key was published, on every node and over a restart", async () => {
    const app = await service.createApp();
    const algOf = (token: string): string | undefined => decodeProtectedHeader(token).alg;
    let tokens = await signedUp(service, app);
    const renew = async (url = service.url): Promise<string> => {
      const answer = await refresh(atUrl(service, url), app, tokens.refreshToken);
      expect(answer.status).toBe(200);
      tokens = { ...tokens, ...answer.body };
      return tokens.accessToken;
    };
    await updateApp(service, app, { settings: { signingAlgorithm: "EdDSA" } });
    const other = await startServer({ ...service.config, baseUrl: service.url }, { clock: () => service.clock.now });
    try {
      // Whichever node is asked first publishes the key.
      expect(algOf(await renew())).toBe("ES256");
      const cached = await keySet(service);
      expect(cached.keys.map(({ alg }) => alg)).toContain("EdDSA");
      await restart();
      service.clock.advance(14 * minute);
      expect(algOf(await renew())).toBe("ES256");
      expect(algOf(await renew(other.url))).toBe("ES256");
      service.clock.advance(minute);
      expect(algOf(await renew(other.url))).toBe("EdDSA");
      const token = await renew();
      expect(algOf(token)).toBe("EdDSA");
      expect((await validate(service, app, token)).status).toBe(200);
      await jwtVerify(token, createLocalJWKSet(cached), { currentDate: new Date(service.clock.now) });
    } finally {
      await other.close();
    }
  });
});

describeEachDatabase("a signing key that is revoked", (service) => {
  it("is gone from the key set at once, its tokens are refused by every node at the next call, and a new one signs", async () => {
    const app = await service.createApp();
    const other = await startServer({ ...service.config, baseUrl: service.url }, { clock: () => service.clock.now });
    const onOther = atUrl(service, other.url);
    try {
      const before = await signedUp(service, app);
      const idle = await signedUp(service, app);
      for (const node of [service, onOther]) expect((await validate(node, app, before.accessToken)).status).toBe(200);
      const kid = decodeProtectedHeader(before.accessToken).kid ?? "";
      const { ctx } = service.server.app;
      const { state, logins } = await signingKeyRevocation.plan(ctx, kid);
      expect(state).toBe("signing");
      expect(logins).toBeGreaterThanOrEqual(2);
      await signingKeys.revoke(ctx, kid, { actor: operator });
      for (const node of [onOther, service]) {
        expect((await keySet(node)).keys.map((key) => key.kid)).not.toContain(kid);
        for (const token of [before.accessToken, idle.accessToken])
          expect(await validate(node, app, token)).toMatchObject({
            status: 401,
            body: { error: { code: "INVALID_TOKEN" } },
          });
      }
      const renewed = (await refresh(onOther, app, before.refreshToken)).body as { accessToken: string };
      expect(decodeProtectedHeader(renewed.accessToken).kid).not.toBe(kid);
      for (const node of [service, onOther]) {
        expect((await validate(node, app, renewed.accessToken)).status).toBe(200);
        await jwtVerify(renewed.accessToken, createLocalJWKSet(await keySet(node)), {
          currentDate: new Date(service.clock.now),
        });
      }
      await expect(signingKeyRevocation.plan(ctx, kid)).rejects.toMatchObject({ code: "KEY_NOT_FOUND" });
    } finally {
      await other.close();
    }
  });

  it("concerns logins whose tokens for a resource are still valid, after those of the application have expired", async () => {
    const app = await service.createApp();
    const { accessToken } = await signedUp(service, app);
    const kid = decodeProtectedHeader(accessToken).kid ?? "";
    const { storage } = service.server.app.ctx;
    const { logins } = storage.reader.tables;
    service.clock.advance(901_000);
    expect((await signingKeyRevocation.plan(service.server.app.ctx, kid)).logins).toBe(0);
    const ofToken = eq(logins.id, String(decodeJwt(accessToken)["sid"]));
    await storage.write(({ db }) => db.update(logins).set({ resource: "https://api.example" }).where(ofToken));
    expect((await signingKeyRevocation.plan(service.server.app.ctx, kid)).logins).toBe(1);
    service.clock.advance(2_700_000);
    expect((await signingKeyRevocation.plan(service.server.app.ctx, kid)).logins).toBe(0);
  });

  it("leaves a key that signs, whichever of them is revoked", async () => {
    const app = await service.createApp();
    const { ctx } = service.server.app;
    const old = await signedUp(service, app);
    await signingKeys.rotateByCommand(ctx, { atOnce: true, dryRun: false }, { actor: operator });
    await signingKeys.rotateByCommand(ctx, { atOnce: false, dryRun: false }, { actor: operator });
    const kids = (await signingKeys.list(ctx)).filter(({ algorithm }) => algorithm === "ES256").map((key) => key.kid);
    for (const kid of kids) {
      await signingKeys.revoke(ctx, kid, { actor: operator });
      const fresh = await signedUp(service, app);
      expect(kids).not.toContain(kid === kids.at(-1) ? decodeProtectedHeader(fresh.accessToken).kid : "");
      expect((await validate(service, app, fresh.accessToken)).status).toBe(200);
    }
    expect((await validate(service, app, old.accessToken)).status).toBe(401);
    expect((await signingKeys.list(ctx)).filter(({ state }) => state === "signing").length).toBeGreaterThan(0);
  });
});

describeSqliteFirst("a rotation of the signing keys", (service) => {
  it("T6: under a validate loop refuses no token, and no verifier of its own fails", async () => {
    const app = await service.createApp();
    const { ctx } = service.server.app;
    const live: string[] = [(await signedUp(service, app)).accessToken];
    const state = { over: false };
    const seen: number[] = [];
    const watchers = Array.from({ length: 4 }, async (_, nth) => {
      for (let turn = nth; !state.over; turn += 1) {
        seen.push((await validate(service, app, live[turn % live.length] ?? "")).status);
        // Without a pause they would take the processor from the threads that hash and make keys.
        await pause(5);
      }
    });
    // What any library does: fetches the keys, keeps them ten minutes, fetches them again for a kid
    // that it does not know.
    const address = new URL(`${service.url}/.well-known/jwks.json`);
    const verifier = createRemoteJWKSet(address, {
      cacheMaxAge: 10 * minute,
      cooldownDuration: 0,
      timeoutDuration: minute,
    });
    const kids = new Set<string>();
    let refreshed = await signedUp(service, app);
    for (let rotation = 0; rotation < 4; rotation += 1) {
      await signingKeys.rotateByCommand(ctx, { atOnce: rotation % 2 === 0, dryRun: false }, { actor: operator });
      refreshed = { ...refreshed, ...(await refresh(service, app, refreshed.refreshToken)).body };
      live.push(refreshed.accessToken, (await signedUp(service, app)).accessToken);
      for (const token of live) {
        const { protectedHeader } = await jwtVerify(token, verifier, { issuer: service.url, audience: app.id });
        kids.add(protectedHeader.kid ?? "");
      }
    }
    await expect.poll(() => seen.length, { timeout: 60_000 }).toBeGreaterThan(100);
    state.over = true;
    await Promise.all(watchers);
    expect(seen.filter((status) => status !== 200)).toEqual([]);
    expect(kids.size).toBeGreaterThanOrEqual(3);
  });

  it("T6: that was announced is no surprise for keys fetched ten minutes before it", async () => {
    const app = await service.createApp();
    const before = decodeProtectedHeader((await signedUp(service, app)).accessToken).kid;
    const announced = await signingKeys.rotateByCommand(
      service.server.app.ctx,
      { atOnce: false, dryRun: false },
      { actor: operator },
    );
    expect(announced.length).toBeGreaterThan(0);
    let cached = await keySet(service);
    const signers = new Set<string>();
    for (let passed = 0; passed < 26; passed += 2) {
      service.clock.advance(2 * hour);
      const { accessToken } = await signedUp(service, app);
      // No second fetch: the keys that the verifier has are as old as a cache lets them get.
      const currentDate = new Date(service.clock.now);
      const { protectedHeader } = await jwtVerify(accessToken, createLocalJWKSet(cached), { currentDate });
      signers.add(protectedHeader.kid ?? "");
      service.clock.advance(-10 * minute);
      cached = await keySet(service);
      service.clock.advance(10 * minute);
      await service.server.app.sweep();
      expect((await validate(service, app, accessToken)).status).toBe(200);
    }
    expect(signers.size).toBe(2);
    expect(signers.has(before ?? "")).toBe(true);
  });
});
