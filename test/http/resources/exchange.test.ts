import { readFileSync } from "node:fs";
import { decodeJwt } from "jose";
import * as oauth from "oauth4webapi";
import * as oidc from "openid-client";
import { expect, it } from "vitest";
import * as clients from "../../../src/applications/clients/service.ts";
import * as resources from "../../../src/applications/resources/service.ts";
import { grantType } from "../../../src/openid/grants/token-exchange.ts";
import * as audit from "../../../src/records/audit/audit.ts";
import { revocations } from "../../../src/records/revocations/service.ts";
import { deleteSigningKeys, insertSigningKey, listSigningKeys } from "../../../src/tokens/signing-key-store.ts";
import * as administration from "../../../src/people/administration.ts";
import * as groups from "../../../src/users/groups/service.ts";
import {
  accessTokenType,
  exchange,
  exchanged,
  exchangeForm,
  introspected,
  newExchange,
} from "../../support/exchange.ts";
import { basic, newParty, post, refreshWith, tokensFor, userInfo } from "../../support/openid-tokens.ts";
import { call } from "../../support/person.ts";
import { by, createResource, newMachine } from "../../support/resources.ts";
import { describeSqliteFirst, describeOnSqlite, type TestService } from "../../support/service.ts";

type Exchange = Awaited<ReturnType<typeof newExchange>>;

const issued = async ({ service, app }: Exchange) =>
  await audit.recent(service.server.app.ctx.storage.reader, { appId: app.id, action: "token.exchange", since: 0 });

/** Refused as RFC 8693 §2.2.2 says, and nothing was issued. */
async function expectRefused(at: Exchange, form: Record<string, string | null>, error: string, by = at.agent) {
  const before = await issued(at);
  const { status, body } = await exchange(at.service, by, { subject_token: at.subject, resource: at.archive, ...form });
  expect([form, status, body["error"], body["access_token"]]).toEqual([form, 400, error, undefined]);
  expect(await issued(at)).toEqual(before);
  return body;
}

