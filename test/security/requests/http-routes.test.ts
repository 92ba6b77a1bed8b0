import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DevClock } from "../../../src/dev/clock.ts";
import { openDevelopment } from "../../../src/dev/development.ts";
import type { Route } from "../../../src/http/route.ts";
import { loadAssets } from "../../../src/pages/assets/assets.ts";
import { routes } from "../../../src/routes.ts";
import { sendUntidied } from "../../support/raw-http.ts";
import { addressOf } from "../../support/routes.ts";
import { describeOnSqlite, startTestService, type TestService } from "../../support/service.ts";

/** What somebody who looks for a way in asks for, and what other systems have left open. */
const guesses = [
  "/auth",
  "/auth/",
  "/auth/token",
  "/AUTH/initiate",
  "/auth/Initiate",
  "/.well-known/",
  "/.well-known/openid-configuration/x",
  "/.env",
  "/.git/config",
  "/admin",
  "/actuator/env",
  "/applications",
  "/assets/",
  "/assets/%2e%2e/%2e%2e/package.json",
  "/config.yaml",
  "/console",
  "/constructor",
  "/data/authsvc.db",
  "/data/master.key",
  "/debug",
  "/debug/pprof/",
  "/demo",
  "/dev",
  "/dev/mail",
  "/graphql",
  "/index.html",
  "/json/list",
  "/package.json",
  "/__proto__",
  "/server-status",
  "/src/routes.ts",
  "/swagger-ui",
  "/test",
  "/users",
];
const everyMethod = ["GET", "POST", "PUT", "PATCH", "DELETE", "PROPFIND", "REPORT", "PURGE", "LINK"];

describeOnSqlite("the routes of the service", (current) => {
  /** The methods that `routes.ts` gives each address. */
  const methodsOf = (): Map<string, Route[]> => Map.groupBy(routes, (route) => addressOf(route));

  it.each(guesses)("Y4: there is nothing at %s, by any method", async (path) => {
    for (const method of everyMethod) {
      const answer = await sendUntidied(current(), method, path, {});
      expect([method, answer.status]).toEqual([method, 404]);
      expectError(answer, "This path does not exist.");
    }
  });

  it.each([
    "..%2f..%2fpackage.json",
    "..%5c..%5cpackage.json",
    "%2fetc%2fpasswd",
    "__proto__",
    "constructor",
    "demo.css",
  ])("Y4: no asset is called %s", async (file) => {
    const answer = await sendUntidied(current(), "GET", `/assets/${file}`, {});
    expect(answer.status).toBe(404);
    expect(answer.text).not.toMatch(/authsvc|root:/u);
  });

  it("Y4: a path has the methods of routes.ts and no other; each refusal is the whole error object and names them", async () => {
    const paths = methodsOf();
    expect(paths.size).toBeGreaterThan(60);
    for (const [path, those] of paths) {
      const methods: string[] = those.map(({ method }) => method);
      const open = those.some(({ browser }) => browser !== undefined) ? ["OPTIONS"] : [];
      const allowed = [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), ...open].toSorted();
      const others = [...everyMethod, "OPTIONS", "HEAD"].filter((method) => !allowed.includes(method));
      for (const method of others) {
        const answer = await sendUntidied(current(), method, path, {});
        expect([method, path, answer.status]).toEqual([method, path, 405]);
        expect(String(answer.headers["allow"]).split(", ").toSorted()).toEqual(allowed);
        const isOAuth = those.some(({ errors }) => errors === "oauth");
        if (method !== "HEAD") expectError(answer, "This path does not support this method.", { isOAuth });
      }
    }
  });

  it("Y4: HEAD is GET without its body, on every path, and so shows nothing that GET does not", async () => {
    for (const route of routes.filter(({ method }) => method === "GET")) {
      const path = addressOf(route);
      const [get, head] = [
        await sendUntidied(current(), "GET", path, {}),
        await sendUntidied(current(), "HEAD", path, {}),
      ];
      expect([path, head.status, head.text]).toEqual([path, get.status, ""]);
      expect(head.headers["content-type"]).toBe(get.headers["content-type"]);
      expect(head.headers["content-security-policy"] === undefined).toBe(
        get.headers["content-security-policy"] === undefined,
      );
    }
  });

  it("H8, CVE-2026-5469: a preflight of any page is allowed nothing that routes.ts does not open, and never with cookies", async () => {
    const app = await current().createApp({ redirectUris: ["https://mine.example/cb"] });
    const traced = ["traceparent", "tracestate", "baggage"];
    for (const [path, those] of methodsOf()) {
      const open = those.filter(({ browser }) => browser !== undefined);
      const isForAll = open.some(({ browser }) => browser === "everybody");
      for (const origin of ["https://mine.example", "https://evil.example", "null", current().url]) {
        const asked = {
          origin,
          "access-control-request-method": "POST",
          "access-control-request-headers": ["baggage", "cookie", "traceparent", "tracestate"].join(","),
        };
        const answer = await sendUntidied(current(), "OPTIONS", path, asked);
        const header = (name: string): string[] | undefined => {
          const value = answer.headers[`access-control-allow-${name}`];
          return value === undefined ? undefined : String(value).split(", ");
        };
        const mine = open.length > 0 && (isForAll || origin === "https://mine.example");
        expect([path, origin, header("methods")]).toEqual([
          path,
          origin,
          mine ? open.map(({ method }) => method) : undefined,
        ]);
        expect(header("origin")).toEqual(mine ? [isForAll ? "*" : origin] : undefined);
        expect(answer.headers["access-control-allow-credentials"]).toBeUndefined();
        if (mine) expect([path, header("headers")]).toEqual([path, expect.arrayContaining(traced)]);
        expect(String(header("headers"))).not.toMatch(/cookie|\*/iu);
      }
      for (const { method, browser } of those) {
        const ofClient: Record<string, string> =
          browser === "client" ? { authorization: `Basic ${btoa(`${app.id}:x`)}` } : {};
        const headers = { origin: "https://mine.example", "x-service-app-id": app.id, ...ofClient };
        const real = await sendUntidied(current(), method, `${path}?app_id=${app.id}`, headers);
        const shared = browser === "everybody" ? "*" : browser && "https://mine.example";
        expect([path, method, real.headers["access-control-allow-origin"]]).toEqual([path, method, shared]);
        expect(real.headers["access-control-allow-credentials"]).toBeUndefined();
      }
    }
    const forAll = routes.filter(({ browser }) => browser === "everybody").map(({ path }) => path);
    expect(forAll).toEqual([
      "/.well-known/openid-configuration",
      "/.well-known/oauth-authorization-server",
      "/.well-known/jwks.json",
      // Anybody who knows its address may see it.
      "/pictures/:random/:digest",
    ]);
  });
});

