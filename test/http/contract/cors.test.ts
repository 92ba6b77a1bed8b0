import { hash } from "node:crypto";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { browserOrigins } from "../../../src/applications/browser-origins.ts";
import { newContext, type Context } from "../../../src/runtime/context.ts";
import { call, newEmail, signedUp, signUp, type Tokens } from "../../support/person.ts";
import { describeOnSqlite, type TestApp, type TestService } from "../../support/service.ts";

const traceHeaders = "traceparent, tracestate, baggage";
const userHeaders = `Authorization, Content-Type, X-Service-App-ID, DPoP, ${traceHeaders}`;
const publicHeaders = `Content-Type, X-Service-App-ID, ${traceHeaders}`;
/** What routes.ts opens to browsers: methods and headers that a page may send. */
const open: [path: string, method: string, headers: string][] = [
  ["/auth/initiate", "POST", publicHeaders],
  ["/auth/callback", "POST", publicHeaders],
  ["/auth/refresh", "POST", publicHeaders],
  ["/auth/validate", "GET", userHeaders],
  ["/auth/logout", "POST", userHeaders],
  ["/auth/verify-token", "GET", userHeaders],
  ["/api/user", "GET", userHeaders],
  ["/api/config", "GET", userHeaders],
];
const allowOrigin = "access-control-allow-origin";
const verifier = "a-code-verifier-of-at-least-43-characters-0123456789";
const pkce = { codeChallenge: hash("sha256", verifier, "base64url") };

