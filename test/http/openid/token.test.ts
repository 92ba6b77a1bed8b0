import { decodeJwt, decodeProtectedHeader } from "jose";
import { describe, expect, it } from "vitest";
import * as clients from "../../../src/applications/clients/service.ts";
import type { NewApplication } from "../../../src/applications/new-application.ts";
import { setClaims } from "../../support/groups.ts";
import {
  withParty,
  applicationParty,
  basic,
  codeFor,
  newParty,
  post,
  refreshWith,
  tokensFor,
  userInfo,
} from "../../support/openid-tokens.ts";
import { codeChallenge, codeVerifier } from "../../support/openid.ts";
import { call, refresh, validate } from "../../support/person.ts";
import { describeSqliteFirst, describeOnSqlite } from "../../support/service.ts";

const all = { scope: "openid profile email offline_access" };

describeSqliteFirst("POST /oauth2/token", (current) => {
  it("exchanges a code for an access token, an ID token and a refresh token", async () => {
    const { service, party } = await withParty(current());
    const form = await codeFor(service, party, { ...all, nonce: "n-1" });
    const { status, headers, body } = await post(service, "/oauth2/token", form, basic(party));
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("pragma")).toBe("no-cache");
    expect(body).toEqual({
      access_token: expect.any(String),
      token_type: "Bearer",
      expires_in: 900,
      scope: all.scope,
      refresh_token: expect.any(String),
      id_token: expect.any(String),
    });
    const [access, id] = [decodeJwt(String(body["access_token"])), decodeJwt(String(body["id_token"]))];
    expect(access).toMatchObject({ aud: party.app.id, client_id: party.client.id, scope: all.scope, sub: id.sub });
    expect(decodeProtectedHeader(String(body["id_token"]))).toMatchObject({ alg: "RS256", typ: "JWT" });
    const updatedAt = expect.any(Number);
    const user = { name: "Ada", locale: "en", updated_at: updatedAt, email: party.email, email_verified: false };
    expect(id).toMatchObject({ iss: service.url, aud: party.client.id, nonce: "n-1", sid: access["sid"], ...user });
    expect((await validate(service, party.app, String(body["access_token"]))).status).toBe(200);
    const info = await userInfo(service, String(body["access_token"]));
    expect([info.status, info.body]).toEqual([200, { sub: id.sub, ...user }]);
  });

  it("replaces a refresh token, with an ID token of the same sign-in without nonce", async () => {
    const { service, party } = await withParty(current());
    const first = await tokensFor(service, party, { ...all, nonce: "n-1" });
    service.clock.advance(60_000);
    const { status, body } = await refreshWith(service, party, first.refresh_token);
    expect([status, body["scope"]]).toEqual([200, all.scope]);
    expect(body["refresh_token"]).not.toBe(first.refresh_token);
    const { nonce, iat, exp, at_hash: _hash, ...before } = decodeJwt(first.id_token);
    const after = decodeJwt(String(body["id_token"]));
    expect(nonce).toBe("n-1");
    expect(after).toMatchObject({ ...before, iat: Number(iat) + 60, exp: Number(exp) + 60 });
    expect(after["nonce"]).toBeUndefined();
    // The grace of thirty seconds, then reuse ends the login.
    const again = await refreshWith(service, party, first.refresh_token);
    expect(again.body["refresh_token"]).toBe(body["refresh_token"]);
    service.clock.advance(31_000);
    const reused = await refreshWith(service, party, first.refresh_token);
    expect([reused.status, reused.body["error"]]).toEqual([400, "invalid_grant"]);
    expect((await refreshWith(service, party, String(body["refresh_token"]))).status).toBe(400);
    expect((await userInfo(service, String(body["access_token"]))).status).toBe(401);
  });

  it("S3: of 50 parallel redemptions one wins, and the others end its login", async () => {
    const { service, party } = await withParty(current());
    const form = await codeFor(service, party, all);
    const answers = await Promise.all(
      Array.from({ length: 50 }, async () => await post(service, "/oauth2/token", form, basic(party))),
    );
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    const lost = answers.filter(({ status }) => status !== 200);
    expect(new Set(lost.map(({ status, body }) => `${status} ${String(body["error"])}`))).toEqual(
      new Set(["400 invalid_grant"]),
    );
    const tokens = won[0]?.body ?? {};
    expect((await validate(service, party.app, String(tokens["access_token"]))).status).toBe(401);
    expect((await refreshWith(service, party, String(tokens["refresh_token"]))).status).toBe(400);
  });

  it("C6: binds a refresh token to its client, and to no other door", async () => {
    const { service, party } = await withParty(current());
    const sibling = await newParty(service, {}, party.app);
    const stranger = await newParty(service);
    const { refresh_token: token } = await tokensFor(service, party, all);
    for (const other of [
      sibling,
      stranger,
      { ...party, client: { ...party.client, id: party.app.id }, secret: party.app.apiKey },
    ]) {
      const refused = await refreshWith(service, other, token);
      expect([refused.status, refused.body["error"]]).toEqual([400, "invalid_grant"]);
    }
    expect((await refresh(service, party.app, token)).body.error?.code).toBe("INVALID_TOKEN");
    expect((await refreshWith(service, party, token)).status).toBe(200);
  });
});

