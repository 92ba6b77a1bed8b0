import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
import { expect, it } from "vitest";
import type { NewClient } from "../../../src/applications/clients/rules.ts";
import * as clients from "../../../src/applications/clients/service.ts";
import { newParty, type Party } from "../../support/openid-tokens.ts";
import { goodPassword, Visitor } from "../../support/person.ts";
import { by, newMachine } from "../../support/resources.ts";
import { describeOnSqlite } from "../../support/service.ts";

// Libraries that this project did not write, against the real service.

const scope = "openid profile email offline_access";
// oxlint-disable-next-line typescript/no-deprecated -- the service has no TLS here
const insecure = { [oauth.allowInsecureRequests]: true };
const publicKind: Partial<NewClient> = { kind: "native", redirectUris: ["http://127.0.0.1/callback"] };

async function signInAt(url: URL, { email }: Party): Promise<URL> {
  const visitor = new Visitor();
  const start = await visitor.get(url.href);
  const page = await visitor.get(start.location.href);
  return (await visitor.submit(page, "/password", { email, password: goodPassword })).location;
}

const settings: [name: string, Partial<NewClient>][] = [
  ["without nonces", { dpop: "required" }],
  ["with nonces", { dpop: "required", dpopNonce: true }],
];

describeOnSqlite("openid-client with DPoP", (current) => {
  it.each(settings)("%s: PAR, code, userinfo, refresh and client credentials", async (_name, changes) => {
    const service = current();
    for (const kind of [publicKind, {}]) {
      const party = await newParty(service, { ...kind, ...changes });
      const authentication = party.secret === "" ? openid.None() : openid.ClientSecretBasic(party.secret);
      const config = await openid.discovery(new URL(service.url), party.client.id, {}, authentication, {
        // oxlint-disable-next-line typescript/no-deprecated -- the service has no TLS here
        execute: [openid.allowInsecureRequests],
      });
      const keys = await openid.randomDPoPKeyPair();
      const DPoP = openid.getDPoPHandle(config, keys);
      const pkceCodeVerifier = openid.randomPKCECodeVerifier();
      const parameters = {
        redirect_uri: party.client.redirectUris[0] ?? "",
        scope,
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: "S256",
      };
      const url = await openid.buildAuthorizationUrlWithPAR(config, parameters, { DPoP });
      const back = await signInAt(url, party);
      const tokens = await openid.authorizationCodeGrant(config, back, { pkceCodeVerifier }, undefined, { DPoP });
      expect(tokens.token_type).toBe("dpop");
      const sub = tokens.claims()?.sub ?? "";
      const info = await openid.fetchUserInfo(config, tokens.access_token, sub, { DPoP });
      expect(info.email).toBe(party.email);
      const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? "", undefined, { DPoP });
      expect(refreshed.token_type).toBe("dpop");
      const validate = new URL("/auth/validate", service.url);
      const headers = new Headers({ "x-service-app-id": party.app.id });
      const answer = await openid.fetchProtectedResource(
        config,
        refreshed.access_token,
        validate,
        "GET",
        undefined,
        headers,
        { DPoP },
      );
      expect(await answer.json()).toMatchObject({ valid: true, user: { id: sub } });
      const stolen = openid.fetchUserInfo(config, refreshed.access_token, sub);
      await expect(stolen).rejects.toMatchObject({
        cause: [{ scheme: "dpop", parameters: { error: "invalid_token" } }],
      });
    }
    const machine = await newMachine(service, changes);
    const config = await openid.discovery(
      new URL(service.url),
      machine.client.id,
      {},
      openid.ClientSecretBasic(machine.secret),
      // oxlint-disable-next-line typescript/no-deprecated -- the service has no TLS here
      { execute: [openid.allowInsecureRequests] },
    );
    const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair());
    const asked = { resource: machine.resource };
    const tokens = await openid.clientCredentialsGrant(config, asked, { DPoP });
    expect(tokens.token_type).toBe("dpop");
    expect(await openid.tokenIntrospection(config, tokens.access_token)).toMatchObject({
      active: true,
      token_type: "DPoP",
      cnf: { jkt: await DPoP.calculateThumbprint() },
    });
  });
});

