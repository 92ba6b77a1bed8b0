import { hash } from "node:crypto";
import { expect, it } from "vitest";
import type { NewClient } from "../../../src/applications/clients/rules.ts";
import type { Access } from "../../../src/http/route.ts";
import { newProver, prove, type Prover } from "../../support/dpop.ts";
import { basic, codeFor, newParty, post, tokensFor, type Party } from "../../support/openid-tokens.ts";
import { addressOf, operations } from "../../support/routes.ts";
import { describeEachDatabase, describeOnSqlite, type TestService } from "../../support/service.ts";

const byToken: Access[] = [
  "user",
  "userWithProfile",
  "userOfNamedApp",
  "userWithOpenId",
  "queryUserWithProfile",
  "tokenOfNamedApp",
];
const routes = operations.filter(({ access }) => byToken.includes(access));
type Operation = (typeof routes)[number];

async function withToken(service: TestService, changes: Partial<NewClient> = {}, nonce?: string) {
  const party = await newParty(service, changes);
  const prover = await newProver(service);
  return { party, prover, token: await boundToken(service, party, prover, nonce) };
}

async function boundToken(service: TestService, party: Party, prover: Prover, nonce?: string): Promise<string> {
  const form = await codeFor(service, party);
  const changes = nonce === undefined ? {} : { nonce };
  const { body } = await prove(service, party, form, await prover.proof("POST", "/oauth2/token", changes));
  return String(body["access_token"]);
}

/** A call of a route, with the body of its example. */
async function callRoute(
  service: TestService,
  route: Operation,
  appId: string,
  headers: Record<string, string>,
  { query = "", form }: { query?: string; form?: Record<string, string> } = {},
) {
  const named = route.query?.["app_id"] ? `?app_id=${appId}` : "";
  const separator = named === "" ? "?" : "&";
  const path = `${addressOf(route)}${named}${query === "" ? "" : `${separator}${query}`}`;
  const json = route.method === "PATCH" || route.method === "POST" ? JSON.stringify(route.body?.example ?? {}) : null;
  const body = form ? new URLSearchParams(form) : route.access === "userWithOpenId" ? null : json;
  const response = await fetch(`${service.url}${path}`, {
    method: route.method,
    headers: {
      "x-service-app-id": appId,
      ...(typeof body === "string" ? { "content-type": "application/json" } : {}),
      ...headers,
    },
    body,
  });
  const answer = (await response.json()) as Record<string, unknown>;
  return { status: response.status, challenge: response.headers.get("www-authenticate"), answer };
}

const isTaken = ({ status, answer }: Awaited<ReturnType<typeof callRoute>>): boolean =>
  status !== 401 && answer["valid"] !== false;

/** What a route answers to somebody without a good token. */
function refusal({ access }: Operation, error: string) {
  if (access === "tokenOfNamedApp") return { status: 200, answer: { valid: false } };
  const code = access === "userWithOpenId" ? "invalid_token" : expect.objectContaining({ code: "INVALID_TOKEN" });
  return {
    status: 401,
    challenge: expect.stringMatching(new RegExp(`^DPoP error="${error}", .*algs="[^"]*ES256`, "u")) as string,
    answer: expect.objectContaining({ error: code }) as object,
  };
}

