import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { decodeJwt, decodeProtectedHeader, importPKCS8, SignJWT } from "jose";
import * as oidc from "openid-client";
import { expect, it } from "vitest";
import * as clientSecrets from "../../../src/applications/clients/secrets.ts";
import * as clients from "../../../src/applications/clients/service.ts";
import * as resources from "../../../src/applications/resources/service.ts";
import * as applications from "../../../src/applications/service.ts";
import * as audit from "../../../src/records/audit/audit.ts";
import { revocations } from "../../../src/records/revocations/service.ts";
import { deleteSigningKeys, insertSigningKey, listSigningKeys } from "../../../src/tokens/signing-key-store.ts";
import * as machineTokens from "../../../src/tokens/machine-tokens.ts";
import { applicationParty, basic, newParty, post, userInfo } from "../../support/openid-tokens.ts";
import { call } from "../../support/person.ts";
import { by, createResource, newMachine } from "../../support/resources.ts";
import { describeSqliteFirst, describeOnSqlite, type TestService } from "../../support/service.ts";

type Machine = Awaited<ReturnType<typeof newMachine>>;

const grantType = { grant_type: "client_credentials" };

const ask = async (service: TestService, machine: Pick<Machine, "client" | "secret">, form: Record<string, string>) =>
  await post(service, "/oauth2/token", { ...grantType, ...form }, basic(machine));

async function tokenOf(service: TestService, machine: Machine, form: Record<string, string> = {}): Promise<string> {
  const { status, body } = await ask(service, machine, { resource: machine.resource, ...form });
  expect([status, body]).toEqual([200, body]);
  return String(body["access_token"]);
}

async function introspect(service: TestService, asking: Pick<Machine, "client" | "secret">, token: string) {
  return (await post(service, "/oauth2/introspect", { token }, basic(asking))).body;
}

const feedOf = async (service: TestService, appId: string) =>
  await revocations(service.server.app.ctx).list(appId, 100);

