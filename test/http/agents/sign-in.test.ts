import { decodeJwt } from "jose";
import { expect, it } from "vitest";
import {
  agentAt,
  arrive,
  codeOf,
  inOwnNetwork,
  tokensOf,
  useDocumentServer,
  withAgents,
} from "../../support/client-documents.ts";
import { authorizeUrl } from "../../support/openid.ts";
import { post } from "../../support/openid-tokens.ts";
import { newMachine } from "../../support/resources.ts";
import { basic } from "../../support/openid-tokens.ts";
import { Visitor } from "../../support/person.ts";
import { describeEachDatabase } from "../../support/service.ts";

const documents = useDocumentServer();

describeEachDatabase("a client that nobody registered", inOwnNetwork, (current) => {
  it("signs people in by its document, asks them, and gets tokens for the resource alone", async () => {
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
    const refreshed = await post(current(), "/oauth2/token", {
      grant_type: "refresh_token",
      refresh_token: tokens.refresh_token,
      client_id: agent.id,
    });
    expect([refreshed.status, typeof refreshed.body["refresh_token"]]).toEqual([200, "string"]);
    const machine = await newMachine(current(), {}, agents.app);
    const token = String(refreshed.body["access_token"]);
    const about = await post(current(), "/oauth2/introspect", { token }, basic(machine));
    expect(about.body).toMatchObject({ active: true, client_id: agent.id, aud: [agents.resource] });
    const revoked = await post(current(), "/oauth2/revoke", { token, client_id: agent.id });
    expect(revoked.status).toBe(200);
    const after = await post(current(), "/oauth2/introspect", { token }, basic(machine));
    expect(after.body).toEqual({ active: false });
    expect(documents.fetched.filter((path) => agent.id.endsWith(path))).toHaveLength(1);
  });

  it("pushes its request, by the resource in it", async () => {
    const agents = await withAgents(current());
    const agent = agentAt(documents.serve());
    const request = Object.fromEntries(
      new URL(
        authorizeUrl(current(), agent, {
          scope: "read",
          resource: agents.resource,
          code_challenge: "c".repeat(43),
          code_challenge_method: "S256",
        }),
      ).searchParams,
    );
    const pushed = await post(current(), "/oauth2/par", request);
    expect(pushed.status).toBe(201);
    const page = await new Visitor().get(
      `${current().url}/oauth2/authorize?${new URLSearchParams({ client_id: agent.id, request_uri: String(pushed.body["request_uri"]) }).toString()}`,
    );
    expect(page.location.pathname).toMatch(/^\/sign-in\//u);
  });

  it("is asked for again in another browser only if its document changed", async () => {
    const agents = await withAgents(current());
    let name = "Agent";
    const url: string = documents.answer((response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(
        JSON.stringify({ client_id: url, client_name: name, redirect_uris: ["https://agent.example/callback"] }),
      );
    });
    await codeOf(agents, agentAt(url));
    expect((await arrive(agents, agentAt(url))).location.host).toBe("agent.example");
    name = "Another agent";
    current().clock.advance(6 * 60_000);
    expect((await arrive(agents, agentAt(url))).text).toContain("Another agent");
  });
});