describeSqliteFirst("an exchanged token", (current) => {
  it("is for one other resource, has the user's login and the scopes that both have, and names who acts", async () => {
    const at = await newExchange(current());
    const { service, agent, archive, subject, app } = at;
    service.clock.advance(100_000);
    const { status, headers, body } = await exchange(service, agent, { subject_token: subject, resource: archive });
    expect([status, headers.get("cache-control")]).toEqual([200, expect.stringContaining("no-store")]);
    expect(body).toEqual({
      access_token: expect.any(String) as string,
      issued_token_type: accessTokenType,
      token_type: "Bearer",
      expires_in: 500,
      scope: "read write",
    });
    const theirs = decodeJwt(subject);
    const claims = decodeJwt(String(body["access_token"]));
    expect(claims).toEqual({
      ...theirs,
      aud: [archive],
      client_id: agent.client.id,
      act: { sub: agent.client.id },
      scope: "read write",
      iat: Math.floor(service.clock.now / 1000),
      jti: expect.any(String) as string,
    });
    expect([claims.jti === theirs.jti, claims.exp]).toEqual([false, theirs.exp]);
    expect(await introspected(service, agent, String(body["access_token"]))).toMatchObject({
      active: true,
      aud: [archive],
      sid: theirs["sid"],
      act: { sub: agent.client.id },
    });
    expect(await issued(at)).toMatchObject([
      {
        userId: theirs.sub,
        appId: app.id,
        details: {
          clientId: agent.client.id,
          subjectClientId: at.program.client.id,
          subjectResource: at.orders,
          resource: archive,
          scope: "read write",
        },
      },
    ]);
  });

  it("lives no longer than its resource says", async () => {
    const at = await newExchange(current());
    await resources.update(at.service.server.app.ctx, at.archive, { accessTokenSeconds: 60 }, by);
    const token = await exchanged(at.service, at.agent, { subject_token: at.subject, resource: at.archive });
    const { exp = 0, iat = 0 } = decodeJwt(token);
    expect(exp - iat).toBe(60);
    at.service.clock.advance(60_000);
    expect(await introspected(at.service, at.agent, token)).toEqual({ active: false });
    expect((await introspected(at.service, at.agent, at.subject))["active"]).toBe(true);
  });

  it("T2: is no token for this service, although somebody acts with it: every route refuses it", async () => {
    const { service, app, agent, archive, subject } = await newExchange(current());
    const token = await exchanged(service, agent, { subject_token: subject, resource: archive });
    const headers = { authorization: `Bearer ${token}`, "x-service-app-id": app.id };
    for (const [method, path] of [
      ["GET", "/auth/validate"],
      ["GET", "/users/profile"],
      ["DELETE", "/users/profile"],
      ["POST", "/auth/logout"],
    ] as const) {
      const { status, body } = await call(service, method, path, headers);
      expect([path, status, body.error?.code]).toEqual([path, 401, "INVALID_TOKEN"]);
    }
    expect((await userInfo(service, token)).status).toBe(401);
  });

  it("ends with the user's login, which the feed names; nobody revokes it alone", async () => {
    const { service, app, agent, archive, subject, program } = await newExchange(current());
    const token = await exchanged(service, agent, { subject_token: subject, resource: archive });
    for (const [party, error] of [
      [agent, [400, "unsupported_token_type"]],
      // Not its token: as for an unknown one.
      [program, [200, undefined]],
    ] as const) {
      const { status, body } = await post(service, "/oauth2/revoke", { token }, basic(party));
      expect([status, body["error"]]).toEqual(error);
    }
    expect((await introspected(service, agent, token))["active"]).toBe(true);
    await post(service, "/oauth2/revoke", { token: subject }, basic(program));
    expect(await introspected(service, agent, token)).toEqual({ active: false });
    expect(await revocations(service.server.app.ctx).list(app.id, 100)).toMatchObject([
      { sid: decodeJwt(token)["sid"] },
    ]);
  });

  it.each(["program", "agent", "middle"] as const)(
    "ends when a client that it rests on is disabled: the %s",
    async (which) => {
      const { service, app, orders, archive, agent, program, subject } = await newExchange(current());
      const middle = await newMachine(service, { exchangeTo: [orders], audienceOf: [orders] }, app);
      const between = await exchanged(service, middle, { subject_token: subject, resource: orders });
      const token = await exchanged(service, agent, { subject_token: between, resource: archive });
      const witness = await newMachine(service, {}, app);
      expect(await introspected(service, witness, token)).toMatchObject({
        active: true,
        act: { sub: agent.client.id, act: { sub: middle.client.id } },
      });
      const { client } = { program, agent, middle }[which];
      await clients.update(service.server.app.ctx, client.id, { enabled: false }, by);
      expect(await introspected(service, witness, token)).toEqual({ active: false });
    },
  );

  it("may be exchanged again, four actors deep and no deeper; each one is narrower", async () => {
    const at = await newExchange(current());
    const { service, app, orders, archive } = at;
    const agent = await newMachine(service, { exchangeTo: [orders, archive], audienceOf: [orders] }, app);
    const { id } = agent.client;
    let token = at.subject;
    for (const resource of [orders, orders, orders, archive])
      token = await exchanged(service, agent, { subject_token: token, resource });
    const act = { sub: id, act: { sub: id, act: { sub: id, act: { sub: id } } } };
    expect(decodeJwt(token)).toMatchObject({ act, scope: "read write", exp: decodeJwt(at.subject).exp });
    const body = await expectRefused(at, { subject_token: token, resource: orders }, "invalid_request", agent);
    expect(body["error_description"]).toContain("4 actors");
  });
});