describeOnSqlite("calls from browsers", (current) => {
  it("H8: a page without any secret redeems, refreshes, validates, asks for the user and signs out", async () => {
    const service = current();
    const app = await newApp(service, "https://spa.example");
    const { session, code, location } = await signUp(service, app, { email: newEmail(), name: "Ada" }, pkce);
    const browser = new Browser(service, location.origin);
    const appId = { "x-service-app-id": app.id };
    const json = { ...appId, "content-type": "application/json" };

    const body = { code, sessionId: session.sessionId, codeVerifier: verifier };
    const tokens = (await browser.fetch("POST", "/auth/callback", json, body)) as Tokens;
    expect(tokens.user["name"]).toBe("Ada");
    const next = (await browser.fetch("POST", "/auth/refresh", json, { refreshToken: tokens.refreshToken })) as Tokens;
    const bearer = { authorization: `Bearer ${next.accessToken}` };
    expect(await browser.fetch("GET", "/auth/validate", { ...bearer, ...appId })).toMatchObject({ valid: true });
    expect(await browser.fetch("GET", "/api/user", bearer)).toMatchObject({ id: tokens.user["id"] });
    expect(await browser.fetch("GET", `/api/user?token=${next.accessToken}`)).toMatchObject({ name: "Ada" });
    const verify = `/auth/verify-token?app_id=${app.id}&token=${next.accessToken}`;
    expect(await browser.fetch("GET", verify)).toMatchObject({ valid: true });
    expect(await browser.fetch("GET", `/api/config?app_id=${app.id}`)).toMatchObject({ id: app.id });
    const out = await browser.fetch("POST", "/auth/logout", { ...bearer, "content-type": "application/json" }, {});
    expect(out).toMatchObject({ success: true });
    // Errors are readable as well: without them a page cannot know that it must refresh or sign in
    // again.
    expect(await browser.fetch("GET", verify)).toEqual({ valid: false });
    expect(await browser.fetch("GET", "/auth/validate", { ...bearer, ...appId })).toMatchObject({
      error: { code: "INVALID_TOKEN" },
    });
    expect(await browser.fetch("POST", "/auth/refresh", json, { refreshToken: next.refreshToken })).toMatchObject({
      error: { code: "INVALID_TOKEN" },
    });
    // Only the public-client and user-level calls asked for permission; the query-style ones need
    // none.
    expect([...new Set(browser.preflights)]).toEqual([
      "POST /auth/callback",
      "POST /auth/refresh",
      "GET /auth/validate",
      "GET /api/user",
      "POST /auth/logout",
    ]);
  });

  describe("preflights", () => {
    it.each(open)("%s answers an app's origin with what it may send", async (path, method, headers) => {
      const service = current();
      const { origin } = new URL((await newApp(service)).redirectUri);
      const answer = await preflight(service, path, origin, method);
      expect(answer.status).toBe(204);
      expect(await answer.text()).toBe("");
      expect(corsHeaders(answer.headers)).toEqual({
        vary: "Origin",
        "access-control-allow-origin": origin,
        "access-control-allow-methods": method,
        "access-control-allow-headers": headers,
        "access-control-max-age": "600",
      });
      expect(answer.headers.get("cache-control")).toBe("no-store");
      expect(answer.headers.get("x-request-id")).toMatch(/^req_/u);
      expect(answer.headers.has("x-ratelimit-limit")).toBe(false);
    });

    it("H8: an origin that only looks like an app's is allowed nothing", async () => {
      const service = current();
      await newApp(service, "https://real.example:8443", ["http://localhost:3000/cb", "com.example.app://host/cb"]);
      expect((await preflight(service, "/auth/refresh", "https://real.example:8443")).headers.get(allowOrigin)).toBe(
        "https://real.example:8443",
      );
      expect((await preflight(service, "/auth/refresh", "http://localhost:3000")).headers.get(allowOrigin)).toBe(
        "http://localhost:3000",
      );
      for (const origin of strangers("real.example:8443")) {
        for (const [path, method] of open) {
          const answer = await preflight(service, path, origin, method);
          expect(answer.status).toBe(204);
          expect(corsHeaders(answer.headers)).toEqual({ vary: "Origin" });
        }
      }
    });

    it("an OPTIONS that is no preflight says nothing", async () => {
      const service = current();
      const { origin } = new URL((await newApp(service)).redirectUri);
      for (const headers of [{}, { origin }, { "access-control-request-method": "POST" }]) {
        const answer = await fetch(`${service.url}/auth/refresh`, { method: "OPTIONS", headers });
        expect([answer.status, corsHeaders(answer.headers)]).toEqual([204, { vary: "Origin" }]);
      }
    });

    it("know a new origin after a second at most, by whatever process it was registered, and forget one within a minute", async () => {
      const service = current();
      const app = await newApp(service, "https://first.example");
      const seen = async (origin: string) =>
        (await preflight(service, "/auth/refresh", origin)).headers.get(allowOrigin) === origin;
      service.clock.advance(1000);
      expect(await seen("https://first.example")).toBe(true);
      expect(await seen("https://second.example")).toBe(false);
      await setRedirectUris(service, app, ["https://second.example/cb"]);
      service.clock.advance(1000);
      expect(await seen("https://second.example")).toBe(true);
      expect(await seen("https://first.example")).toBe(false);
      await setRedirectUris(service, app, ["https://third.example/cb"]);
      // Still allowed to ask, but not to read the answer.
      expect(await seen("https://second.example")).toBe(true);
      const config = await fetch(`${service.url}/api/config?app_id=${app.id}`, {
        headers: { origin: "https://second.example" },
      });
      expect(config.headers.get(allowOrigin)).toBeNull();
      service.clock.advance(60_000);
      expect(await seen("https://second.example")).toBe(false);
    });

    it("find made-up origins in memory: a flood of them reads the applications once a second", async () => {
      const service = current();
      service.clock.advance(1000);
      const { origins, reads } = countedOrigins(service);
      await Promise.all(Array.from({ length: 200 }, (_, n) => origins.isRegistered(`https://made-up-${n}.example`)));
      expect(reads()).toBe(1);
      service.clock.advance(999);
      await origins.isRegistered("https://made-up.example");
      expect(reads()).toBe(1);
      service.clock.advance(1);
      await origins.isRegistered("https://made-up.example");
      expect(reads()).toBe(2);
    });
  });

  it("an unknown path stays unknown", async () => {
    const answer = await preflight(current(), "/nowhere", "https://app.example");
    expect([answer.status, corsHeaders(answer.headers)]).toEqual([404, {}]);
  });

  describe("the answer itself", () => {
    it("H8: is shared with the origins of the app that the call is for, and with nobody else", async () => {
      const service = current();
      const app = await newApp(service, "https://mine.example", [
        "https://mine.example/other",
        "http://127.0.0.1:5000/",
      ]);
      await newApp(service, "https://theirs.example");
      const { accessToken } = await signedUp(service, app);
      for (const { method, path, headers, body } of callsOf(app, accessToken)) {
        for (const origin of ["https://mine.example", "http://127.0.0.1:5000"]) {
          const answer = await call(service, method, path, { ...headers, origin }, body);
          expect(corsHeaders(answer.headers)).toEqual({
            vary: "Origin",
            "access-control-allow-origin": origin,
            "access-control-expose-headers":
              "X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, DPoP-Nonce, WWW-Authenticate",
          });
        }
        for (const origin of [...strangers("mine.example"), "https://theirs.example"]) {
          const answer = await call(service, method, path, { ...headers, origin }, body);
          expect(corsHeaders(answer.headers)).toEqual({ vary: "Origin" });
        }
        const plain = await call(service, method, path, headers, body);
        expect(corsHeaders(plain.headers)).toEqual({ vary: "Origin" });
      }
    });

    it("tells a page of the app what is wrong, also when the token is expired and names the app only in itself", async () => {
      const service = current();
      const app = await newApp(service, "https://errors.example");
      const { accessToken } = await signedUp(service, app);
      service.clock.advance(900_000);
      const origin = "https://errors.example";
      const bearer = { authorization: `Bearer ${accessToken}`, origin };
      const named = { "x-service-app-id": app.id, origin };
      const calls: [string, string, Record<string, string>, string][] = [
        ["GET", "/auth/validate", bearer, "INVALID_TOKEN"],
        ["GET", "/auth/validate", { ...named, authorization: "Bearer garbage" }, "INVALID_TOKEN"],
        ["GET", "/auth/validate", named, "INVALID_TOKEN"],
        ["POST", "/auth/logout", bearer, "INVALID_TOKEN"],
        ["GET", `/api/user?token=${accessToken}`, { origin }, "INVALID_TOKEN"],
        ["GET", "/api/user", bearer, "INVALID_TOKEN"],
        ["POST", "/auth/refresh", named, "INVALID_API_KEY"],
        ["POST", "/auth/callback", named, "INVALID_API_KEY"],
        ["POST", "/auth/initiate", named, "INVALID_API_KEY"],
      ];
      for (const [method, path, headers, code] of calls) {
        const answer = await call(service, method, path, headers);
        expect([path, answer.body.error?.code, answer.headers.get(allowOrigin)]).toEqual([path, code, origin]);
      }
    });

    it("is shared with nobody when the app is not known", async () => {
      const service = current();
      await newApp(service, "https://known.example");
      const origin = "https://known.example";
      const calls: [string, string, Record<string, string>][] = [
        ["POST", "/auth/refresh", {}],
        ["POST", "/auth/refresh", { "x-service-app-id": "app_nowhere" }],
        ["POST", "/auth/initiate", { "x-service-app-id": "app_nowhere" }],
        ["GET", "/auth/validate", { authorization: "Bearer garbage" }],
        ["GET", "/auth/validate", {}],
        ["POST", "/auth/logout", {}],
        ["GET", "/api/user?token=garbage", {}],
        ["GET", "/api/user", {}],
        ["GET", "/auth/verify-token?token=garbage", {}],
        ["GET", "/api/config?app_id=app_nowhere", {}],
        ["GET", "/api/config?app_id=a&app_id=b", {}],
      ];
      for (const [method, path, headers] of calls) {
        const answer = await call(service, method, path, { ...headers, origin });
        expect(answer.status).toBeGreaterThanOrEqual(400);
        expect([path, corsHeaders(answer.headers)]).toEqual([path, { vary: "Origin" }]);
      }
    });

    it("is shared with no page when the call carries an API key: that belongs in no browser", async () => {
      const service = current();
      const app = await newApp(service, "https://leaky.example");
      const { refreshToken } = await signedUp(service, app);
      const headers = { ...app.headers, origin: "https://leaky.example" };
      const started = await call(service, "POST", "/auth/initiate", headers, { redirectUri: app.redirectUri });
      expect([started.status, corsHeaders(started.headers)]).toEqual([200, { vary: "Origin" }]);
      const answer = await call(service, "POST", "/auth/refresh", headers, { refreshToken });
      expect([answer.status, corsHeaders(answer.headers)]).toEqual([200, { vary: "Origin" }]);
    });

    it("never allows a token of another app to be read by naming one's own", async () => {
      const service = current();
      const victim = await newApp(service, "https://victim.example");
      const attacker = await newApp(service, "https://attacker.example");
      const { accessToken } = await signedUp(service, victim);
      const origin = "https://attacker.example";
      const bearer = { authorization: `Bearer ${accessToken}`, origin };
      const named = { ...bearer, "x-service-app-id": attacker.id };
      const calls: [string, string, Record<string, string>][] = [
        ["GET", "/auth/validate", named],
        ["POST", "/auth/logout", named],
        ["GET", "/api/user", named],
        ["GET", `/api/user?app_id=${attacker.id}`, bearer],
        ["GET", `/auth/verify-token?app_id=${attacker.id}`, bearer],
        ["GET", `/auth/verify-token?app_id=${victim.id}`, bearer],
        ["GET", `/api/user`, bearer],
      ];
      for (const [method, path, headers] of calls) {
        const answer = await call(service, method, path, headers, method === "POST" ? {} : undefined);
        const readable = answer.headers.get(allowOrigin) === origin;
        expect([path, readable && answer.status === 200 && answer.body["valid"] !== false]).toEqual([path, false]);
      }
    });
  });
});

