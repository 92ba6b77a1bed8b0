import { decodeJwt } from "jose";
import { expect, it } from "vitest";
import * as clients from "../../../src/applications/clients/service.ts";
import {
  withParty,
  basic,
  newParty,
  post,
  refreshWith,
  tokensFor,
  userInfo,
  type Party,
} from "../../support/openid-tokens.ts";
import { signedUp, validate } from "../../support/person.ts";
import { describeSqliteFirst, describeOnSqlite, type TestService } from "../../support/service.ts";

const all = { scope: "openid email offline_access" };

const introspect = async (service: TestService, party: Party, token: string) =>
  await post(service, "/oauth2/introspect", { token }, basic(party));
const revoke = async (service: TestService, party: Party, token: string, hint = "") =>
  await post(service, "/oauth2/revoke", { token, token_type_hint: hint }, basic(party));

describeSqliteFirst("tokens, asked about and revoked", (current) => {
  it("are active until their login ends", async () => {
    const { service, party } = await withParty(current());
    const tokens = await tokensFor(service, party, all);
    const { sub, sid, jti, iat, exp } = decodeJwt(tokens.access_token);
    const about = { active: true, iss: service.url, sub, sid, client_id: party.client.id, scope: all.scope };
    const access = await introspect(service, party, tokens.access_token);
    expect(access.body).toEqual({ ...about, token_type: "Bearer", aud: party.app.id, jti, iat, exp });
    const refreshToken = await introspect(service, party, tokens.refresh_token);
    expect(refreshToken.body).toEqual({ ...about, iat: expect.any(Number), exp: expect.any(Number) });
    const revoked = await revoke(service, party, tokens.access_token, "refresh_token");
    expect([revoked.status, revoked.body]).toEqual([200, {}]);
    for (const token of [tokens.access_token, tokens.refresh_token])
      expect((await introspect(service, party, token)).body).toEqual({ active: false });
    expect((await refreshWith(service, party, tokens.refresh_token)).body["error"]).toBe("invalid_grant");
    expect((await userInfo(service, tokens.access_token)).status).toBe(401);
  });

  it("are revoked by a refresh token, new or old", async () => {
    const { service, party } = await withParty(current());
    const first = await tokensFor(service, party, all);
    await refreshWith(service, party, first.refresh_token);
    expect((await introspect(service, party, first.refresh_token)).body).toEqual({ active: false });
    await revoke(service, party, first.refresh_token);
    expect((await userInfo(service, first.access_token)).status).toBe(401);
  });
});

describeOnSqlite("tokens, asked about and revoked", (current) => {
  it("C6: are unknown to another application, and another client of the same one cannot revoke them", async () => {
    const { service, party } = await withParty(current());
    const sibling = await newParty(service, {}, party.app);
    const stranger = await newParty(service);
    const tokens = await tokensFor(service, party, all);
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      expect((await introspect(service, stranger, token)).body).toEqual({ active: false });
      expect((await introspect(service, sibling, token)).body["active"]).toBe(true);
      for (const other of [sibling, stranger]) {
        const answer = await revoke(service, other, token);
        expect([answer.status, answer.body]).toEqual([200, {}]);
      }
    }
    const contract = await signedUp(service, party.app);
    await revoke(service, party, contract.accessToken);
    expect((await validate(service, party.app, contract.accessToken)).status).toBe(200);
    expect((await userInfo(service, tokens.access_token)).status).toBe(200);
  });

  it("say nothing of what is no token", async () => {
    const { service, party } = await withParty(current());
    const { id_token: idToken } = await tokensFor(service, party, all);
    for (const token of [idToken, party.secret, "x", "x".repeat(10_000)]) {
      expect((await introspect(service, party, token)).body).toEqual({ active: false });
      expect((await revoke(service, party, token)).status).toBe(200);
    }
    for (const path of ["/oauth2/introspect", "/oauth2/revoke"]) {
      for (const form of [
        [],
        [["token", ""]],
        [
          ["token", "a"],
          ["token", "b"],
        ],
      ] as [string, string][][]) {
        const refused = await post(service, path, form, basic(party));
        expect([path, refused.status, refused.body["error"]]).toEqual([path, 400, "invalid_request"]);
      }
      expect((await post(service, path, { token: idToken })).status).toBe(401);
    }
  });

  it("are no matter of introspection for a client without a secret, which may revoke its own", async () => {
    const service = current();
    const spa = await newParty(service, { kind: "spa" });
    const fields = { token: "x", client_id: spa.client.id };
    const refused = await post(service, "/oauth2/introspect", fields);
    expect([refused.status, refused.body["error"]]).toEqual([401, "invalid_client"]);
    expect((await post(service, "/oauth2/revoke", fields)).status).toBe(200);
  });

  it("are active no longer when their client is disabled", async () => {
    const { service, party } = await withParty(current());
    const other = await newParty(service, {}, party.app);
    const tokens = await tokensFor(service, party, all);
    const active = async () =>
      await Promise.all(
        [tokens.access_token, tokens.refresh_token].map(
          async (token) => (await introspect(service, other, token)).body["active"],
        ),
      );
    expect(await active()).toEqual([true, true]);
    const by = { actor: { kind: "cli", name: "test" } } as const;
    await clients.update(service.server.app.ctx, party.client.id, { enabled: false }, by);
    expect(await active()).toEqual([false, false]);
  });

  it("are active no longer when they expire, are idle for too long, or their user is disabled", async () => {
    const { service, party } = await withParty(current());
    const tokens = await tokensFor(service, party, all);
    service.clock.advance(901_000);
    expect((await introspect(service, party, tokens.access_token)).body).toEqual({ active: false });
    expect((await introspect(service, party, tokens.refresh_token)).body["active"]).toBe(true);
    const { storage } = service.server.app.ctx;
    await storage.write(async ({ db, tables }) => {
      await db.update(tables.users).set({ disabledAt: 1 });
    });
    expect((await introspect(service, party, tokens.refresh_token)).body).toEqual({ active: false });
    await storage.write(async ({ db, tables }) => {
      await db.update(tables.users).set({ disabledAt: null });
    });
    service.clock.advance(14 * 24 * 60 * 60 * 1000);
    expect((await introspect(service, party, tokens.refresh_token)).body).toEqual({ active: false });
  });
});
