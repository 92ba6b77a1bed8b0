import { Resolver } from "node:dns/promises";
import type { ServerResponse } from "node:http";
import { createServer, type AddressInfo } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import type { LogFields } from "../../../src/lib/log.ts";
import { silentLog } from "../../../src/lib/silent-log.ts";
import {
  agentAt,
  localDocuments,
  newAgentKey,
  refusalOf,
  tokensOf,
  useDocumentServer,
  withAgents,
} from "../../support/client-documents.ts";
import { authorizeUrl, codeChallenge } from "../../support/openid.ts";
import { post } from "../../support/openid-tokens.ts";
import { call, Visitor } from "../../support/person.ts";
import { startReceiver, until } from "../../support/receiver.ts";
import { describeOnSqlite, serviceOfTest } from "../../support/service.ts";
import { localWebhooks, webhookSecret } from "../../support/webhooks.ts";

const documents = useDocumentServer();
const other = useDocumentServer();

const json = { "content-type": "application/json" };
const good = { client_name: "Agent", redirect_uris: ["https://agent.example/callback"] };

/** Answers with this status, type and body; the body may need the URL. */
function raw(status: number, headers: Record<string, string>, body: string | ((url: string) => string)) {
  return (): string => {
    const url: string = documents.answer((response) => {
      response.writeHead(status, headers).end(typeof body === "string" ? body : body(url));
    });
    return url;
  };
}

const document = (changes: Record<string, unknown>) => (): string => documents.serve(changes);
const another = (change: (url: string) => unknown) =>
  raw(200, json, (url) => JSON.stringify({ ...good, client_id: change(url) }));

/** A valid document of exactly this many bytes. */
const padded = (bytes: number) =>
  raw(200, json, (url) => {
    const text = JSON.stringify({ client_id: url, ...good, padding: "" });
    return text.replace('"padding":""', `"padding":"${"x".repeat(bytes - text.length)}"`);
  });

function endless(response: ServerResponse): void {
  response.writeHead(200, json);
  const timer = setInterval(() => response.write("x".repeat(100)), 5);
  response.on("close", () => clearInterval(timer));
}

const key = newAgentKey().jwk;
const keyed = (changes: Record<string, unknown>) =>
  document({ token_endpoint_auth_method: "private_key_jwt", ...changes });

const redirects = "redirect_uris: none that can be used here";
const method = "token_endpoint_auth_method: must be none or private_key_jwt";
const noDocument = "client_id: not the URL of the document";

