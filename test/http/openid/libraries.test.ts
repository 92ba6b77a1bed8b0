import { exportJWK, generateKeyPair } from "jose";
import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
import { expect, it } from "vitest";
import type { Client } from "../../../src/applications/clients/client.ts";
import { allowDevice, newDeviceParty, openDecision } from "../../support/devices.ts";
import { withParty, newParty, type Party } from "../../support/openid-tokens.ts";
import { goodPassword, Visitor, type Page } from "../../support/person.ts";
import { describeSqliteFirst, describeOnSqlite, type TestService } from "../../support/service.ts";

// Libraries that this project did not write, against the real service.

const scope = "openid profile email offline_access";

/** What a browser does at an authorization URL: signs in by password, and stops at the answer. */
async function signInAt(url: URL, { email }: Party, visitor = new Visitor()): Promise<Page> {
  const start = await visitor.get(url.href);
  const page = await visitor.get(start.location.href);
  return await visitor.submit(page, "/password", { email, password: goodPassword });
}

/** openid-client with everything that it can check. */
async function discovered(
  service: TestService,
  { client }: Party,
  authentication: openid.ClientAuth,
): Promise<openid.Configuration> {
  const metadata = { id_token_signed_response_alg: client.idTokenAlg };
  const config = await openid.discovery(new URL(service.url), client.id, metadata, authentication, {
    // oxlint-disable-next-line typescript/no-deprecated -- the service has no TLS here
    execute: [openid.allowInsecureRequests],
  });
  openid.enableNonRepudiationChecks(config);
  return config;
}

/** Signs in with PKCE, reads userinfo and refreshes. Returns what the library verified. */
async function wholeLife(
  service: TestService,
  party: Party,
  authentication: openid.ClientAuth,
  { pushes, posts, visitor }: { pushes?: boolean; posts?: boolean; visitor?: Visitor } = {},
) {
  const config = await discovered(service, party, authentication);
  const pkceCodeVerifier = openid.randomPKCECodeVerifier();
  const [expectedState, expectedNonce] = [openid.randomState(), openid.randomNonce()];
  const parameters = {
    redirect_uri: party.client.redirectUris[0] ?? "",
    scope,
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
    state: expectedState,
    nonce: expectedNonce,
    ...(posts === true ? { response_mode: "form_post" } : {}),
  };
  const url =
    pushes === true
      ? await openid.buildAuthorizationUrlWithPAR(config, parameters)
      : openid.buildAuthorizationUrl(config, parameters);
  if (pushes === true) expect([...url.searchParams.keys()].toSorted()).toEqual(["client_id", "request_uri"]);
  const back = await signInAt(url, party, visitor);
  const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true, maxAge: 600 };
  const answer = posts === true ? postedTo(back) : back.location;
  const tokens = await openid.authorizationCodeGrant(config, answer, checks);
  const claims = tokens.claims();
  const info = await openid.fetchUserInfo(config, tokens.access_token, claims?.sub ?? "");
  const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? "");
  expect(refreshed.claims()?.sub).toBe(claims?.sub);
  return { config, claims, info, refreshed };
}

/** The request that the browser sends for the page of `form_post`. */
function postedTo(page: Page): Request {
  const { action, fields } = page.form("/callback");
  return new Request(action, { method: "POST", body: new URLSearchParams(fields) });
}

describeSqliteFirst("openid-client", (current) => {
  const algorithms: [Client["idTokenAlg"], (secret: string) => openid.ClientAuth][] = [
    ["RS256", openid.ClientSecretBasic],
    ["ES256", openid.ClientSecretPost],
    ["EdDSA", openid.ClientSecretBasic],
  ];
  it.each(algorithms)("signs in with PKCE and ID tokens of %s, asks, refreshes and revokes", async (alg, method) => {
    const { service, party } = await withParty(current(), { idTokenAlg: alg });
    const { config, claims, info, refreshed } = await wholeLife(service, party, method(party.secret));
    expect(claims).toMatchObject({ aud: party.client.id, email: party.email });
    expect(info).toMatchObject({ sub: claims?.sub, name: "Ada", email: party.email });
    const active = await openid.tokenIntrospection(config, refreshed.access_token);
    expect(active).toMatchObject({ active: true, client_id: party.client.id, sub: claims?.sub });
    await openid.tokenRevocation(config, refreshed.refresh_token ?? "");
    expect(await openid.tokenIntrospection(config, refreshed.access_token)).toEqual({ active: false });
  });
});

