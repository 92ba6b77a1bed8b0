import { decodeJwt } from "jose";
import { expect, it } from "vitest";
import type { NewClient } from "../../../src/applications/clients/rules.ts";
import * as clients from "../../../src/applications/clients/service.ts";
import * as resources from "../../../src/applications/resources/service.ts";
import * as applications from "../../../src/applications/service.ts";
import { authorize, authorizeUrl } from "../../support/openid.ts";
import {
  applicationParty,
  basic,
  codeFor,
  newParty,
  post,
  refreshWith,
  tokensFor,
  userInfo,
  type Party,
} from "../../support/openid-tokens.ts";
import { call, Visitor } from "../../support/person.ts";
import { by, createResource, newMachine } from "../../support/resources.ts";
import { describeSqliteFirst, describeOnSqlite, type TestService } from "../../support/service.ts";

const all = "openid email offline_access read write";

async function prepared(service: TestService, changes: Partial<NewClient> = {}) {
  const app = await service.createApp();
  const resource = await createResource(service, app, { accessTokenSeconds: 300 });
  const other = await createResource(service, app);
  const party = await newParty(service, { resources: [resource, other], ...changes }, app);
  return { service, app, resource, other, party };
}

const introspect = async (service: TestService, party: Pick<Party, "client" | "secret">, token: string) =>
  (await post(service, "/oauth2/introspect", { token }, basic(party))).body;