describeOnSqlite("POST /oauth2/token", (current) => {
  it("takes the application itself as a client, with an API key as secret", async () => {
    const service = current();
    const party = await applicationParty(service);
    const tokens = await tokensFor(service, party, all);
    expect(decodeJwt(tokens.id_token)).toMatchObject({ aud: party.app.id, azp: party.app.id });
    expect((await refresh(service, party.app, tokens.refresh_token)).status).toBe(200);
  });

  describe("without a key, for the application itself", () => {
    const pkce = { ...all, code_challenge: codeChallenge, code_challenge_method: "S256" };
    async function redeemedBy(changes: Partial<NewApplication>, parameters: Record<string, string>) {
      const service = current();
      const party = await applicationParty(service, await service.createApp(changes));
      const form = { ...(await codeFor(service, party, parameters)), client_id: party.app.id };
      const verifier: Record<string, string> = parameters === pkce ? { code_verifier: codeVerifier } : {};
      return { ...(await post(service, "/oauth2/token", { ...form, ...verifier })), app: party.app };
    }
    const settings = { publicClients: true };

    it("redeems with PKCE if it allows public clients, and refreshes as after its own sign-in", async () => {
      const { status, body, app } = await redeemedBy({ settings }, pkce);
      expect(status).toBe(200);
      const headers = { "x-service-app-id": app.id };
      const refreshToken = String(body["refresh_token"]);
      expect((await call(current(), "POST", "/auth/refresh", headers, { refreshToken })).status).toBe(200);
    });

    it.each<[title: string, ...Parameters<typeof redeemedBy>, error: string]>([
      ["if it does not allow public clients", {}, pkce, "invalid_client"],
      ["a code without PKCE", { settings }, all, "invalid_grant"],
      [
        "a code at a private-use scheme, which any app on a phone can claim (RFC 8252 §8.6)",
        { settings, redirectUris: ["com.example.shop:/callback"] },
        pkce,
        "invalid_grant",
      ],
    ])("C5: does not redeem %s", async (_title, changes, parameters, error) => {
      const { status, body } = await redeemedBy(changes, parameters);
      expect([status, body["error"]]).toEqual([error === "invalid_client" ? 401 : 400, error]);
    });

    it("C6: does not refresh a login that began with the key", async () => {
      const service = current();
      const party = await applicationParty(service, await service.createApp({ settings }));
      const { refresh_token: token } = await tokensFor(service, party, all);
      const form = { grant_type: "refresh_token", refresh_token: token, client_id: party.app.id };
      const { status, body } = await post(service, "/oauth2/token", form);
      expect([status, body["error"]]).toEqual([400, "invalid_grant"]);
      expect((await refreshWith(service, party, token)).status).toBe(200);
    });
  });

  it("gives a refresh token only for offline_access, or where the client always gets one", async () => {
    const { service, party } = await withParty(current());
    const without = await tokensFor(service, party, { scope: "openid" });
    expect(without.refresh_token).toBeUndefined();
    const always = await newParty(service, { refreshTokens: "always" });
    expect((await tokensFor(service, always, { scope: "openid" })).refresh_token).toEqual(expect.any(String));
    // Its login ends half a day later, since nothing can continue it.
    const { sid } = decodeJwt(without.access_token);
    const { db, tables } = service.server.app.ctx.storage.reader;
    const login = (await db.select().from(tables.logins)).find(({ id }) => id === sid);
    expect(login?.expiresAt).toBe(service.clock.now + 12 * 60 * 60 * 1000);
  });

  it("gives no ID token without the scope openid, and a short one where the client wants that", async () => {
    const { service, party } = await withParty(current());
    expect((await tokensFor(service, party, { scope: "profile" })).id_token).toBeUndefined();
    const minimal = await newParty(service, { idTokenClaims: "minimal", idTokenAlg: "EdDSA" });
    const tokens = await tokensFor(service, minimal, all);
    expect(Object.keys(decodeJwt(tokens.id_token)).toSorted()).toEqual(
      ["iss", "sub", "aud", "azp", "iat", "exp", "auth_time", "acr", "amr", "sid", "at_hash"].toSorted(),
    );
    expect(decodeProtectedHeader(tokens.id_token)["alg"]).toBe("EdDSA");
  });

  it("puts only what was asked for by name into the short one, and none of the application's claims", async () => {
    const { service, party } = await withParty(current(), { idTokenClaims: "minimal" });
    await setClaims(service, party.app, [{ claim: "tenant", from: "value", value: "t1", in: ["id", "userinfo"] }]);
    const claims = JSON.stringify({ id_token: { name: null } });
    const tokens = await tokensFor(service, party, { ...all, claims });
    expect(decodeJwt(tokens.id_token)).toMatchObject({ name: "Ada" });
    expect(decodeJwt(tokens.id_token)).not.toHaveProperty("tenant");
    expect(decodeJwt(tokens.id_token)).not.toHaveProperty("email");
    expect((await userInfo(service, tokens.access_token)).body).toMatchObject({ tenant: "t1" });
  });

  it("narrows the scope of one refresh, and never widens it", async () => {
    const { service, party } = await withParty(current());
    const { refresh_token: token } = await tokensFor(service, party, { scope: "openid profile offline_access" });
    const wider = await refreshWith(service, party, token, { scope: "openid email" });
    expect([wider.status, wider.body["error"]]).toEqual([400, "invalid_scope"]);
    const narrow = await refreshWith(service, party, token, { scope: "profile" });
    expect([narrow.status, narrow.body["scope"], narrow.body["id_token"]]).toEqual([200, "profile", undefined]);
    expect((await userInfo(service, String(narrow.body["access_token"]))).status).toBe(403);
    const whole = await refreshWith(service, party, String(narrow.body["refresh_token"]));
    expect(whole.body["scope"]).toBe("openid profile offline_access");
  });

  it("C2: refuses a code with anything that is not its own, and consumes it all the same", async () => {
    const { service, party } = await withParty(current());
    const sibling = await newParty(service, { redirectUris: party.client.redirectUris }, party.app);
    const pkce = { ...all, code_challenge: codeChallenge, code_challenge_method: "S256" };
    const rows: [what: string, pkce: boolean, changes: Record<string, string>][] = [
      ["another redirect_uri", false, { redirect_uri: "https://evil.example/" }],
      ["no redirect_uri", false, { redirect_uri: "" }],
      ["a verifier without a challenge", false, { code_verifier: codeVerifier }],
      ["no verifier", true, {}],
      ["another verifier", true, { code_verifier: "w".repeat(64) }],
      ["the challenge as verifier", true, { code_verifier: codeChallenge }],
    ];
    for (const [what, isPkce, changes] of rows) {
      const form = await codeFor(service, party, isPkce ? pkce : all);
      const refused = await post(service, "/oauth2/token", { ...form, ...changes }, basic(party));
      expect([what, refused.status, refused.body["error"]]).toEqual([what, 400, "invalid_grant"]);
      const right = { ...form, ...(isPkce ? { code_verifier: codeVerifier } : {}) };
      expect([what, (await post(service, "/oauth2/token", right, basic(party))).status]).toEqual([what, 400]);
    }
    const application = { client: { id: party.app.id }, secret: party.app.apiKey };
    for (const other of [sibling, await newParty(service), application]) {
      const form = await codeFor(service, party, all);
      const stolen = await post(service, "/oauth2/token", form, basic(other));
      expect([stolen.status, stolen.body["error"]]).toEqual([400, "invalid_grant"]);
    }
  });

  it("refuses an old code, one for an address that the client has lost, and a client that was disabled since", async () => {
    const { service, party } = await withParty(current());
    const form = await codeFor(service, party, all);
    service.clock.advance(61_000);
    expect((await post(service, "/oauth2/token", form, basic(party))).body["error"]).toBe("invalid_grant");
    const { refresh_token: token } = await tokensFor(service, party, all);
    const moved = await codeFor(service, party, all);
    const by = { actor: { kind: "cli", name: "test" } } as const;
    await clients.update(service.server.app.ctx, party.client.id, { redirectUris: ["https://new.example/"] }, by);
    expect((await post(service, "/oauth2/token", moved, basic(party))).body["error"]).toBe("invalid_grant");
    const { storage } = service.server.app.ctx;
    await storage.write(async ({ db, tables }) => {
      await db.update(tables.clients).set({ disabledAt: 1 });
    });
    const disabled = await refreshWith(service, party, token);
    expect([disabled.status, disabled.body["error"]]).toEqual([401, "invalid_client"]);
    expect(disabled.headers.get("www-authenticate")).toBe('Basic realm="authsvc"');
  });

  it("answers every bad form with the error of RFC 6749, and repeats nothing of it", async () => {
    const { service, party } = await withParty(current());
    const canary = "cAnArY7f3";
    const byCode = "grant_type=authorization_code";
    const rows: [form: string, error: string][] = [
      ["", "invalid_request"],
      ["grant_type=", "invalid_request"],
      [`grant_type=${canary}`, "unsupported_grant_type"],
      ["grant_type=client_credentials", "unsupported_grant_type"],
      [byCode, "invalid_request"],
      [`${byCode}&code=`, "invalid_request"],
      [`${byCode}&code=${canary}`, "invalid_grant"],
      [`${byCode}&code=${canary.repeat(1000)}`, "invalid_grant"],
      [`${byCode}&code=${canary}%00`, "invalid_request"],
      ["grant_type=refresh_token", "invalid_request"],
      [`grant_type=refresh_token&refresh_token=${canary}`, "invalid_grant"],
    ];
    for (const name of ["grant_type", "code", "redirect_uri", "code_verifier", "refresh_token", "scope", "client_id"])
      rows.push([`${byCode}&${name}=${canary}&${name}=${canary}`, "invalid_request"]);
    for (const [form, error] of rows) {
      const pairs = [...new URLSearchParams(form)];
      const { status, headers, body } = await post(service, "/oauth2/token", pairs, basic(party));
      expect([form, status, body["error"]]).toEqual([form, 400, error]);
      expect(Object.keys(body)).toEqual(["error", "error_description"]);
      expect(headers.get("cache-control")).toBe("no-store");
      expect(JSON.stringify(body)).not.toContain(canary);
    }
    const json = await call(service, "POST", "/oauth2/token", basic(party), { grant_type: "refresh_token" });
    expect([json.status, json.body["error"]]).toEqual([415, "invalid_request"]);
    const huge = await post(service, "/oauth2/token", { code: "x".repeat(20_000) }, basic(party));
    expect([huge.status, huge.body["error"]]).toEqual([413, "invalid_request"]);
    const read = await call(service, "GET", "/oauth2/token", {});
    expect([read.status, read.body["error"]]).toEqual([405, "invalid_request"]);
  });
});
