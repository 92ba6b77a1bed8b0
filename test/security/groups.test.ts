import { decodeJwt } from "jose";
import { search } from "jmespath";
import { expect, it } from "vitest";
import * as clientSecrets from "../../src/applications/clients/secrets.ts";
import * as clients from "../../src/applications/clients/service.ts";
import * as applications from "../../src/applications/service.ts";
import * as audit from "../../src/records/audit/audit.ts";
import * as groupDeletion from "../../src/users/groups/deletion.ts";
import * as groups from "../../src/users/groups/service.ts";
import * as userMetadata from "../../src/people/metadata-changes.ts";
import { operator, setClaims, withMember } from "../support/groups.ts";
import { basic, post, refreshWith, tokensFor, userInfo } from "../support/openid-tokens.ts";
import { authorize, authorizeUrl, createTestClient } from "../support/openid.ts";
import { call, refresh, signedUp, validate, Visitor } from "../support/person.ts";
import {
  updateApp,
  describeEachDatabase,
  describeOnSqlite,
  type TestApp,
  type TestService,
} from "../support/service.ts";

type Json = Record<string, unknown>;

const bearer = (app: TestApp, token: string) => ({ authorization: `Bearer ${token}`, "x-service-app-id": app.id });
const everywhere: ("access" | "id" | "userinfo")[] = ["access", "id", "userinfo"];

/** A client of the application that only signs in its staff, with a secret. */
async function staffOnly(service: TestService, app: TestApp, email: string) {
  const { ctx } = service.server.app;
  await groups.create(ctx, app.id, "staff", operator);
  const client = await createTestClient(service, app, { allowedGroups: ["staff"], refreshTokens: "always" });
  const { secret } = await clientSecrets.createSecret(ctx, { clientId: client.id }, operator.actor);
  return { app, client, secret, email };
}

