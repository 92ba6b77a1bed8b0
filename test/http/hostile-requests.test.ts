import { request, type IncomingHttpHeaders } from "node:http";
import { decodeJwt } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { call, goodPassword, initiate, newEmail, signedUp, Visitor, type Tokens } from "../support/person.ts";
import { describeEachDatabase, type TestApp, type TestService } from "../support/service.ts";

const evil = "evil-host.example";
const hostileHeaders: Record<string, string> = {
  "x-forwarded-host": evil,
  "x-forwarded-proto": "https",
  "x-forwarded-port": "444",
  "x-forwarded-prefix": `/${evil}`,
  "x-forwarded-server": evil,
  "x-host": evil,
  "x-original-host": evil,
  "x-original-url": "/healthz",
  "x-rewrite-url": "/healthz",
  forwarded: `for=1.2.3.4;host=${evil};proto=https`,
  referer: `https://${evil}/`,
};
const hostileHosts = [
  evil,
  `${evil}:80`,
  `localhost@${evil}`,
  `localhost.${evil}`,
  `${evil}/a?b#c`,
  `"${evil}"`,
  `[::1].${evil}`,
  `<script>${evil}`,
  "",
  " ",
  "a b",
  "[::",
  "%00",
];

/** Spellings of a path that one layer might take for it and another not. */
const variants = (path: string): string[] => [
  `/${path}`,
  `//${path}`,
  `${path}/`,
  `${path}//`,
  `/.${path}`,
  `/x/..${path}`,
  `/%2e${path}`,
  `/x/%2e%2e${path}`,
  `${path}/.`,
  `${path}/%2e`,
  `${path};x`,
  `${path};x=y`,
  `${path}%20`,
  `${path}%00`,
  `${path}%2f`,
  `${path}.json`,
  `${path}%3f`,
  `${path}%23`,
  path.replace("/auth/", "/auth//"),
  path.replace("/auth/", "/auth/./"),
  path.replace("/auth/", "/auth%2f"),
  path.replace("/auth/", "/auth%2F"),
  path.replace("/auth/", "/auth%5c"),
  path.replace("/auth/", "/auth\\"),
  path.replace("/auth/", "/%61uth/"),
  path.replace("/auth/", "/AUTH/"),
  path.replace("/auth/", "/auth;x/"),
  path.replace("/auth/", "/auth/%c0%af"),
  path.replace("/auth/", "/auth/%u002f"),
  `${path}%`,
  `${path}%zz`,
  `${path}%ff`,
  `http://${evil}${path}x`,
];