describeOnSqlite("oauth4webapi with DPoP", (current) => {
  it.each(settings)("%s: dpop_jkt, code, userinfo", async (_name, changes) => {
    const service = current();
    const party = await newParty(service, { ...publicKind, ...changes });
    const issuer = new URL(service.url);
    const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
    const client: oauth.Client = { client_id: party.client.id };
    const DPoP = oauth.DPoP(client, await oauth.generateKeyPair("ES256"));
    const verifier = oauth.generateRandomCodeVerifier();
    const redirectUri = party.client.redirectUris[0] ?? "";
    const url = new URL(server.authorization_endpoint ?? "");
    url.search = new URLSearchParams({
      client_id: party.client.id,
      redirect_uri: redirectUri,
      response_type: "code",
      scope,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      dpop_jkt: await DPoP.calculateThumbprint(),
    }).toString();
    const parameters = oauth.validateAuthResponse(server, client, await signInAt(url, party));
    const redeem = async () => {
      const options = { ...insecure, DPoP };
      const none = oauth.None();
      const request = [server, client, none, parameters, redirectUri, verifier, options] as const;
      const response = await oauth.authorizationCodeGrantRequest(...request);
      return await oauth.processAuthorizationCodeResponse(server, client, response);
    };
    const tokens = await redeem().catch(async (error: unknown) => {
      if (!oauth.isDPoPNonceError(error)) throw error;
      return await redeem();
    });
    expect(tokens.token_type).toBe("dpop");
    const sub = oauth.getValidatedIdTokenClaims(tokens)?.sub ?? "";
    const asked = await oauth.userInfoRequest(server, client, tokens.access_token, { ...insecure, DPoP });
    expect((await oauth.processUserInfoResponse(server, client, sub, asked)).email).toBe(party.email);
  });
});

describeOnSqlite("dpop_signing_alg_values_supported", (current) => {
  it("is in the metadata while an enabled client is set to use DPoP, and the rest stays the same", async () => {
    const service = current();
    const { ctx } = service.server.app;
    const read = async () => {
      service.clock.advance(1000);
      const names = ["openid-configuration", "oauth-authorization-server"];
      const texts = names.map(async (name) => await (await fetch(`${service.url}/.well-known/${name}`)).text());
      return await Promise.all(texts);
    };
    const { client } = await newParty(service);
    const before = await read();
    for (const [change, isShown] of [
      [{ dpop: "off" }, false],
      [{ dpop: "required" }, true],
      [{ enabled: false }, false],
      [{ enabled: true, dpop: "optional" }, true],
      [{ dpop: null }, false],
    ] as const) {
      await clients.update(ctx, client.id, change, by);
      const now = await read();
      if (isShown) {
        const algorithms = ["RS256", "PS256", "ES256", "EdDSA", "Ed25519"];
        const shown = before.map((text) => ({ ...JSON.parse(text), dpop_signing_alg_values_supported: algorithms }));
        expect(now.map((text) => JSON.parse(text) as object)).toEqual(shown);
      } else expect(now).toEqual(before);
    }
  });
});

describeOnSqlite("a browser's page with DPoP", (current) => {
  it("may send proofs, and read challenges and nonces, on the origins of its client", async () => {
    const service = current();
    const party = await newParty(service, { kind: "spa", redirectUris: ["https://spa.example/cb"], dpop: "required" });
    const origin = "https://spa.example";
    for (const [path, method] of [
      ["/oauth2/token", "POST"],
      ["/oauth2/par", "POST"],
      ["/oauth2/userinfo", "GET"],
      ["/auth/validate", "GET"],
      ["/users/profile", "GET"],
      ["/api/user", "GET"],
    ] as const) {
      const headers = { origin, "access-control-request-method": method, "access-control-request-headers": "dpop" };
      const preflight = await fetch(`${service.url}${path}`, { method: "OPTIONS", headers });
      expect([path, preflight.headers.get("access-control-allow-headers")]).toEqual([
        path,
        expect.stringContaining("DPoP"),
      ]);
    }
    const refused = await fetch(`${service.url}/oauth2/token`, {
      method: "POST",
      headers: { origin },
      body: new URLSearchParams({ client_id: party.client.id, grant_type: "refresh_token" }),
    });
    expect(refused.headers.get("access-control-allow-origin")).toBe(origin);
    expect(refused.headers.get("access-control-expose-headers")).toContain("DPoP-Nonce, WWW-Authenticate");
  });
});
