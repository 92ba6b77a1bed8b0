import { decodeJwt } from "jose";
import { expect, it } from "vitest";
import * as clients from "../../../src/applications/clients/service.ts";
import * as applications from "../../../src/applications/service.ts";
import * as audit from "../../../src/records/audit/audit.ts";
import * as logins from "../../../src/sessions/login-administration.ts";
import * as administration from "../../../src/people/administration.ts";
import * as users from "../../../src/users/service.ts";
import {
  allowDevice,
  allScopes,
  beginOnDevice,
  deviceGrant,
  deviceTokens,
  newDeviceParty,
  openDecision,
  poll,
  typeCode,
} from "../../support/devices.ts";
import { basic, newParty, post, userInfo } from "../../support/openid-tokens.ts";
import { call, validate, Visitor, type Page } from "../../support/person.ts";
import { by, createResource } from "../../support/resources.ts";
import { describeEachDatabase, describeOnSqlite, type TestService } from "../../support/service.ts";

const errorOf = ({ status, body }: { status: number; body: Record<string, unknown> }) =>
  `${status} ${String(body["error"])}`;

const refreshed = async (service: TestService, client: { id: string }, token: string) =>
  await post(service, "/oauth2/token", { grant_type: "refresh_token", client_id: client.id, refresh_token: token });

