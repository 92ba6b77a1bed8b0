import { eq } from "drizzle-orm";
import { decodeJwt } from "jose";
import { describe, expect, it } from "vitest";
import type { ClaimPlace } from "../../../src/storage/column-types.ts";
import {
  withParty,
  newParty,
  post,
  refreshWith,
  tokensFor,
  userInfo,
  type Party,
} from "../../support/openid-tokens.ts";
import { invalidToken } from "../../support/outcomes.ts";
import { call, signedUp, validate } from "../../support/person.ts";
import { describeOnSqlite, type TestService } from "../../support/service.ts";

const all = { scope: "openid profile email offline_access" };

describeOnSqlite("/oauth2/userinfo", (current) => {
  it("shows what the scopes grant, and what the claims parameter asks for", async () => {
    const { service, party } = await withParty(current());
    const keys = async (parameters: Record<string, string>) => {
      const tokens = await tokensFor(service, party, parameters);
      const info = await userInfo(service, tokens.access_token);
      return [
        Object.keys(info.body),
        Object.keys(decodeJwt(tokens.id_token)).filter((name) => /name|email/u.test(name)),
      ];
    };
    expect(await keys({ scope: "openid" })).toEqual([["sub"], []]);
    expect(await keys({ scope: "openid email" })).toEqual([
      ["sub", "email", "email_verified"],
      ["email", "email_verified"],
    ]);
    const claims = JSON.stringify({
      userinfo: { name: { essential: true }, sub: null, x: null },
      id_token: { email: null },
    });
    expect(await keys({ scope: "openid", claims })).toEqual([["sub", "name"], ["email"]]);
  });

  it("gives a claim that was asked for only if the client may have its scope, and people agreed", async () => {
    const service = current();
    const claims = JSON.stringify({ userinfo: { email: { essential: true }, name: null } });
    const narrow = await newParty(service, { scopes: ["openid", "profile"] });
    const tokens = await tokensFor(service, narrow, { scope: "openid", claims });
    expect(Object.keys((await userInfo(service, tokens.access_token)).body)).toEqual(["sub", "name"]);
    const { storage } = service.server.app.ctx;
    await storage.write(async ({ db, tables }) => {
      await db.update(tables.clients).set({ consent: "ask" });
    });
    expect(Object.keys((await userInfo(service, tokens.access_token)).body)).toEqual(["sub"]);
  });

  describe("preferred_username", () => {
    const verified = async (service: TestService, { email }: Party) =>
      await service.server.app.ctx.storage.write(async ({ db, tables: { users } }) => {
        await db.update(users).set({ emailVerified: true }).where(eq(users.email, email));
      });
    const preferred = async (service: TestService, party: Party, parameters: Record<string, string>) => {
      const tokens = await tokensFor(service, party, parameters);
      const { body } = await userInfo(service, tokens.access_token);
      return [body["preferred_username"], decodeJwt(tokens.id_token)["preferred_username"]];
    };
    const [profile, both] = [{ scope: "openid profile" }, { scope: "openid profile email" }];

    it("is the address, once it is verified, where profile and email are granted", async () => {
      const { service, party } = await withParty(current());
      // Programs match accounts by it, and anybody can enter an address that is not theirs.
      expect(await preferred(service, party, both)).toEqual([undefined, undefined]);
      await verified(service, party);
      expect(await preferred(service, party, both)).toEqual([party.email, party.email]);
      for (const scope of ["openid", "openid profile", "openid email"])
        expect(await preferred(service, party, { scope })).toEqual([undefined, undefined]);
      const claims = (...names: string[]) =>
        JSON.stringify({ userinfo: Object.fromEntries(names.map((name) => [name, null])) });
      const asked = { scope: "openid", claims: claims("email", "preferred_username") };
      expect(await preferred(service, party, asked)).toEqual([party.email, undefined]);
      expect(await preferred(service, party, { scope: "openid", claims: claims("email") })).toEqual([
        undefined,
        undefined,
      ]);
    });

    it("given_name and family_name are what the application's claims say", async () => {
      const service = current();
      const from = (claim: string) => ({ claim, from: `public.${claim}`, in: ["id", "userinfo"] as ClaimPlace[] });
      const app = await service.createApp({
        claims: [from("preferred_username"), from("given_name"), from("family_name")],
      });
      const party = await newParty(service, {}, app);
      await verified(service, party);
      expect(await preferred(service, party, both)).toEqual([party.email, party.email]);
      const own = { preferred_username: "ada", given_name: "Ada", family_name: "Lovelace" };
      await service.server.app.ctx.storage.write(async ({ db, tables: { users } }) => {
        await db.update(users).set({ publicMetadata: own }).where(eq(users.email, party.email));
      });
      const tokens = await tokensFor(service, party, profile);
      expect((await userInfo(service, tokens.access_token)).body).toMatchObject(own);
      expect(decodeJwt(tokens.id_token)).toMatchObject(own);
      expect(await preferred(service, party, both)).toEqual(["ada", "ada"]);
    });
  });

  it("takes the token in the header or in a posted form, never in the query, and never twice", async () => {
    const { service, party } = await withParty(current());
    const { access_token: token } = await tokensFor(service, party, all);
    const bearer = { authorization: `Bearer ${token}` };
    expect((await post(service, "/oauth2/userinfo", { access_token: token })).status).toBe(200);
    expect((await call(service, "POST", "/oauth2/userinfo", bearer)).status).toBe(200);
    const twice = await post(service, "/oauth2/userinfo", { access_token: token }, bearer);
    expect([twice.status, twice.body["error"]]).toEqual([400, "invalid_request"]);
    const inQuery = await call(service, "GET", `/oauth2/userinfo?access_token=${token}`, {});
    expect(inQuery.status).toBe(401);
    expect(inQuery.headers.get("www-authenticate")).toBe('Bearer realm="authsvc"');
  });

  it("C10: refuses every other kind of token, and those of an ended login", async () => {
    const { service, party } = await withParty(current());
    const tokens = await tokensFor(service, party, all);
    for (const bad of [tokens.id_token, tokens.refresh_token, party.secret, "x", ""]) {
      const refused = await userInfo(service, bad);
      expect([refused.status, refused.body["error"]]).toEqual([401, "invalid_token"]);
      expect(refused.headers.get("www-authenticate")).toBe('Bearer realm="authsvc", error="invalid_token"');
    }
    for (const wrong of [tokens.id_token, tokens.refresh_token])
      expect(await validate(service, party.app, wrong)).toMatchObject(invalidToken);
    for (const wrong of [tokens.id_token, tokens.access_token])
      expect((await refreshWith(service, party, wrong)).body["error"]).toBe("invalid_grant");
    const contract = await signedUp(service, party.app);
    const narrow = await userInfo(service, contract.accessToken);
    expect([narrow.status, narrow.body["error"]]).toEqual([403, "insufficient_scope"]);
    await call(service, "POST", "/auth/logout", { authorization: `Bearer ${tokens.access_token}` });
    expect((await userInfo(service, tokens.access_token)).status).toBe(401);
  });
});
