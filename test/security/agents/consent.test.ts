import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import * as clients from "../../../src/applications/clients/service.ts";
import { segmentOf } from "../../../src/lib/path-segments.ts";
import * as audit from "../../../src/records/audit/audit.ts";
import { openAccount } from "../../support/account.ts";
import {
  localDocuments,
  agentAt,
  answerIn,
  arrive,
  codeOf,
  newAgentKey,
  refusalOf,
  tokensOf,
  useDocumentServer,
  withAgents,
} from "../../support/client-documents.ts";
import { authorizeUrl, codeChallenge } from "../../support/openid.ts";
import { basic, post } from "../../support/openid-tokens.ts";
import { Visitor } from "../../support/person.ts";
import { by, newMachine } from "../../support/resources.ts";
import { describeSqliteFirst, describeOnSqlite, type TestService } from "../../support/service.ts";

const documents = useDocumentServer();

/** A document that changes; `set` also lets the old one become stale. */
function changing(service: TestService) {
  const key = newAgentKey();
  let document: Record<string, unknown> = {
    client_name: "Agent",
    redirect_uris: ["https://agent.example/callback"],
    token_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
    jwks: { keys: [key.jwk] },
  };
  const url: string = documents.answer((response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ client_id: url, ...document }));
  });
  return {
    agent: agentAt(url),
    set(change: Record<string, unknown>): void {
      document = { ...document, ...change };
      service.clock.advance(6 * 60_000);
    },
  };
}

const refresh = async (service: TestService, id: string, token: string) =>
  await post(service, "/oauth2/token", { grant_type: "refresh_token", refresh_token: token, client_id: id });