describeEachDatabase("hostile requests", (current) => {
  let app: TestApp;
  let tokens: Tokens;
  beforeAll(async () => {
    app = await current().createApp();
    tokens = await signedUp(current(), app);
  });

  describe("addresses come from the configuration alone (security rule R5)", () => {
    it.each(hostileHosts)("with the Host %j", async (host) => {
      const headers = { ...app.headers, ...hostileHeaders, "content-type": "application/json", host };
      const { status, text } = await raw(
        current(),
        "POST",
        "/auth/initiate",
        headers,
        JSON.stringify({ redirectUri: app.redirectUri }),
      );
      // No host at all is no HTTP.
      expect([200, 400]).toContain(status);
      expect(text).not.toContain(evil);
      if (status === 200)
        expect((JSON.parse(text) as { authUrl: string }).authUrl).toMatch(
          new RegExp(`^${current().url}/sign-in/sis_`, "u"),
        );
    });

    it("in the tokens, the key set, the configuration, errors and pages", async () => {
      const hostile = { ...hostileHeaders, host: evil };
      const session = await initiate(current(), app);
      const visitor = new Visitor(hostileHeaders);
      const page = await visitor.get(`${session.authUrl}/create-account`);
      expect(page.text).not.toContain(evil);
      expect(JSON.stringify([...page.headers])).not.toContain(evil);
      const done = await visitor.submit(page, "/create-account", { email: newEmail(), password: goodPassword });
      expect(done.location.origin).toBe("https://app.example");
      const body = JSON.stringify({ code: done.location.searchParams.get("code"), sessionId: session.sessionId });
      const callback = await raw(
        current(),
        "POST",
        "/auth/callback",
        { ...app.headers, ...hostile, "content-type": "application/json" },
        body,
      );
      expect(decodeJwt((JSON.parse(callback.text) as Tokens).accessToken).iss).toBe(current().url);
      for (const path of [
        "/.well-known/jwks.json",
        "/.well-known/openid-configuration",
        "/healthz",
        "/nothing",
        "/%zz",
        "/sign-in/unknown",
      ]) {
        const answer = await raw(current(), "GET", path, hostile);
        expect(answer.text + JSON.stringify(answer.headers)).not.toContain(evil);
        expect(answer.status).toBeLessThan(500);
      }
    });

    it("in the absolute form of a request too", async () => {
      const { status, text } = await raw(current(), "GET", `http://${evil}/.well-known/openid-configuration`, {});
      expect(text).not.toContain(evil);
      expect(status).toBeLessThan(500);
    });
  });

  it.each(["x-http-method-override", "x-http-method", "x-method-override"])("%s changes no method", async (name) => {
    for (const [method, path, wanted] of [
      ["GET", "/auth/initiate", "POST"],
      ["POST", "/auth/validate", "GET"],
      ["POST", "/healthz", "GET"],
    ] as const) {
      const answer = await call(current(), method, `${path}?_method=${wanted}`, { ...app.headers, [name]: wanted });
      expect([path, answer.status]).toEqual([path, 405]);
    }
  });

  describe.each(["/auth/initiate", "/auth/refresh", "/auth/logout"])("variants of %s", (path) => {
    it.each(variants(path))(
      "%s is unknown, or is checked exactly like the path itself (security rule Y3)",
      async (variant) => {
        const headers = { "content-type": "application/json" };
        const canonical = await raw(current(), "POST", path, headers, "{}");
        expect(canonical.status).toBe(401);
        const answer = await raw(current(), "POST", variant, headers, "{}");
        const { error } = JSON.parse(answer.text) as { error: Record<string, string> };
        expect(Object.keys(error)).toEqual(["code", "message", "details", "requestId"]);
        expect(error["requestId"]).toBe(answer.headers["x-request-id"]);
        if (answer.status === 401)
          expect(error["code"]).toBe((JSON.parse(canonical.text) as { error: { code: string } }).error.code);
        else
          expect([answer.status, error["code"]]).toEqual([
            expect.toSatisfy((status: number) => status === 404 || status === 400),
            "INVALID_REQUEST",
          ]);
        expect(answer.headers.location).toBeUndefined();
        expect(answer.text).not.toContain("evil");
      },
    );
  });

  it.each(variants("/auth/validate"))(
    "no variant of the path lets a bad token in: %s (security rule Y3)",
    async (variant) => {
      const good = { "x-service-app-id": app.id, authorization: `Bearer ${tokens.accessToken}` };
      const [withGood, withBad] = [
        await raw(current(), "GET", variant, good),
        await raw(current(), "GET", variant, { ...good, authorization: "Bearer x" }),
      ];
      expect([400, 401, 404]).toContain(withBad.status);
      // Where the path means something, the credentials decide; where it does not, they change nothing.
      expect(withGood.status).toBe(withBad.status === 401 ? 200 : withBad.status);
    },
  );

  it.each([
    ["a query with everything", "?redirectUri=x&code=x&token=x&__proto__[a]=b&a[]=1&a=%00&b=%ff&%zz"],
    ["8,000 characters of query", `?${"a".repeat(8000)}`],
    ["8,000 parameters", `?${"&a".repeat(4000)}`],
  ])("%s changes nothing", async (_title, query) => {
    const answer = await raw(
      current(),
      "POST",
      `/auth/initiate${query}`,
      { ...app.headers, "content-type": "application/json" },
      JSON.stringify({ redirectUri: app.redirectUri }),
    );
    expect(answer.status).toBe(200);
  });

  it.each([
    ["user-agent", "\u00ff\u00fe<script>".repeat(300)],
    ["x-service-app-id", "\u00ff\u0080"],
    ["authorization", `Bearer ${"\u00ff".repeat(50)}`],
    ["cookie", `${"a=b; ".repeat(1500)}__proto__=x`],
    ["accept-language", `${"x-".repeat(3000)};q=0.${"9".repeat(100)}`],
    ["origin", "null"],
    ["content-length", "2"],
  ])("the header %s with bytes that nobody expects makes no error of ours", async (name, value) => {
    for (const path of ["/auth/initiate", "/auth/callback", "/auth/refresh", "/auth/logout"]) {
      const answer = await raw(
        current(),
        "POST",
        path,
        { ...app.headers, "content-type": "application/json", [name]: value },
        "{}",
      );
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
      expect(Object.keys(JSON.parse(answer.text) as object)).toEqual(["error"]);
    }
  });
});

/** A request with a Host and a path as they are, which fetch would tidy up. */
async function raw(service: TestService, method: string, path: string, headers: Record<string, string>, body = "") {
  const { port, host } = new URL(service.url);
  return await new Promise<{ status: number; headers: IncomingHttpHeaders; text: string }>((resolve, reject) => {
    const options = { host: "127.0.0.1", port, method, path, headers: { host, ...headers }, setHost: false };
    const sent = request(options, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      answer.once("end", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
    });
    sent.once("error", reject).end(body);
  });
}