describe("development mode", () => {
  let dev: Awaited<ReturnType<typeof startTestService>>;
  let usual: Awaited<ReturnType<typeof startTestService>>;
  beforeAll(async () => {
    dev = await startTestService("sqlite", { dev: true });
    usual = await startTestService("sqlite");
  });
  afterAll(async () => {
    await dev.stop();
    await usual.stop();
  });

  async function developmentRoutes({ server, dataDir, url }: TestService): Promise<Route[]> {
    const devClock = new DevClock(server.app.ctx.clock);
    const given = { dataDir, listenAddress: url, redirectUris: [], devClock };
    const { routes } = await openDevelopment(server.app.ctx, given);
    return routes(loadAssets({ demo: true }));
  }

  it("Y4: none of its routes exists otherwise: no mailbox, no demo, no stand-in for a provider", async () => {
    const routes = await developmentRoutes(dev.service);
    expect(routes.length).toBeGreaterThan(10);
    const there = new Set<number>();
    // Both have a front page.
    for (const route of routes.filter(({ path }) => path !== "/")) {
      const path = addressOf(route);
      there.add((await sendUntidied(dev.service, route.method, path, {})).status);
      const answer = await sendUntidied(usual.service, route.method, path, {});
      expect([route.method, path, answer.status]).toEqual([route.method, path, 404]);
      expectError(answer, "This path does not exist.");
    }
    // In development they are there.
    expect([...there]).toContain(200);
  });

  it("Y4: no application, user or key is there before an operator makes one", async () => {
    const { tables, db } = usual.service.server.app.ctx.storage.reader;
    expect(await db.select().from(tables.applications)).toEqual([]);
    expect(await db.select().from(tables.apiKeys)).toEqual([]);
    expect(await db.select().from(tables.users)).toEqual([]);
    for (const id of ["app_demo", "demo", "default", "admin"]) {
      const config = await sendUntidied(usual.service, "GET", `/api/config?app_id=${id}`, {});
      expect([id, config.status]).toEqual([id, 401]);
    }
  });
});

function expectError(
  { headers, text }: Awaited<ReturnType<typeof sendUntidied>>,
  message: string,
  { isOAuth } = { isOAuth: false },
): void {
  expect(JSON.parse(text)).toEqual(
    isOAuth
      ? { error: "invalid_request", error_description: message }
      : { error: { code: "INVALID_REQUEST", message, details: "", requestId: headers["x-request-id"] } },
  );
  expect(headers["content-type"]).toBe("application/json; charset=utf-8");
  expect(headers["cache-control"]).toBe("no-store");
  expect(headers.location).toBeUndefined();
}
