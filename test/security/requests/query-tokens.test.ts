import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { createLog } from "../../../src/lib/log.ts";
import { bearer } from "../../support/methods.ts";
import { call, newEmail, signedUp, Visitor, redeem, signUp } from "../../support/person.ts";
import { useProviders } from "../../support/providers/provider.ts";
import { withProviders, atProvider } from "../../support/providers/round.ts";
import { rawGet, somebody } from "../../support/query-calls.ts";
import { sendUntidied } from "../../support/raw-http.ts";
import { addressOf, operations } from "../../support/routes.ts";
import { describeSqliteFirst, describeOnSqlite, withApp, updateApp } from "../../support/service.ts";

const [github] = await useProviders("github");

const refused = (status: number, code: string) => ({
  status,
  body: { error: { code, requestId: expect.any(String) } },
});

describeOnSqlite("tokens in the query", (current) => {
  it("B2, B5: verify-token answers the same bytes for every bad token, whatever is wrong with it", async () => {
    const { service, app, person } = await somebody(current());
    const otherApp = await service.createApp();
    const other = { ...(await signedUp(service, otherApp)), appId: otherApp.id };
    const out = await signedUp(service, app);
    await call(service, "POST", "/auth/logout", bearer(out.accessToken), {});
    const disabled = await signedUp(service, app);
    const deleted = await signedUp(service, app);
    await service.server.app.ctx.storage.write(async ({ db, tables: { users } }) => {
      await db
        .update(users)
        .set({ disabledAt: 1 })
        .where(eq(users.id, String(disabled.user["id"])));
      await db.delete(users).where(eq(users.id, String(deleted.user["id"])));
    });
    const [header, claims, signature = ""] = person.accessToken.split(".");
    const unsigned = Buffer.from(JSON.stringify({ alg: "none", typ: "at+jwt" })).toString("base64url");
    const bad: Record<string, string> = {
      "of another app": other.accessToken,
      "logged out": out.accessToken,
      "of a disabled user": disabled.accessToken,
      "of a deleted user": deleted.accessToken,
      forged: `${header}.${claims}.${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`,
      "with no algorithm": `${unsigned}.${claims}.`,
      truncated: person.accessToken.slice(0, -1),
      garbage: "garbage",
      empty: "",
      "of dots": ".".repeat(3000),
      long: "x".repeat(6000),
      "a refresh token": person.refreshToken,
      "an API key": app.apiKey,
    };
    const answers = [await rawGet(service, `/auth/verify-token?app_id=${app.id}`)];
    for (const token of Object.values(bad)) {
      answers.push(await rawGet(service, `/auth/verify-token?token=${encodeURIComponent(token)}&app_id=${app.id}`));
      answers.push(await rawGet(service, `/auth/verify-token?app_id=${app.id}`, { authorization: `Bearer ${token}` }));
    }
    answers.push(await rawGet(service, `/auth/verify-token?app_id=${app.id}`, { authorization: "Basic eDp5" }));
    // Its audience is the question: a good token of one app is none of another.
    answers.push(await rawGet(service, `/auth/verify-token?token=${other.accessToken}&app_id=${app.id}`));
    answers.push(await rawGet(service, `/auth/verify-token?token=${person.accessToken}&app_id=${other.appId}`));
    service.clock.advance(900_000);
    answers.push(await rawGet(service, `/auth/verify-token?token=${person.accessToken}&app_id=${app.id}`));
    for (const answer of answers) {
      expect([answer.status, answer.text, answer.headers.get("content-type")]).toEqual([
        200,
        '{"valid":false}',
        "application/json; charset=utf-8",
      ]);
    }
  });

  it("B5: /api/user refuses everything but a live access token", async () => {
    const { service, app, person } = await somebody(current());
    const out = await signedUp(service, app);
    await call(service, "POST", "/auth/logout", bearer(out.accessToken), {});
    const bad = ["garbage", "", person.refreshToken, app.apiKey, out.accessToken, `${person.accessToken}x`];
    for (const token of bad) {
      expect(await call(service, "GET", `/api/user?token=${token}`, {})).toMatchObject(refused(401, "INVALID_TOKEN"));
      expect(await call(service, "GET", "/api/user", bearer(token))).toMatchObject(refused(401, "INVALID_TOKEN"));
    }
    expect(await call(service, "GET", "/api/user", {})).toMatchObject(refused(401, "INVALID_TOKEN"));
  });

  it("B4: authorize ends with a one-time code for the API key, and no address on the way holds a token", async () => {
    const { service, app } = await withProviders(current(), [github]);
    const visitor = new Visitor();
    const query = new URLSearchParams({ app_id: app.id, redirect_uri: app.redirectUri, state: "s" });
    const start = await visitor.get(`${service.url}/oauth/github/authorize?${query.toString()}`);
    expect([start.status, start.location.origin]).toEqual([303, github.origin]);
    const back = await atProvider(start.location, github, { subject: "1", email: newEmail(), verified: true });
    const done = await visitor.get(back.url);
    expect(done.status).toBe(303);
    expect([...done.location.searchParams.keys()].toSorted()).toEqual(["code", "sessionId", "state"]);
    expect(done.location.hash).toBe("");
    const [code, sessionId] = ["code", "sessionId"].map((name) => done.location.searchParams.get(name));
    const body = { code, sessionId, state: "s" };
    // Whoever reads the address, from a history or a log, has no key for it.
    const keyless: Record<string, string>[] = [{}, { "x-service-app-id": app.id }, bearer(String(code))];
    for (const headers of keyless)
      expect((await call(service, "POST", "/auth/callback", headers, body)).status).toBe(401);
    const redeemed = await call(service, "POST", "/auth/callback", app.headers, body);
    expect(redeemed.status).toBe(200);
    expect((await call(service, "POST", "/auth/callback", app.headers, body)).status).toBe(400);
    const { accessToken, refreshToken } = redeemed.body;
    for (const url of [start.url, start.location.href, back.url, done.location.href]) {
      expect(url).not.toMatch(/eyJ[\w-]+\.eyJ/u);
      expect(url).not.toMatch(/access_?token|refresh_?token|id_token/iu);
      for (const token of [accessToken, refreshToken]) expect(url).not.toContain(token);
    }
    for (const page of [start, done]) expect(page.headers.get("referrer-policy")).toBe("no-referrer");
  });
});