describeSqliteFirst("a token for a resource", (current) => {
  it("names it alone as audience, has its scopes alone, and lives as long as it says", async () => {
    const { service, app, resource, party } = await prepared(current());
    const tokens = await tokensFor(service, party, { resource, scope: all });
    expect([tokens["scope"], tokens["expires_in"]]).toEqual(["read write", 300]);
    const claims = decodeJwt(tokens.access_token);
    expect(claims).toMatchObject({
      aud: [resource],
      scope: "read write",
      client_id: party.client.id,
      app_id: app.id,
      acr: expect.any(String) as string,
    });
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(300);
    expect(Object.keys(claims)).not.toContain("email");
    expect(decodeJwt(tokens.id_token)).toMatchObject({ aud: party.client.id, email: party.email, sub: claims.sub });
    const { iss, sub, aud, client_id, scope, exp, iat, jti, sid } = claims;
    const about = { active: true, token_type: "Bearer", iss, sub, aud, client_id, scope, exp, iat, jti, sid };
    expect(await introspect(service, party, tokens.access_token)).toEqual(about);
    const machine = await newMachine(service, {}, app);
    expect(await introspect(service, machine, tokens.access_token)).toEqual(about);
    const stranger = await newMachine(service);
    expect(await introspect(service, stranger, tokens.access_token)).toEqual({ active: false });
  });

  it("T2: is no token for this service: validate, the account, userinfo and logout refuse it", async () => {
    const { service, app, resource, party } = await prepared(current());
    const { access_token: token } = await tokensFor(service, party, { resource, scope: all });
    const headers = { authorization: `Bearer ${token}`, "x-service-app-id": app.id };
    const routes = [
      ["GET", "/auth/validate"],
      ["GET", "/users/profile"],
      ["DELETE", "/users/profile"],
      ["GET", "/users/auth-methods"],
      ["POST", "/auth/logout"],
    ] as const;
    for (const [method, path] of routes) {
      const { status, body } = await call(service, method, path, headers);
      expect([path, status, body.error?.code]).toEqual([path, 401, "INVALID_TOKEN"]);
    }
    const info = await userInfo(service, token);
    expect([info.status, info.body["error"]]).toEqual([401, "invalid_token"]);
    expect((await introspect(service, party, token))["active"]).toBe(true);
  });

  it("ends with its login, its client and its resource", async () => {
    const { service, resource, party } = await prepared(current());
    const { ctx } = service.server.app;
    const first = await tokensFor(service, party, { resource, scope: all });
    const revoked = await post(service, "/oauth2/revoke", { token: first.access_token }, basic(party));
    expect(revoked.status).toBe(200);
    expect(await introspect(service, party, first.access_token)).toEqual({ active: false });
    const refused = await refreshWith(service, party, first.refresh_token);
    expect(refused.body["error"]).toBe("invalid_grant");

    const second = await tokensFor(service, party, { resource, scope: all });
    const witness = await newParty(service, {}, party.app);
    await clients.update(ctx, party.client.id, { enabled: false }, by);
    expect(await introspect(service, witness, second.access_token)).toEqual({ active: false });
    await clients.update(ctx, party.client.id, { enabled: true }, by);
    expect((await introspect(service, witness, second.access_token))["active"]).toBe(true);

    await clients.update(ctx, party.client.id, { resources: [] }, by);
    await resources.remove(ctx, resource, by);
    expect(await introspect(service, witness, second.access_token)).toEqual({ active: false });
    const gone = await refreshWith(service, party, second.refresh_token);
    expect([gone.status, gone.body["error"]]).toEqual([400, "invalid_target"]);
  });

  it("is kept by a refresh, which names the same resource or none, and never another", async () => {
    const { service, resource, other, party } = await prepared(current());
    let { refresh_token: token } = await tokensFor(service, party, { resource, scope: all });
    for (const named of [other, `${resource}/`, "https://nobody.example", "x".repeat(5000)]) {
      const refused = await refreshWith(service, party, token, { resource: named });
      expect([named, refused.status, refused.body["error"]]).toEqual([named, 400, "invalid_target"]);
    }
    const twice = [
      ["grant_type", "refresh_token"],
      ["refresh_token", token],
      ["resource", resource],
    ];
    const repeated = await post(
      service,
      "/oauth2/token",
      [...twice, ["resource", resource]] as [string, string][],
      basic(party),
    );
    expect(repeated.body["error"]).toBe("invalid_target");
    for (const more of [{}, { resource }, { resource: "" }, { scope: "read openid" }] as Record<string, string>[]) {
      const { status, body } = await refreshWith(service, party, token, more);
      expect([more, status]).toEqual([more, 200]);
      const { aud, scope } = decodeJwt(String(body["access_token"]));
      expect([aud, scope, body["scope"]]).toEqual([[resource], more["scope"] ? "read" : "read write", scope]);
      token = String(body["refresh_token"]);
    }
    const { ctx } = service.server.app;
    await resources.update(ctx, resource, { scopes: [{ name: "write", sentence: "Change" }] }, by);
    await clients.update(ctx, party.client.id, { resourceScopes: ["read", "write"] }, by);
    const less = await refreshWith(service, party, token);
    expect(decodeJwt(String(less.body["access_token"])).scope).toBe("write");
  });

  it("cannot be had by a login without one, and its login has no token of the application", async () => {
    const { service, app, resource, party } = await prepared(current());
    const plain = await tokensFor(service, party, { scope: "openid offline_access" });
    expect(decodeJwt(plain.access_token).aud).toBe(app.id);
    const refused = await refreshWith(service, party, plain.refresh_token, { resource });
    expect([refused.status, refused.body["error"]]).toEqual([400, "invalid_target"]);
    expect((await refreshWith(service, party, plain.refresh_token)).status).toBe(200);

    // The application's own login: by the contract's refresh it would be a token for this service.
    const itself = await applicationParty(service, app);
    const own = await tokensFor(service, itself, { resource, scope: "openid offline_access read" });
    expect(decodeJwt(own.access_token)).toMatchObject({ aud: [resource], scope: "read" });
    const { status, body } = await call(service, "POST", "/auth/refresh", app.headers, {
      refreshToken: own.refresh_token,
    });
    expect([status, body.error?.code]).toEqual([401, "INVALID_TOKEN"]);
    expect((await refreshWith(service, itself, own.refresh_token)).status).toBe(200);
  });

  it("is bound to the code: the token request names the same resource or none, else the code stays", async () => {
    const { service, resource, other, party } = await prepared(current());
    const form = await codeFor(service, party, { resource, scope: "openid read" });
    for (const named of [other, "https://nobody.example", "x".repeat(5000)]) {
      const refused = await post(service, "/oauth2/token", { ...form, resource: named }, basic(party));
      expect([refused.status, refused.body["error"]]).toEqual([400, "invalid_target"]);
    }
    const { status, body } = await post(service, "/oauth2/token", { ...form, resource }, basic(party));
    expect([status, body["scope"]]).toEqual([200, "read"]);
    const used = await post(service, "/oauth2/token", { ...form, resource: other }, basic(party));
    expect(used.body["error"]).toBe("invalid_grant");
    expect(await introspect(service, party, String(body["access_token"]))).toEqual({ active: false });

    const plain = await codeFor(service, party, { scope: "openid" });
    const late = await post(service, "/oauth2/token", { ...plain, resource }, basic(party));
    expect(late.body["error"]).toBe("invalid_target");
  });
});

