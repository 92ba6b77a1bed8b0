import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import type { Application } from "../../../src/applications/application.ts";
import { bearer } from "../../support/methods.ts";
import { call, newEmail, redeem, signedUp, signIn } from "../../support/person.ts";
import { rawGet, somebody } from "../../support/query-calls.ts";
import { withApp, describeEachDatabase, type TestApp, type TestService } from "../../support/service.ts";

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u);
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
      const { service, app } = await withApp(current());
      const person = await signedUp(service, app, newEmail(), { scopes: ["profile"] });
      const { body } = await verifyToken(service, person.accessToken, app.id);
      expect(body).toEqual({ valid: true, user: { id: person.user["id"], name: null } });
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
      const { service, app } = await withApp(current());
      const email = newEmail();
      const profile = await signedUp(service, app, email, { scopes: ["profile"] });
      const { body } = await call(service, "GET", `/api/user?token=${profile.accessToken}`, {});
      expect(Object.keys(body)).toEqual(["id", "name", "picture", "createdAt", "lastLoginAt", "authMethods"]);
      const onlyEmail = await redeem(service, app, await signIn(service, app, { email }, { scopes: ["email"] }));
      const answer = await call(service, "GET", `/api/user?token=${onlyEmail.accessToken}`, {});
      expect(answer).toMatchObject(refused(403, "INSUFFICIENT_SCOPE"));
      expect(answer.body.error?.details).toBe("scope: profile");
    });
  });

  describe("GET /api/config", () => {
    it("lists the enabled providers with their names and where to send a browser", async () => {
      const { service, app } = await withApp(current());
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
        authorizeUrl: `${service.server.app.ctx.baseUrl}/oauth/${name}/authorize?app_id=${app.id}`,
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
});

async function verifyToken(service: TestService, token: string, appId: string) {
  return await call(service, "GET", `/auth/verify-token?token=${encodeURIComponent(token)}&app_id=${appId}`, {});
}

async function changeApplication(service: TestService, app: TestApp, change: Partial<Application>): Promise<void> {
  await service.server.app.ctx.storage.write(async ({ db, tables: { applications } }) => {
    await db.update(applications).set(change).where(eq(applications.id, app.id));
  });
}