const logged: string[] = [];
const capture = { write: (line: string) => void logged.push(line) };

describeSqliteFirst(
  "tokens in the query, seen from outside",
  { surroundings: { log: createLog({ level: "debug", format: "json" }, capture) } },
  (current) => {
    it("B1: tokens in the query reach no log, error, audit entry, cache or Referer", async () => {
      const { service, app, person } = await somebody(current());
      const canary = "canary0123456789canary";
      const tokens = [person.accessToken, canary, `${person.accessToken}${canary}`, `a.${canary}.c`];
      logged.length = 0;
      for (const token of tokens) {
        const queries = [
          `token=${token}&app_id=${app.id}`,
          `token=${token}`,
          `token=${token}&token=${token}`,
          `token=${token}%00`,
          `token=${token}%`,
          `token[${token}]=x&app_id=${app.id}`,
          `${token}=x&app_id=${app.id}`,
        ];
        for (const path of ["/auth/verify-token", "/api/user", "/api/config", "/auth/validate", "/nowhere"]) {
          for (const query of queries) {
            for (const method of ["GET", "POST", "OPTIONS"]) {
              const answer = await fetch(`${service.url}${path}?${query}`, { method, headers: { origin: "null" } });
              const said = `${await answer.text()}\n${JSON.stringify([...answer.headers])}`;
              expect(said).not.toContain(canary);
              expect(said).not.toContain(person.accessToken);
              expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
              if (answer.headers.get("cache-control") !== "no-store") expect(path).toBe("/api/config");
            }
          }
        }
      }
      expect(await service.databaseText()).not.toContain(canary);
      // What goes wrong in the middle of a call is logged with its cause.
      const { ctx } = service.server.app;
      const { storage } = ctx;
      ctx.storage = {
        ...storage,
        get reader(): never {
          throw new Error("broken on purpose");
        },
      };
      expect((await call(service, "GET", `/api/user?token=${person.accessToken}`, {})).status).toBe(500);
      ctx.storage = storage;
      const log = logged.join("");
      expect(log).toContain('"route":"/api/user"');
      expect(log).toContain("broken on purpose");
      expect(log).not.toContain(canary);
      for (const part of person.accessToken.split(".").slice(1)) expect(log).not.toContain(part);
    });
  },
);