describeEachDatabase("the device grant", (current) => {
  it("shows codes, waits for the person, and then gives the tokens of an ordinary login", async () => {
    const service = current();
    const party = await newDeviceParty(service);
    const codes = await beginOnDevice(service, party);
    expect(codes).toEqual({
      device_code: expect.stringMatching(/^[\w-]{43}$/u) as string,
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/u) as string,
      verification_uri: `${service.url}/device`,
      verification_uri_complete: `${service.url}/device?user_code=${codes.user_code}`,
      expires_in: 600,
      interval: 5,
    });
    expect(errorOf(await poll(service, party, codes))).toBe("400 authorization_pending");
    const page = await allowDevice(service, party, codes);
    expect(page.text).toContain("You can go back to your device");
    service.clock.advance(5000);
    const { status, body, headers } = await poll(service, party, codes);
    expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
    const { app, client } = party;
    const access = decodeJwt(String(body["access_token"]));
    expect(access).toMatchObject({ aud: app.id, client_id: client.id, scope: allScopes });
    const id = decodeJwt(String(body["id_token"]));
    expect(id).toMatchObject({ aud: client.id, sub: access.sub, sid: access["sid"], amr: ["pwd"] });
    expect((await validate(service, app, String(body["access_token"]))).status).toBe(200);
    const info = await userInfo(service, String(body["access_token"]));
    expect(info.body).toMatchObject({ sub: access.sub, email: party.email });
    const again = await refreshed(service, client, String(body["refresh_token"]));
    expect(again.status).toBe(200);
    expect(again.body["refresh_token"]).not.toBe(body["refresh_token"]);
    expect((await refreshed(service, client, String(again.body["refresh_token"]))).status).toBe(200);
  });

  it("N2: of 50 parallel polls one wins, and the others end its login", async () => {
    const service = current();
    const party = await newDeviceParty(service);
    const codes = await beginOnDevice(service, party);
    await allowDevice(service, party, codes);
    const answers = await Promise.all(Array.from({ length: 50 }, async () => await poll(service, party, codes)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    const lost = answers.filter(({ status }) => status !== 200);
    expect(new Set(lost.map(errorOf))).toEqual(new Set(["400 invalid_grant"]));
    expect((await validate(service, party.app, String(won[0]?.body["access_token"]))).status).toBe(401);
  });

  it("N2: a second use of a device code ends its login, as a reused code does", async () => {
    const service = current();
    const party = await newDeviceParty(service);
    const { access_token: token, refresh_token: refresh, codes } = await deviceTokens(service, party);
    service.clock.advance(60_000);
    expect(errorOf(await poll(service, party, codes))).toBe("400 invalid_grant");
    expect((await validate(service, party.app, token)).status).toBe(401);
    expect(errorOf(await refreshed(service, party.client, refresh))).toBe("400 invalid_grant");
    const { reader } = service.server.app.ctx.storage;
    expect(await audit.recent(reader, { appId: party.app.id, action: "code.reuse", since: 0 })).toHaveLength(1);
  });

  it("slows down a device that polls too often, by 5 seconds each time, until it waits", async () => {
    const service = current();
    const party = await newDeviceParty(service);
    const codes = await beginOnDevice(service, party);
    const after = async (seconds: number) => {
      service.clock.advance(seconds * 1000);
      return errorOf(await poll(service, party, codes));
    };
    expect(await after(0)).toBe("400 authorization_pending");
    expect(await after(5)).toBe("400 authorization_pending");
    expect(await after(3)).toBe("400 slow_down");
    expect(await after(5)).toBe("400 slow_down");
    expect(await after(10)).toBe("400 slow_down");
    expect(await after(20)).toBe("400 authorization_pending");
    expect(await after(19)).toBe("400 authorization_pending");
  });

  it("tells the device that the person did not agree; nobody can allow it afterwards", async () => {
    const service = current();
    const party = await newDeviceParty(service);
    const codes = await beginOnDevice(service, party);
    const [visitor, other] = [new Visitor(), new Visitor()];
    const page = await openDecision(service, party, codes, visitor);
    const second = await openDecision(service, party, codes, other);
    const denied = await visitor.submit(page, "/step/deny", {});
    expect(denied.text).toContain("Nothing was allowed");
    expect(errorOf(await poll(service, party, codes))).toBe("400 access_denied");
    expect((await visitor.submit(page, "/step/consent", {})).text).toContain("This code no longer works");
    expect((await other.submit(second, "/step/consent", {})).text).toContain("This code no longer works");
    expect((await typeCode(service, codes.user_code)).status).toBe(422);
    expect(errorOf(await poll(service, party, codes))).toBe("400 access_denied");
    const { reader } = service.server.app.ctx.storage;
    expect(await audit.recent(reader, { appId: party.app.id, action: "device.deny", since: 0 })).toHaveLength(1);
  });

  it("N6: is allowed once: of two people who answer at the same time, one is told that the code is used", async () => {
    const service = current();
    const party = await newDeviceParty(service);
    const friend = await newDeviceParty(service, {}, party.app);
    const codes = await beginOnDevice(service, party);
    const [mine, theirs] = [new Visitor(), new Visitor()];
    const pages = [await openDecision(service, party, codes, mine), await openDecision(service, friend, codes, theirs)];
    const answers = await Promise.all(
      [mine, theirs].map(async (visitor, index) => await visitor.submit(pages[index] as Page, "/step/consent", {})),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303, 410]));
    const { status, body } = await poll(service, party, codes);
    expect(status).toBe(200);
    const winner = answers[0]?.status === 303 ? party : friend;
    expect(decodeJwt(String(body["id_token"]))["email"]).toBe(winner.email);
  });

  it("expires after 10 minutes, for the device and for the person, whatever page is open", async () => {
    const service = current();
    const party = await newDeviceParty(service);
    const codes = await beginOnDevice(service, party);
    service.clock.advance(60_000);
    const visitor = new Visitor();
    const page = await openDecision(service, party, codes, visitor);
    service.clock.advance(540_000);
    expect(errorOf(await poll(service, party, codes))).toBe("400 expired_token");
    expect((await visitor.submit(page, "/step/consent", {})).text).toContain("This code no longer works");
    expect((await typeCode(service, codes.user_code)).status).toBe(422);
    await service.server.app.sweep();
    expect(errorOf(await poll(service, party, codes))).toBe("400 expired_token");
    service.clock.advance(599_999);
    await service.server.app.sweep();
    expect(errorOf(await poll(service, party, codes))).toBe("400 expired_token");
    service.clock.advance(2);
    await service.server.app.sweep();
    expect(errorOf(await poll(service, party, codes))).toBe("400 invalid_grant");
    const { db, tables } = service.server.app.ctx.storage.reader;
    const left = await db.select().from(tables.deviceRequests);
    expect(left.filter(({ clientId, allowedAt }) => clientId === party.client.id && allowedAt === null)).toEqual([]);
  });

  it("N2: a second use of a device code ends its login for a day after the request's end, also after sweeps", async () => {
    const service = current();
    const party = await newDeviceParty(service);
    const [early, late] = [await deviceTokens(service, party), await deviceTokens(service, party)];
    service.clock.advance(3_600_000);
    await service.server.app.sweep();
    expect(errorOf(await poll(service, party, early.codes))).toBe("400 invalid_grant");
    expect(errorOf(await refreshed(service, party.client, early.refresh_token))).toBe("400 invalid_grant");
    service.clock.advance(23 * 3_600_000);
    await service.server.app.sweep();
    expect((await refreshed(service, party.client, late.refresh_token)).status).toBe(200);
    expect(errorOf(await poll(service, party, late.codes))).toBe("400 invalid_grant");
    const { reader } = service.server.app.ctx.storage;
    expect(await audit.recent(reader, { appId: party.app.id, action: "code.reuse", since: 0 })).toHaveLength(2);
  });

  it("N7: stores neither code", async () => {
    const service = current();
    const party = await newDeviceParty(service);
    const { device_code, user_code } = await beginOnDevice(service, party);
    const text = await service.databaseText();
    for (const secret of [device_code, user_code, user_code.replace("-", "")]) expect(text).not.toContain(secret);
  });
});