describeOnSqlite("a request with resource", (current) => {
  const errorOf = async (service: TestService, url: string) => {
    const response = await fetch(url, { redirect: "manual" });
    return new URL(response.headers.get("location") ?? "", service.url).searchParams.get("error");
  };

  it("is refused with invalid_target at the authorization endpoint and by PAR, the same way", async () => {
    const { service, app, resource, other, party } = await prepared(current());
    const foreign = await createResource(service, await service.createApp());
    const unlisted = await createResource(service, app);
    const rows: [string[], string | null][] = [
      [["https://nobody.example"], "invalid_target"],
      [[`${resource}#x`], "invalid_target"],
      [[foreign], "invalid_target"],
      [[unlisted], "invalid_target"],
      [["x".repeat(3000)], "invalid_target"],
      [[resource, other], "invalid_target"],
      [[resource, resource], "invalid_target"],
      [[resource], null],
      [[""], null],
      [["", resource, ""], null],
    ];
    for (const [given, error] of rows) {
      const asked = given.map((one): [string, string] => ["resource", one]);
      const url = `${authorizeUrl(service, party.client)}&${new URLSearchParams(asked).toString()}`;
      expect([given, await errorOf(service, url)]).toEqual([given, error]);
      const form = new URLSearchParams([...new URL(authorizeUrl(service, party.client)).searchParams, ...asked]);
      const pushed = await post(service, "/oauth2/par", [...form], basic(party));
      expect([given, pushed.body["error"] ?? null]).toEqual([given, error]);
    }
  });

  it("is of its own application, also for the application as its own client", async () => {
    const { service, app, resource } = await prepared(current());
    const itself = await applicationParty(service, app);
    const foreign = await createResource(service, await service.createApp());
    expect(await errorOf(service, authorizeUrl(service, itself.client, { resource }))).toBeNull();
    expect(await errorOf(service, authorizeUrl(service, itself.client, { resource: foreign }))).toBe("invalid_target");
  });

  it("may leave out the scope: it gets what the client lists; others than these are not granted", async () => {
    const { service, resource, party } = await prepared(current(), { resourceScopes: ["write"] });
    const granted = async (scope: string | null) => (await tokensFor(service, party, { resource, scope }))["scope"];
    expect(await granted(null)).toBe("write");
    expect(await granted("openid read write")).toBe("write");
    expect(await granted("openid")).toBe("");
    expect(await errorOf(service, authorizeUrl(service, party.client, { resource, scope: "read" }))).toBe(
      "invalid_scope",
    );
    expect(await errorOf(service, authorizeUrl(service, party.client, { scope: "read write" }))).toBe("invalid_scope");
  });

  it("keeps the resource through PAR", async () => {
    const { service, resource, party } = await prepared(current());
    const form = [...new URL(authorizeUrl(service, party.client, { resource, scope: "openid read" })).searchParams];
    const { body } = await post(service, "/oauth2/par", form, basic(party));
    const tokens = await tokensFor(service, party, {
      request_uri: String(body["request_uri"]),
      response_type: null,
      redirect_uri: null,
      scope: null,
      state: null,
    });
    expect(decodeJwt(tokens.access_token)).toMatchObject({ aud: [resource], scope: "read" });
  });

  it("may write an empty path as a slash, or leave it out; the token has the identifier as it was created", async () => {
    const { service, app, party } = await prepared(current());
    const { ctx } = service.server.app;
    for (const [identifier, otherForm, code] of [
      ["https://bare.example", "https://bare.example/", "CONFLICT"],
      ["https://slash.example:8443/", "https://slash.example:8443", "CONFLICT"],
      ["https://query.example/?v=1", "https://query.example?v=1", "INVALID_REQUEST"],
    ] as const) {
      await createResource(service, app, { identifier });
      const beside = createResource(service, app, { identifier: otherForm });
      await expect(beside).rejects.toMatchObject({ code });
      await clients.update(ctx, party.client.id, { resources: [identifier] }, by);
      const form = [...new URL(authorizeUrl(service, party.client, { resource: otherForm })).searchParams];
      expect((await post(service, "/oauth2/par", form, basic(party))).status).toBe(201);
      const ofCode = await codeFor(service, party, { resource: otherForm, scope: all });
      const redeemed = await post(service, "/oauth2/token", { ...ofCode, resource: otherForm }, basic(party));
      const refreshToken = String(redeemed.body["refresh_token"]);
      const refreshed = await refreshWith(service, party, refreshToken, { resource: otherForm });
      const machine = await newMachine(service, { resources: [identifier], exchangeTo: [identifier] }, app);
      const asked = { grant_type: "client_credentials", resource: otherForm };
      const own = await post(service, "/oauth2/token", asked, basic(machine));
      await clients.update(ctx, machine.client.id, { audienceOf: [identifier] }, by);
      const exchange = {
        grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
        subject_token: String(refreshed.body["access_token"]),
        subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
        resource: otherForm,
      };
      const exchanged = await post(service, "/oauth2/token", exchange, basic(machine));
      for (const { body } of [redeemed, refreshed, own, exchanged])
        expect(decodeJwt(String(body["access_token"])).aud).toEqual([identifier]);
    }
    const { resource } = await prepared(service);
    expect(await errorOf(service, authorizeUrl(service, party.client, { resource: `${resource}/` }))).toBe(
      "invalid_target",
    );
  });

  it("gives the application's claims of access tokens", async () => {
    const { service, app, resource, party } = await prepared(current());
    const claims = [
      { claim: "tenant", from: "value", value: "acme", in: ["access" as const] },
      { claim: "roles", from: "groups", in: ["access" as const] },
      { claim: "idOnly", from: "value", value: 1, in: ["id" as const] },
    ];
    await applications.update(service.server.app.ctx, app.id, { claims }, by.actor);
    const { access_token: token } = await tokensFor(service, party, { resource, scope: "openid read" });
    for (const told of [decodeJwt(token), await introspect(service, party, token)]) {
      expect(told).toMatchObject({ tenant: "acme", roles: [] });
      expect(Object.keys(told)).not.toContain("idOnly");
    }
  });

  it("C7: asks for consent to each resource: the page names it and what its scopes allow", async () => {
    const { service, resource, other, party } = await prepared(current(), { consent: "ask" });
    const visitor = new Visitor();
    const scope = "openid read";
    const proven = await authorize(service, party.client, party, { resource, scope }, visitor);
    const page = await visitor.get(proven.location.href);
    for (const shown of [resource, "Read your orders"]) expect(page.text).toContain(shown);
    expect(page.text).not.toContain("Change your orders");
    expect((await visitor.submit(page, "/step/consent", {})).location.searchParams.has("code")).toBe(true);

    const silent = async (more: Record<string, string>) => {
      const answer = await visitor.get(authorizeUrl(service, party.client, { scope, prompt: "none", ...more }));
      return answer.location.searchParams.get("error");
    };
    expect(await silent({ resource })).toBeNull();
    expect(await silent({ resource: other })).toBe("consent_required");
    expect(await silent({ resource, scope: "openid read write" })).toBe("consent_required");
    expect(await silent({ resource: other, scope: "openid" })).toBe("consent_required");
  });
});