describeOnSqlite("queries", (current) => {
  it("B3, CVE-2025-67717: /api/config shows what anybody may know, and nothing else", async () => {
    const { service, app } = await withApp(current(), {
      name: "Shop",
      domain: "shop.example",
      redirectUris: ["https://secret-callback.example/cb"],
    });
    await signedUp(service, app);
    const issuer = service.server.app.ctx.baseUrl;
    const answer = await call(service, "GET", `/api/config?app_id=${app.id}`, {});
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      id: app.id,
      name: "Shop",
      domain: "shop.example",
      branding: { logo: null, primaryColor: null, companyName: null },
      authMethods: {
        passkey: { enabled: true, required: false },
        oauth: { enabled: false, providers: [] },
        password: { enabled: true },
      },
      emailCode: false,
      passwordRules: { minLength: 15, maxLength: 256 },
      issuer,
      jwksUri: `${issuer}/.well-known/jwks.json`,
      scopes: ["profile", "email"],
    });
  });

  it("B3, CVE-2025-67717: /api/config says the same bytes for an application with people as for one without", async () => {
    const { service, app } = await withApp(current(), { redirectUris: ["https://secret-callback.example/cb"] });
    const read = async () => (await rawGet(service, `/api/config?app_id=${app.id}`)).text;
    const before = await read();
    const { email, user } = await signedUp(service, app);
    expect(await read()).toBe(before);
    for (const secret of [
      "secret-callback",
      email,
      String(user["id"]),
      app.apiKey,
      "stats",
      "total",
      "count",
      "rateLimit",
      "secret",
    ])
      expect(before).not.toContain(secret);
  });

  it("B6, R1, R2, CVE-2026-9689: no parameter of any call may be given twice, or as a list; and nothing is redirected", async () => {
    const service = current();
    const { app, person } = await somebody(service);
    await updateApp(service, app, { settings: { organizations: "on" } });
    const owned = { name: "Acme", owner: person.user["id"] };
    const made = await call(service, "POST", `/applications/${app.id}/organizations`, app.headers, owned);
    const orgId = String(made.body["id"]);
    const good: Record<string, string> = { token: person.accessToken, app_id: app.id, redirect_uri: app.redirectUri };
    const calls = operations.filter(({ query }) => query !== undefined);
    expect(calls.length).toBeGreaterThan(3);
    for (const operation of calls) {
      const path = addressOf(operation, { provider: "google", appId: app.id, orgId });
      const headers = /^(?:server|manager)/u.test(operation.access) ? app.headers : {};
      const names = [...Object.keys(operation.query ?? {}), "token"];
      const usual = new URLSearchParams(good).toString();
      for (const name of names) {
        const value = encodeURIComponent(good[name] ?? "x");
        const evil = name === "redirect_uri" ? encodeURIComponent("https://evil.example/") : "evil";
        const twice = name in good ? usual : `${usual}&${name}=${value}`;
        for (const more of [
          `${name}=${evil}`,
          `${name}=${value}`,
          name,
          `${name}[]=${evil}`,
          `${name}%5B0%5D=${evil}`,
          `${name.replace(/^./u, (letter) => `%${letter.charCodeAt(0).toString(16)}`)}=${evil}`,
        ]) {
          for (const query of [`${twice}&${more}`, `${more}&${twice}`]) {
            const answer = await sendUntidied(service, operation.method, `${path}?${query}`, headers);
            expect([path, query, answer.status, answer.headers.location]).toEqual([path, query, 400, undefined]);
            expect(answer.text).not.toContain("evil");
          }
        }
      }
    }
  });

  const broken = [
    "token=TOKEN&token=TOKEN",
    "token=TOKEN&token=other",
    "token=other&to%6ben=TOKEN",
    "token=TOKEN&app_id=APP&app_id=other",
    "token[]=TOKEN",
    "token%5B%5D=TOKEN",
    "token[0]=TOKEN",
    "token=TOKEN&app_id[]=APP",
    "token=TOKEN%00",
    "token=TOKEN&%00=x",
    "token=TOKEN&app_id=APP%00",
    "token=%ED%A0%80",
    "token=%ff",
    "token=%",
    "token=%zz",
  ];

  it.each(broken)("B6, CVE-2026-9689: %s is refused with 400", async (query) => {
    const { service, app, person } = await somebody(current());
    const sent = query.replaceAll("TOKEN", person.accessToken).replaceAll("APP", app.id);
    for (const path of ["/api/user", "/auth/verify-token", "/api/config"]) {
      const whole = sent.includes("app_id") ? sent : `${sent}&app_id=${app.id}`;
      const answer = await call(service, "GET", `${path}?${whole}`, {});
      expect(answer).toMatchObject(refused(400, "INVALID_REQUEST"));
      expect(JSON.stringify(answer.body)).not.toContain(person.accessToken.slice(0, 20));
    }
  });

  it("B7: the query is never read as JSONP, and other methods are refused", async () => {
    const { service, app, person } = await somebody(current());
    const query = `token=${person.accessToken}&app_id=${app.id}`;
    const answer = await rawGet(service, `/auth/verify-token?${query}&callback=alert`);
    expect(answer.text).toMatch(/^\{"valid":true/u);
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    for (const path of ["/auth/verify-token", "/api/user", "/api/config"]) {
      for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
        const other = await call(service, method, `${path}?${query}`, {});
        expect(other).toMatchObject(refused(405, "INVALID_REQUEST"));
        expect(other.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
      }
    }
  });

  it("B7: the query-style calls answer as if the app did not exist, until they are switched on again", async () => {
    const { service, app, person } = await somebody(current());
    const query = `token=${person.accessToken}&app_id=${app.id}`;
    const paths = [`/auth/verify-token?${query}`, `/api/user?${query}`, `/api/config?app_id=${app.id}`];
    const unknown = await call(service, "GET", "/api/config?app_id=app_nowhere", {});
    await updateApp(service, app, { settings: { queryEndpoints: false } });
    for (const path of paths) {
      const answer = await call(service, "GET", path, { origin: new URL(app.redirectUri).origin });
      expect(answer.status).toBe(401);
      expect({ ...answer.body.error, requestId: "" }).toEqual({ ...unknown.body.error, requestId: "" });
      expect(answer.headers.get("access-control-allow-origin")).toBeNull();
    }
    const headers = { ...bearer(person.accessToken), "x-service-app-id": app.id };
    expect((await call(service, "GET", "/auth/validate", headers)).status).toBe(200);
    await updateApp(service, app, { settings: { queryEndpoints: true } });
    for (const path of paths) expect((await call(service, "GET", path, {})).status).toBe(200);
  });
});