const broken: [what: string, serve: () => string, problem: string][] = [
  ["201", raw(201, json, (url) => JSON.stringify({ client_id: url, ...good })), "status 201"],
  ["204", raw(204, json, ""), "status 204"],
  ["301", raw(301, { location: "https://agent.example/elsewhere" }, ""), "status 301"],
  ["304", raw(304, json, ""), "status 304"],
  ["404", raw(404, json, "{}"), "status 404"],
  ["500", raw(500, json, "{}"), "status 500"],
  ["no type", raw(200, {}, (url) => JSON.stringify({ client_id: url, ...good })), "its type is not application/json"],
  ["html", raw(200, { "content-type": "text/html" }, "<html>"), "it is not JSON"],
  [
    "a type that only begins so",
    raw(200, { "content-type": "application/jsonp" }, "{}"),
    "its type is not application/json",
  ],
  ["5,121 bytes", padded(5121), "more than 5120 bytes"],
  ["endless", () => documents.answer(endless), "more than 5120 bytes"],
  ["silent", () => documents.answer(() => {}), "no answer in time"],
  ["half", () => documents.answer((response) => void response.writeHead(200, json).write("{")), "no answer in time"],
  ["broken off", () => documents.answer((response) => response.destroy()), "the connection was closed"],
  ["no JSON", raw(200, json, "{"), "it is not JSON"],
  [
    "no UTF-8",
    () => documents.answer((response) => response.writeHead(200, json).end(Buffer.from('{"a":"\xff"}', "latin1"))),
    "it is not JSON",
  ],
  ["a list", raw(200, json, "[]"), "it: missing or not valid"],
  ["null", raw(200, json, "null"), "it: missing or not valid"],
  ["no client_id", raw(200, json, JSON.stringify(good)), "client_id: missing or not valid"],
  ["another client_id", another(() => "https://agent.example/client.json"), noDocument],
  ["client_id in capitals", another((url) => url.replace("localhost", "LOCALHOST")), noDocument],
  ["client_id without the port", another((url) => url.replace(/:\d+/u, "")), noDocument],
  ["client_id with a slash behind", another((url) => `${url}/`), noDocument],
  ["client_id with a space behind", another((url) => `${url} `), noDocument],
  ["client_id percent-encoded", another((url) => url.replace("client", "%63lient")), noDocument],
  ["client_id in a list", another((url) => [url]), "client_id: missing or not valid"],
  ["no name", document({ client_name: undefined }), "client_name: missing or not valid"],
  ["an empty name", document({ client_name: "  " }), "client_name: 1 to 200 characters"],
  ["a long name", document({ client_name: "x".repeat(201) }), "client_name: 1 to 200 characters"],
  ["a name of another kind", document({ client_name: { en: "Agent" } }), "client_name: missing or not valid"],
  ["no redirect_uris", document({ redirect_uris: undefined }), "redirect_uris: missing or not valid"],
  ["empty redirect_uris", document({ redirect_uris: [] }), redirects],
  [
    "one as a text",
    document({ redirect_uris: "https://agent.example/callback" }),
    "redirect_uris: missing or not valid",
  ],
  ["a relative one", document({ redirect_uris: ["/callback"] }), redirects],
  ["javascript:", document({ redirect_uris: ["javascript:alert(1)"] }), redirects],
  ["data:", document({ redirect_uris: ["data:text/html,x"] }), redirects],
  ["a fragment", document({ redirect_uris: ["https://agent.example/callback#x"] }), redirects],
  ["plain http", document({ redirect_uris: ["http://agent.example/callback"] }), redirects],
  ["a wildcard", document({ redirect_uris: ["https://*.example/callback"] }), redirects],
  ["a secret", document({ client_secret: "s" }), "client_secret: nobody shares a secret with it"],
  ["the end of a secret", document({ client_secret_expires_at: 0 }), "client_secret: nobody shares a secret with it"],
  ["client_secret_basic", document({ token_endpoint_auth_method: "client_secret_basic" }), method],
  ["client_secret_post", document({ token_endpoint_auth_method: "client_secret_post" }), method],
  ["client_secret_jwt", document({ token_endpoint_auth_method: "client_secret_jwt" }), method],
  ["an unknown method", document({ token_endpoint_auth_method: "tls_client_auth" }), method],
  [
    "a list without a common method",
    document({ token_endpoint_auth_methods_supported: ["client_secret_post"] }),
    method,
  ],
  ["no keys", keyed({}), "jwks: one of jwks and jwks_uri"],
  [
    "keys twice",
    keyed({ jwks: { keys: [key] }, jwks_uri: "https://localhost/keys" }),
    "jwks: one of jwks and jwks_uri",
  ],
  [
    "a private key",
    keyed({ jwks: { keys: [{ ...key, d: "AAAA" }] } }),
    "jwks: key 1 has private members; give only public keys, and replace this one",
  ],
  [
    "a symmetric key",
    keyed({ jwks: { keys: [{ kty: "oct", k: "AAAA" }] } }),
    "jwks: key 1 has private members; give only public keys, and replace this one",
  ],
  ["no key in the set", keyed({ jwks: { keys: [] } }), "jwks: 1 to 10 keys"],
  [
    "keys of another host",
    keyed({ jwks_uri: "https://agent.example/keys" }),
    "jwks_uri: not of the host of the document",
  ],
  ["keys of a relative address", keyed({ jwks_uri: "/keys" }), "jwks_uri: not of the host of the document"],
];

const unusable = (problem: string) => `client_id: its document cannot be used (${problem})`;
const why = "the log of the service says why";

/** What each of them is refused with. */
async function refusalsOf(agents: Awaited<ReturnType<typeof withAgents>>, urls: [what: string, url: string][]) {
  const answers = await Promise.all(
    urls.map(async ([what, url]) => [what, await refusalOf(agents, agentAt(url))] as const),
  );
  return Object.fromEntries(answers);
}