describeOnSqlite(
  "limited calls from browsers",
  { rateLimits: { authentication: 3, userManagement: 3, applicationManagement: 3, webhooks: 3 } },
  (current) => {
    it("show the page that it must wait, and do not count preflights", async () => {
      const service = current();
      const app = await newApp(service, "https://busy.example");
      service.clock.advance(60_000);
      const origin = "https://busy.example";
      const headers = { origin, "x-service-app-id": app.id };
      for (let n = 0; n < 10; n += 1) await preflight(service, "/auth/refresh", origin);
      const statuses: number[] = [];
      for (let n = 0; n < 4; n += 1) statuses.push((await call(service, "POST", "/auth/refresh", headers, {})).status);
      expect(statuses).toEqual([401, 401, 401, 429]);
      const limited = await call(service, "POST", "/auth/refresh", headers, {});
      expect(limited.headers.get(allowOrigin)).toBe(origin);
      expect(limited.headers.get("access-control-expose-headers")).toContain("Retry-After");
      expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0);
    });
  },
);

/**
 * A page's `fetch`, as the Fetch standard has it: asks first where it must, and shows the page
 * nothing that it may not read.
 */
class Browser {
  readonly preflights: string[] = [];
  readonly #service: TestService;
  readonly #origin: string;

  constructor(service: TestService, origin: string) {
    this.#service = service;
    this.#origin = origin;
  }

