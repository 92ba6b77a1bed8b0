import { hash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { call, newEmail, Visitor } from "../../support/person.ts";
import { useProviders } from "../../support/providers/provider.ts";
import { changeApplication } from "../../support/providers/records.ts";
import { withProviders, atProvider, codeOf } from "../../support/providers/round.ts";
import { describeSqliteFirst, type TestApp, type TestService } from "../../support/service.ts";

const [github] = await useProviders("github");

const verifier = "v".repeat(64);
const challenge = hash("sha256", verifier, "base64url");

describeSqliteFirst("GET /oauth/{provider}/authorize", (current) => {
  const address = (service: TestService, query: Record<string, string>, name = "github") =>
    `${service.url}/oauth/${name}/authorize?${new URLSearchParams(query).toString()}`;
  const basic = (app: TestApp) => ({ app_id: app.id, redirect_uri: app.redirectUri });
  const person = () => ({ subject: "1", email: newEmail(), verified: true });

  it.each(["github", "GitHub", "GITHUB"])(
    "B: for a browser-only app, named %s, ends with PKCE and no API key",
    async (name) => {
      const { service, app } = await withProviders(current(), [github]);
      const state = "a b&c=d#\u{1F511}";
      const query = { ...basic(app), state, code_challenge: challenge, code_challenge_method: "S256" };
      const visitor = new Visitor();
      const start = await visitor.get(address(service, query, name));
      const { url } = await atProvider(start.location, github, person());
      const done = await visitor.get(url);
      expect(done.location.searchParams.get("state")).toBe(state);
      const sessionId = done.location.searchParams.get("sessionId");
      const body = { code: codeOf(done), sessionId, state };
      const publicClient = { "x-service-app-id": app.id, origin: new URL(app.redirectUri).origin };
      expect((await call(service, "POST", "/auth/callback", publicClient, body)).status).toBe(401);
      const redeemed = await call(service, "POST", "/auth/callback", publicClient, { ...body, codeVerifier: verifier });
      expect(redeemed.status).toBe(200);
      expect(redeemed.headers.get("access-control-allow-origin")).toBe(publicClient.origin);
    },
  );

  it("asks for PKCE at redemption when it was begun with it", async () => {
    const { service, app } = await withProviders(current(), [github]);
    const visitor = new Visitor();
    const query = { ...basic(app), code_challenge: challenge, code_challenge_method: "S256" };
    const start = await visitor.get(address(service, query));
    const done = await visitor.get((await atProvider(start.location, github, person())).url);
    const body = {
      code: codeOf(done),
      sessionId: done.location.searchParams.get("sessionId"),
      codeVerifier: "w".repeat(64),
    };
    expect((await call(service, "POST", "/auth/callback", app.headers, body)).status).toBe(400);
  });

  it("ignores parameters that are not its own, and passes none of them on", async () => {
    const { service, app } = await withProviders(current(), [github]);
    const foreign = { response_type: "token", scope: "admin", nonce: "n", token: "t", State: "s", code_verifier: "v" };
    const visitor = new Visitor();
    const start = await visitor.get(address(service, { ...basic(app), ...foreign, login: "x", prompt: "none" }));
    const sent = Object.fromEntries(start.location.searchParams);
    expect(sent).toMatchObject({ response_type: "code", scope: "read:user user:email" });
    for (const name of ["nonce", "token", "State", "code_verifier", "login", "prompt"])
      expect(sent).not.toHaveProperty(name);
    const done = await visitor.get((await atProvider(start.location, github, person())).url);
    expect([...done.location.searchParams.keys()].toSorted()).toEqual(["code", "sessionId"]);
  });

  describe("R2: answers what is wrong as JSON, and sends nobody anywhere", () => {
    const wrong: [title: string, change: (app: TestApp) => string, code: string, details?: RegExp][] = [
      ["no app", ({ redirectUri }) => `redirect_uri=${redirectUri}`, "INVALID_APP_ID", /^app_id: /u],
      [
        "an unknown app",
        ({ redirectUri }) => `app_id=app_nowhere&redirect_uri=${redirectUri}`,
        "INVALID_APP_ID",
        /^app_id: /u,
      ],
      ["an empty app", ({ redirectUri }) => `app_id=&redirect_uri=${redirectUri}`, "INVALID_APP_ID"],
      ["no redirect address", ({ id }) => `app_id=${id}`, "INVALID_REQUEST", /^redirect_uri: /u],
      ["an empty redirect address", ({ id }) => `app_id=${id}&redirect_uri=`, "INVALID_REQUEST", /^redirect/u],
      [
        "a foreign redirect address",
        ({ id }) => `app_id=${id}&redirect_uri=https://evil.example/`,
        "INVALID_REQUEST",
        /^redirect_uri: not registered/u,
      ],
      ["a longer redirect address", (app) => `${good(app)}/more`, "INVALID_REQUEST"],
      ["another case", (app) => good(app).replace("app.example", "APP.example"), "INVALID_REQUEST"],
      ["user information", (app) => good(app).replace("//", "//x@"), "INVALID_REQUEST"],
      ["a script", ({ id }) => `app_id=${id}&redirect_uri=javascript:alert(1)`, "INVALID_REQUEST"],
      ["the app twice", (app) => `${good(app)}&app_id=${app.id}`, "INVALID_REQUEST", /twice/u],
      ["the address twice", (app) => `${good(app)}&redirect_uri=https://evil.example`, "INVALID_REQUEST", /twice/u],
      ["the state twice", (app) => `${good(app)}&state=a&state=b`, "INVALID_REQUEST", /twice/u],
      ["a list", (app) => `${good(app)}&state[]=a`, "INVALID_REQUEST", /list/u],
      ["a state too long", (app) => `${good(app)}&state=${"x".repeat(2049)}`, "INVALID_REQUEST", /^state: /u],
      ["a NUL", (app) => `${good(app)}&state=%00`, "INVALID_REQUEST"],
      ["a broken escape", (app) => `${good(app)}&state=%zz`, "INVALID_REQUEST"],
      [
        "a challenge without its method",
        (app) => `${good(app)}&code_challenge=${challenge}`,
        "INVALID_REQUEST",
        /S256/u,
      ],
      [
        "the method plain",
        (app) => `${good(app)}&code_challenge=${challenge}&code_challenge_method=plain`,
        "INVALID_REQUEST",
        /^code_challenge_method: must be S256/u,
      ],
      [
        "a verifier of 128 characters, by the method plain",
        (app) => `${good(app)}&code_challenge=${"v".repeat(128)}&code_challenge_method=plain`,
        "INVALID_REQUEST",
        /^code_challenge_method: must be S256/u,
      ],
      ["a method without challenge", (app) => `${good(app)}&code_challenge_method=S256`, "INVALID_REQUEST"],
      [
        "a short challenge",
        (app) => `${good(app)}&code_challenge=x&code_challenge_method=S256`,
        "INVALID_REQUEST",
        /^code_challenge: /u,
      ],
    ];

    it.each(wrong)("%s", async (_title, change, code, details) => {
      const { service, app } = await withProviders(current(), [github]);
      await expectJsonError(`${service.url}/oauth/github/authorize?${change(app)}`, code, details);
    });

    it.each(["google", "nowhere", "github%20", "%00", "x".repeat(100)])("the provider %s", async (name) => {
      const { service, app } = await withProviders(current(), [github]);
      await expectJsonError(address(service, basic(app), name), "INVALID_REQUEST");
    });

    it("a provider that is listed but not configured, and one that is switched off", async () => {
      const { service, app } = await withProviders(current(), [github]);
      await changeApplication(service, app, ({ authMethods }) => ({
        authMethods: { ...authMethods, oauth: { enabled: true, providers: ["google"] } },
      }));
      await expectJsonError(address(service, basic(app), "google"), "INVALID_REQUEST", /not configured/u);
      await expectJsonError(address(service, basic(app)), "INVALID_REQUEST", /not enabled/u);
      await changeApplication(service, app, ({ authMethods }) => ({
        authMethods: { ...authMethods, oauth: { enabled: false, providers: ["github"] } },
      }));
      await expectJsonError(address(service, basic(app)), "INVALID_REQUEST", /^provider: not enabled/u);
    });

    it("B7: Group B switched off for the app, as if there were no such app", async () => {
      const { service, app } = await withProviders(current(), [github]);
      await changeApplication(service, app, ({ settings }) => ({ settings: { ...settings, queryEndpoints: false } }));
      await expectJsonError(address(service, basic(app)), "INVALID_APP_ID");
    });

    it("other methods", async () => {
      const { service, app } = await withProviders(current(), [github]);
      const url = address(service, basic(app));
      for (const method of ["POST", "PUT", "DELETE"]) {
        const response = await fetch(url, { method, redirect: "manual" });
        expect(response.status).toBe(405);
        expect(response.headers.get("location")).toBeNull();
      }
    });
  });

  async function expectJsonError(url: string, code: string, details?: RegExp): Promise<void> {
    const response = await fetch(url, { redirect: "manual" });
    const text = await response.text();
    expect(response.status).toBe(code === "INVALID_APP_ID" ? 401 : 400);
    expect(response.headers.get("location")).toBeNull();
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(response.headers.getSetCookie()).toEqual([]);
    const { error } = JSON.parse(text) as { error: { code: string; details: string } };
    expect(error.code).toBe(code);
    if (details) expect(error.details).toMatch(details);
    expect(text).not.toContain("evil.example");
    expect(github.received).toEqual([]);
  }
});

function good(app: TestApp): string {
  return `app_id=${app.id}&redirect_uri=${app.redirectUri}`;
}