function brokenOnes(): [what: string, url: string, problem: string][] {
  const elsewhere = keyed({ jwks_uri: `${other.origin}/keys` });
  const all = [...broken, ["keys at another port", elsewhere, "jwks_uri: not of the host of the document"] as const];
  return all.map(([what, serve, problem]) => [what, serve(), problem]);
}

describeOnSqlite("the document of an unregistered client, in development", { dev: true }, (service) => {
  it("U1, U2: is not used if it is broken, and the page says why", async () => {
    const agents = await withAgents(service);
    const all = brokenOnes();
    expect(
      await refusalsOf(
        agents,
        all.map(([what, url]) => [what, url]),
      ),
    ).toEqual(Object.fromEntries(all.map(([what, , problem]) => [what, unusable(problem)])));
    expect(other.fetched).toEqual([]);
  });
});

const logged: { clientId: unknown; reason: unknown }[] = [];
const info = (_message: string, { clientId, reason }: LogFields = {}) => {
  if (reason !== undefined) logged.push({ clientId, reason });
};
const surroundings = { log: { ...silentLog, info } };

describeOnSqlite("a document in one's own network", { ...localDocuments, surroundings }, (service) => {
  it("U2, W5: is refused with one sentence whatever is there, and the log says why", async () => {
    const agents = await withAgents(service);
    const plain = await startReceiver();
    const closed = await startReceiver();
    await closed.stop();
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    onTestFinished(async () => {
      await plain.stop();
      silent.close();
    });
    const at = (port: unknown) => `https://127.0.0.1:${String(port)}/client.json`;
    const all = [
      ...brokenOnes(),
      ["plain http", at(new URL(plain.url).port), "it does not speak TLS on this port"],
      ["a closed port", at(new URL(closed.url).port), "the connection was refused"],
      ["a silent port", at((silent.address() as AddressInfo).port), "no answer in time"],
      ["no such name", "https://nowhere.invalid/client.json", /^its name cannot be resolved/u],
    ] as const;
    logged.length = 0;
    const answers = await refusalsOf(
      agents,
      all.map(([what, url]) => [what, url]),
    );
    expect(new Set(Object.values(answers))).toEqual(new Set([unusable(why)]));
    for (const [what, url, reason] of all) {
      const [entry] = logged.filter(({ clientId }) => clientId === url);
      expect([what, entry?.reason]).toEqual([
        what,
        typeof reason === "string" ? reason : expect.stringMatching(reason),
      ]);
    }
  });

  it("U2, W5: is refused alike by the token endpoint and for pushed requests, whatever is there", async () => {
    const agents = await withAgents(service);
    const closed = await startReceiver();
    await closed.stop();
    service.clock.advance(60_000);
    const urls = [documents.answer((response) => response.writeHead(503).end()), documents.serve({ client_name: "" })];
    const code = { grant_type: "authorization_code", code: "x", redirect_uri: "https://agent.example/callback" };
    for (const url of [...urls, `https://127.0.0.1:${new URL(closed.url).port}/client.json`])
      for (const path of ["/oauth2/token", "/oauth2/par"]) {
        const { status, body } = await post(service, path, { ...code, client_id: url, resource: agents.resource });
        expect([url, path, status, body["error"]]).toEqual([url, path, 401, "invalid_client"]);
      }
  });
});

