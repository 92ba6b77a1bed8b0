import { createHash } from "node:crypto";
import { createRemoteJWKSet, decodeJwt, jwtVerify } from "jose";
import { beforeAll, expect, it } from "vitest";
import type { Login } from "../../../src/sessions/login.ts";
import type { SigningAlgorithm } from "../../../src/storage/column-types.ts";
import * as idTokens from "../../../src/tokens/id-tokens.ts";
import { invalidToken } from "../../support/outcomes.ts";
import { newEmail, signedUp, validate, type Tokens } from "../../support/person.ts";
import { useApp, describeOnSqlite } from "../../support/service.ts";

const hashes: [SigningAlgorithm, string][] = [
  ["RS256", "sha256"],
  ["ES256", "sha256"],
  ["EdDSA", "sha512"],
];

describeOnSqlite("ID tokens", (current) => {
  const app = useApp(current);
  let tokens: Tokens;
  let login: Login;

  beforeAll(async () => {
    tokens = await signedUp(current(), app, newEmail());
    const { db, tables } = current().server.app.ctx.storage.reader;
    const [row] = await db.select().from(tables.logins);
    if (!row) throw new Error("no login");
    login = row;
  });

  const sign = async (idTokenAlg: SigningAlgorithm, changes: Partial<Login> = {}) =>
    await idTokens.sign(current().server.app.ctx, {
      login: { ...login, ...changes },
      client: { id: app.id, idTokenAlg },
      nonce: "n-0S6",
      accessToken: tokens.accessToken,
      userClaims: { name: "Ada", iss: "https://evil.example" },
    });

  it.each(hashes)("are signed by %s at once, and verify with the published keys", async (algorithm, hash) => {
    const { url } = current();
    const keys = createRemoteJWKSet(new URL(`${url}/.well-known/jwks.json`));
    const idToken = await sign(algorithm);
    const { payload, protectedHeader } = await jwtVerify(idToken, keys, {
      issuer: url,
      audience: app.id,
      typ: "JWT",
      algorithms: [algorithm],
      currentDate: new Date(current().clock.now),
    });
    expect(protectedHeader.alg).toBe(algorithm);
    const digest = createHash(hash).update(tokens.accessToken).digest();
    expect(payload).toEqual({
      iss: url,
      sub: login.userId,
      aud: app.id,
      azp: app.id,
      iat: Math.floor(current().clock.now / 1000),
      exp: Math.floor(current().clock.now / 1000) + 900,
      auth_time: Math.floor(login.signedInAt / 1000),
      nonce: "n-0S6",
      acr: "urn:authsvc:acr:1",
      amr: ["pwd"],
      sid: login.id,
      at_hash: digest.subarray(0, digest.length / 2).toString("base64url"),
      name: "Ada",
    });
  });

  it.each([
    ["a passkey", { signedInWith: "passkey" }, "phr", ["pop", "user", "mfa"]],
    ["a password and a passkey", { proofs: ["password", "passkey"] }, "phr", ["pwd", "pop", "user", "mfa"]],
    [
      "a password and a passkey created after it",
      { proofs: ["password", "new-passkey"] },
      "urn:authsvc:acr:1",
      ["pwd", "pop", "user"],
    ],
    ["a password and a code", { secondFactor: "totp" }, "urn:authsvc:acr:2", ["pwd", "otp", "mfa"]],
    ["a provider", { signedInWith: "oauth" }, "urn:authsvc:acr:1", ["fed"]],
  ] as [string, Partial<Login>, string, string[]][])("name what was proven: %s", async (_, changes, acr, amr) => {
    const claims = decodeJwt(await sign("RS256", changes));
    expect(claims).toMatchObject({ acr, amr });
  });

  it("are hints for as long as their key is published, expired or not", async () => {
    const { ctx } = current().server.app;
    const idToken = await sign("RS256");
    current().clock.advance(60 * 60 * 1000);
    expect(await idTokens.findHint(ctx, idToken)).toEqual({ sub: login.userId, sid: login.id, clientId: app.id });
    const [header, payload, signature = ""] = idToken.split(".");
    const other = `${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`;
    for (const bad of [tokens.accessToken, "", "a.b.c", `${header}.${payload}.${other}`, `${header}.${payload}.`])
      expect(await idTokens.findHint(ctx, bad)).toBeUndefined();
  });

  it("C10: are no access tokens", async () => {
    for (const algorithm of ["RS256", "ES256", "EdDSA"] as const)
      expect(await validate(current(), app, await sign(algorithm))).toMatchObject(invalidToken);
  });
});
