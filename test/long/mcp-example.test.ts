import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { NewClient } from "../../src/applications/clients/rules.ts";
import type { NewResource } from "../../src/applications/resources/service.ts";
import * as logins from "../../src/sessions/login-administration.ts";
import { localDocuments, useDocumentServer } from "../support/client-documents.ts";
import { freePort } from "../support/free-port.ts";
import { useService } from "../support/one-service.ts";
import { newParty, tokensFor, type Party } from "../support/openid-tokens.ts";
import { goodPassword, Visitor } from "../support/person.ts";
import { expectToStayUp } from "../support/odd-requests.ts";
import { until, untilListening } from "../support/receiver.ts";
import { createResource } from "../support/resources.ts";
import { updateApp } from "../support/service.ts";
import { installExamples, killed } from "./example-apps.ts";

/** What the test calls of the MCP SDK, which only the examples install. */
type Tokens = { access_token: string; scope?: string };
type Transport = { finishAuth(code: string): Promise<void>; close(): Promise<void> };
type Client = {
  connect(transport: Transport): Promise<void>;
  callTool(call: { name: string; arguments?: object }): Promise<{ content: { text: string }[] }>;
};
type ClientModule = { Client: new (info: object) => Client };
type TransportModule = { StreamableHTTPClientTransport: new (url: URL, options: object) => Transport };

const current = useService(localDocuments);
const documents = useDocumentServer();
const folder = mkdtempSync(join(tmpdir(), "authsvc-mcp-"));
const redirectUrl = "http://127.0.0.1:33418/callback";
const by = { kind: "cli", name: "test" } as const;
const scopes = [
  { name: "notes:read", sentence: "Read your notes" },
  { name: "notes:write", sentence: "Write notes" },
];
const children: ChildProcess[] = [];
let url = "";
let party: Party;
let sdk: ClientModule & TransportModule;

/** Starts a program that protects `/mcp`, for a new application. */
async function serve(
  program: string,
  resourceScopes: NonNullable<NewResource["scopes"]>,
  client: Partial<NewClient> = {},
): Promise<{ url: string; party: Party }> {
  const service = current();
  const [app, port] = [await service.createApp(), await freePort()];
  const identifier = `http://localhost:${port}/mcp`;
  await updateApp(service, app, { settings: { clientDocuments: "any" } });
  const input = { identifier, name: "Notes", scopes: resourceScopes, clientDocuments: true };
  const resource = await createResource(service, app, input);
  const made = await newParty(service, { resources: [resource], ...client }, app);
  const settings = { AUTHSVC_ISSUER: service.url, AUTHSVC_APP_ID: app.id, AUTHSVC_API_KEY: app.apiKey };
  const env = { ...process.env, ...settings, PORT: String(port) };
  children.push(spawn(process.execPath, [program], { cwd: folder, env, stdio: "inherit" }));
  await untilListening(`http://localhost:${port}/.well-known/oauth-protected-resource`);
  return { url: identifier, party: made };
}

beforeAll(async () => {
  installExamples(folder, ["@hono/node-server", "@modelcontextprotocol/sdk", "express", "fastify", "hono", "zod"]);
  const files = join(folder, "node_modules/@modelcontextprotocol/sdk/dist/esm/client");
  const load = async (file: string) => (await import(pathToFileURL(join(files, file)).href)) as object;
  sdk = { ...(await load("index.js")), ...(await load("streamableHttp.js")) } as typeof sdk;
  ({ url, party } = await serve("mcp/server.js", scopes, {
    kind: "native",
    redirectUris: [redirectUrl],
    scopes: ["openid"],
  }));
}, 900_000);

afterAll(async () => {
  for (const child of children) await killed(child);
  rmSync(folder, { recursive: true, force: true });
});

/** A program of somebody: it signs in when it has to, as a person would in a browser. */
function newProgram(identity: object = { clientInformation: () => ({ client_id: party.client.id }) }) {
  const kept: { tokens?: Tokens; verifier?: string; code?: string; asked: string[] } = { asked: [] };
  const visitor = new Visitor();
  const authProvider = {
    redirectUrl,
    clientMetadata: { client_name: "Notes program", redirect_uris: [redirectUrl] },
    tokens: () => kept.tokens,
    saveTokens: (tokens: Tokens) => void (kept.tokens = tokens),
    saveCodeVerifier: (verifier: string) => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier,
    async redirectToAuthorization(address: URL) {
      kept.asked.push(address.searchParams.get("scope") ?? "");
      kept.code = await signIn(visitor, address.href);
    },
    ...identity,
  };

  /** Calls a tool. Each sign-in that the server demands on the way is done. */
  async function call(name: string, args: object = {}): Promise<string | undefined> {
    for (;;) {
      const client = new sdk.Client({ name: "test", version: "1" });
      const transport = new sdk.StreamableHTTPClientTransport(new URL(url), { authProvider });
      delete kept.code;
      try {
        await client.connect(transport);
        return (await client.callTool({ name, arguments: args })).content[0]?.text;
      } catch (error) {
        if (kept.code === undefined) throw error;
        await transport.finishAuth(kept.code);
      } finally {
        await transport.close();
      }
    }
  }
  return { kept, call };
}