/** Deletes a resource, and creates its identifier in another application, then here again. */
async function replaced({ service, app, resource, party }: Awaited<ReturnType<typeof prepared>>) {
  const { ctx } = service.server.app;
  await clients.update(ctx, party.client.id, { resources: [] }, by);
  await resources.remove(ctx, resource, by);
  service.clock.advance(1000);
  await createResource(service, await service.createApp(), { identifier: resource });
  await resources.remove(ctx, resource, by);
  const scopes = [{ name: "read", sentence: "Read your medical files" }];
  await createResource(service, app, { identifier: resource, name: "Another API", scopes });
  await clients.update(ctx, party.client.id, { resources: [resource] }, by);
}

describeSqliteFirst("a resource that was created again", (current) => {
  it("T2: is another one: no token, refresh token or code of the old one is for it", async () => {
    const given = await prepared(current());
    const { service, resource, party } = given;
    const tokens = await tokensFor(service, party, { resource, scope: all });
    const code = await codeFor(service, party, { resource, scope: all });
    await replaced(given);
    for (const token of [tokens.access_token, tokens.refresh_token])
      expect(await introspect(service, party, token)).toEqual({ active: false });
    const refreshed = await refreshWith(service, party, tokens.refresh_token);
    expect([refreshed.status, refreshed.body["error"]]).toEqual([400, "invalid_target"]);
    const redeemed = await post(service, "/oauth2/token", code, basic(party));
    expect([redeemed.status, redeemed.body["error"]]).toEqual([400, "invalid_grant"]);
    const again = await tokensFor(service, party, { resource, scope: all });
    expect((await introspect(service, party, again.access_token))["active"]).toBe(true);
  });

  it("C7: is asked for again, because nobody has seen its sentences; also after another consent", async () => {
    const given = await prepared(current(), { consent: "ask" });
    const { service, resource, other, party } = given;
    const visitor = new Visitor();
    const scope = "openid read";
    const proven = await authorize(service, party.client, party, { resource, scope }, visitor);
    await visitor.submit(await visitor.get(proven.location.href), "/step/consent", {});
    await replaced(given);
    const silent = async (more: Record<string, string>) => {
      const answer = await visitor.get(authorizeUrl(service, party.client, { scope, prompt: "none", ...more }));
      return answer.location.searchParams.get("error");
    };
    expect(await silent({ resource })).toBe("consent_required");
    await clients.update(service.server.app.ctx, party.client.id, { resources: [resource, other] }, by);
    const asked = await visitor.get(authorizeUrl(service, party.client, { resource: other, scope }));
    await visitor.submit(await visitor.get(asked.location.href), "/step/consent", {});
    expect([await silent({ resource: other }), await silent({ resource })]).toEqual([null, "consent_required"]);
  });
});