describeSqliteFirst("a subject token", (current) => {
  const refused = async (at: Exchange, subject = at.subject, by = at.agent) =>
    await expectRefused(at, { subject_token: subject }, "invalid_request", by);
  const dead = "subject_token: not a live access token for a resource";

  it.each<[what: string, end: (at: Exchange) => Promise<unknown>]>([
    [
      "its login has ended",
      async ({ service, subject, program }) => {
        await post(service, "/oauth2/revoke", { token: subject }, basic(program));
      },
    ],
    [
      "its user is disabled",
      async ({ service, subject }) => {
        await administration.disable(service.server.app.ctx, String(decodeJwt(subject).sub), { dryRun: false }, by);
      },
    ],
    [
      "its client is disabled",
      async ({ service, program }) => {
        await clients.update(service.server.app.ctx, program.client.id, { enabled: false }, by);
      },
    ],
    ["it has expired", async ({ service }) => await Promise.resolve(service.clock.advance(600_000))],
    [
      "its resource is deleted",
      async ({ service, program, agent, orders }) => {
        const { ctx } = service.server.app;
        await clients.update(ctx, program.client.id, { resources: [] }, by);
        // As if it were still the API of it.
        await clients.update(ctx, agent.client.id, { audienceOf: [] }, by);
        await resources.remove(ctx, orders, by);
      },
    ],
  ])("T4: is refused when it is no longer live: %s", async (_, end) => {
    const at = await newExchange(current());
    await end(at);
    expect((await refused(at))["error_description"]).toBe(dead);
  });

  it("T4: is refused when it is no longer live: its signing key was withdrawn by another node", async () => {
    const at = await newExchange(current());
    const { storage } = at.service.server.app.ctx;
    const rows = await listSigningKeys(storage.reader);
    await storage.write((tx) =>
      deleteSigningKeys(
        tx,
        rows.map(({ id }) => id),
      ),
    );
    expect((await refused(at))["error_description"]).toBe(dead);
    for (const row of rows) await storage.write((tx) => insertSigningKey(tx, row));
  });

  it("C6: is refused when it is of another application, and the client learns nothing about it", async () => {
    const at = await newExchange(current());
    const stranger = await newExchange(current());
    expect((await refused(at, stranger.subject))["error_description"]).toBe(dead);
    await expectRefused(at, { resource: stranger.archive }, "invalid_target");
  });

  it("is refused when it is of a program of other people, at the beginning of the chain too", async () => {
    const at = await newExchange(current());
    const { service, program, agent, orders, archive } = at;
    const again = await newMachine(service, { exchangeTo: [archive], audienceOf: [orders, archive] }, at.app);
    const token = await exchanged(service, agent, { subject_token: at.subject, resource: archive });
    const { ctx } = service.server.app;
    await clients.update(ctx, program.client.id, { consent: "ask" }, by);
    for (const [subject, by] of [
      [at.subject, agent],
      [token, again],
    ] as const)
      expect((await refused(at, subject, by))["error_description"]).toContain("asks people for their consent");
    await clients.update(ctx, program.client.id, { consent: "none" }, by);
    await exchanged(service, again, { subject_token: token, resource: archive });
  });

  it("is for a resource whose API the client is, or its own; a client that merely calls the API has none", async () => {
    const at = await newExchange(current());
    const { service, app, orders, archive, subject } = at;
    const caller = await newMachine(service, { exchangeTo: [archive], resources: [orders] }, app);
    expect((await refused(at, subject, caller))["error_description"]).toContain(
      "neither for an API that this client is",
    );
    const web = await newParty(service, { resources: [orders], exchangeTo: [archive] }, app);
    const own = await tokensFor(service, web, { resource: orders, scope: "openid read" });
    const token = await exchanged(service, web, { subject_token: own.access_token, resource: archive });
    expect(decodeJwt(token)).toMatchObject({ scope: "read", act: { sub: web.client.id }, client_id: web.client.id });
    expect((await refused(at, subject, { ...caller, ...web }))["error_description"]).toContain("neither");
  });

  it("is no machine's token, no refresh token, no ID token and none for this service", async () => {
    const at = await newExchange(current());
    const { service, app, agent, orders, program, tokens } = at;
    await clients.update(service.server.app.ctx, agent.client.id, { resources: [orders] }, by);
    const machines = { grant_type: "client_credentials", resource: orders };
    const { body } = await post(service, "/oauth2/token", machines, basic(agent));
    expect((await refused(at, String(body["access_token"])))["error_description"]).toContain("machine's own");
    const plain = await tokensFor(service, program, { scope: "openid profile" });
    const web = await newParty(service, { exchangeTo: [at.archive] }, app);
    const own = await tokensFor(service, web, { scope: "openid profile" });
    await refused(at, own.access_token, { ...agent, ...web });
    for (const token of [tokens.refresh_token, tokens.id_token, plain.access_token, "x", "x".repeat(5000)])
      expect((await refused(at, token))["error_description"]).toBe(dead);
  });

  it("is of a user whom the allowed groups of the client admit", async () => {
    const at = await newExchange(current());
    const { service, app, orders, archive, subject } = at;
    const { ctx } = service.server.app;
    await groups.create(ctx, app.id, "staff", by);
    const agent = await newParty(
      service,
      { exchangeTo: [archive], audienceOf: [orders], allowedGroups: ["staff"] },
      app,
    );
    expect((await refused(at, subject, { ...at.agent, ...agent }))["error_description"]).toContain("allowed groups");
    await groups.add(ctx, app.id, "staff", [String(decodeJwt(subject).sub)], by);
    await exchanged(service, agent, { subject_token: subject, resource: archive });
  });
});