describeOnSqlite("openid-client", (current) => {
  it("signs in without a secret", async () => {
    const { service, party } = await withParty(current(), {
      kind: "native",
      redirectUris: ["http://127.0.0.1/callback"],
    });
    const { config, info, refreshed } = await wholeLife(service, party, openid.None());
    expect(info["email"]).toBe(party.email);
    await openid.tokenRevocation(config, refreshed.access_token);
    await expect(openid.refreshTokenGrant(config, refreshed.refresh_token ?? "")).rejects.toMatchObject({
      error: "invalid_grant",
    });
  });

  it("pushes its request before, and takes the answer by form_post", async () => {
    const { service, party } = await withParty(current(), { requirePkce: true });
    for (const how of [{ pushes: true }, { posts: true }, { pushes: true, posts: true }]) {
      const { info } = await wholeLife(service, party, openid.ClientSecretBasic(party.secret), how);
      expect(info["email"]).toBe(party.email);
    }
  });

  it("signs out, and comes back to where the client asked", async () => {
    const service = current();
    const back = "https://client.example/signed-out";
    const party = await newParty(service, { postLogoutRedirectUris: [back] });
    const visitor = new Visitor();
    const life = await wholeLife(service, party, openid.ClientSecretBasic(party.secret), { visitor });
    const url = openid.buildEndSessionUrl(life.config, {
      id_token_hint: life.refreshed.id_token ?? "",
      post_logout_redirect_uri: back,
      state: "bye",
    });
    expect((await visitor.get(url.href)).location.href).toBe(`${back}?state=bye`);
    await expect(openid.fetchUserInfo(life.config, life.refreshed.access_token, "x")).rejects.toThrow();
    expect(await openid.tokenIntrospection(life.config, life.refreshed.access_token)).toEqual({ active: false });
  });

  it.each(["RS256", "PS256", "ES256", "Ed25519"])("authenticates by a private key with %s", async (algorithm) => {
    const service = current();
    const { privateKey, publicKey } = await generateKeyPair(algorithm);
    const jwk = { ...(await exportJWK(publicKey)), kid: "k1", alg: algorithm };
    const party = await newParty(service, { jwks: { keys: [jwk] } });
    const method = openid.PrivateKeyJwt({ key: privateKey, kid: "k1" });
    const { info } = await wholeLife(service, party, method);
    expect(info["email"]).toBe(party.email);
  });
});

describeOnSqlite("oauth4webapi", (current) => {
  // oxlint-disable-next-line typescript/no-deprecated -- the service has no TLS here
  const insecure = { [oauth.allowInsecureRequests]: true };

  it("signs in, and finds nothing to complain about", async () => {
    const { service, party } = await withParty(current());
    const issuer = new URL(service.url);
    for (const algorithm of ["oidc", "oauth2"] as const) {
      const response = await oauth.discoveryRequest(issuer, { algorithm, ...insecure });
      const server = await oauth.processDiscoveryResponse(issuer, response);
      const client: oauth.Client = { client_id: party.client.id };
      const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
      const redirectUri = party.client.redirectUris[0] ?? "";
      const url = new URL(server.authorization_endpoint ?? "");
      url.search = new URLSearchParams({
        client_id: party.client.id,
        redirect_uri: redirectUri,
        response_type: "code",
        scope,
        state,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      }).toString();
      const { location } = await signInAt(url, party);
      const parameters = oauth.validateAuthResponse(server, client, location, state);
      const granted = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        oauth.ClientSecretBasic(party.secret),
        parameters,
        redirectUri,
        verifier,
        insecure,
      );
      const tokens = await oauth.processAuthorizationCodeResponse(server, client, granted, { requireIdToken: true });
      const claims = oauth.getValidatedIdTokenClaims(tokens);
      if (algorithm === "oauth2") continue;
      const asked = await oauth.userInfoRequest(server, client, tokens.access_token, insecure);
      const info = await oauth.processUserInfoResponse(server, client, claims?.sub ?? "", asked);
      expect(info["email"]).toBe(party.email);
    }
  });

  it("is told what is wrong in the way of RFC 6749 and RFC 6750", async () => {
    const { service, party } = await withParty(current());
    const issuer = new URL(service.url);
    const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
    const client: oauth.Client = { client_id: party.client.id };
    const refresh = async (secret: string) =>
      await oauth.processRefreshTokenResponse(
        server,
        client,
        await oauth.refreshTokenGrantRequest(server, client, oauth.ClientSecretBasic(secret), "unknown", insecure),
      );
    await expect(refresh(party.secret)).rejects.toMatchObject({ error: "invalid_grant", status: 400 });
    await expect(refresh("wrong")).rejects.toMatchObject({
      cause: [{ scheme: "basic", parameters: { realm: "authsvc" } }],
    });
    const asked = await oauth.userInfoRequest(server, client, "unknown", insecure);
    await expect(oauth.processUserInfoResponse(server, client, oauth.skipSubjectCheck, asked)).rejects.toMatchObject({
      cause: [{ scheme: "bearer", parameters: { error: "invalid_token" } }],
    });
  });
});

