import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as providers from "../../../src/applications/providers/provider-clients.ts";
import * as applications from "../../../src/applications/service.ts";
import { accountWith } from "../../../src/dev/providers/accounts.ts";
import { standIns, type StandIn } from "../../../src/dev/providers/stand-ins.ts";
import { examine } from "../../../src/upkeep/doctor/service.ts";
import { freePort } from "../../support/free-port.ts";
import { call, initiate, signedUp, validate, Visitor, type Session, type Tokens } from "../../support/person.ts";
import { demoApp, startTestService, testConfig, type TestApp, type TestService } from "../../support/service.ts";

let running: Awaited<ReturnType<typeof startTestService>>;
let service: TestService;
let demo: TestApp;
let shop: TestApp;
let tokens: Tokens;
let session: Session;

const operator = { kind: "cli", name: "test" } as const;
const google = standIns.find(({ name }) => name === "google") as StandIn;

async function restartedWith(mode: { dev: boolean }): Promise<void> {
  Object.assign(service.config, mode);
  await running.restart();
}

async function codeOf(answer: Promise<{ status: number; body: { error?: { code: string } } }>): Promise<string> {
  const { status, body } = await answer;
  return `${status} ${body.error?.code ?? "ok"}`;
}

const bearer = (): Record<string, string> => ({ authorization: `Bearer ${tokens.accessToken}` });

beforeAll(async () => {
  const port = await freePort();
  const listen = { ...testConfig.listen, port };
  // One address in both modes: it is the issuer of every token.
  running = await startTestService("sqlite", { dev: true, baseUrl: `http://localhost:${port}`, listen });
  service = running.service;
  demo = demoApp(service);
  shop = await service.createApp();
  const { ctx } = service.server.app;
  await providers.set(ctx, shop.id, accountWith(google, `http://127.0.0.1:${port}`, ""), operator);
  await providers.set(ctx, shop.id, { name: "github", clientId: "Iv1", secret: "secret" }, operator);
  tokens = await signedUp(service, demo);
  session = await initiate(service, demo);
  await restartedWith({ dev: false });
});

afterAll(async () => {
  await running.stop();
});

describe("what development mode has left, without it", () => {
  it("refuses the API key of the demo application", async () => {
    const body = { redirectUri: demo.redirectUri };
    const { refreshToken } = tokens;
    for (const answer of [
      call(service, "POST", "/auth/initiate", demo.headers, body),
      call(service, "POST", "/auth/refresh", demo.headers, { refreshToken }),
      call(service, "GET", `/applications/${demo.id}`, demo.headers),
      call(service, "GET", "/webhooks/endpoints", demo.headers),
    ])
      expect(await codeOf(answer)).toBe("401 INVALID_API_KEY");
  });

  it("knows no application by the App ID of the demo application", async () => {
    const appId = { "x-service-app-id": demo.id };
    const callback = { code: "code", sessionId: session.sessionId, codeVerifier: "v".repeat(43) };
    expect(await codeOf(call(service, "POST", "/auth/callback", appId, callback))).toBe("401 INVALID_API_KEY");
    const inQuery = `app_id=${demo.id}`;
    const authorize = `/oauth/google/authorize?${inQuery}&redirect_uri=${encodeURIComponent(demo.redirectUri)}`;
    for (const path of [`/api/config?${inQuery}`, `/auth/verify-token?${inQuery}&token=t`, authorize])
      expect(await codeOf(call(service, "GET", path, {}))).toBe("401 INVALID_APP_ID");
  });

  it("takes no access token of the demo application", async () => {
    expect(await codeOf(validate(service, demo, tokens.accessToken))).toBe("401 INVALID_TOKEN");
    for (const path of ["/users/profile", "/users/auth-methods", "/api/user"])
      expect(await codeOf(call(service, "GET", path, bearer()))).toBe("401 INVALID_TOKEN");
    expect(await codeOf(call(service, "POST", "/auth/logout", bearer(), {}))).toBe("401 INVALID_TOKEN");
  });

  it("shows no page of the demo application", async () => {
    const unknown = await new Visitor().get(`${service.url}/sign-in/sis_${"a".repeat(43)}`);
    const page = await new Visitor().get(session.authUrl);
    expect([page.status, page.text]).toEqual([
      unknown.status,
      unknown.text.replaceAll(`sis_${"a".repeat(43)}`, session.sessionId),
    ]);
    const account = await new Visitor().get(`${service.url}/account?app_id=${demo.id}`);
    const ofNone = await new Visitor().get(`${service.url}/account?app_id=app_none`);
    expect([account.status, account.text]).toEqual([404, ofNone.text.replaceAll("app_none", demo.id)]);
  });

  it("leaves the account page without an App ID to the one other application", async () => {
    const visitor = new Visitor();
    const away = await visitor.get(`${service.url}/account`);
    expect((await visitor.get(away.location.href)).text).toContain("Acme 1");
  });

  it("offers no stand-in of any application, and refuses one as a provider that is not configured", async () => {
    const page = await new Visitor().get((await initiate(service, shop)).authUrl);
    expect(page.text).toContain("/oauth/github");
    expect(page.text).not.toContain("/oauth/google");
    const asked = { redirectUri: shop.redirectUri, authMethod: "oauth", provider: "google" };
    const { status, body } = await call(service, "POST", "/auth/initiate", shop.headers, asked);
    expect([status, body.error]).toMatchObject([400, { details: "provider: not configured for this application" }]);
    const config = await call(service, "GET", `/api/config?app_id=${shop.id}`, {});
    expect(config.body).toMatchObject({ authMethods: { oauth: { providers: [{ name: "github" }] } } });
  });

  it("is known by its mark, whatever its redirect URIs", async () => {
    const { ctx } = service.server.app;
    await applications.update(ctx, demo.id, { redirectUris: ["http://localhost:3000/callback"] }, operator);
    expect(await applications.find(ctx, ctx.storage.reader, demo.id)).toBeUndefined();
    await applications.update(ctx, demo.id, { redirectUris: [demo.redirectUri] }, operator);
  });

  it("is found by doctor, with the commands that remove it", async () => {
    const findings = await examine(service.server.app.ctx);
    expect(findings.filter(({ check }) => check === "development")).toEqual([
      {
        check: "development",
        status: "warning",
        message: "app_demo is the demo application of development mode (serve --dev), and does nothing without it.",
        fix: "authsvc app delete app_demo --yes",
      },
      {
        check: "development",
        status: "warning",
        message: `google of ${shop.id} is a stand-in of development mode (serve --dev), and does nothing without it.`,
        fix: `authsvc app provider remove ${shop.id} google --yes`,
      },
    ]);
  });
});

describe("what development mode has left, with it again", () => {
  beforeAll(async () => restartedWith({ dev: true }));

  it("works as before, and doctor finds nothing", async () => {
    expect(service.server.dev).toMatchObject({ appId: demo.id, apiKey: demo.apiKey });
    expect((await validate(service, demo, tokens.accessToken)).status).toBe(200);
    const page = await new Visitor().get((await initiate(service, demo)).authUrl);
    expect(page.text).toContain("/oauth/google");
    const findings = await examine(service.server.app.ctx);
    expect(findings.filter(({ check }) => check === "development")).toEqual([]);
  });
});