describeOnSqlite("authority by groups and metadata", (service) => {
  it("an application reads and writes nothing of another one, by id or by group", async () => {
    const mine = await withMember(service);
    const other = await withMember(service);
    await mine.join("staff");
    await other.join("staff");
    const theirs = `/applications/${other.app.id}`;
    const calls: [string, string, unknown?][] = [
      ["GET", "/groups"],
      ["GET", "/groups/staff"],
      ["PUT", "/groups/new"],
      ["DELETE", "/groups/staff"],
      ["GET", "/groups/staff/members"],
      ["PUT", `/groups/staff/members/${mine.userId}`],
      ["DELETE", `/groups/staff/members/${other.userId}`],
      ["GET", `/users/${other.userId}/groups`],
      ["GET", `/users/${other.userId}/metadata`],
      ["PATCH", `/users/${other.userId}/metadata`, { public: { a: 1 } }],
    ];
    for (const [method, path, body] of calls) {
      const answered = await call(service, method, `${theirs}${path}`, mine.app.headers, body);
      expect([method, path, answered.status]).toEqual([method, path, 401]);
    }
    // The own application in the path, and another one's user.
    for (const [method, path, body] of [
      ["PUT", `/groups/staff/members/${other.userId}`],
      ["DELETE", `/groups/staff/members/${other.userId}`],
      ["GET", `/users/${other.userId}/groups`],
      ["GET", `/users/${other.userId}/metadata`],
      ["PATCH", `/users/${other.userId}/metadata`, { public: { a: 1 } }],
    ] as const) {
      const answered = await mine.send(method, path, body);
      expect([method, path, answered.status]).toEqual([method, path, 404]);
    }
    const cursor = await mine.send("GET", `/groups/staff/members?cursor=${other.userId}`);
    expect(JSON.stringify(cursor.body)).not.toContain(other.userId);
    expect((await other.send("GET", "/groups/staff")).body).toMatchObject({ members: 1 });
    expect((await other.send("GET", `/users/${other.userId}/metadata`)).body).toEqual({ public: {}, private: {} });
    // A group of the same name in another application admits nobody here.
    const { ctx } = service.server.app;
    expect(
      await groups.admits(ctx.storage.reader, { appId: mine.app.id, allowedGroups: ["staff"] }, other.userId),
    ).toBe(false);
  });

  it("reserved claims are refused by name, and an application's claims replace none of the service's", async () => {
    const { app } = await withMember(service);
    const { ctx } = service.server.app;
    const refused = async (claim: Json) =>
      await updateApp(service, app, { claims: [{ claim: "x", from: "groups", in: ["access"], ...claim }] })
        .then(() => "accepted")
        .catch((error: unknown) => (error as { details: string }).details);
    for (const claim of [
      "sub",
      "iss",
      "aud",
      "exp",
      "scope",
      "client_id",
      "user_id",
      "acr",
      "act",
      "email",
      "active",
      "Sub",
      "ISS",
    ])
      expect(await refused({ claim })).toBe(`claims[0].claim: ${claim} is reserved; choose another name`);
    expect(await refused({ claim: "__proto__" })).toContain("claims[0].claim: 1 to 128 letters");
    expect(await refused({ claim: "groups", from: "public.groups" })).toContain("claims[0].from: must be groups");
    expect(await refused({ claim: "Groups", from: "public.groups" })).toContain("claims[0].from: must be groups");
    expect(await refused({ from: "users.email" })).toContain("claims[0].from: one of groups");
    expect(await refused({ from: "value" })).toContain("claims[0].value: required");
    expect(await refused({ value: 1 })).toContain("claims[0].value: only if");
    expect(await refused({ from: "value", value: "x".repeat(1100) })).toContain("claims[0].value: at most 1024 bytes");
    expect(await refused({ in: [] })).toContain("claims[0].in: at least one");
    expect(await refused({ in: ["cookie"] })).toContain("claims[0].in: at least one");
    const many = Array.from({ length: 33 }, (_, index) => ({ claim: `c${index}`, from: "groups", in: everywhere }));
    await expect(updateApp(service, app, { claims: many })).rejects.toMatchObject({
      details: "claims: at most 32",
    });
    const constant = (claim: string) => ({ claim, from: "value", value: "x".repeat(1000), in: everywhere });
    const large = ["a", "b", "c", "d", "e"].map(constant);
    await expect(updateApp(service, app, { claims: large })).rejects.toMatchObject({
      details: "claims: at most 4096 bytes of JSON in a token, all claims together",
    });
    expect((await applications.find(ctx, ctx.storage.reader, app.id))?.claims).toBeNull();
  });

  it("metadata has a size, a depth and no prototype, and a batch is applied whole or not at all", async () => {
    const { app, userId, patch, send } = await withMember(service);
    const details = async (change: unknown) => {
      const { status, body } = await patch(change);
      return [status, (body["error"] as Json | undefined)?.["details"]];
    };
    expect(await details({ public: { text: "x".repeat(4090) } })).toEqual([400, "public: at most 4096 bytes of JSON"]);
    expect(await details({ private: { text: "é".repeat(2045) } })).toEqual([
      400,
      "private: at most 4096 bytes of JSON",
    ]);
    const deep = JSON.parse(`${'{"a":'.repeat(9)}1${"}".repeat(9)}`) as unknown;
    expect(await details({ private: deep })).toEqual([400, "private: at most 8 levels deep"]);
    const raw = await fetch(`${service.url}/applications/${app.id}/users/${userId}/metadata`, {
      method: "PATCH",
      headers: { ...app.headers, "content-type": "application/json" },
      body: '{"public":{"__proto__":{"admin":true}}}',
    });
    expect(raw.status).toBe(400);
    expect((await details({ public: [] }))[0]).toBe(400);
    expect((await details({ other: {} }))[0]).toBe(400);
    // The second part is too large: the first is not stored either.
    expect((await details({ public: { a: 1 }, private: { text: "x".repeat(5000) } }))[0]).toBe(400);
    expect((await send("GET", `/users/${userId}/metadata`)).body).toEqual({ public: {}, private: {} });
    await patch({ public: { a: 1, b: { c: 1, d: 2 } }, private: { secret: true } });
    expect((await patch({ public: { a: null, b: { c: null, e: 3 } } })).body).toEqual({
      public: { b: { d: 2, e: 3 } },
      private: { secret: true },
    });
    expect((await patch({ public: null })).body).toMatchObject({ public: {} });
  });

  it("claims of at most 4 KiB go into a token: more is refused where it is written, or left out", async () => {
    const { app, userId, refreshToken, patch, send, accessToken } = await withMember(service);
    const { ctx } = service.server.app;
    await setClaims(service, app, [
      { claim: "roles", from: "groups", in: everywhere },
      { claim: "text", from: "public.text", in: everywhere },
    ]);
    expect((await patch({ public: { text: "x".repeat(4020) } })).status).toBe(200);
    const name = "n".repeat(64);
    await groups.create(ctx, app.id, name, operator);
    const full = await send("PUT", `/groups/${name}/members/${userId}`);
    expect([full.status, (full.body["error"] as Json)["details"]]).toEqual([
      400,
      "userId: the claims of the user's tokens would exceed 4096 bytes",
    ]);
    // A setting that came later: the token has what fits, validate has all.
    await setClaims(service, app, [
      { claim: "text", from: "public.text", in: everywhere },
      { claim: "again", from: "public.text", in: everywhere },
    ]);
    const refreshed = await refresh(service, app, refreshToken);
    const token = String(refreshed.body["accessToken"]);
    expect(Object.keys(decodeJwt(token))).toContain("text");
    expect(Object.keys(decodeJwt(token))).not.toContain("again");
    expect(token.length).toBeLessThan(7500);
    const validated = await call(service, "GET", "/auth/validate", bearer(app, token));
    expect(Object.keys(validated.body["claims"] as Json)).toEqual(["text", "again"]);
    expect(accessToken).not.toBe(token);
  });

  it("a user is in at most 64 groups", async () => {
    const { app, userId, send } = await withMember(service);
    const { ctx } = service.server.app;
    for (let index = 0; index <= 64; index += 1) {
      await groups.create(ctx, app.id, `g${index}`, operator);
      if (index < 64) await groups.add(ctx, app.id, `g${index}`, [userId], operator);
    }
    const one = await send("PUT", `/groups/g64/members/${userId}`);
    expect([one.status, (one.body["error"] as Json)["details"]]).toEqual([
      400,
      "userId: a user can be in at most 64 groups",
    ]);
    expect((await groups.ofUser(ctx.storage.reader, userId)).length).toBe(64);
  });

  it("an application has at most 1,000 groups", async () => {
    const app = await service.createApp();
    const { ctx } = service.server.app;
    const { storage } = ctx;
    await storage.write(async ({ db, tables }) => {
      const row = (index: number) => ({ id: `grp_${index}`, appId: app.id, name: `g${index}`, createdAt: 0 });
      await db.insert(tables.groups).values(Array.from({ length: 999 }, (_, index) => row(index)));
    });
    await groups.create(ctx, app.id, "last", operator);
    await expect(groups.create(ctx, app.id, "more", operator)).rejects.toMatchObject({
      details: "name: an application can have at most 1000 groups",
    });
    expect((await groups.create(ctx, app.id, "last", operator)).isNew).toBe(false);
  });

  it("no call of a user writes groups or metadata: profile, sign-up, pages, initiate", async () => {
    const { app, userId, accessToken, send, patch } = await withMember(service);
    const headers = bearer(app, accessToken);
    await patch({ public: { plan: "free" }, private: { limit: 1 } });
    for (const body of [
      { publicMetadata: { plan: "pro" } },
      { public_metadata: { plan: "pro" } },
      { metadata: { plan: "pro" } },
      { private: { limit: 9 } },
      { groups: ["admins"] },
    ])
      expect((await call(service, "PATCH", "/users/profile", headers, body)).status).toBe(400);
    // A user's token is no API key.
    for (const [method, path] of [
      ["PUT", "/groups/admins"],
      ["PUT", `/groups/admins/members/${userId}`],
      ["PATCH", `/users/${userId}/metadata`],
    ] as const)
      expect((await call(service, method, `/applications/${app.id}${path}`, headers, {})).status).toBe(401);
    const initiate = await call(service, "POST", "/auth/initiate", app.headers, {
      redirectUri: app.redirectUri,
      groups: ["admins"],
    });
    expect(initiate.status).toBe(400);
    const created = await signedUp(service, app);
    expect((await send("GET", `/users/${String(created.user["id"])}/groups`)).body).toEqual({ groups: [] });
    expect((await send("GET", `/users/${userId}/metadata`)).body).toEqual({
      public: { plan: "free" },
      private: { limit: 1 },
    });
    const shown = await call(service, "GET", "/users/profile", headers);
    expect(shown.body["publicMetadata"]).toEqual({ plan: "free" });
    expect(JSON.stringify(shown.body)).not.toContain("limit");
  });

  it("a client that asks gets no private metadata, and groups and public metadata only by their scopes", async () => {
    const { app, userId, email, join } = await withMember(service);
    const { ctx } = service.server.app;
    await updateApp(service, app, { settings: { scopes: ["profile", "email", "groups"] } });
    await join("staff");
    await userMetadata.patch(ctx, { userId }, { public: { plan: "pro" }, private: { limit: 7 } }, operator);
    await setClaims(service, app, [
      { claim: "roles", from: "groups", in: everywhere },
      { claim: "plan", from: "public.plan", in: everywhere },
      { claim: "limit", from: "private.limit", in: everywhere },
    ]);
    const scopes = ["openid", "profile", "groups"];
    const client = await createTestClient(service, app, { consent: "ask", scopes });
    const { secret } = await clientSecrets.createSecret(ctx, { clientId: client.id }, operator.actor);
    const party = { app, client, secret, email };
    const claimsFor = async (scope: string) => {
      const visitor = new Visitor();
      const proven = await authorize(service, client, { email }, { scope, prompt: "consent" }, visitor);
      const done = await visitor.submit(await visitor.get(proven.location.href), "/step/consent", {});
      const code = done.location.searchParams.get("code") ?? "";
      const form = { grant_type: "authorization_code", code, redirect_uri: client.redirectUris[0] ?? "" };
      const { body } = await post(service, "/oauth2/token", form, basic(party));
      const access = String(body["access_token"]);
      const places = [decodeJwt(access), decodeJwt(String(body["id_token"])), (await userInfo(service, access)).body];
      const introspected = await post(service, "/oauth2/introspect", { token: access }, basic(party));
      const validated = ((await validate(service, app, access)).body["claims"] ?? {}) as Json;
      return [...places, introspected.body, validated].map(({ roles, plan, limit }) => ({ roles, plan, limit }));
    };
    const none = { roles: undefined, plan: undefined, limit: undefined };
    expect(await claimsFor("openid")).toEqual(Array.from({ length: 5 }, () => none));
    const some = { roles: ["staff"], plan: "pro", limit: undefined };
    expect(await claimsFor("openid profile groups")).toEqual(Array.from({ length: 5 }, () => some));
  });
});

