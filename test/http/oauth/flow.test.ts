import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { OAuth2Server } from "oauth2-mock-server";
import { afterAll, beforeAll, expect, it } from "vitest";
import { call, initiate, newEmail, redeem, Visitor } from "../../support/person.ts";
import { describeEachDatabase, type TestApp, type TestService } from "../../support/service.ts";

const actor = { kind: "cli", name: "test" } as const;

describeEachDatabase("OAuth with an OpenID Connect issuer", (current) => {
  const provider = new OAuth2Server();
  let person: Record<string, unknown> = {};

  beforeAll(async () => {
    await provider.issuer.keys.generate("RS256");
    await provider.start(0, "localhost");
    provider.service.on("beforeTokenSigning", (token: { payload: Record<string, unknown> }) =>
      Object.assign(token.payload, person),
    );
  });
  afterAll(async () => {
    await provider.stop();
  });

  async function appWithProvider(service: TestService): Promise<TestApp> {
    const app = await service.createApp({ methods: ["password", "oauth"] });
    await service.server.app.services.providers.set(
      app.id,
      { name: "corp", clientId: "client-1", secret: "s3cret", issuer: provider.issuer.url ?? "" },
      actor,
    );
    return app;
  }

  async function signInAtProvider(service: TestService, app: TestApp, claims: Record<string, unknown>) {
    const session = await initiate(service, app, { authMethod: "oauth", provider: "CORP", state: "st" });
    const visitor = new Visitor();
    const start = await visitor.get(session.authUrl);
    expect(start.status).toBe(303);
    person = { nonce: start.location.searchParams.get("nonce"), aud: "client-1", ...claims };
    const back = await fetch(start.location, { redirect: "manual" });
    const done = await visitor.get(back.headers.get("location") ?? "");
    return { session, done, start };
  }

  it("signs a new person in, and the same person again by subject", async () => {
    const service = current();
    const app = await appWithProvider(service);
    const email = newEmail();
    const first = await signInAtProvider(service, app, { sub: "subject-1", email, email_verified: true, name: "Ada" });
    expect(first.start.location.searchParams.get("code_challenge_method")).toBe("S256");
    expect(first.done.status).toBe(303);
    const tokens = await redeem(
      service,
      app,
      { session: first.session, code: first.done.location.searchParams.get("code") ?? "" },
      { state: "st" },
    );
    expect(tokens.user).toMatchObject({
      email,
      emailVerified: true,
      name: "Ada",
      authMethods: { passkey: false, oauth: ["corp"], password: false },
    });
    const again = await signInAtProvider(service, app, { sub: "subject-1", email: newEmail(), email_verified: false });
    const sameUser = await redeem(
      service,
      app,
      { session: again.session, code: again.done.location.searchParams.get("code") ?? "" },
      { state: "st" },
    );
    expect(sameUser.user["id"]).toBe(tokens.user["id"]);
    expect(
      (await call(service, "POST", "/auth/refresh", app.headers, { refreshToken: sameUser.refreshToken })).status,
    ).toBe(200);
  });

  it("goes on from a page of its own where only the discovery document tells the endpoint, which form-action cannot name", async () => {
    const service = current();
    const app = await service.createApp({ methods: ["oauth"] });
    const discovery = createServer((_request, response) => {
      const issuer = `http://localhost:${(discovery.address() as AddressInfo).port}`;
      const endpoints = {
        authorization_endpoint: `${provider.issuer.url}/authorize`,
        token_endpoint: `${provider.issuer.url}/token`,
      };
      response.end(JSON.stringify({ issuer, ...endpoints, jwks_uri: `${provider.issuer.url}/jwks` }));
    });
    await new Promise<void>((resolve) => discovery.listen(0, "localhost", resolve));
    const issuer = `http://localhost:${(discovery.address() as AddressInfo).port}`;
    await service.server.app.services.providers.set(
      app.id,
      { name: "corp", clientId: "client-1", secret: "s3cret", issuer },
      actor,
    );
    const visitor = new Visitor();
    const page = await visitor.get((await initiate(service, app)).authUrl);
    expect(page.headers.get("content-security-policy")).toContain(`form-action 'self' https://app.example ${issuer};`);
    const leaving = await visitor.submit(page, "/oauth/corp", {});
    expect(leaving.status).toBe(200);
    expect(leaving.headers.get("refresh")).toMatch(/^0; url=http:\/\/localhost:\d+\/authorize\?response_type=code&/u);
    expect(leaving.text).toContain("Continue to Corp");
    await new Promise((resolve) => discovery.close(resolve));
  });

  it("O8: refuses an answer without an issuer from a provider that says it always names itself (RFC 9207)", async () => {
    const service = current();
    const app = await service.createApp({ methods: ["oauth"] });
    const discovery = createServer((_request, response) => {
      const issuer = `http://localhost:${(discovery.address() as AddressInfo).port}`;
      const { url } = provider.issuer;
      const endpoints = {
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        jwks_uri: `${url}/jwks`,
      };
      response.end(JSON.stringify({ issuer, ...endpoints, authorization_response_iss_parameter_supported: true }));
    });
    await new Promise<void>((resolve) => discovery.listen(0, "localhost", resolve));
    const issuer = `http://localhost:${(discovery.address() as AddressInfo).port}`;
    await service.server.app.services.providers.set(
      app.id,
      { name: "corp", clientId: "client-1", secret: "s3cret", issuer },
      actor,
    );
    const visitor = new Visitor();
    const start = await visitor.get((await initiate(service, app, { authMethod: "oauth", provider: "corp" })).authUrl);
    const state = start.location.searchParams.get("state") ?? "";
    const done = await visitor.get(`${service.url}/oauth/corp/callback?code=stolen&state=${state}`);
    expect(done.status).toBe(400);
    expect(done.text).toContain("answer as expected");
    await new Promise((resolve) => discovery.close(resolve));
  });
});
