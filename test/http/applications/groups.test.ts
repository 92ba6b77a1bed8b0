import { decodeJwt } from "jose";
import { expect, it } from "vitest";
import * as clientSecrets from "../../../src/applications/clients/secrets.ts";
import * as clients from "../../../src/applications/clients/service.ts";
import * as applications from "../../../src/applications/service.ts";
import * as audit from "../../../src/records/audit/audit.ts";
import * as groupDeletion from "../../../src/users/groups/deletion.ts";
import * as groups from "../../../src/users/groups/service.ts";
import * as userListings from "../../../src/users/listing.ts";
import * as userMetadata from "../../../src/people/metadata-changes.ts";
import * as newUsers from "../../../src/people/new-users.ts";
import { operator, setClaims, withMember } from "../../support/groups.ts";
import {
  applicationParty,
  basic,
  newParty,
  post,
  refreshWith,
  tokensFor,
  userInfo,
} from "../../support/openid-tokens.ts";
import { createTestClient } from "../../support/openid.ts";
import { call, refresh, validate } from "../../support/person.ts";
import { startReceiver, until } from "../../support/receiver.ts";
import { describeSqliteFirst, describeOnSqlite } from "../../support/service.ts";
import { createEndpoint, localWebhooks } from "../../support/webhooks.ts";

const everywhere: ("access" | "id" | "userinfo")[] = ["access", "id", "userinfo"];