  async fetch(method: string, path: string, headers: Record<string, string> = {}, body?: unknown): Promise<unknown> {
    const unsafe = Object.keys(headers).toSorted();
    if (unsafe.length > 0) await this.#ask(method, path, unsafe);
    const answer = await call(this.#service, method, path, { ...headers, origin: this.#origin }, body);
    if (answer.headers.get(allowOrigin) !== this.#origin)
      throw new TypeError(`${path}: not shared with ${this.#origin}`);
    if (answer.headers.has("access-control-allow-credentials")) throw new TypeError(`${path}: with credentials`);
    return answer.body;
  }

  async #ask(method: string, path: string, names: string[]): Promise<void> {
    this.preflights.push(`${method} ${path}`);
    const answer = await preflight(this.#service, path, this.#origin, method, names.join(","));
    const listed = (name: string) => (answer.headers.get(name) ?? "").toLowerCase().split(", ");
    const allowed =
      answer.ok &&
      answer.headers.get(allowOrigin) === this.#origin &&
      listed("access-control-allow-methods").includes(method.toLowerCase()) &&
      names.every((name) => listed("access-control-allow-headers").includes(name));
    if (!allowed) throw new TypeError(`${path}: preflight refused`);
  }
}

async function preflight(service: TestService, path: string, origin: string, method = "POST", names = "content-type") {
  return await fetch(service.url + path, {
    method: "OPTIONS",
    headers: { origin, "access-control-request-method": method, "access-control-request-headers": names },
  });
}

/** Every header that CORS knows. */
function corsHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name === "vary" || name.startsWith("access-control-")));
}

