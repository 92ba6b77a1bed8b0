import { beforeAll, describe, expect, it } from "vitest";
import { signedUp, type Tokens } from "../../support/person.ts";
import { describeOnSqlite, type TestApp, type TestService } from "../../support/service.ts";

type Known = { app: TestApp; other: TestApp; tokens: Tokens };
type Sent = { method?: string; path: string; headers?: Record<string, string>; body?: string };
type Row = [condition: string, status: number, code: string, sent: (known: Known) => Sent];

/** In every value that is sent below, and in no answer. */
const canary = "cAnArY7f3";

const json = { "content-type": "application/json" };
const unknownKey = `Bearer ak_${canary.padEnd(43, "x")}_000000`;
const post =
  (path: string, headers: (known: Known) => Record<string, string>, body: unknown = {}) =>
  (known: Known): Sent => ({
    method: "POST",
    path,
    headers: { ...json, ...headers(known) },
    body: JSON.stringify(body),
  });
const server = ({ app }: Known) => app.headers;
const user = ({ tokens }: Known) => ({ authorization: `Bearer ${tokens.accessToken}` });
const serverWithAppId = (appId: string) => (known: Known) => ({ ...known.app.headers, "x-service-app-id": appId });
const redirectUri = "https://app.example/callback";
const code = { code: canary, sessionId: `sis_${canary}`, state: canary };

/**
 * The table of conditions (docs/spec/decisions.md, 3) that these routes can produce; 429 and 500
 * have their own files.
 */
const rows: Row[] = [
  ["initiate, unknown key", 401, "INVALID_API_KEY", post("/auth/initiate", () => ({ authorization: unknownKey }))],
  ["callback, unknown App ID", 401, "INVALID_APP_ID", post("/auth/callback", serverWithAppId(canary), code)],
  [
    "validate, an API key as token",
    401,
    "INVALID_TOKEN",
    (known) => ({ path: "/auth/validate", headers: server(known) }),
  ],
  [
    "logout, forged token",
    401,
    "INVALID_TOKEN",
    post("/auth/logout", () => ({ authorization: `Bearer e30.e30.${canary}` })),
  ],
  [
    "refresh, unknown refresh token",
    401,
    "INVALID_TOKEN",
    post("/auth/refresh", server, { refreshToken: canary.repeat(10) }),
  ],
  [
    "initiate, not JSON",
    400,
    "INVALID_REQUEST",
    (known) => ({ ...post("/auth/initiate", server)(known), body: `{"${canary}` }),
  ],
  ["initiate, wrong type", 400, "INVALID_REQUEST", post("/auth/initiate", server, { redirectUri: [canary] })],
  ["initiate, extra field", 400, "INVALID_REQUEST", post("/auth/initiate", server, { redirectUri, extra: canary })],
  [
    "initiate, unregistered redirectUri",
    400,
    "INVALID_REQUEST",
    post("/auth/initiate", server, { redirectUri: `https://${canary}.example/` }),
  ],
  [
    "initiate, unknown provider",
    400,
    "INVALID_REQUEST",
    post("/auth/initiate", server, { redirectUri, authMethod: "oauth", provider: canary }),
  ],
  ["callback, wrong code", 400, "INVALID_REQUEST", post("/auth/callback", server, code)],
  ["logout, wrong type", 400, "INVALID_REQUEST", post("/auth/logout", user, { allSessions: canary })],
  ["unknown path", 404, "INVALID_REQUEST", () => ({ path: `/${canary}?${canary}=${canary}` })],
  [
    "method not allowed",
    405,
    "INVALID_REQUEST",
    () => ({ method: "PUT", path: `/auth/initiate?${canary}`, body: canary }),
  ],
  [
    "body too large",
    413,
    "INVALID_REQUEST",
    post("/auth/initiate", server, { redirectUri, state: canary.repeat(2000) }),
  ],
  [
    "not application/json",
    415,
    "INVALID_REQUEST",
    (known) => ({
      method: "POST",
      path: "/auth/initiate",
      headers: { ...server(known), "content-type": "text/plain" },
      body: canary,
    }),
  ],
];

describeOnSqlite("the error object of the contract (security rule G4)", (current) => {
  let known: Known;
  beforeAll(async () => {
    const app = await current().createApp({ redirectUris: [redirectUri] });
    known = { app, other: await current().createApp(), tokens: await signedUp(current(), app) };
  });

  describe("has exactly its four keys, repeats nothing that was sent, and is never cached", () => {
    it.each(rows)("%s: %i %s", async (_condition, status, code, sent) => {
      const answer = await send(current(), sent(known));
      expectErrorObject(answer, status, code);
    });
  });

  it("gives every request an id of its own", async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(current(), { path: "/nothing" })));
    expect(new Set(answers.map((answer) => answer.headers.get("x-request-id"))).size).toBe(50);
  });

  it("takes no request id from the caller", async () => {
    const { headers } = await send(current(), { path: "/nothing", headers: { "x-request-id": canary } });
    expect(headers.get("x-request-id")).not.toContain(canary);
  });

  it("sends X-Request-Id, nosniff and no trace of the software on good answers too", async () => {
    for (const path of ["/healthz", "/readyz", "/.well-known/jwks.json", "/.well-known/openid-configuration"]) {
      const { status, headers } = await send(current(), { path });
      expect([path, status]).toEqual([path, 200]);
      expect(headers.get("x-request-id")).toMatch(/\S/u);
      expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect([headers.get("server"), headers.get("x-powered-by")]).toEqual([null, null]);
    }
  });
});

async function send(service: TestService, { path, ...init }: Sent) {
  const response = await fetch(service.url + path, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

function expectErrorObject({ status, headers, text }: Awaited<ReturnType<typeof send>>, wanted: number, code: string) {
  expect(JSON.parse(text)).toEqual({
    error: {
      code,
      message: expect.stringMatching(/\S/u),
      details: expect.any(String),
      requestId: headers.get("x-request-id"),
    },
  });
  expect(status).toBe(wanted);
  expect(headers.get("x-request-id")).toMatch(/^\S+$/u);
  expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(headers.get("cache-control")).toBe("no-store");
  expect(headers.get("location")).toBeNull();
  expect(text.toLowerCase()).not.toContain(canary.toLowerCase());
  // No URL, SQL, stack or file in what a stranger reads.
  expect(text).not.toMatch(/https?:|select |insert |update |sqlite|postgres|drizzle|zod|\bat .*:\d|\.ts\b|node:/iu);
}
