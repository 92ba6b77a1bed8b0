import { routes } from "../../../src/routes.ts";
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from "jose";
import { expect, it } from "vitest";
import { withParty, basic, newParty, post, tokensFor } from "../../support/openid-tokens.ts";
import { call } from "../../support/person.ts";
import { describeOnSqlite } from "../../support/service.ts";

describeOnSqlite("the discovery documents", (current) => {
  it("name endpoints that exist, and say what defaults to true and is not so", async () => {
    const service = current();
    const { body, headers } = await call(service, "GET", "/.well-known/openid-configuration", {});
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("cache-control")).toBe("public, max-age=600");
    expect(body).toMatchObject({
      issuer: service.url,
      response_types_supported: ["code"],
      response_modes_supported: ["query", "form_post"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256", "ES256", "EdDSA"],
      claims_parameter_supported: true,
      request_parameter_supported: false,
      request_uri_parameter_supported: false,
      authorization_response_iss_parameter_supported: true,
    });
    const paths = routes.map(({ path }) => path);
    const endpoints = Object.entries(body).filter(([name]) => /_endpoint$|^jwks_uri$/u.test(name));
    expect(endpoints.length).toBeGreaterThan(5);
    for (const [name, address] of endpoints)
      expect([name, paths]).toEqual([name, expect.arrayContaining([String(address).slice(service.url.length)])]);
  });

  it("say the same of OAuth 2.0 (RFC 8414)", async () => {
    const service = current();
    const openId = await call(service, "GET", "/.well-known/openid-configuration", {});
    const oauth = await call(service, "GET", "/.well-known/oauth-authorization-server", {});
    expect(oauth.headers.get("access-control-allow-origin")).toBe("*");
    expect(openId.body).toMatchObject(oauth.body);
    expect(oauth.body["userinfo_endpoint"]).toBeUndefined();
  });
});

describeOnSqlite("the key set", (current) => {
  it("T6: holds every key before it signs: read once, it verifies the first token of each client", async () => {
    const service = current();
    const parties = [await newParty(service), await newParty(service, { idTokenAlg: "EdDSA" })];
    const { body } = await call(service, "GET", "/.well-known/jwks.json", {});
    const keys = createLocalJWKSet(body as unknown as JSONWebKeySet);
    for (const party of parties) {
      const { access_token: accessToken, id_token: idToken } = await tokensFor(service, party);
      const currentDate = new Date(service.clock.now);
      const { protectedHeader } = await jwtVerify(idToken, keys, { currentDate, audience: party.client.id });
      expect(protectedHeader.alg).toBe(party.client.idTokenAlg);
      expect((await jwtVerify(accessToken, keys, { currentDate })).protectedHeader.alg).toBe("ES256");
    }
  });
});

describeOnSqlite("CORS of the OAuth endpoints", (current) => {
  it("lets pages of the client's own origins read the answers, and no others", async () => {
    const { service, party } = await withParty(current(), { redirectUris: ["https://spa.example/callback"] });
    const other = await newParty(service, { redirectUris: ["https://other.example/callback"] });
    const { access_token: token } = await tokensFor(service, party);
    const calls: [path: string, form: Record<string, string>, headers: Record<string, string>][] = [
      ["/oauth2/token", { grant_type: "refresh_token" }, basic(party)],
      ["/oauth2/token", { client_id: party.client.id }, {}],
      ["/oauth2/par", { response_type: "code" }, basic(party)],
      ["/oauth2/par", { client_id: party.client.id }, {}],
      ["/oauth2/introspect", { token }, basic(party)],
      ["/oauth2/revoke", { token: "x" }, basic(party)],
      ["/oauth2/userinfo", {}, { authorization: `Bearer ${token}` }],
      ["/oauth2/userinfo", { access_token: token }, {}],
    ];
    for (const [path, form, headers] of calls) {
      for (const origin of ["https://spa.example", "https://other.example", "https://evil.example", "null"]) {
        const answer = await post(service, path, form, { ...headers, origin });
        const shared = origin === "https://spa.example" ? origin : null;
        expect([path, origin, answer.headers.get("access-control-allow-origin")]).toEqual([path, origin, shared]);
        expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
        expect(answer.headers.get("vary")).toBe("Origin");
      }
    }
    expect(other.client.id).not.toBe(party.client.id);
  });

  it.each(["token", "par"])("answers a preflight of any client's page: %s", async (endpoint) => {
    const service = current();
    await newParty(service, { redirectUris: ["https://third.example/callback"] });
    service.clock.advance(2000);
    const preflight = async (origin: string) =>
      await fetch(`${service.url}/oauth2/${endpoint}`, {
        method: "OPTIONS",
        headers: { origin, "access-control-request-method": "POST" },
      });
    const { headers } = await preflight("https://third.example");
    expect(headers.get("access-control-allow-origin")).toBe("https://third.example");
    expect(headers.get("access-control-allow-headers")).toBe(
      "Authorization, Content-Type, DPoP, traceparent, tracestate, baggage",
    );
    expect((await preflight("https://evil.example")).headers.get("access-control-allow-origin")).toBeNull();
  });
});