describeOnSqlite(
  "the limits of the query-style endpoints",
  { rateLimits: { authentication: 8, userManagement: 6, applicationManagement: 4, webhooks: 1000 } },
  (current) => {
    const standing = async (path: string, headers: Record<string, string> = {}) => {
      const answer = await rawGet(current(), path, headers);
      const read = (name: string) => Number(answer.headers.get(`x-ratelimit-${name}`));
      return { status: answer.status, limit: read("limit"), remaining: read("remaining") };
    };
    /** So that each test counts from nothing. */
    const nextMinute = () => current().clock.advance(60_000);

    it("B7: verify-token counts a good token for its user, as validate does, and everything else for the address", async () => {
      nextMinute();
      const { service, app, person } = await somebody(current());
      const other = await signedUp(service, app);
      nextMinute();
      const path = (token: string, appId = app.id) => `/auth/verify-token?token=${token}&app_id=${appId}`;
      const counts = (remaining: number, status = 200) => ({ status, limit: 8, remaining });
      expect(await standing(path(person.accessToken))).toEqual(counts(7));
      const headers = { ...bearer(person.accessToken), "x-service-app-id": app.id };
      expect(await standing("/auth/validate", headers)).toEqual(counts(6));
      expect(await standing(path(other.accessToken))).toEqual(counts(7));
      expect(await standing(path("garbage"))).toEqual(counts(7));
      expect(await standing(path("garbage", "nobody"))).toEqual(counts(6, 401));
      expect(await standing("/auth/verify-token?token[]=x")).toEqual(counts(5, 400));
      expect(await standing(path(person.accessToken))).toEqual(counts(5));
      for (let n = 0; n < 5; n += 1) await standing(path("garbage"));
      expect(await standing(path("garbage"))).toEqual(counts(0, 429));
      expect(await standing(path(person.accessToken))).toEqual(counts(4));
    });

    it("B7: /api/user counts for the user, a missing scope included, and a bad token for the address", async () => {
      nextMinute();
      const { service, app } = await withApp(current());
      const person = await redeem(
        service,
        app,
        await signUp(service, app, { email: newEmail() }, { scopes: ["email"] }),
      );
      nextMinute();
      const path = `/api/user?token=${person.accessToken}`;
      for (let n = 5; n >= 0; n -= 1) expect(await standing(path)).toEqual({ status: 403, limit: 6, remaining: n });
      expect(await standing(path)).toEqual({ status: 429, limit: 6, remaining: 0 });
      expect(await standing("/api/user?token=garbage")).toEqual({ status: 401, limit: 6, remaining: 5 });
    });

    it("B7: /api/config counts for the address, as a limit of its own", async () => {
      const app = await current().createApp();
      nextMinute();
      for (let n = 3; n >= 0; n -= 1)
        expect(await standing(`/api/config?app_id=${app.id}`)).toEqual({ status: 200, limit: 4, remaining: n });
      expect(await standing(`/api/config?app_id=${app.id}`)).toEqual({ status: 429, limit: 4, remaining: 0 });
      expect((await standing("/auth/verify-token")).remaining).toBe(7);
    });
  },
);
