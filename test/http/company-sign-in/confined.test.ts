import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { createAuth as createExpressAuth } from "../../../packages/sdk/src/express.ts";
import { createHandler } from "../../../packages/sdk/src/handler.ts";
import { apiRoutes } from "../../../src/api/routes.ts";
import { parseJwt } from "../../../src/tokens/jwt.ts";
import { companyConfig, useCompanyProvider } from "../../support/company-provider.ts";
import { withEmma } from "../../support/company-sign-in.ts";
import { authorizeUrl, createTestClient } from "../../support/openid.ts";
import { basic, post } from "../../support/openid-tokens.ts";
import { call, Visitor } from "../../support/person.ts";
import * as clientSecrets from "../../../src/applications/clients/secrets.ts";
import { describeSqliteFirst, describeOnSqlite, type TestService } from "../../support/service.ts";
import { routes } from "../../../src/routes.ts";

const company = await useCompanyProvider();
const another = await useCompanyProvider();
const given = { ...companyConfig, dev: true };

/** Guards that take a person's token, and what they answer to a confined one. */
const guarded: Record<string, [status: number, code?: string]> = {
  userWithProfile: [403, "INSUFFICIENT_SCOPE"],
  queryUserWithProfile: [401, "INVALID_TOKEN"],
  tokenOfNamedApp: [200],
};
/** The only calls that a confined token opens. */
const opened: Record<string, number> = {
  "GET /auth/validate": 200,
  "POST /auth/logout": 200,
  "GET /oauth2/userinfo": 200,
  "POST /oauth2/userinfo": 200,
};

const someone = async (service: TestService, fields = {}) => await withEmma(service, company, fields);

async function credentialsOf({ server }: TestService, client: { id: string }) {
  const by = { kind: "cli", name: "test" } as const;
  const { secret } = await clientSecrets.createSecret(server.app.ctx, { clientId: client.id }, by);
  return basic({ client, secret });
}

const claimsOf = (token: unknown) => parseJwt(String(token))?.claims ?? {};
const bearer = (token: unknown) => ({ authorization: `Bearer ${String(token)}` });