describeOnSqlite("the document of an unregistered client", localDocuments, (service) => {
  it("is used with 5,120 bytes, a more special type, and what it may say besides", async () => {
    const agents = await withAgents(service);
    const serves = [
      padded(5120),
      raw(200, { "content-type": "application/client-metadata+json; charset=utf-8" }, (url) =>
        JSON.stringify({ client_id: url, ...good }),
      ),
      document({ redirect_uris: ["javascript:alert(1)", "cursor://callback", ...good.redirect_uris] }),
      document({
        token_endpoint_auth_method: "client_secret_basic",
        token_endpoint_auth_methods_supported: ["client_secret_basic", "none"],
      }),
      document({ grant_types: ["password"], logo_uri: "javascript:alert(1)", scope: "everything", unknown: {} }),
    ];
    for (const serve of serves) expect(await refusalOf(agents, agentAt(serve()))).toBe("/sign-in/");
  });

  it("U1: has a URL in its normal form, by https, with a path and without dot segments, user or fragment", async () => {
    const agents = await withAgents(service);
    const { origin } = documents;
    const plain = "ASCII without spaces: a host with other letters is written with xn--, other characters as in %C3%BC";
    const normal = "written in its normal form, with a path and without dot segments";
    const urls: [url: string, problem: string][] = [
      [origin, normal],
      [`${origin}/./client.json`, normal],
      [`${origin}/a/../client.json`, normal],
      [`${origin}/a/%2e%2e/client.json`, normal],
      [`${origin}/%2E/client.json`, normal],
      [origin.replace("localhost", "LOCALHOST") + "/client.json", normal],
      ["https://localhost:443/client.json", normal],
      ["https://2130706433/client.json", normal],
      ["https://0x7f.1/client.json", normal],
      [`${origin}\\client.json`, normal],
      [`${origin}/client json`, plain],
      [`${origin}/clіent.json`, plain],
      [`${origin}/client.json#x`, "no fragment"],
      [`${origin}/client.json#`, "no fragment"],
      [`https://user@${origin.slice(8)}/client.json`, "no user or password"],
      [`https://:@${origin.slice(8)}/client.json`, "no user or password"],
      [origin.replace("localhost", "localhost.") + "/client.json", "no dot at the end of the host"],
      [`http://${origin.slice(8)}/client.json`, "an https URL"],
      ["http://127.0.0.1:8080/client.json", "an https URL"],
      ["ftp://agent.example/client.json", "an https URL"],
      ["urn:agent", "an https URL"],
      [`${origin}/${"x".repeat(256)}`, "at most 256 characters"],
    ];
    const before = documents.fetched.length;
    for (const [url, problem] of urls)
      expect([url, await refusalOf(agents, agentAt(url))]).toEqual([
        url,
        `client_id: its document cannot be used (${problem})`,
      ]);
    expect(documents.fetched).toHaveLength(before);
  });

  it("is read again when it is no longer fresh: after 5 minutes to 24 hours, as its server says", async () => {
    const agents = await withAgents(service);
    const minutes = async (headers: Record<string, string>, ...passed: number[]) => {
      const agent = agentAt(documents.serve({}, headers));
      const count = () => documents.fetched.filter((path) => agent.id.endsWith(path)).length;
      await refusalOf(agents, agent);
      const counts: number[] = [];
      for (const more of passed) {
        service.clock.advance(more * 60_000);
        await refusalOf(agents, agent);
        counts.push(count());
      }
      return counts;
    };
    expect(await minutes({}, 4, 2)).toEqual([1, 2]);
    expect(await minutes({ "cache-control": "no-store" }, 4, 2)).toEqual([1, 2]);
    expect(await minutes({ "cache-control": "public, max-age=3600" }, 59, 2)).toEqual([1, 2]);
    expect(await minutes({ "cache-control": "max-age=3600", age: "1800" }, 29, 2)).toEqual([1, 2]);
    expect(await minutes({ "cache-control": "max-age=31536000" }, 23 * 60, 61)).toEqual([1, 2]);
    const expires = new Date(service.clock.now + 1_800_000).toUTCString();
    expect(await minutes({ expires }, 29, 2)).toEqual([1, 2]);
  });

  it("is fetched at most once in 10 s while it cannot be used, and once for many at the same time", async () => {
    const agents = await withAgents(service);
    let status = 404;
    const url: string = documents.answer((response) =>
      response.writeHead(status, json).end(JSON.stringify({ client_id: url, ...good })),
    );
    const fetches = () => documents.fetched.filter((path) => url.endsWith(path)).length;
    const answers = await Promise.all(Array.from({ length: 20 }, async () => await refusalOf(agents, agentAt(url))));
    expect(new Set(answers)).toEqual(new Set([unusable(why)]));
    status = 200;
    service.clock.advance(9000);
    expect(await refusalOf(agents, agentAt(url))).toBe(unusable(why));
    expect(fetches()).toBe(1);
    service.clock.advance(2000);
    expect(await refusalOf(agents, agentAt(url))).toBe("/sign-in/");
    expect(fetches()).toBe(2);
  });

  it("whose server does not answer stays valid for tokens for a day, and does not log anybody out", async () => {
    const agents = await withAgents(service);
    let status = 200;
    const url: string = documents.answer((response) =>
      response.writeHead(status, json).end(JSON.stringify({ client_id: url, ...good })),
    );
    let { refresh_token: token } = await tokensOf(agents, agentAt(url));
    const refresh = async () => {
      const { status, body, headers } = await post(service, "/oauth2/token", {
        grant_type: "refresh_token",
        refresh_token: token,
        client_id: url,
      });
      if (typeof body["refresh_token"] === "string") token = body["refresh_token"];
      return [status, body["error"], headers.get("retry-after")];
    };
    status = 503;
    service.clock.advance(3_600_000);
    expect(await refresh()).toEqual([200, undefined, null]);
    expect(await refusalOf(agents, agentAt(url))).toBe(unusable(why));
    service.clock.advance(24 * 3_600_000);
    expect(await refresh()).toEqual([429, "temporarily_unavailable", "10"]);
    status = 404;
    service.clock.advance(11_000);
    expect(await refresh()).toEqual([401, "invalid_client", null]);
    status = 200;
    service.clock.advance(11_000);
    expect(await refresh()).toEqual([200, undefined, null]);
  });

  it("U5: that is gone, with 404 within the day after it was read, ends refreshes at once", async () => {
    const agents = await withAgents(service);
    let status = 200;
    const url: string = documents.answer((response) =>
      response.writeHead(status, json).end(JSON.stringify({ client_id: url, ...good })),
    );
    const { refresh_token: token } = await tokensOf(agents, agentAt(url));
    const form = { grant_type: "refresh_token", refresh_token: token, client_id: url };
    status = 404;
    service.clock.advance(6 * 60_000);
    const { status: refused, body } = await post(service, "/oauth2/token", form);
    expect([refused, body["error"]]).toEqual([401, "invalid_client"]);
  });

  it("U3: is not stored before somebody agrees, however many there are", async () => {
    const agents = await withAgents(service);
    const agent = agentAt(documents.serve());
    const ids = Array.from({ length: 30 }, (_, number) => `${documents.origin}/nobody-${number}.json`);
    for (const id of [...ids, agent.id]) await refusalOf(agents, agentAt(id));
    const rows = async () => {
      const { db, tables } = service.server.app.ctx.storage.reader;
      return (await db.select().from(tables.clientDocuments)).map(({ url }) => url);
    };
    const before = await rows();
    expect([...ids, agent.id].filter((id) => before.includes(id))).toEqual([]);
    await tokensOf(agents, agent);
    expect(await rows()).toContain(agent.id);
  });
});

