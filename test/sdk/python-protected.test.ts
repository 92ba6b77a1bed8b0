import { describe, expect, test, vi } from "vitest";
import { newProver, prove } from "../support/dpop.ts";
import { useService } from "../support/one-service.ts";
import { basic, codeFor, newParty, post, tokensFor } from "../support/openid-tokens.ts";
import { signedUp } from "../support/person.ts";
import { createResource, newMachine } from "../support/resources.ts";
import { usePython } from "./python.ts";

const current = useService();
const patience = { timeout: 60_000 };
const algorithms = "ES256 EdDSA RS256 Ed25519 PS256";

/** A call of the resource for each line, at the time of the service. `most`: proofs to remember. */
const program = `
import json, sys, time
time.time = lambda: given["now"]
import authsvc
apis = {}
for line in sys.stdin:
    given = json.loads(line)
    try:
        if given["resource"] not in apis:
            apis[given["resource"]] = authsvc.ProtectedResource(authsvc.Authsvc(*given["client"]), given["resource"], given["scopes"])
        if given["call"] == "require_scopes" and given["arguments"][0]:
            given["arguments"][0] = authsvc.Access(**given["arguments"][0])
        answer = getattr(apis[given["resource"]], given["call"])(*given["arguments"], **given["named"])
        if isinstance(answer, authsvc.Access):
            answer = answer._asdict()
        answer = [part and (vars(part) if isinstance(part, authsvc.Reply) else part._asdict()) for part in answer] if isinstance(answer, tuple) else answer
    except (authsvc.ConfigurationError, authsvc.AuthsvcError) as error:
        answer = str(error)
    print(json.dumps(answer, default=vars), flush=True)
`;

const python = usePython(program);

type Reply = { status: number; headers: [string, string][]; body: string };
type Access = { claims: { sub: string }; client_id: string; scopes: string[] };

async function prepared(changes: { issuer?: string; resource?: string; scopes?: unknown } = {}) {
  const service = current();
  const app = await service.createApp();
  const resource = await createResource(service, app);
  const party = await newParty(service, { resources: [resource] }, app);
  const given = { resource, scopes: ["read", "write"], ...changes };
  const client = [changes.issuer ?? service.url, app.id, app.apiKey];

  async function ask<Answer>(call: string, args: unknown[], named: object = {}): Promise<Answer> {
    const line = { ...given, client, now: service.clock.now / 1000, call, arguments: args, named };
    return await python<Answer>(line);
  }

  async function request(
    authorization: string | null,
    { dpop = null, ...named }: { dpop?: string | null; scopes?: string[] } = {},
  ) {
    const [access, reply] = await ask<[Access | null, Reply | null]>(
      "require",
      ["GET", "/orders", authorization, dpop],
      named,
    );
    const header = (name: string): string | undefined => reply?.headers.find(([each]) => each === name)?.[1];
    return { access, status: reply?.status ?? 200, challenge: header("WWW-Authenticate"), header };
  }

  const metadata = "https://" + new URL(resource).host + "/.well-known/oauth-protected-resource/orders";
  const tokens = async (scope = "read") => await tokensFor(service, party, { resource, scope: `openid ${scope}` });
  return { service, app, resource, party, metadata, ask, request, tokens };
}

describe("an API protected by packages/python", () => {
  test("says where tokens come from, admits those that are for it, and names a missing scope", async () => {
    const { service, resource, party, metadata, ask, request, tokens } = await prepared();
    const asked = await request(null);
    const found = `scope="read write", resource_metadata="${metadata}"`;
    expect([asked.status, asked.challenge]).toEqual([401, `Bearer ${found}`]);
    const described = await ask<Reply>("metadata", ["/.well-known/oauth-protected-resource/orders"]);
    expect(JSON.parse(described.body)).toEqual({
      resource,
      authorization_servers: [service.url],
      scopes_supported: ["read", "write"],
      bearer_methods_supported: ["header"],
      dpop_signing_alg_values_supported: algorithms.split(" "),
    });
    expect(await ask<Reply>("metadata", ["/.well-known/oauth-protected-resource"])).toEqual(described);
    expect(await ask("metadata", ["/orders"])).toBeNull();
    const { access_token: token } = await tokens();
    const { access } = await request(`bearer ${token}`);
    expect(access).toMatchObject({ client_id: party.client.id, scopes: ["read"] });
    expect(access?.claims.sub).toMatch(/^usr_/u);
    const refused = await request(`Bearer ${token}`, { scopes: ["write"] });
    const description = 'error_description="The token does not have the scope for this."';
    expect([refused.status, refused.challenge]).toEqual([
      403,
      `Bearer error="insufficient_scope", ${description}, ${found}`,
    ]);
  });

  test("T3: what runs after a request was admitted needs each scope of its access", async () => {
    const { ask } = await prepared();
    const access = (scopes: string[]) => ({ token: "x", claims: {}, client_id: "c", scopes });
    const need = async (given: object | null, ...needs: string[]) => await ask("require_scopes", [given, needs]);
    expect(await need(access(["read"]), "read")).toEqual(access(["read"]));
    expect(await need(access(["read"]), "read", "write")).toBe("The token does not have the scope write.");
    expect(await need(access(["writer"]), "write")).toBe("The token does not have the scope write.");
    expect(await need(null, "read")).toBe("An access token is required.");
    expect(await need(access([]), "raed")).toContain("must be a list of those of this resource");
  });

  test("T3: refuses tokens of the application, of another resource, and what is none", async () => {
    const { service, app, metadata, request, tokens } = await prepared();
    const sibling = await newMachine(service, {}, app);
    const form = { grant_type: "client_credentials", resource: sibling.resource };
    const other = String((await post(service, "/oauth2/token", form, basic(sibling))).body["access_token"]);
    const { access_token: own } = await tokens();
    const rows = [
      [(await signedUp(service, app)).accessToken, "it is not for this resource (aud)"],
      [other, "it is not for this resource (aud)"],
      [`${own.split(".").slice(0, 2).join(".")}.AAAA`, "it has expired, or its login has ended"],
      ["x", "it is not a signed JWT"],
      [`x.${Buffer.from("[".repeat(5000)).toString("base64url")}.x`, "it is not a signed JWT"],
    ] as const;
    for (const [token, why] of rows) {
      const refused = await request(`Bearer ${token}`);
      const error = `error="invalid_token", error_description="The access token is not valid: ${why}."`;
      const challenge = `Bearer ${error}, scope="read write", resource_metadata="${metadata}"`;
      expect([why, refused.status, refused.challenge]).toEqual([why, 401, challenge]);
    }
  });

  test("refuses a token as soon as its login ends, and answers 503 while the service is down", async () => {
    const { service, party, request, tokens } = await prepared();
    const { access_token: token } = await tokens();
    expect((await request(`Bearer ${token}`)).status).toBe(200);
    await post(service, "/oauth2/revoke", { token }, basic(party));
    await vi.waitFor(async () => expect((await request(`Bearer ${token}`)).status).toBe(401), patience);
    const down = await prepared({ issuer: "http://localhost:1" });
    const refused = await down.request(`Bearer ${(await down.tokens()).access_token}`);
    expect([refused.status, refused.challenge, refused.header("Retry-After")]).toEqual([503, undefined, "5"]);
  });

  test.each([
    [{ resource: "mcp" }, /^resource: /u],
    [{ resource: "https://mcp.example/#x" }, /^resource: /u],
    [{ scopes: "read" }, /^scopes: /u],
    [{ scopes: ['re"ad'] }, /^scopes: /u],
  ])("does not begin with %j", async (changes, message) => {
    const { ask } = await prepared(changes);
    expect(await ask("metadata", ["/"])).toMatch(message);
  });
});

