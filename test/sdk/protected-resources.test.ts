import { describe, expect, test, vi } from "vitest";
import { createProofs } from "../../packages/sdk/src/dpop.ts";
import { protectResource } from "../../packages/sdk/src/resource.ts";
import * as clientSecrets from "../../src/applications/clients/secrets.ts";
import { useService } from "../support/one-service.ts";
import { basic, post, tokensFor } from "../support/openid-tokens.ts";
import { signedUp } from "../support/person.ts";
import { by, createResource, newMachine } from "../support/resources.ts";
import { frameworks, newProofKey, protectedApis } from "./protected-resource.ts";
import { verifiers } from "./verifiers.ts";

const current = useService();
const { start } = protectedApis(current);
const { signedWith } = verifiers(current);
/** The feed reports within a second, if the machine is not busy. */
const patience = { timeout: 20_000 };
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

describe("a protected API refuses", () => {
  test("T1: tokens of the application, of another resource, of another application, and forged ones", async () => {
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
  test("A5: ends with a logout, without a call for each request", async () => {
    const api = await start();
    const { access_token: token } = await api.tokens();
    const { access_token: other } = await api.tokens();
    for (let time = 0; time < 3; time += 1) expect((await api.ask(bearer(token))).status).toBe(200);
    expect((await api.ask(bearer(other))).status).toBe(200);
    const introspections = (): number => api.calls.filter((path) => path === "/oauth2/introspect").length;
    const before = introspections();
    // One for each login from before the feed.
    expect(before).toBe(2);
    await post(current(), "/oauth2/revoke", { token }, basic(api.party));
    await vi.waitFor(async () => expect((await api.ask(bearer(token))).status).toBe(401), patience);
    expect((await api.ask(bearer(token))).challenge).toContain("its login has ended");
    expect((await api.ask(bearer(other))).status).toBe(200);
    expect(introspections()).toBe(before);
  });

  test("A5: of a machine ends with the secret that got its token, and another's tokens go on", async () => {
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
    await vi.waitFor(async () => expect((await api.ask(bearer(first))).status).toBe(401), patience);
    expect((await api.ask(bearer(other))).status).toBe(200);
  });

  test("goes on with what it knows while the service is down, then is 503: never a guess, never a sign-out", async () => {
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
    const key = await newProofKey(alg);
    const { access_token: unbound } = await api.tokens();
    const token = await signedWith(unbound, { cnf: { jkt: key.thumbprint } });
    const iat = Math.floor(current().clock.now / 1000);
    const usual = { token, htu: api.resource, iat };
    const ask = async (dpop: string | undefined, given = token, scheme = "DPoP") =>
      await api.ask({ authorization: `${scheme} ${given}`, ...(dpop === undefined ? {} : { dpop }) });
    const refusal = (error: string, description: string) =>
      `DPoP error="${error}", error_description="${description}", scope="read write", algs="${algorithms}", resource_metadata="${api.metadata}"`;
    return { api, key, unbound, token, usual, ask, refusal };
  }

  test.each(algorithms.split(" "))("is admitted with a fresh proof by %s, which counts once", async (alg) => {
    const { key, usual, ask, refusal } = await bound(alg);
    const proof = await key.prove(usual);
    expect((await ask(proof)).status).toBe(200);
    const again = await ask(proof);
    const challenge = refusal("invalid_dpop_proof", "The DPoP proof does not count: it was used before.");
    expect([again.status, again.challenge]).toEqual([401, challenge]);
    expect((await ask(await key.prove(usual))).status).toBe(200);
  });

  test("is refused as Bearer, and an unbound one with the scheme DPoP", async () => {
    const { api, key, unbound, token, usual, ask, refusal } = await bound();
    const stolen = await ask(undefined, token, "Bearer");
    const description = "The token is bound to a key: send a DPoP proof.";
    expect([stolen.status, stolen.challenge]).toEqual([401, refusal("invalid_token", description)]);
    expect((await ask(await key.prove(usual), token, "bearer")).status).toBe(401);
    const wrong = await ask(await key.prove({ ...usual, token: unbound }), unbound);
    expect([wrong.status, wrong.challenge]).toEqual([
      401,
      `Bearer error="invalid_token", error_description="The token is not bound to a key: send it as Bearer.", scope="read write", resource_metadata="${api.metadata}"`,
    ]);
  });

  test("is refused without a proof that is for exactly this request, by its key, and new", async () => {
    const { api, key, unbound, usual, ask, refusal } = await bound();
    const other = await newProofKey();
    const { iat } = usual;
    const rows: [proof: string | undefined, why: string][] = [
      [undefined, "it is missing"],
      ["a.b.c", "it is malformed"],
      [`${await key.prove(usual)}, ${await key.prove(usual)}`, "it is not a DPoP proof"],
      [`${await key.prove(usual)}.x`, "it is not a DPoP proof"],
      [await key.prove(usual, { typ: "JWT" }), "it is not a DPoP proof"],
      [await key.prove(usual, { crit: ["b64"], b64: true }), "it is not a DPoP proof"],
      [await key.prove(usual, { jwk: { ...key.privateJwk } }), "its key is not public"],
      [await other.prove(usual), "the token is bound to another key"],
      [await other.prove(usual, { jwk: key.jwk }), "its signature is wrong"],
      [await key.prove({ ...usual, htm: "POST" }), "it is for another method (htm)"],
      [await key.prove({ ...usual, htu: `${api.origin}/write` }), "it is for another address (htu)"],
      [await key.prove({ ...usual, htu: "https://elsewhere.example/mcp" }), "it is for another address (htu)"],
      [await key.prove({ ...usual, htu: "mcp" }), "it is malformed"],
      [await key.prove({ ...usual, token: unbound }), "it is for another token (ath)"],
      [await key.prove({ ...usual, ath: undefined }), "it is for another token (ath)"],
      [await key.prove({ ...usual, iat: iat - 61 }), "it is too old, or from the future"],
      [await key.prove({ ...usual, iat: iat + 62 }), "it is too old, or from the future"],
      [await key.prove({ ...usual, iat: undefined }), "it is too old, or from the future"],
      [await key.prove({ ...usual, jti: undefined }), "it has no jti"],
      [await key.prove({ ...usual, jti: "x".repeat(9000) }), "it is malformed"],
    ];
    for (const [proof, why] of rows) {
      const refused = await ask(proof);
      const challenge = refusal("invalid_dpop_proof", `The DPoP proof does not count: ${why}.`);
      expect([why, refused.status, refused.challenge]).toEqual([why, 401, challenge]);
    }
    const query = await key.prove({ ...usual, htu: `${api.resource}?a=1#b` });
    expect((await ask(query)).status).toBe(200);
    for (const at of [iat - 58, iat + 58]) expect((await ask(await key.prove({ ...usual, iat: at }))).status).toBe(200);
  });

  test("is for the address of the resource, whatever host the request names", async () => {
    const { api, key, token, usual } = await bound();
    const { port } = new URL(api.origin);
    const named = async (htu: string) => {
      const headers = { authorization: `DPoP ${token}`, dpop: await key.prove({ ...usual, htu }) };
      return (await fetch(`http://127.0.0.1:${port}/mcp`, { headers })).status;
    };
    expect(await named(`http://127.0.0.1:${port}/mcp`)).toBe(401);
    expect(await named(api.resource)).toBe(200);
  });
});

test("proofs that can no longer be remembered do not count, until older ones have ended", async () => {
  let now = 1_800_000_000_000;
  const check = createProofs(() => now, 2);
  const key = await newProofKey();
  const url = new URL("https://mcp.example/mcp");
  const asked = { method: "GET", url, token: "t", thumbprint: key.thumbprint };
  const proof = async () => await key.prove({ token: "t", htu: url.href, iat: Math.floor(now / 1000) });
  const first = await proof();
  const checked = [await check(first, asked), await check(await proof(), asked), await check(await proof(), asked)];
  expect(checked).toEqual([undefined, undefined, "too many came at once"]);
  now += 60_000;
  expect([await check(first, asked), await check(await proof(), asked)]).toEqual([
    "it was used before",
    "too many came at once",
  ]);
  now += 60_001;
  expect(await check(await proof(), asked)).toBeUndefined();
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