describeOnSqlite("fetches of documents", (service) => {
  it("U2: reach no address of this machine or network, by whatever name", async () => {
    const agents = await withAgents(service);
    const { port } = new URL(documents.origin);
    const { length: before } = documents.fetched;
    const notPublic = "an https URL on a public address";
    for (const host of [
      `localhost:${port}`,
      `127.0.0.1:${port}`,
      `agent.localhost:${port}`,
      "[::1]",
      "[::ffff:7f00:1]",
      "10.0.0.1",
      "192.168.1.1",
      "169.254.169.254",
      "[fd00::1]",
      "metadata.internal",
      "printer.local",
      "intranet",
    ])
      expect([host, await refusalOf(agents, agentAt(`https://${host}/client.json`))]).toEqual([
        host,
        `client_id: its document cannot be used (${notPublic})`,
      ]);
    expect(await refusalOf(agents, agentAt("https://agent.example:25/client.json"))).toContain("port 443, or 1024");
    expect(documents.fetched).toHaveLength(before);
  });

  it("U2, W5: reach no internal address that a public name stands for, and do not say which names there are", async () => {
    const agents = await withAgents(service);
    const { port } = new URL(documents.origin);
    const none = Object.assign(new Error("none"), { code: "ENOTFOUND" });
    for (const [index, addresses] of [["127.0.0.1"], ["8.8.8.8", "10.0.0.1"], none].entries()) {
      const four = vi.spyOn(Resolver.prototype, "resolve4");
      if (addresses instanceof Error) four.mockRejectedValue(addresses);
      else four.mockResolvedValue(addresses);
      const six = vi.spyOn(Resolver.prototype, "resolve6").mockRejectedValue(none);
      onTestFinished(() => [four, six].forEach((spy) => spy.mockRestore()));
      const url = `https://name${index}.example:${port}/client.json`;
      expect([addresses, await refusalOf(agents, agentAt(url))]).toEqual([addresses, unusable(why)]);
      expect(four).toHaveBeenCalled();
    }
  });

  it("U3: load no other server: 60 a minute for an address, 120 for a host, but those in use continue", async () => {
    const limited = await serviceOfTest("sqlite", localDocuments);
    const agents = await withAgents(limited);
    const agent = agentAt(documents.serve());
    await tokensOf(agents, agent);
    limited.clock.advance(6 * 60_000);
    const query = {
      scope: "read",
      resource: agents.resource,
      code_challenge: codeChallenge,
      code_challenge_method: "S256",
    };
    const statuses = await Promise.all(
      Array.from({ length: 70 }, async (_, number) => {
        const url = authorizeUrl(limited, agentAt(`${documents.origin}/none-${number}.json`), query);
        return (await new Visitor().get(url)).status;
      }),
    );
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
    expect(await refusalOf(agents, agent)).toBe("/sign-in/");
    expect(await until(() => documents.fetched.filter((path) => path.startsWith("/none-")).length)).toBe(60);
  });
});

