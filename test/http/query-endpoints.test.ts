import { Writable } from "node:stream";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import type { Application } from "../../src/applications/application.ts";
import { createLog } from "../../src/lib/log.ts";
import { call, newEmail, redeem, signedUp, signIn, signUp } from "../support/person.ts";
import { describeEachDatabase, type TestApp, type TestService } from "../support/service.ts";

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u);
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const refused = (status: number, code: string) => ({
  status,
  body: { error: { code, requestId: expect.any(String) } },
});

describeEachDatabase("the query-style endpoints", (current) => {
  describe("GET /auth/verify-token", () => {
    it("answers valid and the user for a good token of this app", async () => {
      const { service, app, person } = await somebody(current());
      const answer = await verifyToken(service, person.accessToken, app.id);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        valid: true,
        user: { id: person.user["id"], email: person.email, emailVerified: false, name: null },
      });
    });

    it("leaves the address out without the scope email", async () => {
      const service = current();
      const app = await service.createApp();
      const person = await signedUp(service, app, newEmail(), { scopes: ["profile"] });
      const { body } = await verifyToken(service, person.accessToken, app.id);
      expect(body).toEqual({ valid: true, user: { id: person.user["id"], name: null } });
    });

    it("B2: answers the same bytes for every bad token, whatever is wrong with it", async () => {
      const { service, app, person } = await somebody(current());
      const other = await signedUp(service, await service.createApp());
      const out = await signedUp(service, app);
      await call(service, "POST", "/auth/logout", bearer(out.accessToken), {});
      const disabled = await signedUp(service, app);
      const deleted = await signedUp(service, app);
      await service.server.app.storage.write(async ({ db, tables: { users } }) => {
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
        "B5: a refresh token": person.refreshToken,
        "B5: an API key": app.apiKey,
      };
      const answers = [await rawGet(service, `/auth/verify-token?app_id=${app.id}`)];
      for (const token of Object.values(bad)) {
        answers.push(await rawGet(service, `/auth/verify-token?token=${encodeURIComponent(token)}&app_id=${app.id}`));
        answers.push(
          await rawGet(service, `/auth/verify-token?app_id=${app.id}`, { authorization: `Bearer ${token}` }),
        );
      }
      answers.push(await rawGet(service, `/auth/verify-token?app_id=${app.id}`, { authorization: "Basic eDp5" }));
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

    it.each(["", "&app_id=", "&app_id=app_nowhere", "&app_id=app_1%20", "&APP_ID=app_1"])(
      "refuses a missing or unknown App ID before it looks at the token (%j)",
      async (query) => {
        const { service, person } = await somebody(current());
        for (const token of [person.accessToken, "garbage"]) {
          const answer = await call(service, "GET", `/auth/verify-token?token=${token}${query}`, {});
          expect(answer).toMatchObject(refused(401, "INVALID_APP_ID"));
        }
      },
    );

    it("holds the header X-Service-App-ID against app_id when both are sent", async () => {
      const { service, app, person } = await somebody(current());
      const path = `/auth/verify-token?token=${person.accessToken}&app_id=${app.id}`;
      const other = await service.createApp();
      expect((await call(service, "GET", path, { "x-service-app-id": app.id })).body).toMatchObject({ valid: true });
      expect(await call(service, "GET", path, { "x-service-app-id": other.id })).toMatchObject(
        refused(401, "INVALID_APP_ID"),
      );
    });
  });

  describe("GET /api/user", () => {
    it("answers the profile without metadata", async () => {
      const { service, person } = await somebody(current());
      const answer = await call(service, "GET", `/api/user?token=${person.accessToken}`, {});
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        id: person.user["id"],
        email: person.email,
        emailVerified: false,
        name: null,
        picture: null,
        createdAt: timestamp,
        lastLoginAt: timestamp,
        authMethods: { passkey: false, oauth: [], password: true },
      });
    });

    it("leaves the address out without the scope email, and refuses without the scope profile", async () => {
      const service = current();
      const app = await service.createApp();
      const email = newEmail();
      const profile = await signedUp(service, app, email, { scopes: ["profile"] });
      const { body } = await call(service, "GET", `/api/user?token=${profile.accessToken}`, {});
      expect(Object.keys(body)).toEqual(["id", "name", "picture", "createdAt", "lastLoginAt", "authMethods"]);
      const onlyEmail = await redeem(service, app, await signIn(service, app, { email }, { scopes: ["email"] }));
      const answer = await call(service, "GET", `/api/user?token=${onlyEmail.accessToken}`, {});
      expect(answer).toMatchObject(refused(403, "INSUFFICIENT_SCOPE"));
      expect(answer.body.error?.details).toBe("scope: profile");
    });

    it("B5: refuses everything but a live access token", async () => {
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

    it("refuses an App ID that is not the token's, in the query or in the header", async () => {
      const { service, app, person } = await somebody(current());
      const other = await service.createApp();
      const path = `/api/user?token=${person.accessToken}`;
      expect((await call(service, "GET", `${path}&app_id=${app.id}`, { "x-service-app-id": app.id })).status).toBe(200);
      const foreign: [string, Record<string, string>][] = [
        [`${path}&app_id=${other.id}`, {}],
        [`${path}&app_id=`, {}],
        [path, { "x-service-app-id": other.id }],
      ];
      for (const [address, headers] of foreign)
        expect(await call(service, "GET", address, headers)).toMatchObject(refused(401, "INVALID_APP_ID"));
    });
  });

  describe("GET /api/config", () => {
    it("B3: shows what anybody may know, and nothing else", async () => {
      const service = current();
      const app = await service.createApp({
        name: "Shop",
        domain: "shop.example",
        redirectUris: ["https://secret-callback.example/cb"],
      });
      await signedUp(service, app);
      const issuer = service.server.app.baseUrl;
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
        passwordRules: { minLength: 15, maxLength: 256 },
        issuer,
        jwksUri: `${issuer}/.well-known/jwks.json`,
        scopes: ["profile", "email"],
      });
    });

    it("lists the enabled providers with their names and where to send a browser", async () => {
      const service = current();
      const app = await service.createApp();
      await changeApplication(service, app, {
        authMethods: {
          passkey: { enabled: false, required: false },
          oauth: { enabled: true, providers: ["google", "github", "my-company"] },
          password: { enabled: false },
        },
      });
      const { body } = await call(service, "GET", `/api/config?app_id=${app.id}`, {});
      const provider = (name: string, displayName: string) => ({
        name,
        displayName,
        authorizeUrl: `${service.server.app.baseUrl}/oauth/${name}/authorize?app_id=${app.id}`,
      });
      expect(body["authMethods"]).toMatchObject({
        oauth: {
          enabled: true,
          providers: [provider("google", "Google"), provider("github", "GitHub"), provider("my-company", "My-company")],
        },
      });
    });

    it("may be cached for a minute; nothing else of these may", async () => {
      const { service, app, person } = await somebody(current());
      const cacheControl = async (path: string) => (await rawGet(service, path)).headers.get("cache-control");
      expect(await cacheControl(`/api/config?app_id=${app.id}`)).toBe("public, max-age=60");
      expect(await cacheControl("/api/config?app_id=nobody")).toBe("no-store");
      expect(await cacheControl(`/api/user?token=${person.accessToken}`)).toBe("no-store");
      expect(await cacheControl(`/auth/verify-token?token=${person.accessToken}&app_id=${app.id}`)).toBe("no-store");
    });

    it.each(["", "?app_id=", "?app_id=app_nowhere", "?token=x"])("refuses %j with INVALID_APP_ID", async (query) => {
      expect(await call(current(), "GET", `/api/config${query}`, {})).toMatchObject(refused(401, "INVALID_APP_ID"));
    });
  });

  describe("the query itself", () => {
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

    it.each(broken)("B6: %s is refused with 400", async (query) => {
      const { service, app, person } = await somebody(current());
      const sent = query.replaceAll("TOKEN", person.accessToken).replaceAll("APP", app.id);
      for (const path of ["/api/user", "/auth/verify-token", "/api/config"]) {
        const whole = sent.includes("app_id") ? sent : `${sent}&app_id=${app.id}`;
        const answer = await call(service, "GET", `${path}?${whole}`, {});
        expect(answer).toMatchObject(refused(400, "INVALID_REQUEST"));
        expect(JSON.stringify(answer.body)).not.toContain(person.accessToken.slice(0, 20));
      }
    });

    it("B7: is never read as JSONP, and other methods are refused", async () => {
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

    it("takes the token from Authorization too, and refuses two that differ", async () => {
      const { service, app, person } = await somebody(current());
      const other = await signedUp(service, app);
      for (const path of ["/api/user", "/auth/verify-token"]) {
        const address = `${path}?app_id=${app.id}`;
        const withToken = `${address}&token=${person.accessToken}`;
        const { text } = await rawGet(service, withToken);
        expect((await rawGet(service, address, bearer(person.accessToken))).text).toBe(text);
        expect((await rawGet(service, withToken, bearer(person.accessToken))).text).toBe(text);
        for (const authorization of [`Bearer ${other.accessToken}`, "Basic eDp5", "Bearer", ""]) {
          const answer = await call(service, "GET", withToken, { authorization });
          expect(answer).toMatchObject(refused(400, "INVALID_REQUEST"));
        }
      }
    });
  });

  describe("B7: switched off for an app", () => {
    it("answer as if the app did not exist, until they are switched on again", async () => {
      const { service, app, person } = await somebody(current());
      const query = `token=${person.accessToken}&app_id=${app.id}`;
      const paths = [`/auth/verify-token?${query}`, `/api/user?${query}`, `/api/config?app_id=${app.id}`];
      const unknown = await call(service, "GET", "/api/config?app_id=app_nowhere", {});
      await switchQueryEndpoints(service, app, false);
      for (const path of paths) {
        const answer = await call(service, "GET", path, { origin: new URL(app.redirectUri).origin });
        expect(answer.status).toBe(401);
        expect({ ...answer.body.error, requestId: "" }).toEqual({ ...unknown.body.error, requestId: "" });
        expect(answer.headers.get("access-control-allow-origin")).toBeNull();
      }
      const headers = { ...bearer(person.accessToken), "x-service-app-id": app.id };
      expect((await call(service, "GET", "/auth/validate", headers)).status).toBe(200);
      await switchQueryEndpoints(service, app, true);
      for (const path of paths) expect((await call(service, "GET", path, {})).status).toBe(200);
    });
  });
});

describeEachDatabase(
  "the limits of the query-style endpoints",
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
      const service = current();
      const app = await service.createApp();
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
  { rateLimits: { authentication: 8, userManagement: 6, applicationManagement: 4, webhooks: 1000 } },
);

const logged: string[] = [];
const capture = new Writable({
  write(chunk: Buffer, _encoding, done) {
    logged.push(chunk.toString());
    done();
  },
});

describeEachDatabase(
  "tokens in the query",
  (current) => {
    it("B1: reach no log, error, audit entry, cache or Referer", async () => {
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
      service.server.app.services.users.get = async () => await Promise.reject(new Error("broken on purpose"));
      expect((await call(service, "GET", `/api/user?token=${person.accessToken}`, {})).status).toBe(500);
      const log = logged.join("");
      expect(log).toContain('"route":"/api/user"');
      expect(log).toContain("broken on purpose");
      expect(log).not.toContain(canary);
      for (const part of person.accessToken.split(".").slice(1)) expect(log).not.toContain(part);
    });
  },
  {},
  { log: createLog({ level: "debug", format: "json" }, capture) },
);

async function somebody(service: TestService) {
  const app = await service.createApp();
  return { service, app, person: await signedUp(service, app) };
}

async function verifyToken(service: TestService, token: string, appId: string) {
  return await call(service, "GET", `/auth/verify-token?token=${encodeURIComponent(token)}&app_id=${appId}`, {});
}

async function rawGet(service: TestService, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(service.url + path, { headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function changeApplication(service: TestService, app: TestApp, change: Partial<Application>): Promise<void> {
  await service.server.app.storage.write(async ({ db, tables: { applications } }) => {
    await db.update(applications).set(change).where(eq(applications.id, app.id));
  });
}

async function switchQueryEndpoints(service: TestService, app: TestApp, queryEndpoints: boolean): Promise<void> {
  const application = await service.server.app.services.applications.find(app.id);
  if (!application) throw new Error("the application is gone");
  await changeApplication(service, app, { settings: { ...application.settings, queryEndpoints } });
}