/** From the authorization endpoint to the code, by way of sign-in and consent. */
async function signIn(visitor: Visitor, address: string): Promise<string> {
  let page = await visitor.get(address);
  for (;;) {
    if (page.status >= 300) {
      const code = page.location.searchParams.get("code");
      if (code !== null) return code;
      page = await visitor.get(page.location.href);
    } else if (page.text.includes("/step/consent")) page = await visitor.submit(page, "/step/consent", {});
    else page = await visitor.submit(page, "/password", { email: party.email, password: goodPassword });
  }
}

async function send(token: string, message: unknown, to = url): Promise<Response> {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const body = JSON.stringify(message);
  return await fetch(to, { method: "POST", headers: { ...headers, authorization: `Bearer ${token}` }, body });
}

async function initialize(token: string): Promise<Response> {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  return await send(token, { jsonrpc: "2.0", id: 1, method: "initialize", params });
}

const toolCall = (id: number, name: string, args: object = {}) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args },
});

test("a program of the MCP SDK finds the service, signs in, and again for a tool that needs more", async () => {
  const program = newProgram();
  expect(await program.call("list-notes")).toBe("");
  expect(program.kept.asked).toEqual(["notes:read"]);
  expect(await program.call("add-note", { note: "Buy milk" })).toBe("Added.");
  expect(program.kept.asked).toEqual(["notes:read", "notes:read notes:write"]);
  expect(await program.call("list-notes")).toBe("Buy milk");
  expect(program.kept.asked).toHaveLength(2);
});

test("a program unregistered signs in by its document", async () => {
  const document = { redirect_uris: [redirectUrl], token_endpoint_auth_method: "none" };
  const clientMetadataUrl = documents.serve(document);
  let known: object | undefined;
  const program = newProgram({
    clientMetadataUrl,
    clientInformation: () => known,
    saveClientInformation: (given: object) => void (known = given),
  });
  expect(await program.call("add-note", { note: "Water the plants" })).toBe("Added.");
  expect(known).toMatchObject({ client_id: clientMetadataUrl });
  expect(decodeJwt(program.kept.tokens?.access_token ?? "")).toMatchObject({
    client_id: clientMetadataUrl,
    aud: [url],
  });
});

test("T3: a token for another resource of the same application is refused", async () => {
  const service = current();
  const other = await createResource(service, party.app);
  const elsewhere = await newParty(service, { resources: [other] }, party.app);
  const { access_token: token } = await tokensFor(service, elsewhere, { resource: other, scope: "read" });
  const refused = await initialize(token);
  expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([
    401,
    expect.stringContaining('error="invalid_token", error_description="The access token is not valid: it is not for'),
  ]);
});

test("a logout ends the program's access: it has to sign in again", async () => {
  const program = newProgram();
  await program.call("list-notes");
  const token = program.kept.tokens?.access_token ?? "";
  expect((await initialize(token)).status).toBe(200);
  await logins.end(current().server.app.ctx, String(decodeJwt(token)["sid"]), { dryRun: false }, by);
  await until(async () => (await initialize(token)).status === 401, "the token is refused");
  expect(await program.call("list-notes")).toContain("Buy milk");
  expect(program.kept.asked).toHaveLength(2);
});

test("T3: a list of calls writes nothing with a token that may only read", async () => {
  const read = newProgram();
  await read.call("list-notes");
  const token = read.kept.tokens?.access_token ?? "";
  const note = { note: "Not mine to write" };
  const [list, add] = [toolCall(1, "list-notes"), toolCall(2, "add-note", note)];
  for (const message of [add, [add], [list, add], [add, list]]) {
    const refused = await send(token, message);
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([
      403,
      expect.stringContaining('error="insufficient_scope"') as string,
    ]);
  }
  expect(await (await send(token, [list, list])).text()).not.toContain(note.note);
  expect(await read.call("list-notes")).not.toContain(note.note);
});