describe("a token that is bound to a key, at an API of packages/python", () => {
  async function bound(alg = "ES256") {
    const api = await prepared();
    const { service, party, resource, request, metadata } = api;
    const key = await newProver(service, alg);
    const form = await codeFor(service, party, { resource, scope: "openid read" });
    const { body } = await prove(service, party, form, await key.proof("POST", "/oauth2/token"));
    const token = String(body["access_token"]);
    const proof = async (claims: object = {}, header: Record<string, unknown> = {}, by = key) =>
      await by.proof("GET", "/", { accessToken: token, claims: { htu: resource, ...claims }, header });
    const refusal = (why: string) =>
      `DPoP error="invalid_dpop_proof", error_description="The DPoP proof is wrong: ${why}.", scope="read write", algs="${algorithms}", resource_metadata="${metadata}"`;
    return {
      ...api,
      key,
      token,
      proof,
      refusal,
      send: async (dpop: string | null) => await request(`DPoP ${token}`, { dpop }),
    };
  }

  test.each(algorithms.split(" "))("is admitted with a fresh proof by %s, which counts once", async (alg) => {
    const { proof, send, refusal } = await bound(alg);
    const first = await proof();
    expect((await send(first)).status).toBe(200);
    expect((await send(first)).challenge).toBe(refusal("it was used before (jti)"));
    const [header = "", payload = ""] = (await proof()).split(".");
    const [, , signature = ""] = (await proof()).split(".");
    expect((await send(`${header}.${payload}.${signature}`)).challenge).toBe(
      refusal("its signature is wrong, or of an algorithm that is not supported"),
    );
  });

  test("is refused as Bearer, and without a proof that is for exactly this request, by its key, and new", async () => {
    const { service, resource, request, tokens, token, proof, send, refusal } = await bound();
    expect((await request(`Bearer ${token}`)).challenge).toContain("The token is bound to a key: send a DPoP proof.");
    const { access_token: unbound } = await tokens();
    expect((await request(`DPoP ${unbound}`, { dpop: await proof() })).challenge).toMatch(
      /^Bearer error="invalid_token"/u,
    );
    const by = await newProver(service);
    const now = Math.floor(service.clock.now / 1000);
    const deep = Buffer.from("[".repeat(5000)).toString("base64url");
    const rows: [string | null, string][] = [
      [null, "the header DPoP must be one JWT"],
      [`${deep}.${deep}.x`, "the header DPoP must be one JWT"],
      [`${await proof()}, ${await proof()}`, "the header DPoP must be one JWT"],
      [await proof({}, {}, by), "it is of another key (cnf)"],
      [await proof({ htm: "POST" }), "it is for another method (htm)"],
      [await proof({ htu: `${resource}/1` }), "it is for another URL (htu)"],
      [await proof({ htu: "https://elsewhere.example/orders" }), "it is for another URL (htu)"],
      [await proof({ ath: undefined }), "it is for another token (ath)"],
      [await proof({ iat: now - 61 }), "it is not of now (iat)"],
    ];
    for (const [dpop, why] of rows) {
      const refused = await send(dpop);
      expect([why, refused.status, refused.challenge]).toEqual([why, 401, refusal(why)]);
    }
    for (const claims of [{ htu: `${resource}?a=1#b` }, { iat: now - 58 }, { iat: now + 58 }])
      expect([claims, (await send(await proof(claims))).status]).toEqual([claims, 200]);
  });
});