describeOnSqlite("groups that a client allows", (service) => {
  it("others get access_denied after the right proof and by single sign-on, and there only", async () => {
    const { app, email, userId, join, leave } = await withMember(service);
    const { client } = await staffOnly(service, app, email);
    const open = await createTestClient(service, app);
    const denied = async (visitor: Visitor, parameters: Record<string, string> = {}) =>
      Object.fromEntries((await visitor.get(authorizeUrl(service, client, parameters))).location.searchParams);
    const visitor = new Visitor();
    const first = await authorize(service, client, { email }, {}, visitor);
    const refusal = { error: "access_denied", error_description: expect.any(String), state: "st", iss: service.url };
    expect(Object.fromEntries(first.location.searchParams)).toEqual(refusal);
    const elsewhere = await authorize(service, open, { email }, {}, visitor);
    expect(elsewhere.location.searchParams.has("code")).toBe(true);
    expect(await denied(visitor)).toEqual(refusal);
    expect(await denied(visitor, { prompt: "none" })).toEqual(refusal);
    expect((await visitor.get(authorizeUrl(service, open, { prompt: "none" }))).location.searchParams.has("code")).toBe(
      true,
    );
    await join("staff");
    expect((await denied(visitor))["code"]).toEqual(expect.any(String));
    await leave("staff");
    const { ctx } = service.server.app;
    const entries = await audit.list(ctx, { appId: app.id, limit: 50 });
    expect(entries).toContainEqual(
      expect.objectContaining({
        action: "sign-in",
        result: "failure",
        userId,
        details: expect.objectContaining({ reason: "groups" }),
      }),
    );
  });

  it("a code, a refresh and a second client are no way around", async () => {
    const { app, email, join, leave } = await withMember(service);
    const party = await staffOnly(service, app, email);
    await join("staff");
    const tokens = await tokensFor(service, party);
    const refreshed = await refreshWith(service, party, tokens.refresh_token);
    expect(refreshed.status).toBe(200);
    const visitor = new Visitor();
    const done = await authorize(service, party.client, { email }, {}, visitor);
    await leave("staff");
    const code = done.location.searchParams.get("code") ?? "";
    const form = { grant_type: "authorization_code", code, redirect_uri: party.client.redirectUris[0] ?? "" };
    expect(await post(service, "/oauth2/token", form, basic(party))).toMatchObject({
      status: 400,
      body: { error: "invalid_grant" },
    });
    const refreshToken = String(refreshed.body["refresh_token"]);
    expect(await refreshWith(service, party, refreshToken)).toMatchObject({
      status: 400,
      body: { error: "invalid_grant" },
    });
    // Another client of the application can neither redeem nor refresh what is this one's.
    const open = await createTestClient(service, app, { refreshTokens: "always" });
    const { secret } = await clientSecrets.createSecret(service.server.app.ctx, { clientId: open.id }, operator.actor);
    expect(await refreshWith(service, { client: open, secret }, refreshToken)).toMatchObject({ status: 400 });
    expect((await refresh(service, app, refreshToken)).status).toBe(401);
    // The refusal ended nothing: a member again, the user goes on.
    await join("staff");
    expect((await refreshWith(service, party, refreshToken)).status).toBe(200);
  });

  it("nobody may sign up into it: a new account is in no group, and none is left", async () => {
    const app = await service.createApp();
    const { client } = await staffOnly(service, app, "");
    const visitor = new Visitor();
    const start = await visitor.get(authorizeUrl(service, client));
    const page = await visitor.get(`${start.location.href}/create-account`);
    const email = "stranger@example.com";
    const done = await visitor.submit(page, "/create-account", { email, password: "correct horse battery staple" });
    expect(done.location.searchParams.get("code")).toBeNull();
  });

  it("a group that a client allows cannot be deleted, and an unknown one cannot be allowed", async () => {
    const { app, send } = await withMember(service);
    await staffOnly(service, app, "");
    expect((await send("DELETE", "/groups/staff")).status).toBe(409);
    await expect(createTestClient(service, app, { allowedGroups: ["staff", "stuff"] })).rejects.toMatchObject({
      details: "allowedGroups[1]: the application has no such group",
    });
    await expect(createTestClient(service, app, { allowedGroups: [] })).rejects.toMatchObject({
      details: "allowedGroups: 1 to 64 groups, or null for everybody",
    });
  });
});