describeSqliteFirst("a machine", (current) => {
  it("gets a token for one resource: no login, no refresh token, no ID token (RFC 6749 §4.4)", async () => {
    const service = current();
    const machine = await newMachine(service);
    const { status, body, headers } = await ask(service, machine, { resource: machine.resource });
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toContain("no-store");
    expect(body).toEqual({
      access_token: expect.any(String) as string,
      token_type: "Bearer",
      expires_in: 900,
      scope: "read write",
    });
    const { id } = machine.client;
    const claims = decodeJwt(String(body["access_token"]));
    expect(claims).toEqual({
      iss: service.url,
      sub: id,
      client_id: id,
      aud: [machine.resource],
      app_id: machine.app.id,
      credential_id: machine.secretId,
      scope: "read write",
      iat: Math.floor(service.clock.now / 1000),
      exp: Math.floor(service.clock.now / 1000) + 900,
      jti: expect.any(String) as string,
    });
    const { credential_id: _, app_id: __, ...told } = claims;
    expect(await introspect(service, machine, String(body["access_token"]))).toEqual({
      active: true,
      token_type: "Bearer",
      ...told,
    });
  });

  it("is told the error of the RFC for each wrong parameter, and nothing is issued", async () => {
    const service = current();
    const machine = await newMachine(service, { resourceScopes: ["read"] });
    const { resource, app } = machine;
    const foreign = await createResource(service, await service.createApp());
    const unlisted = await createResource(service, app);
    const rows: [form: [string, string][], error: string][] = [
      [[], "invalid_target"],
      [[["resource", ""]], "invalid_target"],
      [[["resource", "https://nobody.example"]], "invalid_target"],
      [[["resource", `${resource}/`]], "invalid_target"],
      [[["resource", foreign]], "invalid_target"],
      [[["resource", unlisted]], "invalid_target"],
      [[["resource", `https://${"a".repeat(5000)}.example`]], "invalid_target"],
      [
        [
          ["resource", resource],
          ["resource", resource],
        ],
        "invalid_target",
      ],
      [
        [
          ["resource", resource],
          ["resource", unlisted],
        ],
        "invalid_target",
      ],
      [
        [
          ["resource", resource],
          ["scope", "write"],
        ],
        "invalid_scope",
      ],
      [
        [
          ["resource", resource],
          ["scope", "read openid"],
        ],
        "invalid_scope",
      ],
      [
        [
          ["resource", resource],
          ["scope", "x".repeat(5000)],
        ],
        "invalid_scope",
      ],
      [
        [
          ["resource", resource],
          ["scope", " "],
        ],
        "invalid_scope",
      ],
      [
        [
          ["resource", resource],
          ["scope", "read"],
          ["scope", "read"],
        ],
        "invalid_request",
      ],
      [
        [
          ["resource", resource],
          ["client_id", app.id],
        ],
        "invalid_request",
      ],
    ];
    for (const [form, error] of rows) {
      const { status, body } = await post(
        service,
        "/oauth2/token",
        [["grant_type", "client_credentials"], ...form],
        basic(machine),
      );
      expect([form, status, body["error"], body["access_token"]]).toEqual([form, 400, error, undefined]);
    }
    const wrong = await ask(service, { ...machine, secret: "w".repeat(40) }, { resource });
    expect([wrong.status, wrong.body["error"]]).toEqual([401, "invalid_client"]);
    const unnamed = await post(service, "/oauth2/token", { ...grantType, resource, client_id: machine.client.id });
    expect([unnamed.status, unnamed.body["error"]]).toEqual([401, "invalid_client"]);
    const { reader } = service.server.app.ctx.storage;
    const issued = async () => await audit.recent(reader, { appId: app.id, action: "machine.token", since: 0 });
    expect(await issued()).toEqual([]);
    expect(decodeJwt(await tokenOf(service, machine)).scope).toBe("read");
    expect(await issued()).toHaveLength(1);
  });

  it("has this grant only, and nobody else has it", async () => {
    const service = current();
    const machine = await newMachine(service);
    for (const grant of ["authorization_code", "refresh_token", "password", "x"]) {
      const { body } = await ask(service, machine, { grant_type: grant, code: "c", refresh_token: "r" });
      expect([grant, body["error"]]).toEqual([grant, "unauthorized_client"]);
    }
    service.clock.advance(1000);
    const party = await newParty(service, { resources: [machine.resource] }, machine.app);
    const asked = await ask(service, party, { resource: machine.resource });
    expect([asked.status, asked.body["error"]]).toEqual([400, "unauthorized_client"]);
    const itself = await applicationParty(service, machine.app);
    const application = await ask(service, itself, { resource: machine.resource });
    expect([application.status, application.body["error"]]).toEqual([400, "unauthorized_client"]);
    const page = await fetch(
      `${service.url}/oauth2/authorize?${new URLSearchParams({ response_type: "code", client_id: machine.client.id, redirect_uri: "https://x.example", scope: "read" }).toString()}`,
      { redirect: "manual" },
    );
    expect(page.status).toBe(400);
  });

  it("T2: has no token for this service: validate, the account, userinfo and logout refuse it", async () => {
    const service = current();
    const machine = await newMachine(service);
    const token = await tokenOf(service, machine);
    const headers = { authorization: `Bearer ${token}`, "x-service-app-id": machine.app.id };
    for (const [method, path] of [
      ["GET", "/auth/validate"],
      ["GET", "/users/profile"],
      ["GET", "/users/auth-methods"],
      ["POST", "/auth/logout"],
    ] as const) {
      const { status, body } = await call(service, method, path, headers);
      expect([path, status, (body["error"] as { code: string }).code]).toEqual([path, 401, "INVALID_TOKEN"]);
    }
    const info = await userInfo(service, token);
    expect([info.status, info.body["error"]]).toEqual([401, "invalid_token"]);
  });

  it("A5: loses its tokens at once with the secret that got them, and no others; the feed says so", async () => {
    const service = current();
    const machine = await newMachine(service);
    const { ctx } = service.server.app;
    const second = await clientSecrets.createSecret(ctx, { clientId: machine.client.id }, by.actor);
    const [first, other] = [await tokenOf(service, machine), await tokenOf(service, { ...machine, ...second })];
    await clientSecrets.revokeSecret(ctx, machine.secretId, by.actor);
    const asking = { ...machine, secret: second.secret };
    expect(await introspect(service, asking, first)).toEqual({ active: false });
    expect((await introspect(service, asking, other))["active"]).toBe(true);
    expect(await feedOf(service, machine.app.id)).toMatchObject([
      { sub: machine.client.id, before: new Date(service.clock.now).toISOString() },
    ]);
    await clientSecrets.rotateSecret(ctx, { clientId: machine.client.id, overlap: 0 }, by.actor);
    expect(await feedOf(service, machine.app.id)).toHaveLength(2);
  });

  it("A5: gets no token by a secret that was revoked after it was shown, and before the token", async () => {
    const service = current();
    const { client, resource, secretId: credential } = await newMachine(service);
    const { ctx } = service.server.app;
    const asked = { client, credential, resource, scope: undefined, proofKey: null };
    await machineTokens.issue(ctx, asked, by);
    await clientSecrets.revokeSecret(ctx, credential, by.actor);
    await expect(machineTokens.issue(ctx, asked, by)).rejects.toMatchObject({ code: "INVALID_CLIENT" });
  });

  it("has its tokens for as long as the resource says", async () => {
    const service = current();
    const machine = await newMachine(service);
    await resources.update(service.server.app.ctx, machine.resource, { accessTokenSeconds: 60 }, by);
    const { body } = await ask(service, machine, { resource: machine.resource });
    const { exp = 0, iat = 0 } = decodeJwt(String(body["access_token"]));
    expect([body["expires_in"], exp - iat]).toEqual([60, 60]);
  });

  it.each(["disabled", "deleted"])("loses its tokens when it is %s; the feed says so", async (how) => {
    const service = current();
    const machine = await newMachine(service);
    const witness = await newMachine(service, {}, machine.app);
    const token = await tokenOf(service, machine);
    const { ctx } = service.server.app;
    if (how === "disabled") await clients.update(ctx, machine.client.id, { enabled: false }, by);
    else await clients.remove(ctx, machine.client.id, by);
    expect(await introspect(service, witness, token)).toEqual({ active: false });
    expect(await feedOf(service, machine.app.id)).toMatchObject([{ sub: machine.client.id }]);
    expect((await ask(service, machine, { resource: machine.resource })).status).toBe(401);
  });

  it("loses its tokens with its resource, with its expiry, and in the eyes of another application", async () => {
    const service = current();
    const machine = await newMachine(service);
    const token = await tokenOf(service, machine);
    const stranger = await newMachine(service);
    expect(await introspect(service, stranger, token)).toEqual({ active: false });
    expect((await introspect(service, machine, token))["active"]).toBe(true);
    const { ctx } = service.server.app;
    await expect(resources.remove(ctx, machine.resource, by)).rejects.toMatchObject({ code: "CONFLICT" });
    await clients.update(ctx, machine.client.id, { resources: [] }, by);
    await resources.remove(ctx, machine.resource, by);
    expect(await introspect(service, machine, token)).toEqual({ active: false });
    await createResource(service, stranger.app, { identifier: machine.resource });
    expect(await introspect(service, machine, token)).toEqual({ active: false });
    service.clock.advance(1000);
    await resources.remove(ctx, machine.resource, by);
    await createResource(service, machine.app, { identifier: machine.resource });
    await clients.update(ctx, machine.client.id, { resources: [machine.resource] }, by);
    expect(await introspect(service, machine, token)).toEqual({ active: false });
    expect((await introspect(service, machine, await tokenOf(service, machine)))["active"]).toBe(true);
    const own = await tokenOf(service, stranger);
    service.clock.advance(899_000);
    expect((await introspect(service, stranger, own))["active"]).toBe(true);
    service.clock.advance(1000);
    expect(await introspect(service, stranger, own)).toEqual({ active: false });
  });

  it("uses a key instead of a secret, and its tokens end with the key", async () => {
    const service = current();
    const keys = ["one", "two"].map((kid) => {
      const { privateKey, publicKey } = generateKeyPairSync("ed25519");
      return { privateKey, jwk: { ...publicKey.export({ format: "jwk" }), kid, alg: "EdDSA" } };
    });
    const machine = await newMachine(service, { jwks: { keys: keys.map(({ jwk }) => jwk) } });
    const { id } = machine.client;
    const byKey = async (index: number) => {
      const { privateKey } = keys[index] ?? {};
      if (!privateKey) throw new Error("no key");
      const pem = privateKey.export({ format: "pem", type: "pkcs8" });
      const seconds = Math.floor(service.clock.now / 1000);
      const assertion = await new SignJWT({ jti: `${index}-${seconds}` })
        .setProtectedHeader({ alg: "EdDSA", kid: index === 0 ? "one" : "two" })
        .setIssuer(id)
        .setSubject(id)
        .setAudience(service.url)
        .setIssuedAt(seconds)
        .setExpirationTime(seconds + 60)
        .sign(await importPKCS8(pem, "EdDSA"));
      const type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
      const form = { ...grantType, resource: machine.resource };
      const { body } = await post(service, "/oauth2/token", {
        ...form,
        client_assertion: assertion,
        client_assertion_type: type,
      });
      if (typeof body["access_token"] !== "string") throw new Error(JSON.stringify(body));
      return body["access_token"];
    };
    const [first, second] = [await byKey(0), await byKey(1)];
    expect((await introspect(service, machine, first))["active"]).toBe(true);
    const { ctx } = service.server.app;
    await clients.update(ctx, id, { jwks: { keys: [keys[1]?.jwk] } }, by);
    expect(await introspect(service, machine, first)).toEqual({ active: false });
    expect((await introspect(service, machine, second))["active"]).toBe(true);
    expect(await feedOf(service, machine.app.id)).toMatchObject([{ sub: id }]);
  });

  it("T6: loses its tokens with their signing key, also if another node withdrew it", async () => {
    const service = current();
    const machine = await newMachine(service);
    const token = await tokenOf(service, machine);
    expect((await introspect(service, machine, token))["active"]).toBe(true);
    const { storage } = service.server.app.ctx;
    const kid = String(decodeProtectedHeader(token).kid);
    const [row] = (await listSigningKeys(storage.reader)).filter(({ id }) => id === kid);
    await storage.write((tx) => deleteSigningKeys(tx, [kid]));
    expect(await introspect(service, machine, token)).toEqual({ active: false });
    if (row) await storage.write((tx) => insertSigningKey(tx, row));
  });

  it("gets the application's constant claims, and none that are made of people", async () => {
    const service = current();
    const machine = await newMachine(service);
    const { ctx } = service.server.app;
    const claims = [
      { claim: "tenant", from: "value", value: "acme", in: ["access" as const] },
      { claim: "elsewhere", from: "value", value: "no", in: ["id" as const] },
      { claim: "roles", from: "groups", in: ["access" as const] },
    ];
    await applications.update(ctx, machine.app.id, { claims }, by.actor);
    const token = await tokenOf(service, machine);
    for (const told of [decodeJwt(token), await introspect(service, machine, token)]) {
      expect(told["tenant"]).toBe("acme");
      expect(Object.keys(told)).not.toContain("roles");
      expect(Object.keys(told)).not.toContain("elsewhere");
    }
  });

  it("cannot revoke a token that has no login, and is told so (RFC 7009 §2.2.1)", async () => {
    const service = current();
    const machine = await newMachine(service);
    const token = await tokenOf(service, machine);
    const { status, body } = await post(service, "/oauth2/revoke", { token }, basic(machine));
    expect([status, body["error"]]).toEqual([400, "unsupported_token_type"]);
    expect((await introspect(service, machine, token))["active"]).toBe(true);
    const stranger = await newMachine(service);
    const foreign = await post(service, "/oauth2/revoke", { token }, basic(stranger));
    const unknown = await post(service, "/oauth2/revoke", { token: "x" }, basic(stranger));
    expect([foreign.status, foreign.body]).toEqual([unknown.status, unknown.body]);
  });

  it("never lists a resource that was deleted at the same moment", async () => {
    const service = current();
    const { ctx } = service.server.app;
    const machine = await newMachine(service);
    const { app } = machine;
    const changes = {
      create: (resource: string) =>
        clients.create(ctx, { appId: app.id, name: "M", kind: "machine", resources: [resource] }, {}, by),
      update: (resource: string) => clients.update(ctx, machine.client.id, { resources: [resource] }, by),
    };
    for (const [name, change] of Object.entries(changes)) {
      for (let turn = 0; turn < 20; turn += 1) {
        const resource = await createResource(service, app);
        const both = await Promise.allSettled([change(resource), resources.remove(ctx, resource, by)]);
        expect([name, both.filter(({ status }) => status === "fulfilled").length]).toEqual([name, 1]);
        await clients.update(ctx, machine.client.id, { resources: [machine.resource] }, by);
      }
    }
  });
});