describeOnSqlite("a bound token, stolen without its key (RFC 9449 §7)", (current) => {
  it("there are routes that take tokens", () => {
    expect(routes.length).toBeGreaterThan(10);
  });

  it.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    "is refused by %s, which takes it with a proof once",
    async (_name, route) => {
      const service = current();
      const { party, prover, token } = await withToken(service);
      const thief = await newProver(service);
      const path = addressOf(route);
      const ask = async (headers: Record<string, string>, more: Parameters<typeof callRoute>[4] = {}) =>
        await callRoute(service, route, party.app.id, headers, more);
      const right = await prover.headers(route.method, path, token);
      const withoutScheme: Record<string, string>[] = [{}, { dpop: right.dpop }];
      const other = await boundToken(service, party, prover);
      const theirs = hash("sha256", other, "base64url");
      const rows: [headers: Record<string, string>, error: string][] = [
        [{ authorization: `Bearer ${token}` }, "invalid_token"],
        [{ ...right, authorization: `Bearer ${token}` }, "invalid_token"],
        [{ authorization: `DPoP ${token}` }, "invalid_dpop_proof"],
        [await thief.headers(route.method, path, token), "invalid_token"],
        [{ ...right, dpop: await prover.proof(route.method, path) }, "invalid_dpop_proof"],
        [await prover.headers(route.method, path, token, { claims: { ath: theirs } }), "invalid_dpop_proof"],
        [await prover.headers("PUT", path, token), "invalid_dpop_proof"],
        [await prover.headers(route.method, "/oauth2/token", token), "invalid_dpop_proof"],
        [{ ...right, authorization: `DPoP ${other}` }, "invalid_dpop_proof"],
      ];
      for (const [headers, error] of rows)
        expect([headers, await ask(headers)]).toMatchObject([headers, refusal(route, error)]);
      if (route.access.includes("query") || route.access === "tokenOfNamedApp")
        for (const headers of withoutScheme)
          expect(await ask(headers, { query: `token=${token}` })).toMatchObject(refusal(route, "invalid_token"));
      if (route.access === "userWithOpenId" && route.method === "POST")
        for (const headers of withoutScheme)
          expect(await ask(headers, { form: { access_token: token } })).toMatchObject(refusal(route, "invalid_token"));
      const plain = (await tokensFor(service, party)).access_token;
      const asBound = await prover.headers(route.method, path, plain);
      expect(await ask(asBound)).toMatchObject(refusal(route, "invalid_token"));

      expect(isTaken(await ask(right))).toBe(true);
      expect(isTaken(await ask(right))).toBe(false);
    },
  );

  it("is shown by introspection, whose caller needs no proof, with the key to check", async () => {
    const { party, prover, token } = await withToken(current());
    const { body } = await post(current(), "/oauth2/introspect", { token }, basic(party));
    expect(body).toMatchObject({ active: true, token_type: "DPoP", cnf: { jkt: prover.thumbprint } });
    const plain = (await tokensFor(current(), party)).access_token;
    const about = await post(current(), "/oauth2/introspect", { token: plain }, basic(party));
    expect(about.body).toMatchObject({ active: true, token_type: "Bearer" });
    expect(about.body).not.toHaveProperty("cnf");
  });

  it("without any credential, the challenge is as it was", async () => {
    const { headers } = await fetch(`${current().url}/auth/validate`);
    expect(headers.get("www-authenticate")).toBe('Bearer realm="authsvc"');
  });
});

describeEachDatabase("a proof at a resource", (current) => {
  it("works once, of many calls at the same time", async () => {
    const service = current();
    const { party, prover, token } = await withToken(service);
    const headers = { ...(await prover.headers("GET", "/auth/validate", token)), "x-service-app-id": party.app.id };
    const calls = Array.from({ length: 10 }, async () => await fetch(`${service.url}/auth/validate`, { headers }));
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 401)).toHaveLength(9);
  });

  it("needs a nonce, if the token's client has dpopNonce", async () => {
    const service = current();
    const party = await newParty(service, { dpopNonce: true });
    // Whether there are such clients is read once a second.
    service.clock.advance(1000);
    const prover = await newProver(service);
    const told = await prove(service, party, { grant_type: "x" }, await prover.proof("POST", "/oauth2/token"));
    const token = await boundToken(service, party, prover, told.headers.get("dpop-nonce") ?? "");
    const ask = async (changes: Parameters<Prover["headers"]>[3]) => {
      const headers = await prover.headers("GET", "/auth/validate", token, changes);
      return await fetch(`${service.url}/auth/validate`, { headers: { ...headers, "x-service-app-id": party.app.id } });
    };
    const without = await ask({});
    expect(without.status).toBe(401);
    expect(without.headers.get("www-authenticate")).toContain('DPoP error="use_dpop_nonce"');
    expect((await ask({ nonce: without.headers.get("dpop-nonce") ?? "" })).status).toBe(200);
  });
});
