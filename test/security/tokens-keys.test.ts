import { createLocalJWKSet, createRemoteJWKSet, decodeProtectedHeader, jwtVerify, type JSONWebKeySet } from "jose";
import { expect, it } from "vitest";
import { call, refresh, signedUp, validate } from "../support/person.ts";
import { describeEachDatabase, describeOnSqlite, type TestService } from "../support/service.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const operator = { kind: "cli", name: "test" } as const;
const algorithms = ["ES256", "EdDSA", "RS256"] as const;

/** RFC 7517, 7518 and 8037: the members that say something secret. */
const privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

async function keySet(service: TestService): Promise<JSONWebKeySet> {
  return (await call(service, "GET", "/.well-known/jwks.json", {})).body as unknown as JSONWebKeySet;
}

describeOnSqlite("the published keys", (current) => {
  it("T5: hold no private member, a kid each, and the key of every live token; they may be cached", async () => {
    const service = current();
    const tokens: string[] = [];
    for (const signingAlgorithm of algorithms) {
      const app = await service.createApp();
      const { applications, signingKeys } = service.server.app.services;
      await applications.update(app.id, { settings: { signingAlgorithm } }, operator);
      const first = await signedUp(service, app);
      await signingKeys.rotateByCommand({ atOnce: true, dryRun: false }, operator);
      tokens.push(first.accessToken, String((await refresh(service, app, first.refreshToken)).body["accessToken"]));
    }
    const { headers } = await call(service, "GET", "/.well-known/jwks.json", {});
    expect(headers.get("cache-control")).toMatch(/^public, max-age=\d+/u);
    const { keys } = await keySet(service);
    const kids = keys.map(({ kid }) => kid);
    expect(new Set(kids).size).toBe(keys.length);
    for (const token of tokens) {
      const { kid, alg } = decodeProtectedHeader(token);
      expect(keys.find((key) => key.kid === kid)).toMatchObject({ alg, use: "sig" });
      await jwtVerify(token, createLocalJWKSet({ keys }), { issuer: service.url, typ: "at+jwt" });
    }
    for (const key of keys) {
      expect(Object.keys(key).filter((member) => privateMembers.includes(member))).toEqual([]);
      for (const value of Object.values(key)) expect(typeof value).toBe("string");
    }
    expect(JSON.stringify(await keySet(service))).not.toMatch(/PRIVATE|-----BEGIN/u);
  });
});

describeEachDatabase("a rotation of the signing keys", (current) => {
  it("T6: under a validate loop refuses no token, and no verifier of its own fails", { timeout: 60_000 }, async () => {
    const service = current();
    const app = await service.createApp();
    const { signingKeys } = service.server.app.services;
    const live: string[] = [(await signedUp(service, app)).accessToken];
    const state = { over: false };
    const seen: number[] = [];
    const watchers = Array.from({ length: 4 }, async (_, nth) => {
      for (let turn = nth; !state.over; turn += 1)
        seen.push((await validate(service, app, live[turn % live.length] ?? "")).status);
    });
    // What any library does: fetches the keys, keeps them ten minutes, fetches them again for a kid that it does not know.
    const address = new URL(`${service.url}/.well-known/jwks.json`);
    const verifier = createRemoteJWKSet(address, { cacheMaxAge: 10 * minute, cooldownDuration: 0 });
    const kids = new Set<string>();
    let refreshed = await signedUp(service, app);
    for (let rotation = 0; rotation < 6; rotation += 1) {
      await signingKeys.rotateByCommand({ atOnce: rotation % 2 === 0, dryRun: false }, operator);
      refreshed = { ...refreshed, ...(await refresh(service, app, refreshed.refreshToken)).body };
      live.push(refreshed.accessToken, (await signedUp(service, app)).accessToken);
      for (const token of live) {
        const { protectedHeader } = await jwtVerify(token, verifier, { issuer: service.url, audience: app.id });
        kids.add(protectedHeader.kid ?? "");
      }
    }
    await expect.poll(() => seen.length, { timeout: 10_000 }).toBeGreaterThan(100);
    state.over = true;
    await Promise.all(watchers);
    expect(seen.filter((status) => status !== 200)).toEqual([]);
    expect(kids.size).toBeGreaterThanOrEqual(4);
  });

  it("T6: that was announced is no surprise for keys fetched ten minutes before it", { timeout: 60_000 }, async () => {
    const service = current();
    const app = await service.createApp();
    const before = decodeProtectedHeader((await signedUp(service, app)).accessToken).kid;
    const announced = await service.server.app.services.signingKeys.rotateByCommand(
      { atOnce: false, dryRun: false },
      operator,
    );
    expect(announced.length).toBeGreaterThan(0);
    let cached = await keySet(service);
    const signers = new Set<string>();
    for (let passed = 0; passed < 26; passed += 1) {
      service.clock.advance(hour);
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