describeSqliteFirst("a confined token", given, (current) => {
  it("Q22: opens validate, userinfo and its own logout, and no other call there is", async () => {
    const service = current();
    const emma = await someone(service);
    const { client, url } = await emma.openIdClient();
    const done = await emma.came();
    const { accessToken, user } = await emma.tokens(done);
    const callback = await done.visitor.get(url({ scope: "openid profile email groups" }));
    const code = callback.location.searchParams.get("code") ?? "";
    const credentials = await credentialsOf(service, client);
    const redirect = { redirect_uri: client.redirectUris[0] ?? "" };
    const ofClient = await post(
      service,
      "/oauth2/token",
      { grant_type: "authorization_code", code, ...redirect },
      credentials,
    );
    expect(ofClient.status).toBe(200);
    const answers: Record<string, unknown> = {};
    const expected: Record<string, unknown> = {};
    for (const { method, path, guard } of apiRoutes) {
      const name = `${method} ${path}`;
      if (name === "POST /auth/logout") continue;
      const filled = path.replace(":appId", emma.app.id).replaceAll(/:\w+/gu, "x");
      const query = guard.access === "tokenOfNamedApp" || guard.access === "namedApp" ? `?app_id=${emma.app.id}` : "";
      const token = path.startsWith("/oauth2/userinfo") ? ofClient.body["access_token"] : accessToken;
      const asked = async (headers: Record<string, string>) => {
        const ofApp = { "x-service-app-id": emma.app.id, ...headers };
        const body = method === "GET" || name === "POST /oauth2/userinfo" ? undefined : {};
        const answer = await call(service, method, `${filled}${query}`, ofApp, body);
        const details = answer.body.error?.details ?? "";
        return { status: answer.status, code: answer.body.error?.code, valid: answer.body["valid"], details };
      };
      const { details, ...answer } = await asked(bearer(token));
      const [status, code] = guarded[guard.access] ?? [opened[name]];
      const valid = guard.access === "tokenOfNamedApp" ? false : name === "GET /auth/validate" ? true : undefined;
      answers[name] = answer;
      const nobody = await asked(bearer("nonsense"));
      expected[name] =
        status === undefined
          ? { status: nobody.status, code: nobody.code, valid: nobody.valid }
          : { status, code, valid };
      if (status === 403)
        expect([name, details]).toEqual([name, "org_confined: this login is for its organization only"]);
      // The same person's own token is not refused for that.
      if (method === "GET") expect((await asked(bearer(emma.own.accessToken))).details).not.toContain("org_confined");
    }
    expect(answers).toEqual(expected);
    expect(user).toMatchObject({
      id: emma.userId,
      email: emma.email,
      authMethods: { passkey: false, password: false },
    });

    // Logging out ends this login and no other.
    const headers = { ...bearer(accessToken), "x-service-app-id": emma.app.id };
    const all = await call(service, "POST", "/auth/logout", headers, { allSessions: true });
    expect([all.status, all.body.error?.code]).toEqual([403, "INSUFFICIENT_SCOPE"]);
    const { refreshToken } = emma.own;
    expect((await call(service, "POST", "/auth/logout", headers, { refreshToken })).status).toBe(200);
    const validate = async (token: string) =>
      (await call(service, "GET", "/auth/validate", { ...bearer(token), "x-service-app-id": emma.app.id })).status;
    expect([await validate(accessToken), await validate(emma.own.accessToken)]).toEqual([401, 200]);
  });

  it("says that it is confined, and tells nothing that the person has elsewhere", async () => {
    const service = current();
    const emma = await someone(service);
    const { app, send } = emma;
    await send("PUT", "/groups/staff");
    await send("PUT", `/groups/staff/members/${emma.userId}`);
    await send("PATCH", `/users/${emma.userId}`, { name: "Emma" });
    const { client, url } = await emma.openIdClient();
    const done = await emma.came(new Visitor(), { scopes: ["profile", "email", "groups"] });
    const confined = await emma.tokens(done);
    expect(claimsOf(confined.accessToken)).toMatchObject({ org_confined: true, org_id: emma.organization.id });
    expect(claimsOf(confined.accessToken)).not.toHaveProperty("groups");
    expect(claimsOf(emma.own.accessToken)).not.toHaveProperty("org_confined");
    const callback = await done.visitor.get(url({ scope: "openid profile email groups" }));
    const code = callback.location.searchParams.get("code") ?? "";
    const credentials = await credentialsOf(service, client);
    const form = { grant_type: "authorization_code", code, redirect_uri: client.redirectUris[0] ?? "" };
    const { body } = await post(service, "/oauth2/token", form, credentials);
    const rest = [
      "org_id",
      "org_name",
      "org_roles",
      "org_slug",
      "org_confined",
      "email",
      "email_verified",
      "name",
      "sub",
    ];
    const userinfo = await call(service, "GET", "/oauth2/userinfo", bearer(body["access_token"]));
    expect(Object.keys(userinfo.body).toSorted()).toEqual(rest.toSorted());
    expect(claimsOf(body["id_token"])).toMatchObject({ org_confined: true, sub: emma.userId });
    for (const name of ["groups", "given_name", "locale", "preferred_username"])
      expect(claimsOf(body["id_token"])).not.toHaveProperty(name);
    const token = String(body["access_token"]);
    const introspected = await post(service, "/oauth2/introspect", { token }, credentials);
    expect(introspected.body).toMatchObject({ active: true, org_confined: true, org_id: emma.organization.id });
    expect(introspected.body).not.toHaveProperty("groups");
    const headers = { ...bearer(confined.accessToken), "x-service-app-id": app.id };
    const { claims, profile } = (await call(service, "GET", "/auth/validate", headers)).body;
    expect([claims, profile]).toEqual([
      { org_id: emma.organization.id, org_roles: ["member"], org_confined: true },
      undefined,
    ]);
  });

  it("Q26: keeps its organization: a refresh to none or another is refused, and it ends with proof or membership", async () => {
    const service = current();
    const emma = await someone(service, { sessionSeconds: 3600 });
    const other = await emma.newOrganization();
    await emma.send("PUT", `${other.path}/members/${emma.userId}`, { roles: ["member"] });
    const refresh = async (refreshToken: string, organization?: string) =>
      await call(service, "POST", "/auth/refresh", emma.app.headers, {
        refreshToken,
        ...(organization && { organization }),
      });
    const done = await emma.came();
    const { refreshToken, expiresIn } = await emma.tokens(done);
    expect(expiresIn).toBeLessThanOrEqual(900);
    for (const wanted of ["none", other.id, other.slug])
      expect([wanted, (await refresh(refreshToken, wanted)).status]).toEqual([wanted, 403]);
    const renewed = await refresh(refreshToken, emma.organization.slug);
    expect([renewed.status, claimsOf(renewed.body["accessToken"])["org_confined"]]).toEqual([200, true]);
    service.clock.advance(3_590_000);
    const last = await refresh(String(renewed.body["refreshToken"]));
    expect(Number(last.body["expiresIn"])).toBeLessThanOrEqual(10);
    service.clock.advance(11_000);
    expect((await refresh(String(last.body["refreshToken"]))).status).toBe(401);

    const again = await emma.tokens(await emma.came());
    await emma.send("DELETE", `${emma.organization.path}/members/${emma.userId}`);
    const headers = { ...bearer(again.accessToken), "x-service-app-id": emma.app.id };
    expect((await call(service, "GET", "/auth/validate", headers)).status).toBe(401);
    expect((await refresh(again.refreshToken)).status).toBe(401);
    const { db, tables } = service.server.app.ctx.storage.reader;
    expect((await db.select().from(tables.logins)).map(({ endReason }) => endReason)).toContain("proof-ended");
  });

  it("Q26: ends when the provider is removed or has another issuer, at once and with an entry in the feed", async () => {
    const service = current();
    const emma = await someone(service);
    const { ctx } = service.server.app;
    const { accessToken, refreshToken } = await emma.tokens(await emma.came());
    const removed = await emma.send("DELETE", `${emma.organization.path}/provider`);
    expect(removed.status).toBeLessThan(300);
    service.clock.advance(1000);
    const headers = { ...bearer(accessToken), "x-service-app-id": emma.app.id };
    expect((await call(service, "GET", "/auth/validate", headers)).status).toBe(401);
    expect((await call(service, "POST", "/auth/refresh", emma.app.headers, { refreshToken })).status).toBe(401);
    const { sweepConfined } = await import("../../../src/sessions/login-ends.ts");
    while (await sweepConfined(ctx)) continue;
    const validate = async (token: string) =>
      (await call(service, "GET", "/auth/validate", { ...bearer(token), "x-service-app-id": emma.app.id })).status;
    expect(await validate(emma.own.accessToken)).toBe(200);
  });
});