test("T3: a tool checks its scopes where it runs, also of a server that does not look into the body", async () => {
  const program = readFileSync(join(folder, "mcp/server.js"), "utf8").replace("isWrite = (message) =>", "$& false &&");
  writeFileSync(join(folder, "mcp/careless.mjs"), program);
  const careless = await serve("mcp/careless.mjs", scopes);
  const granted = async (scope: string) =>
    (await tokensFor(current(), careless.party, { resource: careless.url, scope })).access_token;
  const calls = [toolCall(1, "add-note", { note: "x" }), toolCall(2, "list-notes")];
  const refused = await (await send(await granted("notes:read"), calls, careless.url)).text();
  expect(refused).toContain("The token does not have the scope notes:write.");
  expect(refused).not.toContain("Added.");
  expect(await (await send(await granted("notes:read notes:write"), calls, careless.url)).text()).toContain("Added.");
});

test("the example stays up whatever is sent to it", async () => {
  await expectToStayUp(url);
  expect((await initialize("x")).status).toBe(401);
});

/** Each answers `/mcp/orders` for the scope `read`, and `/mcp/pay` for `write`. */
const apis: Record<string, string> = {
  express: `import express from "express";
    const api = await protectResource(options);
    const answer = (request, response) => response.json(api.access(request).extra.sub);
    const router = express.Router();
    router.get("/orders", api.requireToken("read"), answer);
    router.get("/pay", api.requireToken("write"), answer);
    express().use(api.routes).use("/mcp", router).listen(port);`,
  fastify: `import fastify from "fastify";
    const api = await protectResource(options);
    const app = fastify();
    await app.register(api.plugin);
    const answer = async (request) => JSON.stringify(api.access(request).extra.sub);
    app.get("/mcp/orders", { preHandler: api.requireToken("read") }, answer);
    app.get("/mcp/pay", { preHandler: api.requireToken("write") }, answer);
    await app.listen({ port, host: "localhost" });`,
  hono: `import { serve } from "@hono/node-server";
    import { Hono } from "hono";
    const api = protectResource(options);
    await api.ready();
    const answer = (context) => context.json(api.access(context).extra.sub);
    const app = new Hono().basePath("/mcp");
    app.get("/orders", api.requireToken("read"), answer);
    app.get("/pay", api.requireToken("write"), answer);
    serve({ fetch: new Hono().use(api.routes).route("/", app).fetch, port });`,
  node: `import { createServer } from "node:http";
    const api = await protectResource(options);
    createServer(async (request, response) => {
      if (await api.handle(request, response)) return;
      const needs = request.url.startsWith("/mcp/pay") ? ["write"] : ["read"];
      const access = await api.requireToken(request, response, ...needs);
      if (access) response.end(JSON.stringify(access.extra.sub));
    }).listen(port);`,
};

test.each(Object.keys(apis))(
  "an API of %s itself: discovery, a token, an answer; the scope that is missing",
  async (name) => {
    const program = `import { protectResource } from "@authsvc/sdk/${name}";
    const port = Number(process.env.PORT);
    const options = { resource: \`http://localhost:\${port}/mcp\`, scopes: ["read", "write"] };
    ${apis[name]}`;
    writeFileSync(join(folder, `${name}.mjs`), program);
    const both = [
      { name: "read", sentence: "Read" },
      { name: "write", sentence: "Write" },
    ];
    const api = await serve(`${name}.mjs`, both);
    const refused = await fetch(`${api.url}/orders`);
    const [, metadata = ""] = /resource_metadata="([^"]+)"/u.exec(refused.headers.get("www-authenticate") ?? "") ?? [];
    expect([refused.status, metadata]).toEqual([
      401,
      new URL("/.well-known/oauth-protected-resource/mcp", api.url).href,
    ]);
    const described = (await (await fetch(metadata)).json()) as { resource: string; authorization_servers: string[] };
    expect(described.authorization_servers).toEqual([current().url]);
    const { access_token: token } = await tokensFor(current(), api.party, {
      resource: described.resource,
      scope: "read",
    });
    const headers = { authorization: `Bearer ${token}` };
    const admitted = await fetch(`${api.url}/orders`, { headers });
    expect([admitted.status, await admitted.json()]).toEqual([200, decodeJwt(token).sub]);
    expect((await fetch(`${api.url}/pay`, { headers })).status).toBe(403);
  },
);