describeOnSqlite("the device grant of libraries", (current) => {
  /** A browser far away from the device, while the library polls. */
  async function prepared() {
    const service = current();
    const party = await newDeviceParty(service);
    const polls: string[] = [];
    // Each poll comes in time, and the person answers after the second.
    const polling: openid.CustomFetch = async (url, options) => {
      const response = await fetch(url, options);
      if (!url.endsWith("/oauth2/token")) return response;
      service.clock.advance(6000);
      polls.push(String(((await response.clone().json()) as Record<string, unknown>)["error"]));
      return response;
    };
    return { service, party, polls, polling };
  }

  it("openid-client shows the code, polls until the person has allowed it, and refreshes", async () => {
    const { service, party, polls, polling } = await prepared();
    const config = await openid.discovery(new URL(service.url), party.client.id, undefined, openid.None(), {
      // oxlint-disable-next-line typescript/no-deprecated -- the service has no TLS here
      execute: [openid.allowInsecureRequests],
    });
    openid.enableNonRepudiationChecks(config);
    config[openid.customFetch] = polling;
    const codes = await openid.initiateDeviceAuthorization(config, { scope });
    expect(codes.interval).toBe(5);
    const polled = openid.pollDeviceAuthorizationGrant(config, { ...codes, interval: 0.5 });
    await expect.poll(() => polls.length).toBeGreaterThan(1);
    await allowDevice(service, party, codes);
    const tokens = await polled;
    expect(new Set(polls)).toEqual(new Set(["authorization_pending", "undefined"]));
    const claims = tokens.claims();
    const info = await openid.fetchUserInfo(config, tokens.access_token, claims?.sub ?? "");
    expect(info["email"]).toBe(party.email);
    const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? "");
    expect(refreshed.claims()?.sub).toBe(claims?.sub);
  });

  it("oauth4webapi does the same, and is told a refusal", async () => {
    const { service, party } = await prepared();
    // oxlint-disable-next-line typescript/no-deprecated -- the service has no TLS here
    const insecure = { [oauth.allowInsecureRequests]: true };
    const issuer = new URL(service.url);
    const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
    const client: oauth.Client = { client_id: party.client.id };
    const begin = async () => {
      const asked = await oauth.deviceAuthorizationRequest(server, client, oauth.None(), { scope }, insecure);
      return await oauth.processDeviceAuthorizationResponse(server, client, asked);
    };
    const ask = async ({ device_code: code }: oauth.DeviceAuthorizationResponse) => {
      service.clock.advance(10_000);
      const answer = await oauth.deviceCodeGrantRequest(server, client, oauth.None(), code, insecure);
      return await oauth.processDeviceCodeResponse(server, client, answer);
    };
    const codes = await begin();
    await expect(ask(codes)).rejects.toMatchObject({ error: "authorization_pending" });
    await allowDevice(service, party, codes);
    const tokens = await ask(codes);
    const userInfo = await oauth.userInfoRequest(server, client, tokens.access_token, insecure);
    const subject = oauth.getValidatedIdTokenClaims(tokens)?.sub ?? "";
    expect((await oauth.processUserInfoResponse(server, client, subject, userInfo))["email"]).toBe(party.email);
    const refused = await begin();
    const visitor = new Visitor();
    await visitor.submit(await openDecision(service, party, refused, visitor), "/step/deny", {});
    await expect(ask(refused)).rejects.toMatchObject({ error: "access_denied" });
  });
});