describeSqliteFirst("what is taken away between the request and the code", (current) => {
  it("C7: a scope that the client or the application lost is not in the first tokens", async () => {
    const { service, app, resource, party } = await prepared(current());
    const { ctx } = service.server.app;
    const redeem = async (form: Record<string, string>) =>
      (await post(service, "/oauth2/token", form, basic(party))).body;
    const forResource = await codeFor(service, party, { resource, scope: all });
    const plain = await codeFor(service, party, { scope: "openid profile email" });
    await clients.update(ctx, party.client.id, { scopes: ["openid", "profile"], resourceScopes: ["read"] }, by);
    const first = await redeem(forResource);
    expect([first["scope"], first["refresh_token"]]).toEqual(["read", undefined]);
    expect(decodeJwt(String(first["id_token"]))["email"]).toBeUndefined();
    const second = await redeem(plain);
    expect(second["scope"]).toBe("openid profile");
    expect(decodeJwt(String(second["access_token"]))["email"]).toBeUndefined();
    const last = await codeFor(service, party, { scope: "openid profile" });
    await applications.update(ctx, app.id, { settings: { scopes: ["email"] } }, by.actor);
    expect((await redeem(last))["scope"]).toBe("openid");
  });

  it("C7: nobody agrees to a scope that the page did not show, because the resource had lost it", async () => {
    const { service, resource, party } = await prepared(current(), { consent: "ask" });
    const { ctx } = service.server.app;
    const both = (await resources.get(ctx, resource)).scopes;
    const visitor = new Visitor();
    const proven = await authorize(service, party.client, party, { resource, scope: all }, visitor);
    await resources.update(ctx, resource, { scopes: both.filter(({ name }) => name === "read") }, by);
    const page = await visitor.get(proven.location.href);
    expect(page.text).not.toContain("Change your orders");
    const code = (await visitor.submit(page, "/step/consent", {})).location.searchParams.get("code") ?? "";
    const [redirect_uri = ""] = party.client.redirectUris;
    const form = { grant_type: "authorization_code", code, redirect_uri };
    const { body } = await post(service, "/oauth2/token", form, basic(party));
    expect(decodeJwt(String(body["access_token"])).scope).toBe("read");
    await resources.update(ctx, resource, { scopes: both }, by);
    const again = await visitor.get(
      authorizeUrl(service, party.client, { resource, scope: "openid write", prompt: "none" }),
    );
    expect(again.location.searchParams.get("error")).toBe("consent_required");
  });
});

describeOnSqlite("introspection", (current) => {
  it("C7: tells programs of other people no private metadata, of a token for a resource neither", async () => {
    const { service, app, resource, party } = await prepared(current());
    const claims = [{ claim: "salary", from: "private.salary", in: ["access" as const] }];
    await applications.update(service.server.app.ctx, app.id, { claims }, by.actor);
    const others = await newParty(service, { consent: "ask" }, app);
    const plain = await tokensFor(service, party, { scope: "openid" });
    const ofResource = await tokensFor(service, party, { resource, scope: all });
    const path = `/applications/${app.id}/users/${decodeJwt(plain.access_token).sub}/metadata`;
    expect((await call(service, "PATCH", path, app.headers, { private: { salary: 1 } })).status).toBe(200);
    for (const { access_token: token } of [plain, ofResource]) {
      expect((await introspect(service, party, token))["salary"]).toBe(1);
      expect(await introspect(service, others, token)).toMatchObject({ active: true });
      expect((await introspect(service, others, token))["salary"]).toBeUndefined();
    }
  });

  it("reports the refresh token of a deleted resource as inactive, because it gets nothing", async () => {
    const { service, resource, party } = await prepared(current());
    const { ctx } = service.server.app;
    const { refresh_token: token } = await tokensFor(service, party, { resource, scope: all });
    expect((await introspect(service, party, token))["active"]).toBe(true);
    await clients.update(ctx, party.client.id, { resources: [] }, by);
    await resources.remove(ctx, resource, by);
    expect(await introspect(service, party, token)).toEqual({ active: false });
  });
});