describeSqliteFirst("groups and metadata", (current) => {
  it("are created, listed, shown and deleted by the application's server", async () => {
    const { send, userId, email } = await withMember(current());
    expect(await send("PUT", "/groups/staff")).toMatchObject({ status: 200, body: { name: "staff" } });
    expect(await send("PUT", "/groups/staff", {})).toMatchObject({ status: 200 });
    expect(await send("PUT", "/groups/team%3Aops")).toMatchObject({ status: 200, body: { name: "team:ops" } });
    expect((await send("GET", "/groups")).body).toEqual({
      groups: [
        { name: "staff", secondFactor: "off", createdAt: expect.any(String) },
        { name: "team:ops", secondFactor: "off", createdAt: expect.any(String) },
      ],
    });
    const required = { status: 200, body: { name: "staff", secondFactor: "required" } };
    expect(await send("PUT", "/groups/staff", { secondFactor: "required" })).toMatchObject(required);
    // An empty body changes nothing.
    expect(await send("PUT", "/groups/staff", {})).toMatchObject(required);
    expect(await send("PUT", "/groups/staff", { secondFactor: "always" })).toMatchObject({ status: 400 });
    expect((await send("PUT", `/groups/staff/members/${userId}`)).status).toBe(200);
    expect((await send("PUT", `/groups/staff/members/${userId}`)).status).toBe(200);
    expect((await send("GET", "/groups/staff")).body).toMatchObject({ name: "staff", members: 1 });
    expect((await send("GET", "/groups/staff/members")).body).toEqual({
      members: [{ id: userId, email, name: null, addedAt: expect.any(String) }],
      nextCursor: null,
    });
    expect((await send("GET", `/users/${userId}/groups`)).body).toEqual({ groups: ["staff"] });
    expect((await send("DELETE", `/groups/staff/members/${userId}`)).status).toBe(200);
    expect((await send("GET", `/users/${userId}/groups`)).body).toEqual({ groups: [] });
    await send("PUT", `/groups/staff/members/${userId}`);
    expect((await send("DELETE", "/groups/staff")).status).toBe(200);
    expect((await send("GET", "/groups/staff")).status).toBe(404);
    expect((await send("GET", `/users/${userId}/groups`)).body).toEqual({ groups: [] });
    // The name is free again, and its old members are gone.
    await send("PUT", "/groups/staff");
    expect((await send("GET", "/groups/staff")).body).toMatchObject({ members: 0 });
  });

  it("appear as claims in tokens, userinfo, introspection and validate", async () => {
    const service = current();
    const party = await newParty(service, { refreshTokens: "always" });
    const { app, email } = party;
    const [user] = (await userListings.list(service.server.app.ctx, app.id, { email }, { limit: 1 })).users;
    const userId = user?.id ?? "";
    const { ctx } = service.server.app;
    for (const name of ["staff", "admins"]) {
      await groups.create(ctx, app.id, name, operator);
      await groups.add(ctx, app.id, name, [userId], operator);
    }
    await userMetadata.patch(ctx, { userId }, { public: { plan: "pro" }, private: { limit: 7 } }, operator);
    await setClaims(service, app, [
      { claim: "roles", from: "groups", in: everywhere },
      { claim: "plan", from: "public.plan", in: everywhere },
      { claim: "https://shop.example/limit", from: "private.limit", in: ["access"] },
      { claim: "absent", from: "private.absent", in: everywhere },
      { claim: "tenant", from: "value", value: { id: 1 }, in: everywhere },
    ]);
    const shared = { roles: ["admins", "staff"], plan: "pro", tenant: { id: 1 } };
    const access = { ...shared, "https://shop.example/limit": 7 };
    const tokens = await tokensFor(service, party);
    expect(decodeJwt(tokens.access_token)).toMatchObject(access);
    expect(decodeJwt(tokens.access_token)).not.toHaveProperty("absent");
    expect(decodeJwt(tokens.id_token)).toMatchObject(shared);
    expect(decodeJwt(tokens.id_token)).not.toHaveProperty("https://shop.example/limit");
    expect((await userInfo(service, tokens.access_token)).body).toMatchObject(shared);
    const introspected = await post(service, "/oauth2/introspect", { token: tokens.access_token }, basic(party));
    expect(introspected.body).toMatchObject({ ...access, active: true });
    expect((await validate(service, app, tokens.access_token)).body["claims"]).toEqual(access);

    // validate shows changes at the next call, tokens at the next refresh.
    await groups.remove(ctx, app.id, "admins", [userId], operator);
    await userMetadata.patch(ctx, { userId }, { public: { plan: null } }, operator);
    const { plan: _, ...less } = { ...access, roles: ["staff"] };
    expect((await validate(service, app, tokens.access_token)).body["claims"]).toEqual(less);
    const refreshed = await refreshWith(service, party, tokens.refresh_token);
    expect(decodeJwt(String(refreshed.body["access_token"]))).toMatchObject({ roles: ["staff"] });
    expect(decodeJwt(String(refreshed.body["id_token"]))).not.toHaveProperty("plan");
    await groupDeletion.remove(ctx, app.id, "staff", operator);
    expect((await validate(service, app, tokens.access_token)).body["claims"]).toMatchObject({ roles: [] });
  });

  it("are given by the scope groups, without any claims of the application", async () => {
    const service = current();
    const { app, userId, email, join } = await withMember(service);
    const { ctx } = service.server.app;
    await applications.update(ctx, app.id, { settings: { scopes: ["profile", "email", "groups"] } }, operator.actor);
    await join("staff");
    const client = await createTestClient(service, app, { scopes: ["openid", "groups"], refreshTokens: "always" });
    const { secret } = await clientSecrets.createSecret(
      service.server.app.ctx,
      { clientId: client.id },
      operator.actor,
    );
    const party = { app, client, secret, email };
    const tokens = await tokensFor(service, party, { scope: "openid groups" });
    expect(decodeJwt(tokens.id_token)).toMatchObject({ sub: userId, groups: ["staff"] });
    expect(decodeJwt(tokens.access_token)).toMatchObject({ groups: ["staff"] });
    expect((await userInfo(service, tokens.access_token)).body).toEqual({ sub: userId, groups: ["staff"] });
    expect((await validate(service, app, tokens.access_token)).body["claims"]).toEqual({ groups: ["staff"] });
    const without = await tokensFor(service, party, { scope: "openid" });
    expect(decodeJwt(without.id_token)).not.toHaveProperty("groups");
    expect((await userInfo(service, without.access_token)).body).toEqual({ sub: userId });
  });

  it("C7: are given for the claims parameter only if the client may have the scope, and people agreed", async () => {
    const service = current();
    const { app, email, join } = await withMember(service);
    const { ctx } = service.server.app;
    await applications.update(ctx, app.id, { settings: { scopes: ["profile", "email", "groups"] } }, operator.actor);
    await join("staff");
    const claims = JSON.stringify({ id_token: { groups: null }, userinfo: { groups: null } });
    const seenBy = async (scopes: ("openid" | "groups")[]) => {
      const client = await createTestClient(service, app, { scopes });
      const { secret } = await clientSecrets.createSecret(ctx, { clientId: client.id }, operator.actor);
      const tokens = await tokensFor(service, { app, client, secret, email }, { scope: "openid", claims });
      const shown = async () => (await userInfo(service, tokens.access_token)).body["groups"];
      const before = await shown();
      await clients.update(ctx, client.id, { consent: "ask" }, operator);
      return [decodeJwt(tokens.id_token)["groups"], before, await shown()];
    };
    expect(await seenBy(["openid", "groups"])).toEqual([["staff"], ["staff"], undefined]);
    expect(await seenBy(["openid"])).toEqual([undefined, undefined, undefined]);
  });

  it("are what validate says right after a change: a member removed, then metadata changed", async () => {
    const service = current();
    const { app, accessToken, join, leave, patch } = await withMember(service);
    await setClaims(service, app, [
      { claim: "roles", from: "groups", in: ["access"] },
      { claim: "plan", from: "public.plan", in: ["access"] },
    ]);
    const claims = async () => (await validate(service, app, accessToken)).body["claims"];
    await join("admins");
    await patch({ public: { plan: "pro" } });
    expect(await claims()).toEqual({ roles: ["admins"], plan: "pro" });
    await leave("admins");
    expect(await claims()).toEqual({ roles: [], plan: "pro" });
    await patch({ public: { plan: "free" } });
    expect(await claims()).toEqual({ roles: [], plan: "free" });
  });

  it("lose nothing of metadata that ten calls patch at once", async () => {
    const { patch, send, userId } = await withMember(current());
    const keys = Array.from({ length: 10 }, (_, at) => `key${at}`);
    const answers = await Promise.all(keys.map(async (key) => await patch({ private: { [key]: true } })));
    expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 200));
    const { body } = await send("GET", `/users/${userId}/metadata`);
    expect(Object.keys(body["private"] as object).toSorted()).toEqual(keys);
  });

  it.each([
    '{"public":{"list":[{"__proto__":1}]}}',
    '{"private":{"list":["\\u0000"]}}',
    '{"public":{"list":[[1e999]]}}',
  ])("take nothing inside an array that they refuse elsewhere: %s", async (change) => {
    const refused = await (await withMember(current())).patch(change);
    expect(refused).toMatchObject({ status: 400, body: { error: { code: "INVALID_REQUEST" } } });
  });

  it("are in the tokens of callback and refresh too, and in those of the application as a client", async () => {
    const service = current();
    const { app, accessToken, refreshToken, join } = await withMember(service);
    await setClaims(service, app, [{ claim: "groups", from: "groups", in: everywhere }]);
    expect(decodeJwt(accessToken)).not.toHaveProperty("groups");
    await join("staff");
    const again = await refresh(service, app, refreshToken);
    expect(decodeJwt(String(again.body["accessToken"]))).toMatchObject({ groups: ["staff"] });
    const party = await applicationParty(service);
    await setClaims(service, party.app, [{ claim: "roles", from: "groups", in: everywhere }]);
    const tokens = await tokensFor(service, party);
    expect([decodeJwt(tokens.id_token)["roles"], decodeJwt(tokens.access_token)["roles"]]).toEqual([[], []]);
  });

  it("are read page by page", async () => {
    const service = current();
    const app = await service.createApp();
    const { ctx } = service.server.app;
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      const user = { appId: app.id, email: `m${index}@example.com`, emailVerified: true, name: null };
      ids.push((await newUsers.create(ctx, { ...user, password: undefined }, { dryRun: false }, operator)).id);
    }
    await groups.create(ctx, app.id, "all", operator);
    expect(await groups.add(ctx, app.id, "all", ids, operator)).toBe(5);
    expect(await groups.add(ctx, app.id, "all", ids, operator)).toBe(0);
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const page = await call(
        service,
        "GET",
        `/applications/${app.id}/groups/all/members?limit=2&cursor=${cursor}`,
        app.headers,
      );
      expect(page.status).toBe(200);
      seen.push(...(page.body["members"] as { id: string }[]).map(({ id }) => id));
      cursor = page.body["nextCursor"] as string | null;
    }
    expect(seen).toEqual(ids.toSorted());
  });

  it("a deletion that was interrupted is completed by the sweep", async () => {
    const service = current();
    const { app, userId, join, send } = await withMember(service);
    await join("staff");
    const { ctx } = service.server.app;
    const { storage } = ctx;
    await storage.write(async ({ db, tables }) => {
      await db.update(tables.groups).set({ name: null });
    });
    expect((await send("GET", `/users/${userId}/groups`)).body).toEqual({ groups: [] });
    while (await groupDeletion.sweep(ctx));
    expect(await storage.reader.db.select().from(storage.reader.tables.groupMembers)).toEqual([]);
    expect(await groups.list(ctx, app.id)).toEqual([]);
  });
});