let origins = 0;
/** An app with an origin of its own, which the service has had time to notice. */
async function newApp(service: TestService, origin?: string, more: string[] = []): Promise<TestApp> {
  origins += 1;
  const app = await service.createApp({ redirectUris: [`${origin ?? `https://app${origins}.example`}/cb`, ...more] });
  service.clock.advance(1000);
  return app;
}

async function setRedirectUris(service: TestService, app: TestApp, redirectUris: string[]): Promise<void> {
  await service.server.app.ctx.storage.write(async ({ db, tables: { applications } }) => {
    await db.update(applications).set({ redirectUris }).where(eq(applications.id, app.id));
  });
}

function countedOrigins(service: TestService) {
  const { ctx } = service.server.app;
  const { storage } = ctx;
  let reads = 0;
  const counting = {
    ...storage,
    get reader() {
      reads += 1;
      return storage.reader;
    },
  };
  return {
    origins: browserOrigins(newContext<Context>({ ...ctx, storage: counting })),
    reads: () => reads,
  };
}

/** Origins that are not `https://{host}`. */
function strangers(host: string): string[] {
  return [
    "https://evil.example",
    `http://${host}`,
    `https://${host}.evil.example`,
    `https://sub.${host}`,
    `https://evil${host}`,
    `https://${host.replace(/:\d+$/u, "")}:9999`,
    `https://${host}/`,
    `https://${host}/cb`,
    `https://user@${host}`,
    `https://${host.toUpperCase()}`,
    `https://${host} https://evil.example`,
    `https://${host}, https://evil.example`,
    "https://",
    "https:/",
    "null",
    "*",
    "",
    "com.example.app:",
    "com.example.app://",
    "com.example.app://host",
    "file://",
  ];
}

function callsOf(app: TestApp, token: string) {
  const appId = { "x-service-app-id": app.id };
  const bearer = { authorization: `Bearer ${token}` };
  return [
    { method: "GET", path: "/auth/validate", headers: { ...bearer, ...appId } },
    { method: "POST", path: "/auth/refresh", headers: appId, body: { refreshToken: "unknown" } },
    {
      method: "POST",
      path: "/auth/callback",
      headers: appId,
      body: { code: "x", sessionId: "y", codeVerifier: verifier },
    },
    { method: "POST", path: "/auth/logout", headers: bearer, body: { unknown: 1 } },
    { method: "GET", path: "/api/user", headers: bearer },
    { method: "GET", path: `/api/user?token=${token}`, headers: {} },
    { method: "GET", path: `/auth/verify-token?token=${token}&app_id=${app.id}`, headers: {} },
    { method: "GET", path: `/auth/verify-token?token=garbage&app_id=${app.id}`, headers: {} },
    { method: "GET", path: `/api/config?app_id=${app.id}`, headers: {} },
  ] as { method: string; path: string; headers: Record<string, string>; body?: unknown }[];
}