describeSqliteFirst("a confined token of the second in which another issuer is set", given, (current) => {
  it("Q26: ends with the issuer before it", async () => {
    const service = current();
    const emma = await someone(service);
    service.clock.advance(1000 - (service.clock.now % 1000));
    const { accessToken } = await emma.tokens(await emma.came());
    service.clock.advance(300);
    const { issuer, clientId, secret: clientSecret } = another;
    const set = await emma.send("PUT", `${emma.organization.path}/provider`, { issuer, clientId, clientSecret });
    expect(set.status).toBe(200);
    service.clock.advance(2000);
    const headers = { ...bearer(accessToken), "x-service-app-id": emma.app.id };
    expect((await call(service, "GET", "/auth/validate", headers)).status).toBe(401);
  });
});

describeOnSqlite("a confined browser", given, (current) => {
  it("Q22: is nobody on every page but those of its organization's programs", async () => {
    const service = current();
    const emma = await someone(service);
    const { visitor } = await emma.came();
    const nobody = new Visitor();
    const appId = emma.app.id;
    /** Pages about sign-ins that programs begin, and the end of the browser session. */
    const takes = ["/oauth2/authorize", "/oauth2/end-session", "/oauth2/end-session/confirm"];
    const plain = (text: string) => text.replaceAll(/sis_[\w-]+|[\w-]{22,}/gu, "…");
    const rows = async () => {
      const { db, tables } = service.server.app.ctx.storage.reader;
      const kept = ["users", "passkeys", "passwords", "secondFactors", "recoveryCodes", "trustedBrowsers"] as const;
      const more = ["personalTokens", "oauthIdentities", "consents", "organizationMembers"] as const;
      return await Promise.all([...kept, ...more].map(async (name) => [name, await db.select().from(tables[name])]));
    };
    const before = JSON.stringify(await rows());
    const signOut = await visitor.get(`${service.url}/oauth2/end-session?client_id=${appId}`);
    // Of the cookie of the account page: a form that this browser could send.
    const { token = "" } = signOut.form("/oauth2/end-session/confirm").fields;
    expect(token).not.toBe("");
    for (const { method, path, errors } of routes) {
      if (errors !== "page" || takes.includes(path) || path.includes(":sessionId")) continue;
      const filled = `${service.url}${path.replaceAll(/:\w+/gu, "x")}?app_id=${appId}&organization=${emma.organization.id}`;
      const asked = async (who: Visitor, fields: Record<string, string>) => {
        const copy = who.copy();
        const page = method === "GET" ? await copy.get(filled) : await copy.post(filled, fields);
        return [method, path, page.status, plain(page.location.pathname)];
      };
      const confined = await asked(visitor, { token, name: "Eve", act: "create" });
      if (method === "GET") expect(confined).toEqual(await asked(nobody, {}));
      else expect([303, 400, 403, 404, 405, 410, 415, 422]).toContain(confined[2]);
    }
    expect(JSON.stringify(await rows())).toBe(before);
  });

  it("Q22: continues for its organization and the programs that take it, and for nothing else", async () => {
    const service = current();
    const emma = await someone(service);
    const other = await emma.newOrganization();
    await emma.send("PUT", `${other.path}/members/${emma.userId}`, { roles: ["member"] });
    const { visitor } = await emma.came();
    const kinds = {
      takes: { companySignIn: true },
      off: {},
      "asks for consent": { companySignIn: true, consent: "ask", scopes: ["openid", "organization"] },
    } as const;
    const got: Record<string, string> = {};
    for (const [kind, changes] of Object.entries(kinds)) {
      const client = await createTestClient(service, emma.app, changes as never);
      for (const organization of [null, emma.organization.id, emma.organization.slug, "none", other.id, "nowhere"]) {
        const scope = kind === "asks for consent" ? "openid organization" : "openid";
        const page = await visitor.copy().get(authorizeUrl(service, client, { organization, scope, prompt: "none" }));
        const { searchParams } = page.location;
        const name = organization?.replace(emma.organization.id, "its id").replace(other.id, "another") ?? "no word";
        got[`${kind}, ${name.replace(emma.organization.slug, "its slug")}`] =
          searchParams.get("code") === null ? (searchParams.get("error") ?? String(page.status)) : "code";
      }
    }
    const no = "login_required";
    const words = (first: string) => ({ "no word": first, "its id": first, "its slug": first });
    const all = (kind: string, first: string) =>
      Object.fromEntries(
        Object.entries({ ...words(first), none: no, another: no, nowhere: no }).map(([word, answer]) => [
          `${kind}, ${word}`,
          answer,
        ]),
      );
    expect(got).toEqual({ ...all("takes", "code"), ...all("off", no), ...all("asks for consent", no) });
  });
});