it("U3: the fetches of one host count together, for whatever documents, ports and visitors", async () => {
  const service = await serviceOfTest("sqlite", { ...localDocuments, trustedProxies: ["127.0.0.1"] });
  const agents = await withAgents(service);
  const query = {
    scope: "read",
    resource: agents.resource,
    code_challenge: codeChallenge,
    code_challenge_method: "S256",
  };
  const statusOf = async (visitor: number, url: string) =>
    (await new Visitor({ "x-forwarded-for": `198.51.100.${visitor}` }).get(authorizeUrl(service, agentAt(url), query)))
      .status;
  const statuses: number[] = [];
  for (let visitor = 0; visitor < 3; visitor += 1)
    for (let turn = 0; turn < 42; turn += 1) {
      const { origin } = turn % 2 === 0 ? documents : other;
      statuses.push(await statusOf(visitor, `${origin}/host-${visitor}-${turn}.json`));
    }
  expect(statuses.filter((status) => status === 429)).toHaveLength(6);
  expect(statuses.indexOf(429)).toBe(120);
  expect(await statusOf(9, "https://127.0.0.1:1/client.json")).toBe(400);
});

it("U2: is in one's own network only by a setting of its own, which allows nothing else there", async () => {
  const service = await serviceOfTest("sqlite", localWebhooks);
  expect(await refusalOf(await withAgents(service), agentAt(documents.serve()))).toBe(
    unusable("an https URL on a public address"),
  );
  const other = await serviceOfTest("sqlite", localDocuments);
  const app = await other.createApp();
  const endpoint = { url: `${documents.origin}/hook`, events: ["user.login"], secret: webhookSecret };
  const { status, body } = await call(other, "POST", "/webhooks/endpoints", app.headers, endpoint);
  expect([status, JSON.stringify(body)]).toEqual([
    400,
    expect.stringContaining("unless webhooks.allowPrivateNetworks"),
  ]);
});

it("U2: may be by plain http on this machine in development alone", async () => {
  const { createServer } = await import("node:http");
  const server = createServer((request, response) => {
    response.writeHead(200, json).end(JSON.stringify({ client_id: `http://${request.headers.host}/c.json`, ...good }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const id = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/c.json`;
  for (const [overrides, answer] of [
    [{ dev: true }, "/sign-in/"],
    [localDocuments, "client_id: its document cannot be used (an https URL)"],
  ] as const) {
    const service = await serviceOfTest("sqlite", overrides);
    expect(await refusalOf(await withAgents(service), agentAt(id))).toBe(answer);
  }
  await new Promise<void>((resolve) => server.close(() => resolve()));
});
