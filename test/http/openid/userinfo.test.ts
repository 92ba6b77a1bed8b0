import { decodeJwt } from "jose";
import { expect, it } from "vitest";
import { newParty, post, refreshWith, tokensFor, userInfo } from "../../support/openid-tokens.ts";
import { call, signedUp, validate } from "../../support/person.ts";
import { invalidToken } from "../../support/outcomes.ts";
import { describeOnSqlite } from "../../support/service.ts";

const all = { scope: "openid profile email offline_access" };

describeOnSqlite("/oauth2/userinfo", (current) => {
  it("shows what the scopes grant, and what the claims parameter asks for", async () => {
    const service = current();
    const party = await newParty(service);
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
    const { storage } = service.server.app;
    await storage.write(async ({ db, tables }) => {
      await db.update(tables.clients).set({ consent: "ask" });
    });
    expect(Object.keys((await userInfo(service, tokens.access_token)).body)).toEqual(["sub"]);
  });

  it("takes the token in the header or in a posted form, never in the query, and never twice", async () => {
    const service = current();
    const party = await newParty(service);
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
    const service = current();
    const party = await newParty(service);
    const tokens = await tokensFor(service, party, all);
    for (const bad of [tokens.id_token, tokens.refresh_token, party.secret, "x", ""]) {
      const refused = await userInfo(service, bad);
      expect([refused.status, refused.body["error"]]).toEqual([401, "invalid_token"]);
      expect(refused.headers.get("www-authenticate")).toBe('Bearer realm="authsvc", error="invalid_token"');
    }
    for (const idToken of [tokens.id_token]) {
      expect(await validate(service, party.app, idToken)).toMatchObject(invalidToken);
      expect((await refreshWith(service, party, idToken)).body["error"]).toBe("invalid_grant");
    }
    const contract = await signedUp(service, party.app);
    const narrow = await userInfo(service, contract.accessToken);
    expect([narrow.status, narrow.body["error"]]).toEqual([403, "insufficient_scope"]);
    await call(service, "POST", "/auth/logout", { authorization: `Bearer ${tokens.access_token}` });
    expect((await userInfo(service, tokens.access_token)).status).toBe(401);
  });
});