describeSqliteFirst("a token exchange", (current) => {
  it("is told the error of the RFC for each wrong parameter, and nothing is issued", async () => {
    const at = await newExchange(current());
    const { service, app, orders, archive, subject, agent } = at;
    const unlisted = await createResource(service, app);
    const type = (name: string) => `urn:ietf:params:oauth:token-type:${name}`;
    const rows: [form: Record<string, string | null>, error: string][] = [
      [{ subject_token: null }, "invalid_request"],
      [{ subject_token: "" }, "invalid_request"],
      [{ subject_token_type: null }, "invalid_request"],
      [{ subject_token_type: type("jwt") }, "invalid_request"],
      [{ subject_token_type: type("id_token") }, "invalid_request"],
      [{ subject_token_type: type("x".repeat(5000)) }, "invalid_request"],
      [{ requested_token_type: type("refresh_token") }, "invalid_request"],
      [{ requested_token_type: "x".repeat(5000) }, "invalid_request"],
      [{ actor_token: subject, actor_token_type: accessTokenType }, "invalid_request"],
      [{ actor_token: subject }, "invalid_request"],
      [{ actor_token_type: accessTokenType }, "invalid_request"],
      [{ audience: archive }, "invalid_target"],
      [{ resource: null }, "invalid_target"],
      [{ resource: "" }, "invalid_target"],
      [{ resource: "https://nobody.example" }, "invalid_target"],
      [{ resource: `${archive}/` }, "invalid_target"],
      [{ resource: unlisted }, "invalid_target"],
      [{ resource: orders }, "invalid_target"],
      [{ resource: `https://${"a".repeat(5000)}.example` }, "invalid_target"],
      [{ scope: "send" }, "invalid_scope"],
      [{ scope: "erase" }, "invalid_scope"],
      [{ scope: "read openid" }, "invalid_scope"],
      [{ scope: " " }, "invalid_scope"],
      [{ scope: "x".repeat(5000) }, "invalid_scope"],
      [{ client_id: app.id }, "invalid_request"],
    ];
    for (const [form, error] of rows) await expectRefused(at, form, error);
    const whole = Object.entries(exchangeForm({ subject_token: subject, resource: archive, scope: "read" }));
    for (const [name, value] of [...whole, ["requested_token_type", accessTokenType]] as [string, string][]) {
      const twice: [string, string][] = [...whole.filter(([each]) => each !== name), [name, value], [name, value]];
      const { status, body } = await post(service, "/oauth2/token", twice, basic(agent));
      const error = name === "resource" ? "invalid_target" : "invalid_request";
      expect([name, status, body["error"]]).toEqual([name, 400, error]);
    }
    const wrong = await exchange(
      service,
      { ...agent, secret: "w".repeat(40) },
      { subject_token: subject, resource: archive },
    );
    expect([wrong.status, wrong.body["error"]]).toEqual([401, "invalid_client"]);
    expect(await issued(at)).toEqual([]);
    const asked = { requested_token_type: accessTokenType, subject_token: subject, resource: archive, scope: "write" };
    expect(decodeJwt(await exchanged(service, agent, asked)).scope).toBe("write");
  });

  it("is for clients that have it, and prove who they are", async () => {
    const at = await newExchange(current());
    const { service, app, archive, subject, program } = at;
    const other = await newMachine(service, {}, app);
    const itself = { client: { ...other.client, id: app.id }, secret: app.apiKey };
    for (const party of [program, other, itself])
      await expectRefused(at, {}, "unauthorized_client", { ...at.agent, ...party });
    const form = exchangeForm({ subject_token: subject, resource: archive, client_id: at.agent.client.id });
    const unproven = await post(service, "/oauth2/token", form);
    expect([unproven.status, unproven.body["error"]]).toEqual([401, "invalid_client"]);
    const { ctx } = service.server.app;
    const spa = await newParty(service, { kind: "spa" }, app);
    const own = { exchangeTo: [archive] };
    await expect(clients.update(ctx, spa.client.id, own, by)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    for (const change of [
      { ...own, consent: "ask" as const },
      { consent: "ask" as const, audienceOf: [archive] },
    ])
      await expect(clients.update(ctx, program.client.id, change, by)).rejects.toMatchObject({
        code: "INVALID_REQUEST",
      });
    await expect(resources.remove(ctx, archive, by)).rejects.toMatchObject({ code: "CONFLICT" });
  });

  it("gives nothing that outlives a logout at the same moment", async () => {
    const at = await newExchange(current());
    const { service, app, agent, archive, program, tokens } = at;
    const answers = await Promise.all([
      ...Array.from(
        { length: 5 },
        async () => await exchange(service, agent, { subject_token: at.subject, resource: archive }),
      ),
      post(service, "/oauth2/revoke", { token: tokens.refresh_token }, basic(program)),
      ...Array.from(
        { length: 5 },
        async () => await exchange(service, agent, { subject_token: at.subject, resource: archive }),
      ),
    ]);
    const feed = await revocations(service.server.app.ctx).list(app.id, 100);
    for (const { body } of answers) {
      const token = body["access_token"];
      if (typeof token !== "string") continue;
      expect(await introspected(service, agent, token)).toEqual({ active: false });
      expect(feed).toMatchObject([{ sid: decodeJwt(token)["sid"] }]);
    }
    await expectRefused(at, {}, "invalid_request");
    expect((await refreshWith(service, program, tokens.refresh_token)).body["error"]).toBe("invalid_grant");
  });
});

describeOnSqlite("scopes of an exchange", (current) => {
  const seed = Number(process.env["AUTHSVC_FUZZ_SEED"] ?? (process.env["CI"] ? 20_261_127 : Date.now() % 1_000_000));

  it(`are never more than the subject, the client and the resource have, nor than asked (AUTHSVC_FUZZ_SEED=${seed})`, async () => {
    let state = seed;
    const below = (end: number) => (state = (state * 48_271 + 11) % 2_147_483_647) % end;
    const some = (names: string[]) => names.filter(() => below(2) === 0);
    const names = ["a", "b", "c", "d", "e", "read", "read:all"];
    const at = await newExchange(current(), { orders: names, archive: names });
    const { service, agent, orders, archive, program } = at;
    const { ctx } = service.server.app;
    let given = 0;
    for (let time = 0; time < 60; time += 1) {
      const [user, client, resource, asked] = [some(names), some(names), some([...names, "f"]), some(names)];
      const scopes = resource.map((name) => ({ name, sentence: name }));
      await resources.update(ctx, archive, { scopes }, by);
      await clients.update(ctx, agent.client.id, { resourceScopes: below(4) === 0 ? null : client }, by);
      const { resourceScopes } = await clients.get(ctx, agent.client.id);
      const tokens = await refreshWith(
        service,
        program,
        at.tokens.refresh_token,
        user.length > 0 ? { scope: user.join(" ") } : {},
      );
      at.tokens.refresh_token = String(tokens.body["refresh_token"]);
      const subject = String(tokens.body["access_token"]);
      const held = String(decodeJwt(subject)["scope"]).split(" ");
      const allowed = held.filter((name) => resource.includes(name) && resourceScopes?.includes(name) !== false);
      const scope = below(3) === 0 ? null : asked.join(" ") || null;
      const { status, body } = await exchange(service, agent, { subject_token: subject, resource: archive, scope });
      const wanted = scope?.split(" ") ?? allowed;
      const isFine = wanted.length > 0 && wanted.every((name) => allowed.includes(name));
      const about = { seed, time, held, resourceScopes, resource, scope };
      expect([about, status, body["error"]]).toEqual([about, isFine ? 200 : 400, isFine ? undefined : "invalid_scope"]);
      if (!isFine) continue;
      given += 1;
      expect([
        about,
        String(decodeJwt(String(body["access_token"]))["scope"])
          .split(" ")
          .toSorted(),
      ]).toEqual([about, wanted.toSorted()]);
    }
    expect(given).toBeGreaterThan(0);
    expect(orders).not.toBe(archive);
  });
});

describeOnSqlite("libraries", (current) => {
  it("openid-client exchanges a token by its generic grant", async () => {
    const { service, agent, archive, subject } = await newExchange(current());
    const config = await oidc.discovery(
      new URL(service.url),
      agent.client.id,
      {},
      oidc.ClientSecretBasic(agent.secret),
      // oxlint-disable-next-line typescript/no-deprecated -- the service has no TLS here
      { execute: [oidc.allowInsecureRequests] },
    );
    expect(config.serverMetadata().grant_types_supported).toContain(grantType);
    const form = { subject_token: subject, subject_token_type: accessTokenType, resource: archive };
    const tokens = await oidc.genericGrantRequest(config, grantType, form);
    expect([tokens.scope, tokens.token_type, tokens["issued_token_type"]]).toEqual([
      "read write",
      "bearer",
      accessTokenType,
    ]);
    const introspection = await oidc.tokenIntrospection(config, tokens.access_token);
    expect(introspection).toMatchObject({ active: true, act: { sub: agent.client.id } });
  });

  it("oauth4webapi exchanges a token, and understands the refusal", async () => {
    const { service, agent, archive, subject } = await newExchange(current());
    // oxlint-disable-next-line typescript/no-deprecated -- the service has no TLS here
    const insecure = { [oauth.allowInsecureRequests]: true };
    const server = { issuer: service.url, token_endpoint: `${service.url}/oauth2/token` };
    const client = { client_id: agent.client.id };
    const ask = async (resource: string) => {
      const form = { subject_token: subject, subject_token_type: accessTokenType, resource };
      const authentication = oauth.ClientSecretBasic(agent.secret);
      const answer = await oauth.genericTokenEndpointRequest(server, client, authentication, grantType, form, insecure);
      return await oauth.processGenericTokenEndpointResponse(server, client, answer);
    };
    expect(await ask(archive)).toMatchObject({ scope: "read write", issued_token_type: accessTokenType });
    await expect(ask("https://nobody.example")).rejects.toMatchObject({ error: "invalid_target", status: 400 });
  });
});

describeOnSqlite("the metadata", (current) => {
  const documents = ["openid-configuration", "oauth-authorization-server"];
  const bytes = (name: string) => readFileSync(new URL(`../openid/metadata/${name}.txt`, import.meta.url), "utf8");
  const read = async (service: TestService, name: string) =>
    await (await fetch(`${service.url}/.well-known/${name}`)).text();

  it.each(documents)("%s is the same, byte for byte, until a client exchanges tokens, and after it", async (name) => {
    const service = current();
    const before = bytes(name).replaceAll("ISSUER", service.url);
    service.clock.advance(1000);
    expect(await read(service, name)).toBe(before);
    const app = await service.createApp();
    const party = await newParty(service, {}, app);
    const form = exchangeForm({ subject_token: "x" });
    expect((await post(service, "/oauth2/token", form, basic(party))).body["error"]).toBe("unsupported_grant_type");
    const { ctx } = service.server.app;
    const exchangeTo = [await createResource(service, app)];
    await clients.update(ctx, party.client.id, { exchangeTo }, by);
    service.clock.advance(1000);
    const during = JSON.parse(await read(service, name)) as Record<string, unknown>;
    const grants = ["authorization_code", "refresh_token", grantType];
    expect(during).toEqual({ ...(JSON.parse(before) as object), grant_types_supported: grants });
    await clients.update(ctx, party.client.id, { enabled: false }, by);
    service.clock.advance(1000);
    expect(await read(service, name)).toBe(before);
  });
});
