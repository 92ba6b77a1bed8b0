import { createLocalJWKSet, decodeProtectedHeader, jwtVerify, type JSONWebKeySet } from "jose";
import { expect, it } from "vitest";
import { call, signedUp, validate } from "../../support/person.ts";
import { withApp, describeSqliteFirst, type TestService } from "../../support/service.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

describeSqliteFirst("the rotation of signing keys", (current) => {
  it("replaces the key every 30 days, publishes before use, and refuses no valid token (security rule T6)", async () => {
    const { service, app } = await withApp(current());
    const firstKey = await signingKey(service);
    const begun = service.clock.now;

    // Far from the change, nothing changes.
    for (let days = 0; days < 28; days += 1) {
      service.clock.advance(day);
      await service.server.app.sweep();
    }
    expect(await signingKey(service)).toBe(firstKey);

    // Four hours at a time over the change: each token is verified at once with a key set that a
    // verifier fetched ten minutes before.
    const signers = new Set<string>();
    let cached = await keySet(service);
    while (service.clock.now < begun + 32 * day) {
      service.clock.advance(4 * hour - 10 * minute);
      await service.server.app.sweep();
      service.clock.advance(10 * minute);
      const { accessToken } = await signedUp(service, app);
      await jwtVerify(accessToken, createLocalJWKSet(cached), { currentDate: new Date(service.clock.now) });
      signers.add(decodeProtectedHeader(accessToken).kid ?? "");

      // Nearly at its end it is still good, here and elsewhere.
      service.clock.advance(890 * second);
      await service.server.app.sweep();
      expect((await validate(service, app, accessToken)).status).toBe(200);
      cached = await keySet(service);
      await jwtVerify(accessToken, createLocalJWKSet(cached), { currentDate: new Date(service.clock.now) });
    }
    expect(signers.size).toBe(2);
    expect([...signers][0]).toBe(firstKey);

    service.clock.advance(day);
    await service.server.app.sweep();
    const published = (await keySet(service)).keys.map(({ kid }) => kid);
    expect(published).not.toContain(firstKey);
    expect(published).toContain(await signingKey(service));
  });

  it("catches up after the service slept for a year", async () => {
    const { service, app } = await withApp(current());
    const { accessToken } = await signedUp(service, app);
    service.clock.advance(365 * day);
    await service.server.app.sweep();
    expect((await validate(service, app, accessToken)).status).toBe(401);
    const fresh = await signedUp(service, app);
    expect((await validate(service, app, fresh.accessToken)).status).toBe(200);
    await jwtVerify(fresh.accessToken, createLocalJWKSet(await keySet(service)), {
      currentDate: new Date(service.clock.now),
    });
  });
});

async function keySet(service: TestService): Promise<JSONWebKeySet> {
  return (await call(service, "GET", "/.well-known/jwks.json", {})).body as unknown as JSONWebKeySet;
}

async function signingKey(service: TestService): Promise<string> {
  const { accessToken } = await signedUp(service, await service.createApp());
  return decodeProtectedHeader(accessToken).kid ?? "";
}
