import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { describe, expect, test, vi } from "vitest";
import { protectResource } from "../../packages/sdk/src/resource.ts";
import * as clientSecrets from "../../src/applications/clients/secrets.ts";
import { newProver } from "../support/dpop.ts";
import { useService } from "../support/one-service.ts";
import { basic, post, tokensFor } from "../support/openid-tokens.ts";
import { signedUp } from "../support/person.ts";
import { by, createResource, newMachine } from "../support/resources.ts";
import { frameworks, protectedApis } from "./protected-resource.ts";
import { verifiers } from "./verifiers.ts";

const current = useService();
const { start } = protectedApis(current);
const { signedWith } = verifiers(current);
/** The feed reports within a second, if the machine is not busy. */
const patience = { timeout: 60_000 };
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const algorithms = "ES256 EdDSA RS256 Ed25519 PS256";

describe.each(Object.keys(frameworks))("an API protected in %s", (framework) => {
  test("says where tokens come from, and admits those that are for it (RFC 9728)", async () => {
    const api = await start({ framework });
    const asked = await api.ask();
    const challenge = `Bearer scope="read write", resource_metadata="${api.metadata}"`;
    expect([asked.status, asked.challenge, asked.body["error"]]).toEqual([401, challenge, "unauthorized"]);
    for (const url of [api.metadata, `${api.origin}/.well-known/oauth-protected-resource`]) {
      const described = await fetch(url);
      expect([described.status, described.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
      expect(await described.json()).toEqual({
        resource: api.resource,
        authorization_servers: [current().url],
        scopes_supported: ["read", "write"],
        bearer_methods_supported: ["header"],
        dpop_signing_alg_values_supported: algorithms.split(" "),
      });
    }
    const { access_token: token } = await api.tokens();
    const admitted = await api.ask(bearer(token));
    const { client } = api.party;
    expect([admitted.status, admitted.body]).toEqual([
      200,
      { sub: expect.stringMatching(/^usr_/u) as string, scopes: ["read"], clientId: client.id },
    ]);
  });

  test("names the scope that is missing, with those that are there", async () => {
    const api = await start({ framework });
    const { access_token: token } = await api.tokens();
    const refused = await api.ask(bearer(token), "/write");
    expect([refused.status, refused.challenge]).toEqual([
      403,
      `Bearer error="insufficient_scope", error_description="The token does not have the scope for this.", scope="read write", resource_metadata="${api.metadata}"`,
    ]);
    expect((await api.ask({}, "/write")).challenge).toContain('scope="write"');
    const { access_token: both } = await api.tokens("read write");
    expect((await api.ask(bearer(both), "/write")).status).toBe(200);
  });
});

describe("what runs after a request was admitted", () => {
  const settings = { issuer: "http://localhost:1", appId: "app_x", apiKey: "k", resource: "https://mcp.example/" };
  const api = protectResource({ ...settings, scopes: ["read", "write"] });
  const access = { scopes: ["read", "writer", "wri", "te"] };

  test("T3: needs the scopes of the access, each of them, and says which are missing", () => {
    expect(api.requireScopes(access)).toBe(access);
    expect(api.requireScopes(access, "read")).toBe(access);
    const refusal = { code: "INSUFFICIENT_SCOPE", message: "The token does not have the scope write." };
    expect(() => api.requireScopes(access, "read", "write")).toThrow(expect.objectContaining(refusal));
    expect(() => api.requireScopes({ scopes: [] }, "read", "write")).toThrow("the scope read write.");
    expect(() => api.requireScopes(undefined, "read")).toThrow(expect.objectContaining({ code: "INVALID_TOKEN" }));
    expect(() => api.requireScopes(access, "raed")).toThrow('"raed" is not among `scopes`');
  });
});

describe("a protected API refuses", () => {
  test("T3: tokens of the application, of another resource, of another application, and forged ones", async () => {
    const api = await start();
    const service = current();
    const { access_token: own } = await api.tokens();
    expect((await api.ask(bearer(own))).status).toBe(200);
    const { party, app } = api;
    const sibling = await newMachine(service, {}, app);
    const stranger = await newMachine(service);
    const issued = async (machine: typeof sibling) => {
      const form = { grant_type: "client_credentials", resource: machine.resource };
      return String((await post(service, "/oauth2/token", form, basic(machine))).body["access_token"]);
    };
    const rows: [token: string, why: string][] = [
      [(await signedUp(service, app)).accessToken, "it is not for this resource (aud)"],
      [(await tokensFor(service, party)).access_token, "it is not for this resource (aud)"],
      [await issued(sibling), "it is not for this resource (aud)"],
      [await issued(stranger), "it is not for this resource (aud)"],
      [await signedWith(own, { aud: api.resource }), "it is not for this resource (aud)"],
      [await signedWith(own, { aud: [api.resource, app.id] }), "it is not for this resource (aud)"],
      [await signedWith(own, { aud: [`${api.resource}/`] }), "it is not for this resource (aud)"],
      [await signedWith(own, { client_id: undefined }), "it is not for this resource (aud)"],
      [await signedWith(own, { app_id: stranger.app.id }), "it is not for this resource (aud)"],
      [await signedWith(own, { iss: "https://elsewhere.example" }), "another service issued it (iss)"],
      [await signedWith(own, { exp: Math.floor(service.clock.now / 1000) }), "it has expired"],
      [await signedWith(own, {}, { typ: "JWT" }), "it is not an access token"],
      [`${own.split(".").slice(0, 2).join(".")}.AAAA`, "its signature is wrong"],
      ["x", "it is not a signed JWT"],
    ];
    for (const [token, why] of rows) {
      const refused = await api.ask(bearer(token));
      const description = `The access token is not valid: ${why}.`;
      const challenge = `Bearer error="invalid_token", error_description="${description}", scope="read write", resource_metadata="${api.metadata}"`;
      expect([why, refused.status, refused.challenge]).toEqual([why, 401, challenge]);
      expect(refused.body).toEqual({ error: "invalid_token", error_description: description });
      expect(refused.response.headers.get("cache-control")).toBe("no-store");
    }
  });

  test.each(["Basic dTpw", "Bearer", "Bearer ", "Bearer a b", "token", "Bearer\u00A0x"])(
    "what is no token as if there were none: %s",
    async (authorization) => {
      const api = await start();
      const refused = await api.ask({ authorization });
      expect([refused.status, refused.challenge]).toEqual([
        401,
        `Bearer scope="read write", resource_metadata="${api.metadata}"`,
      ]);
    },
  );
});

describe("a protected API that is served at", () => {
  test.each([
    ["/", "/.well-known/oauth-protected-resource"],
    ["/v1/mcp", "/.well-known/oauth-protected-resource/v1/mcp"],
    ["/mcp/", "/.well-known/oauth-protected-resource/mcp/"],
    ["/mcp?tenant=a", "/.well-known/oauth-protected-resource/mcp?tenant=a"],
  ])("%s has its metadata at %s", async (path, metadata) => {
    const api = await start({ path });
    expect((await api.ask()).challenge).toContain(`resource_metadata="${api.origin}${metadata}"`);
    const described = (await (await fetch(api.origin + metadata)).json()) as { resource: string };
    expect(described.resource).toBe(api.origin + path);
    const preflight = await api.ask({ "access-control-request-headers": "mcp-protocol-version" }, metadata, {
      method: "OPTIONS",
    });
    expect([preflight.status, preflight.response.headers.get("access-control-allow-headers")]).toEqual([204, "*"]);
  });
});

describe("access to a protected API", () => {
  test("ends with a logout, without a call for each request", async () => {
    const api = await start();
    const { access_token: token } = await api.tokens();
    const { access_token: other } = await api.tokens();
    for (let time = 0; time < 3; time += 1) expect((await api.ask(bearer(token))).status).toBe(200);
    expect((await api.ask(bearer(other))).status).toBe(200);
    const before = api.introspections();
    // One for each login from before the feed.
    expect(before).toBe(2);
    await post(current(), "/oauth2/revoke", { token }, basic(api.party));
    await vi.waitFor(async () => expect((await api.ask(bearer(token))).status).toBe(401), patience);
    expect((await api.ask(bearer(token))).challenge).toContain("its login has ended");
    expect((await api.ask(bearer(other))).status).toBe(200);
    expect(api.introspections()).toBe(before);
  });

  test("A5: of a machine ends with the secret that got its token, and another's tokens continue", async () => {
    const api = await start();
    const service = current();
    const { ctx } = service.server.app;
    const machine = await newMachine(service, { resources: [api.resource] }, api.app);
    const second = await clientSecrets.createSecret(ctx, { clientId: machine.client.id }, by.actor);
    const issue = async (secret: string) => {
      const form = { grant_type: "client_credentials", resource: api.resource, scope: "read" };
      return String((await post(service, "/oauth2/token", form, basic({ ...machine, secret }))).body["access_token"]);
    };
    const [first, other] = [await issue(machine.secret), await issue(second.secret)];
    expect((await api.ask(bearer(first))).body).toMatchObject({ sub: machine.client.id, scopes: ["read"] });
    expect((await api.ask(bearer(other))).status).toBe(200);
    await clientSecrets.revokeSecret(ctx, machine.secretId, by.actor);
    const before = api.introspections();
    await vi.waitFor(async () => {
      expect((await api.ask(bearer(other))).status).toBe(200);
      expect(api.introspections()).toBe(before + 1);
    }, patience);
    // What the service said about one token says nothing about the other.
    expect((await api.ask(bearer(first))).status).toBe(401);
  });

  test("continues with what it knows while the service is down, then is 503: never a guess, never a sign-out", async () => {
    const api = await start();
    const { access_token: token } = await api.tokens();
    expect((await api.ask(bearer(token))).status).toBe(200);
    api.blocked.add("*");
    expect((await api.ask(bearer(token))).status).toBe(200);
    current().clock.advance(6000);
    const refused = await api.ask(bearer(token));
    expect([refused.status, refused.challenge, refused.body["error"]]).toEqual([503, null, "temporarily_unavailable"]);
    expect(refused.response.headers.get("retry-after")).toBe("5");
    api.blocked.clear();
    current().clock.advance(2000);
    expect((await api.ask(bearer(token))).status).toBe(200);
  });

  test("is asked about at each request while the feed is cut", async () => {
    const api = await start();
    const { access_token: token } = await api.tokens();
    expect((await api.ask(bearer(token))).status).toBe(200);
    api.blocked.add("/auth/revocations");
    current().clock.advance(6000);
    expect((await api.ask(bearer(token))).status).toBe(200);
    await post(current(), "/oauth2/revoke", { token }, basic(api.party));
    expect((await api.ask(bearer(token))).status).toBe(401);
  });
});

describe("a token that is bound to a key (RFC 9449)", () => {
  async function bound(alg = "ES256") {
    const api = await start();
    const key = await newProver(current(), alg);
    const token = await api.boundToken(key);
    const { access_token: unbound } = await api.tokens();
    const proof = async (claims: object = {}, header: Record<string, unknown> = {}, { by = key, of = token } = {}) =>
      await by.proof("GET", "/", { accessToken: of, claims: { htu: api.resource, ...claims }, header });
    const ask = async (dpop: string | undefined, given = token, scheme = "DPoP") =>
      await api.ask({ authorization: `${scheme} ${given}`, ...(dpop === undefined ? {} : { dpop }) });
    const refusal = (error: string, description: string) =>
      `DPoP error="${error}", error_description="${description}", scope="read write", algs="${algorithms}", resource_metadata="${api.metadata}"`;
    return { api, key, unbound, token, proof, ask, refusal };
  }

  test.each(algorithms.split(" "))("is admitted with a fresh proof by %s, which counts once", async (alg) => {
    const { proof, ask, refusal } = await bound(alg);
    const first = await proof();
    expect((await ask(first)).status).toBe(200);
    const again = await ask(first);
    const challenge = refusal(
      "invalid_dpop_proof",
      "The access token is not valid: the DPoP proof is wrong: it was used before (jti).",
    );
    expect([again.status, again.challenge]).toEqual([401, challenge]);
    const sent = await proof();
    const atOnce = await Promise.all(Array.from({ length: 5 }, async () => (await ask(sent)).status));
    expect(atOnce.filter((status) => status === 200)).toHaveLength(1);
  });

  test("is refused as Bearer, and an unbound one with the scheme DPoP", async () => {
    const { api, unbound, token, proof, ask, refusal } = await bound();
    const stolen = await ask(undefined, token, "Bearer");
    const description = "The token is bound to a key: send a DPoP proof.";
    expect([stolen.status, stolen.challenge]).toEqual([401, refusal("invalid_token", description)]);
    expect((await ask(await proof(), token, "bearer")).status).toBe(401);
    const wrong = await ask(await proof({}, {}, { of: unbound }), unbound);
    expect([wrong.status, wrong.challenge]).toEqual([
      401,
      `Bearer error="invalid_token", error_description="The token is not bound to a key: send it as Bearer.", scope="read write", resource_metadata="${api.metadata}"`,
    ]);
  });

  test("is refused without a proof that is for exactly this request, by its key, and new", async () => {
    const { api, key, unbound, proof, ask, refusal } = await bound();
    const by = await newProver(current());
    const now = Math.floor(current().clock.now / 1000);
    const rows: [proof: string | undefined, why: string][] = [
      [undefined, "the header DPoP must be one JWT"],
      [`${await proof()}, ${await proof()}`, "the header DPoP must be one JWT"],
      [await proof({}, {}, { by }), "it is of another key (cnf)"],
      [await proof({}, { jwk: key.jwk }, { by }), "its signature is wrong"],
      [await proof({ htm: "POST" }), "it is for another method (htm)"],
      [await proof({ htu: `${api.origin}/write` }), "it is for another URL (htu)"],
      [await proof({ htu: "https://elsewhere.example/mcp" }), "it is for another URL (htu)"],
      [await proof({}, {}, { of: unbound }), "it is for another token (ath)"],
      [await proof({ iat: now - 61 }), "it is not of now (iat)"],
      [await proof({ iat: now + 62 }), "it is not of now (iat)"],
    ];
    for (const [dpop, why] of rows) {
      const refused = await ask(dpop);
      const description = `The access token is not valid: the DPoP proof is wrong: ${why}.`;
      expect([why, refused.status, refused.challenge]).toEqual([why, 401, refusal("invalid_dpop_proof", description)]);
    }
    for (const claims of [{ htu: `${api.resource}?a=1#b` }, { iat: now - 58 }, { iat: now + 58 }])
      expect([claims, (await ask(await proof(claims))).status]).toEqual([claims, 200]);
  });

  test("is for the address of the resource, whatever host the request names", async () => {
    const { api, token, proof } = await bound();
    const { port } = new URL(api.origin);
    const named = async (htu: string) => {
      const headers = { authorization: `DPoP ${token}`, dpop: await proof({ htu }) };
      return (await fetch(`http://127.0.0.1:${port}/mcp`, { headers })).status;
    };
    expect(await named(`http://127.0.0.1:${port}/mcp`)).toBe(401);
    expect(await named(api.resource)).toBe(200);
  });

  test.each(Object.keys(frameworks).filter((name) => !["Hono", "Fetch"].includes(name)))(
    "is for the path that is asked for, whatever else the header Host or the request line says (%s)",
    async (framework) => {
      const api = await start({ framework });
      const key = await newProver(current());
      const token = await api.boundToken(key);
      const { host, port } = new URL(api.origin);
      const ask = async (path: string, named: string): Promise<number | undefined> => {
        const dpop = await key.proof("GET", "/", { accessToken: token, claims: { htu: api.resource } });
        const headers = { host: named, authorization: `DPoP ${token}`, dpop };
        const asked = request({ port, path, headers }).end();
        const [answer] = (await once(asked, "response")) as [IncomingMessage];
        answer.resume();
        return answer.statusCode;
      };
      for (const named of [host, "elsewhere.example", "a b", "", "[", "é", `${host}/x`, `${host}?`, `me@${host}`])
        expect([named, await ask("/mcp?a=1", named)]).toEqual([named, 200]);
      expect(await ask(`${api.origin}/mcp`, host)).toBe(200);
      // The proof is for /mcp.
      for (const named of [host, `${host}/mcp?`, `${host}/mcp#`])
        expect([named, await ask("/other", named)]).toEqual([named, 401]);
      for (const path of [`http://elsewhere.example/other`, `ftp://${host}/other`, "//elsewhere.example/mcp", "/%"])
        expect([path, await ask(path, host)]).toEqual([path, 401]);
    },
  );
});

describe("what cannot protect anything is refused when the program starts", () => {
  const settings = { issuer: "http://localhost:1", appId: "app_x", apiKey: "k" };
  test.each([
    [{ resource: "mcp", scopes: [] }, /^resource must be/u],
    [{ resource: "https://mcp.example/#x", scopes: [] }, /^resource must be/u],
    [{ resource: "https://mcp.example/", scopes: "read" as unknown as string[] }, /^scopes must be/u],
    [{ resource: "https://mcp.example/", scopes: ['re"ad'] }, /^scopes must be/u],
  ])("%j", (options, message) => {
    expect(() => protectResource({ ...settings, ...options })).toThrow(message);
  });

  test("a scope that the resource does not have, where a route is set up", async () => {
    const api = protectResource({ ...settings, resource: "https://mcp.example/mcp", scopes: ["read"] });
    expect(() => api.checkedScopes(["raed"])).toThrow('"raed" is not among `scopes`');
  });

  test("an API key that the service does not know", async () => {
    const app = await current().createApp();
    const resource = await createResource(current(), app);
    const options = { issuer: current().url, appId: app.id, apiKey: "x".repeat(40), resource, scopes: ["read"] };
    await expect(protectResource(options).ready()).rejects.toMatchObject({ code: "CONFIGURATION" });
  });
});
