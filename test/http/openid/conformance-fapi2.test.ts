import { decodeJwt, UnsecuredJWT } from "jose";
import { beforeAll, expect, it } from "vitest";
import { newProver } from "../../support/dpop.ts";
import { fapiClient, newFapiParty, type Changes, type FapiParty, type ProofChange } from "../../support/fapi-plan.ts";
import { discovered } from "../../support/openid-plan.ts";
import { authorizeUrl, codeChallenge, codeVerifier } from "../../support/openid.ts";
import type { post } from "../../support/openid-tokens.ts";
import { Visitor, type Page } from "../../support/person.ts";
import { describeOnSqlite, useApp } from "../../support/service.ts";

type Answer = Awaited<ReturnType<typeof post>>;

/** Whether a step was refused with one of these errors. */
function expectRefusal({ status, headers, body }: Answer, ...errors: string[]): void {
  expect([400, 401]).toContain(status);
  expect(headers.get("content-type")).toMatch(/^application\/json/u);
  expect(errors).toContain(body["error"]);
  expect(status === 400 || body["error"] === "invalid_client").toBe(true);
}

/** Whether a browser was shown an error, and sent nowhere. */
function expectErrorPage(page: Page, details: string): void {
  expect([page.status, page.headers.get("location")]).toEqual([400, null]);
  expect(page.text).toContain(details);
}