describeOnSqlite("Grafana", (service) => {
  it("finds the role by its JMESPath expression over our userinfo", async () => {
    const expression =
      "contains(groups[*], 'admins') && 'Admin' || contains(groups[*], 'staff') && 'Editor' || 'Viewer'";
    const { app, email, join } = await withMember(service);
    const { ctx } = service.server.app;
    await updateApp(service, app, { settings: { scopes: ["profile", "email", "groups"] } });
    const client = await createTestClient(service, app, { scopes: ["openid", "profile", "email", "groups"] });
    const { secret } = await clientSecrets.createSecret(ctx, { clientId: client.id }, operator.actor);
    const tokens = await tokensFor(service, { app, client, secret, email }, { scope: "openid profile email groups" });
    const role = async () => search((await userInfo(service, tokens.access_token)).body, expression);
    expect(await role()).toBe("Viewer");
    await join("staff");
    expect(await role()).toBe("Editor");
    await join("admins");
    expect(await role()).toBe("Admin");
  });
});

describeEachDatabase("a group that is deleted while a client begins to allow it", (service) => {
  it("is allowed by no client afterwards, whichever comes first", async () => {
    const app = await service.createApp();
    const { ctx } = service.server.app;
    const { id } = await createTestClient(service, app);
    const begin: Record<string, (name: string) => Promise<unknown>> = {
      create: async (name) => await createTestClient(service, app, { allowedGroups: [name] }),
      update: async (name) => await clients.update(ctx, id, { allowedGroups: [name] }, operator),
    };
    for (const [how, allow] of Object.entries(begin))
      for (let round = 0; round < 20; round += 1) {
        const name = `${how}-${round}`;
        await groups.create(ctx, app.id, name, operator);
        const deleting = () => groupDeletion.remove(ctx, app.id, name, operator);
        const both = round % 2 === 0 ? [allow(name), deleting()] : [deleting(), allow(name)];
        const outcomes = (await Promise.allSettled(both)).map(({ status }) => status);
        expect([name, outcomes.toSorted()]).toEqual([name, ["fulfilled", "rejected"]]);
      }
  });
});