describeOnSqlite("openid-client", (current) => {
  it("gets a machine's token by client_credentials", async () => {
    const service = current();
    const machine = await newMachine(service);
    const config = await oidc.discovery(
      new URL(service.url),
      machine.client.id,
      {},
      oidc.ClientSecretBasic(machine.secret),
      // oxlint-disable-next-line typescript/no-deprecated -- the service has no TLS here
      { execute: [oidc.allowInsecureRequests] },
    );
    const tokens = await oidc.clientCredentialsGrant(config, { resource: machine.resource, scope: "read" });
    expect([tokens.scope, tokens.expires_in, tokens.refresh_token]).toEqual(["read", 900, undefined]);
    expect(await oidc.tokenIntrospection(config, tokens.access_token)).toMatchObject({
      active: true,
      aud: [machine.resource],
    });
  });
});

describeOnSqlite("the metadata", (current) => {
  const documents = ["openid-configuration", "oauth-authorization-server"];
  const bytes = (name: string) => readFileSync(new URL(`../openid/metadata/${name}.txt`, import.meta.url), "utf8");
  const read = async (service: TestService, name: string) =>
    await (await fetch(`${service.url}/.well-known/${name}`)).text();

  it.each(documents)("%s is the same, byte for byte, until there is a machine, and after it", async (name) => {
    const service = current();
    const before = bytes(name).replaceAll("ISSUER", service.url);
    service.clock.advance(1000);
    expect(await read(service, name)).toBe(before);
    const machine = await newMachine(service);
    service.clock.advance(1000);
    const during = JSON.parse(await read(service, name)) as Record<string, unknown>;
    const grants = ["authorization_code", "refresh_token", "client_credentials"];
    expect(during).toEqual({ ...(JSON.parse(before) as object), grant_types_supported: grants });
    await clients.remove(service.server.app.ctx, machine.client.id, by);
    service.clock.advance(1000);
    expect(await read(service, name)).toBe(before);
  });
});
