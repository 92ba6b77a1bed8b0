import { decodeProtectedHeader, type JSONWebKeySet } from "jose";
import { expect, it } from "vitest";
import { call, signedUp } from "../../support/person.ts";
import { describeOnSqlite, type TestService } from "../../support/service.ts";

const day = 24 * 60 * 60 * 1000;

describeOnSqlite("the rotation of signing keys", (current) => {
  it("goes on for a year, with a key set that does not grow, and every kid new", async () => {
    const service = current();
    const seen = new Set<string>();
    for (let days = 0; days < 365; days += 1) {
      service.clock.advance(day);
      await service.server.app.sweep();
      const { keys } = await keySet(service);
      // ES256 signs access tokens, RS256 ID tokens.
      for (const algorithm of ["ES256", "RS256"])
        expect([1, 2]).toContain(keys.filter(({ alg }) => alg === algorithm).length);
      for (const { kid, alg } of keys) if (alg === "ES256") seen.add(kid ?? "");
      if (days % 15 === 0) expect(keys.map(({ kid }) => kid)).toContain(await signingKey(service));
    }
    expect(seen.size).toBeGreaterThanOrEqual(12);
    expect(seen.size).toBeLessThanOrEqual(15);
  });
});

async function keySet(service: TestService): Promise<JSONWebKeySet> {
  return (await call(service, "GET", "/.well-known/jwks.json", {})).body as unknown as JSONWebKeySet;
}

async function signingKey(service: TestService): Promise<string> {
  const { accessToken } = await signedUp(service, await service.createApp());
  return decodeProtectedHeader(accessToken).kid ?? "";
}
