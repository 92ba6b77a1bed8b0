import { decodeJwt } from "jose";
import { beforeAll, expect, it } from "vitest";
import { apiRoutes } from "../../../src/api/routes.ts";
import * as clientSecrets from "../../../src/applications/clients/secrets.ts";
import type { NewClient } from "../../../src/applications/clients/rules.ts";
import * as clients from "../../../src/applications/clients/service.ts";
import { checkedIdentifier } from "../../../src/applications/resources/rules.ts";
import * as applications from "../../../src/applications/service.ts";
import type { Route } from "../../../src/http/route.ts";
import * as audit from "../../../src/records/audit/audit.ts";
import { newProver, prove } from "../../support/dpop.ts";
import { authorizeUrl, createTestClient } from "../../support/openid.ts";
import { basic, newParty, post } from "../../support/openid-tokens.ts";
import { newEmail, call } from "../../support/person.ts";
import { until, useReceiver } from "../../support/receiver.ts";
import { sendUntidied } from "../../support/raw-http.ts";
import { by, createResource, newMachine } from "../../support/resources.ts";
import { addressOf } from "../../support/routes.ts";
import {
  describeEachDatabase,
  describeOnSqlite,
  updateApp,
  type TestApp,
  type TestService,
} from "../../support/service.ts";
import { createEndpoint, localWebhooks } from "../../support/webhooks.ts";

type Machine = Awaited<ReturnType<typeof newMachine>>;

const management = { scopes: [{ name: "management", sentence: "Manage something else" }] };

/** A machine that may manage its application. */
async function newManager(service: TestService, changes: Partial<NewClient> = {}, app?: TestApp): Promise<Machine> {
  return await newMachine(service, { resources: [service.url], ...changes }, app);
}

async function tokenOf(service: TestService, machine: Machine, resource = service.url): Promise<string> {
  const { status, body } = await post(
    service,
    "/oauth2/token",
    { grant_type: "client_credentials", resource },
    basic(machine),
  );
  expect([status, body]).toEqual([200, body]);
  return String(body["access_token"]);
}

/** Sends a body that no route takes: whoever gets as far as that was let in. */
async function send(
  service: TestService,
  route: Pick<Route, "method" | "path" | "errors">,
  app: string,
  token: string,
) {
  const isForm = route.errors === "oauth";
  const type = isForm ? "application/x-www-form-urlencoded" : "application/json";
  const headers = { authorization: `Bearer ${token}`, "x-service-app-id": app, "content-type": type };
  const hasBody = route.method === "POST" || route.method === "PATCH" || route.path.endsWith("/groups/:name");
  const body = !hasBody || route.method === "GET" ? "" : isForm ? "nobody=takes+this" : '{"nobody":"takes this"}';
  const address = addressOf(route, { appId: app, provider: "google" });
  const { status, text } = await sendUntidied(service, route.method, `${address}?app_id=${app}`, headers, body);
  return { status, text, code: /"(?:code|error)":"(\w+)"/u.exec(text)?.[1] };
}

const managed = apiRoutes.filter(({ guard }) => guard.access === "managerOfItsApp");