describeOnSqlite("a change of groups or metadata", localWebhooks, (current) => {
  it("is audited as the application and sent as user.updated once; what changes nothing is neither", async () => {
    const service = current();
    const { app, userId, join, leave, patch, send } = await withMember(service);
    const receiver = await startReceiver();
    try {
      await createEndpoint(service, app, { url: receiver.url, events: ["user.updated"] });
      await join("staff");
      await join("staff");
      await leave("staff");
      await leave("staff");
      await patch({ public: { plan: "pro" }, private: { limit: 1 } });
      await patch({});
      await patch({ public: { plan: "pro", none: null } });
      await join("staff");
      await send("DELETE", "/groups/staff");
      const events = await audit.list(service.server.app.ctx, { userId, limit: 50 });
      const changes = events.filter(({ action }) => /^group\.|^user\.metadata$/u.test(action));
      const actions = ["group.add", "group.add", "group.remove", "user.metadata"];
      expect(changes.map(({ action }) => action).toSorted()).toEqual(actions);
      expect(new Set(changes.map(({ actor }) => actor))).toEqual(new Set([`app:${app.id}`]));
      expect(JSON.stringify(changes)).not.toContain("pro");
      // The deletion of a group is one act on the group, with an event for each member.
      const ids = () => new Set(receiver.received.map(({ headers }) => headers["webhook-id"]));
      await until(() => ids().size === actions.length + 1);
      // Of the user alone: the address of the application's server is nobody's.
      for (const { body } of receiver.received) expect(body.data).toMatchObject({ userId, ipAddress: null });
    } finally {
      await receiver.stop();
    }
  });
});
