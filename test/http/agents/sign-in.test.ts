import { decodeJwt } from "jose";
import { expect, it } from "vitest";
import * as resources from "../../../src/applications/resources/service.ts";
import {
  localDocuments,
  agentAt,
  answerIn,
  codeOf,
  refusalOf,
  tokensOf,
  useDocumentServer,
  withAgents,
} from "../../support/client-documents.ts";
import { authorizeUrl, codeChallenge } from "../../support/openid.ts";
import { basic, post, type Party } from "../../support/openid-tokens.ts";
import { call, Visitor } from "../../support/person.ts";
import { by, createResource, newMachine } from "../../support/resources.ts";
import { describeSqliteFirst, describeOnSqlite, updateApp, type TestService } from "../../support/service.ts";

const documents = useDocumentServer();

const introspect = async (service: TestService, party: Pick<Party, "client" | "secret">, token: string) =>
  (await post(service, "/oauth2/introspect", { token }, basic(party))).body;

const refresh = async (service: TestService, id: string, token: string, more: Record<string, string> = {}) =>
  await post(service, "/oauth2/token", {
    grant_type: "refresh_token",
    refresh_token: token,
    client_id: id,
    ...more,
  });

describeSqliteFirst("an unregistered client", localDocuments, (current) => {
  it("signs people in by its document, and gets tokens for the resource alone, with one fetch", async () => {
    const agents = await withAgents(current());
    const agent = agentAt(documents.serve());
    const tokens = await tokensOf(agents, agent);
    expect(tokens.scope).toBe("read");
    expect(decodeJwt(tokens.access_token)).toMatchObject({
      aud: [agents.resource],
      client_id: agent.id,
      app_id: agents.app.id,
      scope: "read",
    });
    const refreshed = await refresh(current(), agent.id, tokens.refresh_token, { resource: agents.resource });
    expect([refreshed.status, typeof refreshed.body["refresh_token"]]).toEqual([200, "string"]);
    const machine = await newMachine(current(), {}, agents.app);
    const token = String(refreshed.body["access_token"]);
    expect(await introspect(current(), machine, token)).toMatchObject({
      active: true,
      client_id: agent.id,
      aud: [agents.resource],
    });
    const next = String(refreshed.body["refresh_token"]);
    expect(await introspect(current(), machine, next)).toMatchObject({ active: true, client_id: agent.id });
    const revoked = await post(current(), "/oauth2/revoke", { token: next, client_id: agent.id });
    expect(revoked.status).toBe(200);
    expect(await introspect(current(), machine, token)).toEqual({ active: false });
    expect(documents.fetched.filter((path) => agent.id.endsWith(path))).toHaveLength(1);
  });

  it("pushes its request, by the resource in it", async () => {
    const agents = await withAgents(current());
    const agent = agentAt(documents.serve());
    const pkce = { code_challenge: codeChallenge, code_challenge_method: "S256" };
    const asked = new URL(authorizeUrl(current(), agent, { scope: "read", resource: agents.resource, ...pkce }));
    const pushed = await post(current(), "/oauth2/par", Object.fromEntries(asked.searchParams));
    expect(pushed.status).toBe(201);
    const query = { client_id: agent.id, request_uri: String(pushed.body["request_uri"]) };
    const page = await new Visitor().get(`${current().url}/oauth2/authorize?${new URLSearchParams(query).toString()}`);
    expect(page.location.pathname).toMatch(/^\/sign-in\//u);
    const without = await post(current(), "/oauth2/par", { ...Object.fromEntries(asked.searchParams), resource: "" });
    expect([without.status, without.body["error"]]).toEqual([401, "invalid_client"]);
    // A token says whose client it is, but not what for.
    const { refresh_token: token } = await tokensOf(agents, agent);
    const form = { ...Object.fromEntries(asked.searchParams), refresh_token: token, resource: "" };
    expect((await post(current(), "/oauth2/par", form)).body["error"]).toBe("invalid_target");
  });

  it("ends its login when a refresh token is used twice", async () => {
    const agents = await withAgents(current());
    const agent = agentAt(documents.serve());
    const { refresh_token: first } = await tokensOf(agents, agent);
    const second = String((await refresh(current(), agent.id, first)).body["refresh_token"]);
    current().clock.advance(60_000);
    expect((await refresh(current(), agent.id, first)).body["error"]).toBe("invalid_grant");
    expect((await refresh(current(), agent.id, second)).body["error"]).toBe("invalid_grant");
  });
});

describeOnSqlite("what unregistered clients may do", localDocuments, (service) => {
  it("U5: is for the resources that allow them, of applications that allow their host", async () => {
    const agents = await withAgents(service);
    const agent = agentAt(documents.serve());
    const closed = await createResource(service, agents.app);
    const error = async (resource: string) => {
      const query = { scope: "read", resource, code_challenge: codeChallenge, code_challenge_method: "S256" };
      return answerIn(await new Visitor().get(authorizeUrl(service, agent, query))).get("error");
    };
    expect(await error(closed)).toBe("invalid_target");
    const { refresh_token: token } = await tokensOf(agents, agent);
    expect((await refresh(service, agent.id, token, { resource: closed })).body["error"]).toBe("invalid_target");

    const other = await withAgents(service);
    for (const [setting, answer] of [
      ["off", "client_id: unknown or disabled"],
      [["agent.example"], "client_id: unknown or disabled"],
      // Another port is another server, which others may run.
      [["agent.example", "localhost", "localhost:1"], "client_id: unknown or disabled"],
      [["agent.example", new URL(documents.origin).host], "/sign-in/"],
      ["any", "/sign-in/"],
    ] as const) {
      await updateApp(service, other.app, {
        settings: { clientDocuments: typeof setting === "string" ? setting : [...setting] },
      });
      expect([setting, await refusalOf(other, agent)]).toEqual([setting, answer]);
    }
    const nowhere = { resource: "https://nobody.example/api" };
    const unknown = "client_id: it is not registered, and resource is missing or unknown";
    expect([await refusalOf(agents, agent, nowhere), await refusalOf(agents, agent, { resource: null })]).toEqual([
      unknown,
      unknown,
    ]);
  });

  it("U5: ends with the setting of the application and with that of the resource", async () => {
    const agents = await withAgents(service);
    const agent = agentAt(documents.serve());
    const tokens = await tokensOf(agents, agent);
    const machine = await newMachine(service, {}, agents.app);
    await updateApp(service, agents.app, { settings: { clientDocuments: "off" } });
    expect(await introspect(service, machine, tokens.access_token)).toEqual({ active: false });
    expect(await introspect(service, machine, tokens.refresh_token)).toEqual({ active: false });
    expect((await refresh(service, agent.id, tokens.refresh_token)).body["error"]).toBe("invalid_client");
    await updateApp(service, agents.app, { settings: { clientDocuments: "any" } });
    expect(await introspect(service, machine, tokens.access_token)).toMatchObject({ active: true });
    const take = async (clientDocuments: boolean) =>
      await resources.update(service.server.app.ctx, agents.resource, { clientDocuments }, by);
    await take(false);
    expect(await introspect(service, machine, tokens.access_token)).toEqual({ active: false });
    expect(await introspect(service, machine, tokens.refresh_token)).toEqual({ active: false });
    expect((await refresh(service, agent.id, tokens.refresh_token)).status).toBe(400);
    await take(true);
    expect(await introspect(service, machine, tokens.access_token)).toMatchObject({ active: true });
    expect((await refresh(service, agent.id, tokens.refresh_token)).status).toBe(200);
  });

  it("U5: takes PKCE, a redirect URI of the document, and no scope of another resource", async () => {
    const agents = await withAgents(service);
    const agent = agentAt(documents.serve());
    const error = async (more: Record<string, string | null>) => {
      const pkce = { code_challenge: codeChallenge, code_challenge_method: "S256" };
      const query = { scope: "read", resource: agents.resource, ...pkce, ...more };
      return answerIn(await new Visitor().get(authorizeUrl(service, agent, query))).get("error");
    };
    expect(await error({ code_challenge: null, code_challenge_method: null })).toBe("invalid_request");
    expect(await error({ scope: "admin" })).toBe("invalid_scope");
    for (const redirect of ["https://agent.example/callback/", "https://evil.example/", "http://localhost/callback"])
      expect(await refusalOf(agents, agent, { redirect_uri: redirect })).toBe(
        "redirect_uri: not registered for this client",
      );
    const form = await codeOf(agents, agent);
    const wrong = await post(service, "/oauth2/token", { ...form, code_verifier: "w".repeat(64) });
    expect(wrong.body["error"]).toBe("invalid_grant");
  });

  it("U5: is nothing in another application, nor as another client", async () => {
    const [agents, others] = [await withAgents(service), await withAgents(service)];
    const [agent, twin] = [agentAt(documents.serve()), agentAt(documents.serve())];
    const tokens = await tokensOf(agents, agent);
    const foreign = await refresh(service, agent.id, tokens.refresh_token, { resource: others.resource });
    expect(foreign.body["error"]).toBe("invalid_target");
    expect((await refresh(service, twin.id, tokens.refresh_token)).body["error"]).toBe("invalid_grant");
    const form = await codeOf(agents, agent);
    const stolen = await post(service, "/oauth2/token", { ...form, client_id: twin.id });
    expect(stolen.body["error"]).toBe("invalid_grant");
    for (const path of ["/auth/validate", "/users/profile"]) {
      const headers = { authorization: `Bearer ${tokens.access_token}`, "x-service-app-id": agents.app.id };
      expect((await call(service, "GET", path, headers)).status).toBe(401);
    }
  });

  it("is in the metadata only while an application and a resource allow it, which else stays the same", async () => {
    const agents = await withAgents(service);
    const read = async () =>
      await Promise.all(
        ["openid-configuration", "oauth-authorization-server"].map(
          async (name) => await (await fetch(`${service.url}/.well-known/${name}`)).text(),
        ),
      );
    const set = async (clientDocuments: "off" | "any") => {
      for (const { id } of await service.server.app.ctx.storage.reader.db
        .select({ id: service.server.app.ctx.storage.reader.tables.applications.id })
        .from(service.server.app.ctx.storage.reader.tables.applications))
        await updateApp(service, { id }, { settings: { clientDocuments } });
      service.clock.advance(2000);
    };
    await set("off");
    const off = await read();
    await set("any");
    const on = (await read()).map((text) => JSON.parse(text) as Record<string, unknown>);
    expect(agents.resource).not.toBe("");
    for (const [place, metadata] of on.entries()) {
      const { client_id_metadata_document_supported: flag, ...rest } = metadata;
      expect([flag, JSON.stringify(rest)]).toEqual([true, off[place]]);
      // Without these, Claude does not use its document, and others ask for no refresh token.
      expect(metadata["token_endpoint_auth_methods_supported"]).toContain("none");
      expect(metadata["scopes_supported"]).toContain("offline_access");
    }
  });

  it("counts calls with a code or token by client and user, not by the address of its server", async () => {
    const agents = await withAgents(service);
    await updateApp(service, agents.app, { settings: { rateLimits: { authentication: 2 } } });
    const agent = agentAt(documents.serve());
    const [one, another] = [await tokensOf(agents, agent), await tokensOf(await withAgents(service), agent)];
    const statuses: number[] = [];
    let token = one.refresh_token;
    for (let calls = 0; calls < 3; calls += 1) {
      const { status, body } = await refresh(service, agent.id, token);
      statuses.push(status);
      if (typeof body["refresh_token"] === "string") token = body["refresh_token"];
    }
    expect(statuses).toEqual([200, 429, 429]);
    expect((await refresh(service, agent.id, another.refresh_token)).status).toBe(200);
  });

  it("lets its own pages read the answers (CORS)", async () => {
    const agents = await withAgents(service);
    const agent = agentAt(documents.serve());
    const form = await codeOf(agents, agent);
    for (const [origin, allowed] of [
      ["https://evil.example", null],
      ["https://agent.example", "https://agent.example"],
    ] as const) {
      const answer = await post(service, "/oauth2/token", { ...form, code_verifier: "w".repeat(64) }, { origin });
      expect(answer.headers.get("access-control-allow-origin")).toBe(allowed);
    }
  });
});