describeOnSqlite("the packages", given, (current) => {
  it("Q22: refuse a confined user, unless the route takes one or is for the organization", async () => {
    const service = current();
    const emma = await someone(service);
    const { accessToken } = await emma.tokens(await emma.came());
    const { id: appId, apiKey } = emma.app;
    const cookieSecret = randomBytes(32).toString("base64");
    const settings = { issuer: service.url, appId, apiKey, cookieSecret, feed: "on-demand" } as const;
    const auth = createHandler(settings);
    const by = (token: string) => new Request("https://app.example/x", { headers: bearer(token) });
    const answered = (user: unknown) => (user instanceof Response ? user.status : (user as { id: string }).id);
    const { organization, userId, own } = emma;
    expect(answered(await auth.requireUser(by(accessToken)))).toBe(403);
    expect(answered(await auth.requireFresh(by(accessToken), { maxAge: 600 }))).toBe(403);
    expect(answered(await auth.requireUser(by(accessToken), { confined: true }))).toBe(userId);
    expect(answered(await auth.requireOrganization(by(accessToken), { id: organization.id }))).toBe(userId);
    expect(answered(await auth.requireUser(by(own.accessToken)))).toBe(userId);
    const express = await createExpressAuth(settings);
    expect([typeof express.requireUser({ confined: true }), express.requireUser.length]).toEqual(["function", 3]);
  });
});

describeOnSqlite("an organization that requires its provider", given, (current) => {
  async function ofMember(fields: Record<string, unknown>) {
    const service = current();
    const emma = await someone(service);
    const { userId, organization } = emma;
    await service.server.app.ctx.storage.write(async ({ db, tables }) => {
      await db.update(tables.organizationMembers).set({ providerExempt: false, ...fields });
      await db.update(tables.organizationProviders).set({ requiredSince: 1 });
    });
    const signedIn = async () => await emma.byPassword(new Visitor(), { organization: organization.id });
    return { ...emma, service, userId, signedIn };
  }

  it("asks who has an own proof for its provider, too, and signs in who is exempt (56)", async () => {
    const emma = await ofMember({});
    const asked = await emma.followed((await emma.signedIn()).visitor, (await emma.signedIn()).page);
    expect(asked.location.searchParams.get("code")).toBeNull();
    const exempt = await ofMember({ providerExempt: true });
    const tokens = await exempt.tokens(await exempt.signedIn());
    expect(claimsOf(tokens.accessToken)).toMatchObject({ org_id: exempt.organization.id });
    expect(claimsOf(tokens.accessToken)).not.toHaveProperty("org_confined");
  });

  it("refuses a refresh of who got in before it was required (56)", async () => {
    const emma = await ofMember({ providerExempt: true });
    const { refreshToken } = await emma.tokens(await emma.signedIn());
    await emma.service.server.app.ctx.storage.write(async ({ db, tables }) => {
      await db.update(tables.organizationMembers).set({ providerExempt: false });
    });
    const answer = await call(emma.service, "POST", "/auth/refresh", emma.app.headers, { refreshToken });
    expect(answer.status).toBe(401);
  });
});