describeOnSqlite("the device grant", (current) => {
  it("is told the error of the RFC for each wrong parameter, and nothing changes", async () => {
    const service = current();
    const party = await newDeviceParty(service);
    const { app, client } = party;
    const foreign = await createResource(service, await service.createApp());
    const unlisted = await createResource(service, app);
    const long = (size: number) => "x".repeat(size);
    const rows: [form: [string, string][], error: string][] = [
      [[], "400 invalid_scope"],
      [[["scope", ""]], "400 invalid_scope"],
      [[["scope", "orders"]], "400 invalid_scope"],
      [[["scope", long(1025)]], "400 invalid_request"],
      [
        [
          ["scope", "openid"],
          ["scope", "openid"],
        ],
        "400 invalid_request",
      ],
      [
        [
          ["scope", "openid"],
          ["resource", foreign],
        ],
        "400 invalid_target",
      ],
      [
        [
          ["scope", "openid"],
          ["resource", unlisted],
        ],
        "400 invalid_target",
      ],
      [
        [
          ["scope", "openid"],
          ["resource", `https://${long(5000)}.example`],
        ],
        "400 invalid_target",
      ],
      [
        [
          ["scope", "openid"],
          ["resource", unlisted],
          ["resource", unlisted],
        ],
        "400 invalid_target",
      ],
      [
        [
          ["scope", "openid"],
          ["client_id", client.id],
        ],
        "400 invalid_request",
      ],
      [
        [
          ["scope", "openid"],
          ["client_secret", "x"],
        ],
        "401 invalid_client",
      ],
    ];
    for (const [form, error] of rows) {
      const answer = await post(service, "/oauth2/device_authorization", [["client_id", client.id], ...form]);
      expect([form, errorOf(answer)]).toEqual([form, error]);
    }
    for (const [form, error] of [
      [{ scope: "openid" }, "401 invalid_client"],
      [{ scope: "openid", client_id: "nobody" }, "401 invalid_client"],
      [{ scope: "openid", client_id: long(5000) }, "401 invalid_client"],
    ] as const)
      expect(errorOf(await post(service, "/oauth2/device_authorization", form))).toBe(error);
    const { db, tables } = service.server.app.ctx.storage.reader;
    const all = await db.select({ clientId: tables.deviceRequests.clientId }).from(tables.deviceRequests);
    expect(all.filter(({ clientId }) => clientId === client.id)).toEqual([]);
  });

  it("N3: a poll with a wrong parameter, or of another client or application, changes nothing", async () => {
    const service = current();
    const party = await newDeviceParty(service);
    const sibling = await newDeviceParty(service, {}, party.app);
    const stranger = await newDeviceParty(service);
    const web = await newParty(service, {}, party.app);
    const resource = await createResource(service, party.app);
    const codes = await beginOnDevice(service, party);
    const send = async (fields: [string, string][]) =>
      errorOf(await post(service, "/oauth2/token", [["grant_type", deviceGrant], ...fields]));
    const mine: [string, string][] = [["client_id", party.client.id]];
    const code: [string, string] = ["device_code", codes.device_code];
    const rows: [form: [string, string][], error: string][] = [
      [mine, "400 invalid_request"],
      [[...mine, ["device_code", ""]], "400 invalid_request"],
      [[...mine, code, code], "400 invalid_request"],
      [[...mine, ["device_code", "x"]], "400 invalid_grant"],
      [[...mine, ["device_code", "x".repeat(9000)]], "400 invalid_grant"],
      [[...mine, ["device_code", codes.user_code]], "400 invalid_grant"],
      [[...mine, code, ["resource", resource]], "400 invalid_target"],
      [[["client_id", sibling.client.id], code], "400 invalid_grant"],
      [[["client_id", stranger.client.id], code], "400 invalid_grant"],
      [[["client_id", web.client.id], ["client_secret", web.secret], code], "400 unauthorized_client"],
      [[code], "401 invalid_client"],
    ];
    const all = async () => {
      for (const [form, error] of rows) expect([form, await send(form)]).toEqual([form, error]);
    };
    await all();
    await allowDevice(service, party, codes);
    await all();
    // As a code of another grant: it is none, and stays unused.
    const asCode = {
      grant_type: "authorization_code",
      client_id: party.client.id,
      code: codes.device_code,
      redirect_uri: `${service.url}/device/end?app_id=${party.app.id}`,
    };
    expect(errorOf(await post(service, "/oauth2/token", asCode))).toBe("400 invalid_grant");
    const { client_id: _, ...ofAnother } = asCode;
    expect(errorOf(await post(service, "/oauth2/token", ofAnother, basic(web)))).toBe("400 invalid_grant");
    const withVerifier = { ...asCode, code_verifier: "v".repeat(64) };
    expect(errorOf(await post(service, "/oauth2/token", withVerifier))).toBe("400 invalid_grant");
    expect((await poll(service, party, codes)).status).toBe(200);
  });

  it("gives a token for the resource of the request, with its scopes", async () => {
    const service = current();
    const app = await service.createApp();
    const resource = await createResource(service, app, { identifier: "https://api-of-devices.example" });
    const party = await newDeviceParty(service, { resources: [resource] }, app);
    // As libraries write it: the same address.
    const written = new URL(resource).href;
    const codes = await beginOnDevice(service, party, { resource: written, scope: "read offline_access" });
    const page = await openDecision(service, party, codes);
    expect(page.text).toContain("Read your orders");
    expect(page.text).not.toContain("Change your orders");
    await allowDevice(service, party, codes);
    const { body } = await poll(service, party, codes, { resource: written });
    expect(decodeJwt(String(body["access_token"]))).toMatchObject({ aud: [resource], scope: "read" });
    expect((await userInfo(service, String(body["access_token"]))).status).toBe(401);
  });

  it("gives a refresh token only with offline_access, or if the client always gets one", async () => {
    const service = current();
    const party = await newDeviceParty(service);
    expect((await deviceTokens(service, party, { scope: "openid" })).refresh_token).toBeUndefined();
    const always = await newDeviceParty(service, { refreshTokens: "always" });
    const { refresh_token: token } = await deviceTokens(service, always, { scope: "openid" });
    expect((await refreshed(service, always.client, token)).status).toBe(200);
  });

  it("is for clients of kind device, and for other public clients that list it", async () => {
    const service = current();
    const app = await service.createApp();
    const redirectUris = ["http://127.0.0.1/callback"];
    const native = await newDeviceParty(service, { kind: "native", redirectUris }, app);
    const form = { client_id: native.client.id, scope: "openid" };
    const begin = async () => await post(service, "/oauth2/device_authorization", form);
    expect(errorOf(await begin())).toBe("400 unauthorized_client");
    const { ctx } = service.server.app;
    await clients.update(ctx, native.client.id, { deviceGrant: true }, by);
    expect((await deviceTokens(service, native)).access_token).toBeDefined();
    for (const input of [
      { kind: "web", deviceGrant: true },
      { kind: "machine", deviceGrant: true },
      { kind: "device", deviceGrant: false },
      { kind: "device", redirectUris },
      { kind: "device", postLogoutRedirectUris: redirectUris },
      { kind: "device", jwks: { keys: [] } },
    ] as const) {
      const named = { ...input, appId: app.id, name: "x" } as Parameters<typeof clients.create>[1];
      await expect(clients.create(ctx, named, {}, by)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    }
  });

  it("N3: ends with its client, its application's permission, and the group of its person", async () => {
    const service = current();
    const { ctx } = service.server.app;
    const disabled = await newDeviceParty(service);
    const codes = await beginOnDevice(service, disabled);
    await allowDevice(service, disabled, codes);
    const waiting = await beginOnDevice(service, disabled);
    const visitor = new Visitor();
    const page = await openDecision(service, disabled, waiting, visitor);
    await clients.update(ctx, disabled.client.id, { enabled: false }, by);
    expect(errorOf(await poll(service, disabled, codes))).toBe("401 invalid_client");
    expect((await typeCode(service, waiting.user_code)).status).toBe(422);
    expect((await visitor.submit(page, "/step/consent", {})).text).toContain("This code no longer works");
    await clients.update(ctx, disabled.client.id, { enabled: true }, by);
    expect((await visitor.submit(page, "/step/consent", {})).status).toBe(303);

    const party = await newDeviceParty(service);
    const allowed = await beginOnDevice(service, party);
    await allowDevice(service, party, allowed);
    await applications.update(ctx, party.app.id, { authMethods: { password: { enabled: false } } }, by.actor);
    expect(errorOf(await poll(service, party, allowed))).toBe("400 invalid_grant");
  });

  it("N3: a login ends with the person's access, also between Allow and the poll, but not with the browser", async () => {
    const service = current();
    const { ctx } = service.server.app;
    const party = await newDeviceParty(service);
    const userId = (await users.findByEmail(ctx.storage.reader, party.app.id, party.email))?.id ?? "";
    const codes = await beginOnDevice(service, party);
    await allowDevice(service, party, codes);
    await administration.disable(ctx, userId, { dryRun: false }, by);
    expect(errorOf(await poll(service, party, codes))).toBe("400 invalid_grant");
    await administration.enable(ctx, userId, { dryRun: false }, by);

    const visitor = new Visitor();
    const more = await beginOnDevice(service, party);
    await allowDevice(service, party, more, visitor);
    const { body } = await poll(service, party, more);
    const token = String(body["access_token"]);
    const account = await visitor.get(`${service.url}/account?app_id=${party.app.id}`);
    await visitor.submit(account, "/account/sign-out", {});
    expect((await validate(service, party.app, token)).status).toBe(200);
    expect((await call(service, "POST", "/auth/logout", { authorization: `Bearer ${token}` })).status).toBe(200);
    expect((await validate(service, party.app, token)).status).toBe(401);
    expect(errorOf(await refreshed(service, party.client, String(body["refresh_token"])))).toBe("400 invalid_grant");
  });

  it("is in the metadata, and at the token endpoint, only while a client may use it", async () => {
    const service = current();
    const { ctx } = service.server.app;
    const read = async () => {
      service.clock.advance(2000);
      const response = await fetch(`${service.url}/.well-known/oauth-authorization-server`);
      return (await response.json()) as Record<string, unknown>;
    };
    const enabled = (await clients.list(ctx)).filter(
      ({ deviceGrant, disabledAt }) => deviceGrant && disabledAt === null,
    );
    for (const { id } of enabled) await clients.update(ctx, id, { enabled: false }, by);
    const before = await read();
    expect(JSON.stringify(before)).not.toContain("device");
    const web = await newParty(service);
    const form = { grant_type: deviceGrant, client_id: web.client.id, client_secret: web.secret, device_code: "x" };
    expect(errorOf(await post(service, "/oauth2/token", form))).toBe("400 unsupported_grant_type");
    const party = await newDeviceParty(service);
    const { device_authorization_endpoint: endpoint, grant_types_supported: grants, ...rest } = await read();
    expect(endpoint).toBe(`${service.url}/oauth2/device_authorization`);
    expect(grants).toEqual([...(before["grant_types_supported"] as string[]), deviceGrant]);
    const { grant_types_supported: _, ...restBefore } = before;
    expect(rest).toEqual(restBefore);
    await clients.update(ctx, party.client.id, { enabled: false }, by);
    expect(await read()).toEqual(before);
  });

  it("shows the login with the device's own address and program", async () => {
    const service = current();
    const party = await newDeviceParty(service);
    const codes = await beginOnDevice(service, party);
    await allowDevice(service, party, codes, new Visitor({ "user-agent": "Browser of the person" }));
    const headers = { "user-agent": "AcmeTV/1" };
    const form = { grant_type: deviceGrant, client_id: party.client.id, device_code: codes.device_code };
    const { status, body } = await post(service, "/oauth2/token", form, headers);
    expect([status, body]).toEqual([200, body]);
    const { ctx } = service.server.app;
    const userId = (await users.findByEmail(ctx.storage.reader, party.app.id, party.email))?.id ?? "";
    const [login] = await logins.list(ctx, userId, { all: false });
    expect(login).toMatchObject({ userAgent: "AcmeTV/1" });
  });
});
