import { eq } from "drizzle-orm";
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import * as operatorTokens from "../../../src/sessions/operator-tokens.ts";
import * as signingKeys from "../../../src/tokens/signing-keys.ts";
import { call, redeem, refresh, signedUp, signUp, validate, type Tokens } from "../../support/person.ts";
import { sendUntidied } from "../../support/raw-http.ts";
import { useApp, updateApp, describeSqliteFirst, type TestApp, type TestService } from "../../support/service.ts";

const algorithms = ["ES256", "EdDSA", "RS256"] as const;

describeSqliteFirst("access tokens", (current) => {
  const app = useApp(current);
  const verifyByJose = async (token: string, audience = app.id) =>
    await jwtVerify(token, createRemoteJWKSet(new URL(`${current().url}/.well-known/jwks.json`)), {
      issuer: current().url,
      audience,
      typ: "at+jwt",
      currentDate: new Date(current().clock.now),
      requiredClaims: ["sub", "exp", "iat", "jti", "sid", "scope"],
    });

  it("carry the claims of the contract and of RFC 9068, and no others", async () => {
    const signed = await signUp(current(), app);
    const signedInAt = current().clock.now;
    current().clock.advance(30_000);
    const { accessToken, user } = await redeem(current(), app, signed);
    const issuedAt = Math.floor(current().clock.now / 1000);
    expect(decodeProtectedHeader(accessToken)).toEqual({
      alg: "ES256",
      typ: "at+jwt",
      kid: expect.stringMatching(/^[\w-]{20,}$/u),
    });
    expect(decodeJwt(accessToken)).toEqual({
      iss: current().url,
      sub: user["id"],
      user_id: user["id"],
      aud: app.id,
      app_id: app.id,
      client_id: app.id,
      email: user["email"],
      email_verified: false,
      iat: issuedAt,
      exp: issuedAt + 900,
      jti: expect.stringMatching(/^\S{16,}$/u),
      sid: expect.stringMatching(/^lgn_\w+$/u),
      scope: "profile email",
      auth_time: Math.floor(signedInAt / 1000),
      acr: "urn:authsvc:acr:1",
      amr: ["pwd"],
    });
  });

  it("say whether the address is proven, wherever they carry it and nowhere else", async () => {
    const service = current();
    const { refreshToken, email, user } = await signedUp(service, app);
    await service.server.app.ctx.storage.write(async ({ db, tables: { users } }) => {
      await db.update(users).set({ emailVerified: true }).where(eq(users.email, email));
    });
    // The second time it is the predecessor, which buys the same successor on another path.
    for (let time = 0; time < 2; time += 1) {
      const renewed = (await refresh(service, app, refreshToken)).body as Tokens;
      expect(decodeJwt(renewed.accessToken)).toMatchObject({ email, email_verified: true, client_id: app.id });
    }
    const mint = async (scopes: string[]) => {
      const { ctx } = service.server.app;
      const input = { userId: String(user["id"]), scopes, seconds: 60 };
      const minted = await operatorTokens.mint(ctx, input, { dryRun: false }, { kind: "cli", name: "test" });
      return decodeJwt(minted.accessToken ?? "");
    };
    expect(await mint(["email"])).toMatchObject({ email, email_verified: true, client_id: app.id });
    const withoutScope = await mint(["profile"]);
    expect(withoutScope).not.toHaveProperty("email");
    expect(withoutScope).not.toHaveProperty("email_verified");
  });

  it("of a refresh belong to the same login and the same sign-in, under a new id", async () => {
    const first = await signedUp(current(), app);
    current().clock.advance(100_000);
    const second = (await refresh(current(), app, first.refreshToken)).body as Tokens;
    const [before, after] = [decodeJwt(first.accessToken), decodeJwt(second.accessToken)];
    const issuedAt = Math.floor(current().clock.now / 1000);
    expect(after).toEqual({ ...before, iat: issuedAt, exp: issuedAt + 900, jti: expect.any(String) });
    expect(after.jti).not.toBe(before.jti);
  });

  describe.each(algorithms)("signed with %s", (algorithm) => {
    const mine = useApp(current);
    let tokens: Tokens;
    beforeAll(async () => {
      await setAlgorithm(current(), mine, algorithm);
      tokens = await signedUp(current(), mine);
    });

    it("are accepted by the service and by an independent verifier with the published keys", async () => {
      const { protectedHeader, payload } = await verifyByJose(tokens.accessToken, mine.id);
      expect(protectedHeader.alg).toBe(algorithm);
      expect(payload["email"]).toBe(tokens.user["email"]);
      const valid = await validate(current(), mine, tokens.accessToken);
      expect(valid.body).toMatchObject({ valid: true, user: { id: payload.sub } });
      expect(valid.body["expiresAt"]).toBe(new Date((payload.exp ?? 0) * 1000).toISOString());
    });

    it("stay valid until they expire when the app changes its algorithm", async () => {
      const [next = "ES256"] = algorithms.filter((other) => other !== algorithm);
      await setAlgorithm(current(), mine, next);
      const renewed = (await refresh(current(), mine, tokens.refreshToken)).body;
      expect(decodeProtectedHeader(String(renewed["accessToken"])).alg).toBe(next);
      expect((await validate(current(), mine, String(renewed["accessToken"]))).status).toBe(200);
      expect((await validate(current(), mine, tokens.accessToken)).status).toBe(200);
      await verifyByJose(tokens.accessToken, mine.id);
    });
  });

  it("are validated with the user as the row is now, and no more of it than the contract shows", async () => {
    const { accessToken, user, email } = await signedUp(current(), app);
    await current().server.app.ctx.storage.write(async ({ db, tables: { users } }) => {
      await db.update(users).set({ name: "Renamed", emailVerified: true }).where(eq(users.email, email));
    });
    const { status, headers, body } = await validate(current(), app, accessToken);
    expect(status).toBe(200);
    expect(body).toEqual({
      valid: true,
      user: { id: user["id"], email, emailVerified: true, name: "Renamed" },
      scopes: ["profile", "email"],
      expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/u),
    });
    expect(headers.get("cache-control")).toBe("no-store");
  });

  describe("are described", () => {
    it("to pages of any origin, and to who has it already by 304 alone", async () => {
      for (const path of ["/.well-known/jwks.json", "/.well-known/openid-configuration", "/openapi.json"]) {
        const first = await call(current(), "GET", path, { origin: "https://elsewhere.example" });
        const etag = first.headers.get("etag") ?? "";
        expect(etag).toMatch(/^"[\w-]{20,}"$/u);
        if (path !== "/openapi.json") expect(first.headers.get("access-control-allow-origin")).toBe("*");
        for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
          const again = await fetch(current().url + path, { headers: { "if-none-match": known } });
          expect([again.status, await again.text()]).toEqual([304, ""]);
          expect(again.headers.get("etag")).toBe(etag);
          expect(again.headers.get("cache-control")).toBe(first.headers.get("cache-control"));
        }
        expect((await fetch(current().url + path, { headers: { "if-none-match": '"other"' } })).status).toBe(200);
      }
    });

    it("by a document that is compressed for who can read that", async () => {
      const ask = async (encoding: string) => {
        const headers = { "accept-encoding": encoding };
        return await sendUntidied(current(), "GET", "/openapi.json", headers);
      };
      const [plain, packed] = [await ask("identity"), await ask("br, gzip")];
      expect(plain.headers["content-encoding"]).toBeUndefined();
      expect(packed.headers["content-encoding"]).toBe("gzip");
      expect(packed.headers.vary).toBe("Accept-Encoding");
      expect(Number(packed.headers["content-length"])).toBeLessThan(Number(plain.headers["content-length"]) / 3);
      expect(packed.headers.etag).not.toBe(plain.headers.etag);
      expect(await (await fetch(`${current().url}/openapi.json`)).json()).toEqual(JSON.parse(plain.text));
    });
  });
});

/**
 * With a key that signs at once: what the app signs with, and not when it begins, is what these
 * tests are about.
 */
async function setAlgorithm(
  service: TestService,
  app: TestApp,
  signingAlgorithm: (typeof algorithms)[number],
): Promise<void> {
  const { ctx } = service.server.app;
  await updateApp(service, app, { settings: { signingAlgorithm } });
  await signingKeys.announce(ctx, signingAlgorithm, { atOnce: true, dryRun: false });
}