// Modules of the OpenID Foundation's suite, by their names (docs/openid-conformance.md).
describeOnSqlite("fapi2-security-profile-final-test-plan", (current) => {
  const app = useApp(current);
  let first: FapiParty;
  let second: FapiParty;
  const one = () => fapiClient(current(), first);
  const two = () => fapiClient(current(), second);

  beforeAll(async () => {
    first = await newFapiParty(current(), app);
    // The query of a redirect URI must survive.
    second = await newFapiParty(current(), app, {
      redirectUris: ["https://second.example/callback?dummy1=lorem&dummy2=ipsum"],
      idTokenAlg: "EdDSA",
    });
  });

  it("fapi2-security-profile-final-discovery-end-point-verification", async () => {
    const metadata = await discovered(current());
    expect(metadata).toMatchObject({
      issuer: current().url,
      response_types_supported: ["code"],
      authorization_response_iss_parameter_supported: true,
      pushed_authorization_request_endpoint: `${current().url}/oauth2/par`,
      code_challenge_methods_supported: ["S256"],
      subject_types_supported: ["public"],
    });
    const contains = (...values: string[]): unknown => expect.arrayContaining(values);
    expect(metadata["dpop_signing_alg_values_supported"]).toEqual(contains("ES256", "PS256"));
    expect(metadata["id_token_signing_alg_values_supported"]).toEqual(contains("ES256"));
    expect(metadata["token_endpoint_auth_methods_supported"]).toEqual(contains("private_key_jwt"));
    expect(metadata["token_endpoint_auth_signing_alg_values_supported"]).toEqual(contains("ES256", "PS256"));
    expect(metadata["scopes_supported"]).toEqual(contains("openid"));
  });

  it("fapi2-security-profile-final-happy-flow", async () => {
    const { access_token: token, idToken } = await one().signIn();
    expect(idToken["nonce"]).toBe("n-0S6_WzA2Mj");
    const inQuery = { scheme: "", query: `?access_token=${token}` };
    expect((await one().resource(token, null, inQuery)).status).toBe(401);
    for (const accept of ["application/json; charset=utf-8", "*/*"])
      expect((await one().resource(token, {}, { more: { accept } })).status).toBe(200);
    const nonce = "n-of-43-characters-".padEnd(43, "0123456789");
    const { parameters, ...other } = await two().signIn({ request: { nonce, dpop_jkt: second.prover.thumbprint } });
    expect(parameters).toMatchObject({ dummy1: "lorem", dummy2: "ipsum", state: "st" });
    expect(other.idToken["nonce"]).toBe(nonce);
  });

  it("fapi2-security-profile-final-user-rejects-authentication", async () => {
    const state = "s".repeat(128);
    for (const client of [one(), two()]) {
      const visitor = new Visitor();
      const start = await client.visit(await client.pushed({ request: { state } }), {}, visitor);
      const page = await visitor.get(start.location.href);
      const [, cancel = ""] = /<a [^>]*href="([^"]*\/cancel)"/u.exec(page.text) ?? [];
      const parameters = client.received(await visitor.get(new URL(cancel, page.url).href));
      expect(parameters).toMatchObject({ error: "access_denied", state });
      expect(parameters).not.toHaveProperty("code");
    }
  });

  it("fapi2-security-profile-final-ensure-authorization-request-without-state-success", async () => {
    expect((await one().signIn({ request: { state: null } })).parameters).not.toHaveProperty("state");
  });

  it("fapi2-security-profile-final-ensure-authorization-request-without-nonce-success", async () => {
    expect((await one().signIn({ request: { nonce: null } })).idToken).not.toHaveProperty("nonce");
  });

  it.each([
    ["fapi2-security-profile-final-ensure-authorization-request-with-64-char-nonce-success", 64],
    ["fapi2-security-profile-final-ensure-authorization-request-with-long-nonce", 384],
  ])("%s", async (_module, characters) => {
    const nonce = "n".repeat(characters);
    expect((await one().signIn({ request: { nonce } })).idToken["nonce"]).toBe(nonce);
  });

  it("fapi2-security-profile-final-ensure-authorization-request-with-long-state", async () => {
    const state = "s".repeat(1000);
    expect((await one().signIn({ request: { state } })).parameters["state"]).toBe(state);
  });

  it("fapi2-security-profile-final-ensure-other-scope-order-succeeds", async () => {
    await one().signIn({ request: { scope: "offline_access email profile openid" } });
  });

  it("fapi2-security-profile-final-test-claims-parameter-identity-claims", async () => {
    const asked = { name: null, email: { essential: true }, unknown1: null, unknown2: { value: "x" } };
    const claims = JSON.stringify({ id_token: asked, userinfo: asked });
    const { idToken, access_token: token } = await one().signIn({ request: { claims, scope: "openid" } });
    const userInfo = (await (await one().resource(token)).json()) as Record<string, unknown>;
    for (const found of [idToken, userInfo]) {
      expect(found).toMatchObject({ sub: idToken.sub, name: "Ada", email: first.email });
      expect(Object.keys(found).filter((name) => name.startsWith("unknown"))).toEqual([]);
    }
  });

  it("fapi2-security-profile-final-access-token-type-header-case-sensitivity", async () => {
    const { access_token: token } = await one().signIn();
    for (const scheme of ["dPOP", "dpop", "DPOP"])
      expect((await one().resource(token, {}, { scheme })).status).toBe(200);
  });

  it("fapi2-security-profile-final-check-dpop-proof-nbf-exp", async () => {
    const now = Math.floor(current().clock.now / 1000);
    const timed = { claims: { nbf: now, exp: now + 300 } };
    const { access_token: token } = await one().signIn({ proof: timed });
    expect((await one().resource(token, timed)).status).toBe(200);
  });

  it.each([
    ["fapi2-security-profile-final-ensure-dpopproof-with-iat-10seconds-before-succeeds", -10],
    ["fapi2-security-profile-final-ensure-dpopproof-with-iat-10seconds-after-succeeds", 10],
  ])("%s", async (_module, offset) => {
    const shifted = { claims: { iat: Math.floor(current().clock.now / 1000) + offset } };
    const { access_token: token } = await one().signIn({ requestProof: shifted, proof: shifted });
    expect((await one().resource(token, shifted)).status).toBe(200);
  });

  it("fapi2-security-profile-final-ensure-mismatched-dpop-jkt-fails", async () => {
    const answer = await one().push({
      requestProof: {},
      request: { dpop_jkt: (await newProver(current())).thumbprint },
    });
    expectRefusal(answer, "invalid_request", "invalid_dpop_proof");
  });

  const otherKeys: [module: string, changes: () => Promise<Changes>][] = [
    [
      "fapi2-security-profile-final-ensure-token-endpoint-fails-with-mismatched-dpop-proof-jkt",
      async () => ({ requestProof: {}, proof: { by: await newProver(current()) } }),
    ],
    [
      "fapi2-security-profile-final-ensure-token-endpoint-fails-with-mismatched-dpop-jkt",
      async () => ({ request: { dpop_jkt: (await newProver(current())).thumbprint } }),
    ],
  ];
  it.each(otherKeys)("%s", async (_module, changesOf) => {
    const changes = await changesOf();
    const answer = await one().redeem(await one().authorize(changes), changes);
    expectRefusal(answer, "invalid_request", "invalid_grant", "invalid_dpop_proof");
  });

  it("fapi2-security-profile-final-ensure-dpopproof-at-par-endpoint-binding-success", async () => {
    await one().signIn({ requestProof: {} });
  });

  it("fapi2-security-profile-final-ensure-dpop-auth-code-binding-success", async () => {
    await one().signIn({ requestProof: {}, request: { dpop_jkt: first.prover.thumbprint } });
  });

  it("fapi2-security-profile-final-ensure-different-nonce-inside-and-outside-request-object", async () => {
    expect((await one().signIn({ visit: { nonce: "other" } })).idToken["nonce"]).toBe("n-0S6_WzA2Mj");
  });

  it("fapi2-security-profile-final-ensure-different-state-inside-and-outside-request-object", async () => {
    expect((await one().signIn({ visit: { state: "other" } })).parameters["state"]).toBe("st");
  });

  it("fapi2-security-profile-final-state-only-outside-request-object-not-used", async () => {
    const { parameters } = await one().signIn({ request: { state: null }, visit: { state: "outside" } });
    expect(parameters).not.toHaveProperty("state");
  });

  it.each([
    "fapi2-security-profile-final-ensure-request-object-without-redirect-uri-fails",
    "fapi2-security-profile-final-ensure-redirect-uri-in-authorization-request",
  ])("%s", async () => {
    expectRefusal(await one().push({ request: { redirect_uri: null } }), "invalid_request");
  });

  it("fapi2-security-profile-final-plain-fapi-tolerate-unregistered-redirect-uri", async () => {
    const redirect_uri = `${first.client.redirectUris[0] ?? ""}/other`;
    expectRefusal(await one().push({ request: { redirect_uri } }), "invalid_request");
  });

  it("fapi2-security-profile-final-ensure-unsigned-authorization-request-without-using-par-fails", async () => {
    const asked = { code_challenge: codeChallenge, code_challenge_method: "S256" };
    const page = await new Visitor().get(authorizeUrl(current(), first.client, asked));
    expectErrorPage(page, "request_uri: required for this client");
  });

  it.each([
    ["fapi2-security-profile-final-ensure-response-type-code-idtoken-fails", "code id_token"],
    ["fapi2-security-profile-final-ensure-response-type-token-fails", "token"],
  ])("%s", async (_module, type) => {
    expectRefusal(await one().push({ request: { response_type: type } }), "unsupported_response_type");
  });

  it("fapi2-security-profile-final-ensure-client-id-in-token-endpoint", async () => {
    const { id } = second.client;
    const changes = { token: { client_id: id }, assertion: { claims: { iss: id, sub: id } } };
    expectRefusal(await one().redeem(await one().authorize(), changes), "invalid_client", "invalid_grant");
  });

  it("fapi2-security-profile-final-ensure-holder-of-key-required", async () => {
    // Its checks of TLS: test/security/requests/tls-suites.test.ts.
    const answer = await one().redeem(await one().authorize(), { proof: null });
    expectRefusal(answer, "invalid_request", "invalid_grant", "invalid_dpop_proof");
  });

  it("fapi2-security-profile-final-ensure-authorization-code-is-bound-to-client", async () => {
    expectRefusal(await two().redeem(await one().authorize()), "invalid_grant");
  });

  it("fapi2-security-profile-final-attempt-reuse-authorization-code-after-one-second", async () => {
    const { parameters, access_token: token } = await one().signIn();
    current().clock.advance(1000);
    expectRefusal(await one().redeem(parameters), "invalid_grant");
    expect((await one().resource(token)).status).toBe(401);
  });

  it("fapi2-security-profile-final-ensure-token-endpoint-fails-with-expired-auth-code", async () => {
    const parameters = await one().authorize();
    current().clock.advance(62_000);
    expectRefusal(await one().redeem(parameters), "invalid_grant");
  });

  it("fapi2-security-profile-final-ensure-signed-client-assertion-with-RS256-fails", async () => {
    const rsa = await newFapiParty(current(), app, { alg: "PS256" });
    const client = fapiClient(current(), rsa);
    await client.signIn();
    const { key } = rsa.keys;
    const pkcs1 = await crypto.subtle.importKey(
      "jwk",
      { ...(await crypto.subtle.exportKey("jwk", key)), alg: "RS256" },
      { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
      false,
      ["sign"],
    );
    const assertion = { by: { alg: "RS256", key: pkcs1 } };
    expectRefusal(await client.redeem(await client.authorize(), { assertion }), "invalid_client");
  });

  it("fapi2-security-profile-final-ensure-client-assertion-in-token-endpoint", async () => {
    const { id } = first.client;
    const token = { client_assertion: null, client_assertion_type: null, client_id: id };
    expectRefusal(await one().redeem(await one().authorize(), { token }), "invalid_client", "invalid_request");
  });

  const badAssertions: [module: string, claims: () => Record<string, unknown>][] = [
    [
      "fapi2-security-profile-final-ensure-client-assertion-with-exp-is-5-minutes-in-past-fails",
      () => ({ exp: Math.floor(current().clock.now / 1000) - 300 }),
    ],
    [
      "fapi2-security-profile-final-ensure-client-assertion-with-wrong-aud-fails",
      () => ({ aud: "https://www.other1.example.com/" }),
    ],
    ["fapi2-security-profile-final-ensure-client-assertion-with-no-sub-fails", () => ({ sub: undefined })],
  ];
  it.each(badAssertions)("%s", async (_module, claims) => {
    const answer = await one().redeem(await one().authorize(), { assertion: { claims: claims() } });
    expectRefusal(answer, "invalid_client", "invalid_request");
  });

  it("fapi2-security-profile-final-dpop-negative-tests", async () => {
    const { access_token: token } = await one().signIn();
    type How = Parameters<ReturnType<typeof one>["resource"]>[2];
    const statusOf = async (change: ProofChange | null, how?: How) => (await one().resource(token, change, how)).status;
    const now = Math.floor(current().clock.now / 1000);
    const url = `${current().url}/oauth2/userinfo`;
    const rsa = await newProver(current(), "RS256");
    const unsigned = (jwt: string): string => new UnsecuredJWT(decodeJwt(jwt)).encode();
    const refused: Record<string, ProofChange> = {
      "not well-formed": { after: (jwt) => jwt.replaceAll(".", "") },
      "no typ": { header: { typ: undefined } },
      "no jwk": { header: { jwk: undefined } },
      "no jti": { claims: { jti: undefined } },
      "no htm": { claims: { htm: undefined } },
      "no htu": { claims: { htu: undefined } },
      "no iat": { claims: { iat: undefined } },
      "no ath": { claims: { ath: undefined } },
      "a wrong typ": { header: { typ: "jwt" } },
      RS256: { by: rsa },
      none: { after: unsigned },
      "a wrong signature": { after: (jwt) => `${jwt.slice(0, -10)}AAAAAAAAAA` },
      "a private key": { header: { jwk: first.prover.privateJwk } },
      "a wrong htm": { claims: { htm: "PUT" } },
      "another htu": { claims: { htu: "https://other.example/" } },
      "iat in an hour": { claims: { iat: now + 3600 } },
      "iat an hour ago": { claims: { iat: now - 3600 } },
      "a wrong ath": { claims: { ath: "x".repeat(43) } },
      "another key": { by: await newProver(current()) },
    };
    for (const [what, change] of Object.entries(refused)) expect([what, await statusOf(change)]).toEqual([what, 401]);
    // Where no other key is bound yet.
    expectRefusal(await one().redeem(await one().authorize(), { proof: { by: rsa } }), "invalid_dpop_proof");
    const taken: Record<string, ProofChange> = {
      "htu with query and fragment": { claims: { htu: `${url}?a=b#c` } },
      "htu in upper case": { claims: { htu: url.replace("http://localhost", "HTTP://LOCALHOST") } },
      "unknown members": { header: { unknown: "x" }, claims: { unknown: "x" } },
      "the first use of a jti": { claims: { jti: "fixed" } },
    };
    for (const [what, change] of Object.entries(taken)) expect([what, await statusOf(change)]).toEqual([what, 200]);
    expect(await statusOf({ claims: { jti: "fixed" } })).toBe(401);
    expect(
      await statusOf(
        {},
        { more: { dpop: await first.prover.proof("GET", "/oauth2/userinfo", { accessToken: token }) } },
      ),
    ).toBe(401);
    expect(await statusOf(null)).toBe(401);
    expect(await statusOf(null, { scheme: "Bearer" })).toBe(401);
    expect(await statusOf({})).toBe(200);
  });

  it("fapi2-security-profile-final-refresh-token", async () => {
    const { refresh_token: token, idToken: before } = await one().signIn({ request: { prompt: "consent" } });
    const refreshed = await one().checked(await one().refresh(token));
    expect(refreshed.refresh_token).toBe(token);
    expect(refreshed.idToken).toMatchObject({ iss: before.iss, sub: before.sub, aud: before.aud });
    expect((await one().resource(refreshed.access_token)).status).toBe(200);
    current().clock.advance(30_000);
    await one().checked(await one().refresh(token));
    const withoutAssertion = { client_assertion: null, client_assertion_type: null, client_id: first.client.id };
    expectRefusal(await one().refresh(token, { token: withoutAssertion }), "invalid_client");
    expectRefusal(await one().refresh(token, { proof: null }), "invalid_request", "invalid_dpop_proof");
    const other = await two().signIn();
    expect((await one().resource(other.access_token)).status).toBe(401);
    expectRefusal(await one().refresh(other.refresh_token), "invalid_grant");
    await two().checked(await two().refresh(other.refresh_token));
  });

  it("fapi2-security-profile-final-par-ensure-reused-request-uri-prior-to-auth-completion-succeeds", async () => {
    const visitor = new Visitor();
    const requestUri = await one().pushed();
    const login = await one().visit(requestUri, {}, visitor);
    expect((await visitor.get(login.location.href)).status).toBe(200);
    const page = await one().finish(await one().visit(requestUri, {}, visitor), visitor);
    await one().checked(await one().redeem(one().received(page)));
  });

  it("fapi2-security-profile-final-par-attempt-reuse-request_uri", async () => {
    const visitor = new Visitor();
    const requestUri = await one().pushed();
    one().received(await one().finish(await one().visit(requestUri, {}, visitor), visitor));
    expectErrorPage(await one().visit(requestUri, {}, visitor), "request_uri: unknown, used or expired");
  });

  it("fapi2-security-profile-final-par-attempt-to-use-expired-request_uri", async () => {
    const { body } = await one().push();
    current().clock.advance(Number(body["expires_in"]) * 1000);
    expectErrorPage(await one().visit(String(body["request_uri"])), "request_uri: unknown, used or expired");
  });

  it.each(["fapi2-security-profile-final-par-ensure-jwt-client-assertions-nbf-8-seconds-in-the-future-is-accepted"])(
    "%s",
    async () => {
      const time = Math.floor(current().clock.now / 1000) + 8;
      await one().signIn({ requestAssertion: { claims: { iat: time, nbf: time } } });
    },
  );

  it("fapi2-security-profile-final-par-ensure-jwt-client-assertions-nbf-over-60-seconds-in-the-future-fails", async () => {
    const time = Math.floor(current().clock.now / 1000) + 62;
    for (const claims of [{ iat: time, nbf: time, exp: time + 60 }, { iat: time, nbf: undefined }, { nbf: time }])
      expectRefusal(await one().push({ requestAssertion: { claims } }), "invalid_client");
  });

  it("fapi2-security-profile-final-par-attempt-to-use-request_uri-for-different-client", async () => {
    const page = await two().visit(await one().pushed());
    expectErrorPage(page, "request_uri: unknown, used or expired");
  });

  it("fapi2-security-profile-final-par-authorization-request-containing-request_uri-form-param", async () => {
    const request = { request_uri: "urn:example:E2ooXxELkEFSKR90ymYV" };
    expectRefusal(await one().push({ request }), "invalid_request");
  });

  it("fapi2-security-profile-final-par-attempt-invalid-http-method", async () => {
    expect((await fetch(`${current().url}/oauth2/par`, { method: "PUT" })).status).toBe(405);
  });

  it("fapi2-security-profile-final-par-ensure-pkce-required", async () => {
    const request = { code_challenge: null, code_challenge_method: null };
    expectRefusal(await one().push({ request }), "invalid_request");
  });

  it.each([
    ["fapi2-security-profile-final-ensure-pkce-code-verifier-required", null],
    ["fapi2-security-profile-final-incorrect-pkce-code-verifier-rejected", "w".repeat(64)],
  ])("%s", async (_module, verifier) => {
    const answer = await one().redeem(await one().authorize(), { token: { code_verifier: verifier } });
    expectRefusal(answer, "invalid_grant");
  });

  it("fapi2-security-profile-final-par-plain-pkce-rejected", async () => {
    const request = { code_challenge: codeVerifier, code_challenge_method: "plain" };
    expectRefusal(await one().push({ request }), "invalid_request");
  });

  it("fapi2-security-profile-final-par-without-duplicate-parameters", async () => {
    await one().signIn({ visit: { response_type: null, redirect_uri: null, scope: null } });
  });

  const audiences: [module: string, audience: () => string | string[]][] = [
    [
      "fapi2-security-profile-final-par-test-array-as-audience-fails",
      () => [current().url, `${current().url}/oauth2/token`],
    ],
    ["fapi2-security-profile-final-par-test-par-endpoint-url-as-audience-fails", () => `${current().url}/oauth2/par`],
    [
      "fapi2-security-profile-final-par-test-token-endpoint-url-as-audience-fails",
      () => `${current().url}/oauth2/token`,
    ],
  ];
  it.each(audiences)("%s", async (_module, audience) => {
    const answer = await one().push({ requestAssertion: { claims: { aud: audience() } } });
    expectRefusal(answer, "invalid_client");
  });
});