describeOnSqlite("consent to an unregistered client", localDocuments, (service) => {
  it("U4: names the hosts, and what the document says only as a claim, without its logo or markup", async () => {
    const agents = await withAgents(service);
    const name = "<b>Acme</b> \u202egnp.exe\u2066 & Co";
    const agent = agentAt(
      documents.serve({
        client_name: name,
        logo_uri: "https://agent.example/logo.png",
        client_uri: "https://acme.example",
        redirect_uris: ["https://elsewhere.example/callback"],
      }),
      "https://elsewhere.example/callback",
    );
    const { text } = await arrive(agents, agent);
    expect(/<h1>([^<]*)/u.exec(text)?.[1]).toBe(`${new URL(agent.id).host} asks for access`);
    expect(text).toContain("<strong><bdi>elsewhere.example</bdi></strong>");
    expect(text).toContain("It calls itself “&lt;b&gt;Acme&lt;/b&gt; \\u202egnp.exe\\u2066 &amp; Co”.");
    expect(text).toContain("Nobody has checked this name.");
    expect(text).not.toMatch(/\u202e|\u2066|<b>|logo\.png|acme\.example/u);
    expect(text).not.toContain("any program on this device");
  });

  it.each(["http://localhost:5000/callback", "http://127.0.0.1:5000/callback", "com.example.agent:/callback"])(
    "U4: warns and asks each time where the person returns to this device: %s",
    async (redirectUri) => {
      const agents = await withAgents(service);
      const agent = agentAt(documents.serve({ redirect_uris: [redirectUri] }), redirectUri);
      const visitor = new Visitor();
      const page = await arrive(agents, agent, {}, visitor);
      expect(page.text).toContain("any program on this device could ask under this name");
      await visitor.submit(page, "/step/consent", {});
      const query = {
        scope: "read",
        resource: agents.resource,
        code_challenge: codeChallenge,
        code_challenge_method: "S256",
      };
      const again = await visitor.get(authorizeUrl(service, agent, query));
      expect(again.location.pathname).toMatch(/^\/sign-in\//u);
      const silent = await visitor.get(authorizeUrl(service, agent, { ...query, prompt: "none" }));
      expect(answerIn(silent).get("error")).toBe("consent_required");
    },
  );

  it("U4: is asked once for an address on the web, and again when name, keys or addresses change", async () => {
    const agents = await withAgents(service);
    const { agent, set } = changing(service);
    const asks = async () => {
      const page = await arrive(agents, agent);
      const asked = page.status === 200;
      if (asked) await codeOf(agents, agent);
      return asked;
    };
    expect([await asks(), await asks()]).toEqual([true, false]);
    const changes: [what: Record<string, unknown>, isAsked: boolean][] = [
      [{ client_name: "Another" }, true],
      [{ redirect_uris: ["https://agent.example/callback", "https://evil.example/"] }, true],
      [{ jwks: { keys: [newAgentKey().jwk] } }, true],
      [{ token_endpoint_auth_methods_supported: ["none"] }, true],
      [
        {
          client_uri: "https://agent.example",
          redirect_uris: ["https://evil.example/", "https://agent.example/callback"],
        },
        false,
      ],
      [{ client_name: "Agent" }, true],
    ];
    for (const [what, isAsked] of changes) {
      set(what);
      expect([what, await asks(), await asks()]).toEqual([what, isAsked, false]);
    }
    const { reader } = service.server.app.ctx.storage;
    const of = async (action: string) => await audit.recent(reader, { appId: agents.app.id, action, since: 0 });
    expect([(await of("client.seen")).length, (await of("client.changed")).length]).toEqual([1, 5]);
    expect((await of("client.seen"))[0]?.details).toEqual({ clientId: agent.id });
  });

  it("U4: sends nobody's browser to its address before somebody agreed: an error is a link", async () => {
    const agents = await withAgents(service);
    const agent = agentAt(documents.serve({ redirect_uris: ["https://evil.example/"] }), "https://evil.example/");
    const pkce = { code_challenge: codeChallenge, code_challenge_method: "S256" };
    const refused: Record<string, string>[] = [
      { scope: "nonsense" },
      { prompt: "none" },
      { response_type: "token" },
      { response_mode: "form_post", scope: "x" },
    ];
    for (const more of refused) {
      const query = { scope: "read", resource: agents.resource, ...pkce, ...more };
      const page = await new Visitor().get(authorizeUrl(service, agent, query));
      expect([more, page.status, page.headers.get("location")]).toEqual([more, 200, null]);
      expect(page.text).toContain("Continue to evil.example");
      expect(answerIn(page).get("state")).toBe("st");
      expect(page.text).not.toContain("<form");
    }
  });

  it("U4: gives no code its tokens if the document changed meanwhile", async () => {
    const agents = await withAgents(service);
    let name = "Agent";
    const url: string = documents.answer((response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(
        JSON.stringify({ client_id: url, client_name: name, redirect_uris: ["https://agent.example/callback"] }),
      );
    });
    service.clock.advance(1000);
    await refusalOf(agents, agentAt(url));
    service.clock.advance(4 * 60_000 + 50_000);
    const form = await codeOf(agents, agentAt(url));
    name = "Another";
    service.clock.advance(20_000);
    expect((await post(service, "/oauth2/token", form)).body["error"]).toBe("invalid_grant");
  });

  it("U3: is kept for the newest 100 of a user", async () => {
    const agents = await withAgents(service);
    const agent = agentAt(documents.serve());
    await tokensOf(agents, agent);
    const { storage } = service.server.app.ctx;
    const { consents } = storage.reader.tables;
    const [own] = await storage.reader.db.select().from(consents).where(eq(consents.clientId, agent.id));
    if (!own) throw new Error("the consent is missing");
    const others = Array.from({ length: 105 }, (_, number) => {
      return { ...own, clientId: `https://a${number}.example/`, updatedAt: own.updatedAt - 1 - number };
    });
    await storage.write(async ({ db }) => await db.insert(consents).values(others));
    service.clock.advance(1000);
    await codeOf(agents, agent, { prompt: "consent" });
    const left = await storage.reader.db.select().from(consents).where(eq(consents.userId, own.userId));
    expect([left.length, left.some(({ clientId }) => clientId === "https://a104.example/")]).toEqual([100, false]);
    expect(left.map(({ clientId }) => clientId)).toContain(agent.id);
  });

  it("U4: is on the account page by its host, where it ends", async () => {
    const agents = await withAgents(service);
    const agent = agentAt(documents.serve({ client_name: "Helper" }));
    const visitor = new Visitor();
    const form = await codeOf(agents, agent, {}, visitor);
    const { body } = await post(service, "/oauth2/token", form);
    const page = await openAccount(service, agents.app, visitor);
    expect(page.text).toContain(new URL(agent.id).host);
    expect(page.text).toContain("It calls itself “Helper”.");
    const removed = await visitor.submit(page, `/programs/${segmentOf(agent.id)}/remove`, {});
    expect(removed.location.searchParams.get("notice")).toBe("access-removed");
    const refused = await refresh(service, agent.id, String(body["refresh_token"]));
    expect(refused.body["error"]).toBe("invalid_grant");
    expect((await arrive(agents, agent)).status).toBe(200);
  });
});

describeSqliteFirst("a blocked client", localDocuments, (service) => {
  it("U6: ends in every application: logins, tokens, consents and sign-ins under way", async () => {
    const [agents, others] = [await withAgents(service), await withAgents(service)];
    const agent = agentAt(documents.serve());
    const tokens = [await tokensOf(agents, agent), await tokensOf(others, agent)];
    const visitor = new Visitor();
    const waiting = await arrive(agents, agent, { prompt: "consent" }, visitor);
    const form = await codeOf(agents, agent);
    const { ctx } = service.server.app;
    await clients.block(ctx, agent.id, by);
    for (const [place, { app }] of [agents, others].entries()) {
      const machine = await newMachine(service, {}, app);
      for (const token of [tokens[place]?.access_token ?? "", tokens[place]?.refresh_token ?? ""])
        expect((await post(service, "/oauth2/introspect", { token }, basic(machine))).body).toEqual({ active: false });
      expect((await refresh(service, agent.id, tokens[place]?.refresh_token ?? "")).body["error"]).toBe(
        "invalid_client",
      );
    }
    expect((await post(service, "/oauth2/token", form)).body["error"]).toBe("invalid_client");
    const agreed = await visitor.submit(waiting, "/step/consent", {});
    expect(agreed.location.searchParams.has("code")).toBe(false);
    expect(await refusalOf(agents, agent)).toBe("client_id: unknown or disabled");
    await clients.unblock(ctx, agent.id, by);
    expect((await refresh(service, agent.id, tokens[0]?.refresh_token ?? "")).body["error"]).toBe("invalid_grant");
    expect((await arrive(agents, agent)).status).toBe(200);
    const events = await audit.list(ctx, { limit: 1000 });
    const own = events.filter(({ details }) => details["clientId"] === agent.id).map(({ action }) => action);
    expect(own.filter((action) => action.startsWith("client.")).toSorted()).toEqual([
      "client.block",
      "client.seen",
      "client.unblock",
    ]);
  });

  it("U6: has no token left of a refresh or a code that was in flight", async () => {
    const agents = await withAgents(service);
    const agent = agentAt(documents.serve());
    const machine = await newMachine(service, {}, agents.app);
    const { ctx } = service.server.app;
    const all = await Promise.all(Array.from({ length: 4 }, async () => await tokensOf(agents, agent)));
    const forms = await Promise.all(Array.from({ length: 4 }, async () => await codeOf(agents, agent)));
    const answers = await Promise.all([
      ...all.map(async ({ refresh_token: token }) => await refresh(service, agent.id, token)),
      ...forms.map(async (form) => await post(service, "/oauth2/token", form)),
      clients.block(ctx, agent.id, by),
    ]);
    for (const answer of answers.flatMap((one) => one ?? [])) {
      for (const token of [answer.body["access_token"], answer.body["refresh_token"]]) {
        if (typeof token !== "string") continue;
        expect((await post(service, "/oauth2/introspect", { token }, basic(machine))).body).toEqual({ active: false });
      }
    }
    const { db, tables } = ctx.storage.reader;
    const live = (await db.select().from(tables.logins)).filter(
      ({ clientId, endedAt }) => clientId === agent.id && endedAt === null,
    );
    expect(live).toEqual([]);
  });
});