describeOnSqlite("a management token", (service) => {
  let machine: Machine;
  let token: string;
  beforeAll(async () => {
    machine = await newManager(service);
    token = await tokenOf(service, machine);
  });
  const codes = async (shown: string, app = machine.app.id) =>
    new Set(await Promise.all(managed.map(async (route) => (await send(service, route, app, shown)).code)));

  it("I4: opens every route that manages its application", async () => {
    expect(managed).toEqual(apiRoutes.filter(({ path }) => /^\/(?:applications|webhooks)\//u.test(path)));
    for (const route of managed) {
      const { status, code } = await send(service, route, machine.app.id, token);
      expect([route.path, [200, 400, 404].includes(status), code]).toEqual([route.path, true, code]);
      expect(["INVALID_API_KEY", "INVALID_TOKEN", "INVALID_APP_ID", "INSUFFICIENT_SCOPE"]).not.toContain(code);
    }
    // A call that does something.
    const headers = { authorization: `Bearer ${token}` };
    const made = await call(service, "PUT", `/applications/${machine.app.id}/groups/staff`, headers, {});
    expect([made.status, made.body["name"]]).toEqual([200, "staff"]);
  });

  it("I4: opens no other route: none of users, none of a sign-in, none of clients", async () => {
    const refusals: Record<string, string | undefined> = {
      serverOfItsApp: "INVALID_API_KEY",
      serverOrAllowedPublicClient: "INVALID_API_KEY",
      serverOrPublicClient: "INVALID_API_KEY",
      user: "INVALID_TOKEN",
      userWithProfile: "INVALID_TOKEN",
      userOfNamedApp: "INVALID_TOKEN",
      queryUserWithProfile: "INVALID_TOKEN",
      userWithOpenId: "invalid_token",
      client: "invalid_client",
    };
    const others = apiRoutes.filter(({ guard }) => refusals[guard.access] !== undefined);
    expect(others.length).toBeGreaterThan(15);
    for (const route of others) {
      const { code } = await send(service, route, machine.app.id, token);
      expect([route.path, code]).toEqual([route.path, refusals[route.guard.access]]);
    }
    const verified = await send(
      service,
      { method: "GET", path: "/auth/verify-token", errors: "contract" },
      machine.app.id,
      token,
    );
    expect(verified.text).toBe('{"valid":false}');
    expect(new Set(apiRoutes.map(({ guard }) => guard.access))).toEqual(
      new Set([...Object.keys(refusals), "managerOfItsApp", "tokenOfNamedApp", "namedApp", "anyone"]),
    );
  });

  it("I4: works with its proof alone, if it is bound to a key", async () => {
    const prover = await newProver(service);
    const form = { grant_type: "client_credentials", resource: service.url };
    const { body } = await prove(service, machine, form, await prover.proof("POST", "/oauth2/token"));
    const bound = String(body["access_token"]);
    const path = `/applications/${machine.app.id}/groups`;
    const stolen = await call(service, "GET", path, { authorization: `Bearer ${bound}` });
    expect([stolen.status, stolen.body]).toMatchObject([401, { error: { code: "INVALID_TOKEN" } }]);
    const own = await call(service, "GET", path, await prover.headers("GET", path, bound));
    expect(own.status).toBe(200);
  });

  it("I4: opens no route of another application", async () => {
    const other = await service.createApp();
    expect(await codes(token, other.id)).toEqual(new Set(["INVALID_APP_ID"]));
    const unnamed = { authorization: `Bearer ${token}` };
    const { status, body } = await call(service, "GET", `/applications/${other.id}/users`, unnamed);
    expect([status, (body["error"] as { code: string }).code]).toEqual([401, "INVALID_APP_ID"]);
  });

  it("I5: is not one of another resource, even with a scope of that name, nor of a person", async () => {
    const resource = await createResource(service, machine.app, management);
    const stranger = await newMachine(service, { resources: [resource] }, machine.app);
    expect(await codes(await tokenOf(service, stranger, resource))).toEqual(new Set(["INVALID_API_KEY"]));
    const unsigned = [{ alg: "none", typ: "at+jwt" }, decodeJwt(token)].map((part) =>
      Buffer.from(JSON.stringify(part)).toString("base64url"),
    );
    expect(await codes(`${unsigned.join(".")}.c2ln`)).toEqual(new Set(["INVALID_TOKEN"]));
    expect(await codes(`${token.slice(0, -4)}AAAA`)).toEqual(new Set(["INVALID_TOKEN"]));
  });

  it("lacks the scope if its machine may not have it: INSUFFICIENT_SCOPE", async () => {
    const weak = await newManager(service, { resourceScopes: ["read"] });
    expect(await codes(await tokenOf(service, weak), weak.app.id)).toEqual(new Set(["INSUFFICIENT_SCOPE"]));
  });

  it("I5: only machines that list this service get one", async () => {
    const asks = async (client: Machine, form: object) =>
      (await post(service, "/oauth2/token", { grant_type: "client_credentials", ...form }, basic(client))).body[
        "error"
      ];
    const unlisted = await newMachine(service, {}, machine.app);
    expect(await asks(unlisted, { resource: service.url })).toBe("invalid_target");
    // The same address (RFC 3986 §6.2.3).
    expect(await asks(machine, { resource: `${service.url}/` })).toBeUndefined();
    expect(await asks(machine, { resource: service.url, scope: "management read" })).toBe("invalid_scope");
    for (const kind of ["web", "spa", "native"] as const) {
      const party = await newParty(service, { kind });
      const { headers } = await fetch(authorizeUrl(service, party.client, { resource: service.url }), {
        redirect: "manual",
      });
      expect(headers.get("location")).toContain("error=invalid_target");
      await expect(createTestClient(service, party.app, { kind, resources: [service.url] })).rejects.toMatchObject({
        rejected: { field: "resources[0]" },
      });
    }
  });

  it("I6: no application has a resource at this service's address, however it is written", async () => {
    const forms = ["", "/", "/x", "/?x", "/.well-known/x"].map((rest) => `${service.url}${rest}`);
    for (const identifier of [...forms, service.url.replace("http:", "https:")])
      await expect(createResource(service, machine.app, { identifier })).rejects.toMatchObject({
        rejected: { field: "identifier", rule: "not at the address of this service" },
      });
    const issuer = "https://auth.example.com";
    for (const host of [
      "auth.example.com.",
      "AUTH.example.com",
      "auth.example.com:443",
      "auth.example.com%2e",
      "x@auth.example.com",
    ])
      expect(() => checkedIdentifier(`https://${host}/`, issuer)).toThrow("not valid");
    for (const host of ["auth.example.com:8443", "api.auth.example.com", "auth.example.com.evil.example"])
      expect(checkedIdentifier(`https://${host}/`, issuer)).toBe(`https://${host}/`);
  });

  it("counts its calls as its application's", async () => {
    const limited = await newManager(service);
    await updateApp(service, limited.app, { settings: { rateLimits: { userManagement: 3 } } });
    const list = async (credential: string) =>
      (await call(service, "GET", `/applications/${limited.app.id}/users`, { authorization: `Bearer ${credential}` }))
        .status;
    const own = await tokenOf(service, limited);
    expect([await list(own), await list(limited.app.apiKey), await list(own)]).toEqual([200, 200, 200]);
    expect([await list(own), await list(limited.app.apiKey)]).toEqual([429, 429]);
  });

  it("changes of an application what its API key may, and nothing that an operator set", async () => {
    const headers = { authorization: `Bearer ${token}` };
    const path = `/applications/${machine.app.id}`;
    const { ctx } = service.server.app;
    await applications.update(ctx, machine.app.id, { settings: { mailName: null } }, by.actor);
    expect((await call(service, "PATCH", path, headers, { name: "Renamed" })).status).toBe(200);
    expect((await call(service, "PATCH", path, headers, { settings: {} })).status).toBe(400);
    const renamed = await applications.find(ctx, ctx.storage.reader, machine.app.id);
    // As after a rename by an API key: mails keep the name that the operator knows.
    expect([renamed?.name, typeof renamed?.settings.mailName]).toEqual(["Renamed", "string"]);
  });
});

describeEachDatabase("what manages an application", localWebhooks, (service) => {
  const receiver = useReceiver();

  it("I4: is refused at once when its client, credential or listing ends, not only at expiry", async () => {
    const { ctx } = service.server.app;
    const ends: Record<string, (machine: Machine) => Promise<unknown>> = {
      disabled: async ({ client }) => await clients.update(ctx, client.id, { enabled: false }, by),
      deleted: async ({ client }) => await clients.remove(ctx, client.id, by),
      "without its secret": async ({ secretId }) => await clientSecrets.revokeSecret(ctx, secretId, by.actor),
      "without the resource": async ({ client }) => await clients.update(ctx, client.id, { resources: [] }, by),
      expired: async () => service.clock.advance(900_000),
    };
    for (const [how, end] of Object.entries(ends)) {
      const machine = await newManager(service);
      const headers = { authorization: `Bearer ${await tokenOf(service, machine)}` };
      const list = async () => await call(service, "GET", `/applications/${machine.app.id}/users`, headers);
      expect([how, (await list()).status]).toEqual([how, 200]);
      await end(machine);
      const { status, body } = await list();
      expect([how, status, (body["error"] as { code: string }).code]).toEqual([how, 401, "INVALID_TOKEN"]);
    }
    const machine = await newManager(service);
    const headers = { authorization: `Bearer ${await tokenOf(service, machine)}` };
    await clients.update(ctx, machine.client.id, { resourceScopes: ["other"] }, by);
    const { status } = await call(service, "GET", `/applications/${machine.app.id}/users`, headers);
    expect(status).toBe(403);
  });

  it("is in the audit log by its client's id, and its address is not the user's", async () => {
    const machine = await newManager(service);
    const headers = { authorization: `Bearer ${await tokenOf(service, machine)}` };
    const email = newEmail();
    await createEndpoint(service, machine.app, { url: receiver.url, events: ["user.updated"] });
    const { status, body } = await call(service, "POST", `/applications/${machine.app.id}/users`, headers, { email });
    expect([status, body["email"]]).toEqual([201, email]);
    const { reader } = service.server.app.ctx.storage;
    const [event] = await audit.recent(reader, { appId: machine.app.id, action: "user.create", since: 0 });
    expect(event).toMatchObject({ actor: `client:${machine.client.id}`, userId: body["id"] });
    expect(event?.requestId).not.toBeNull();
    const path = `/applications/${machine.app.id}/users/${String(body["id"])}/metadata`;
    expect((await call(service, "PATCH", path, headers, { public: { plan: "pro" } })).status).toBe(200);
    const told = await until(() => receiver.of("user.updated").at(-1));
    expect(told.body.data).toMatchObject({ userId: body["id"], ipAddress: null, userAgent: null });
  });
});
