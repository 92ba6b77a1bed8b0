import { beforeAll, describe, expect, it } from "vitest";
import { outcome } from "../../support/outcomes.ts";
import { call, signedUp, type Tokens } from "../../support/person.ts";
import { useApp, describeSqliteFirst } from "../../support/service.ts";

const badBodies: [title: string, body: unknown, type: string, status: number][] = [
  ["not JSON", "{", "application/json", 400],
  ["an unknown key", { unknown: 1 }, "application/json", 400],
  ["another media type", "x", "text/plain", 415],
  ["17 KB", JSON.stringify("x".repeat(17_000)), "application/json", 413],
];

describeSqliteFirst("the order of checks: address, API key or token, App ID, body", (current) => {
  const app = useApp(current);
  const other = useApp(current);
  let tokens: Tokens;
  beforeAll(async () => {
    tokens = await signedUp(current(), app);
  });

  describe.each(badBodies)("with a body that is wrong too (%s)", (_title, body, type, status) => {
    it.each(["/auth/initiate", "/auth/callback", "/auth/refresh"])(
      "POST %s looks at the key, then the App ID, then the body",
      async (path) => {
        const send = async (headers: Record<string, string>) =>
          await call(current(), "POST", path, { "content-type": type, ...headers }, body);
        const badKey = { authorization: `Bearer ${"z".repeat(40)}` };
        expect(await send({ ...badKey, "x-service-app-id": "app_unknown" })).toMatchObject(
          outcome(401, "INVALID_API_KEY"),
        );
        expect(await send({ ...badKey, "x-service-app-id": app.id })).toMatchObject(outcome(401, "INVALID_API_KEY"));
        expect(await send({})).toMatchObject(outcome(401, "INVALID_API_KEY"));
        expect(await send({ ...app.headers, "x-service-app-id": other.id })).toMatchObject(
          outcome(401, "INVALID_APP_ID"),
        );
        expect(await send({ authorization: app.headers["authorization"] ?? "" })).toMatchObject(
          outcome(401, "INVALID_APP_ID"),
        );
        expect(await send(app.headers)).toMatchObject(outcome(status, "INVALID_REQUEST"));
      },
    );

    it("POST /auth/logout looks at the token, then the App ID, then the body, and ends nothing", async () => {
      const send = async (headers: Record<string, string>) =>
        await call(current(), "POST", "/auth/logout", { "content-type": type, ...headers }, body);
      const bearer = { authorization: `Bearer ${tokens.accessToken}` };
      expect(await send({ authorization: "Bearer x", "x-service-app-id": other.id })).toMatchObject(
        outcome(401, "INVALID_TOKEN"),
      );
      expect(await send({ "x-service-app-id": other.id })).toMatchObject(outcome(401, "INVALID_TOKEN"));
      expect(await send({ ...bearer, "x-service-app-id": other.id })).toMatchObject(outcome(401, "INVALID_APP_ID"));
      expect(await send(bearer)).toMatchObject(outcome(status, "INVALID_REQUEST"));
      expect((await call(current(), "GET", "/auth/validate", { ...bearer, "x-service-app-id": app.id })).status).toBe(
        200,
      );
    });
  });

  it("GET /auth/validate looks at the token, then the App ID", async () => {
    const send = async (headers: Record<string, string>) => await call(current(), "GET", "/auth/validate", headers);
    const bearer = { authorization: `Bearer ${tokens.accessToken}` };
    const appIds: Record<string, string>[] = [{}, { "x-service-app-id": other.id }, { "x-service-app-id": app.id }];
    for (const appId of appIds) {
      expect(await send(appId)).toMatchObject(outcome(401, "INVALID_TOKEN"));
      expect(await send({ authorization: `${bearer.authorization}x`, ...appId })).toMatchObject(
        outcome(401, "INVALID_TOKEN"),
      );
    }
    expect(await send(bearer)).toMatchObject(outcome(401, "INVALID_APP_ID"));
    expect(await send({ ...bearer, "x-service-app-id": other.id })).toMatchObject(outcome(401, "INVALID_APP_ID"));
    expect((await send({ ...bearer, "x-service-app-id": app.id })).status).toBe(200);
  });

  it("an unknown path and a wrong method come before every credential", async () => {
    for (const headers of [{}, app.headers, { authorization: "Bearer x" }]) {
      expect(await call(current(), "POST", "/auth/unknown", headers, {})).toMatchObject(
        outcome(404, "INVALID_REQUEST"),
      );
      expect(await call(current(), "DELETE", "/auth/initiate", headers, {})).toMatchObject(
        outcome(405, "INVALID_REQUEST"),
      );
    }
  });
});

describeSqliteFirst(
  "the order of checks at a rate limit",
  { rateLimits: { authentication: 4, userManagement: 4, applicationManagement: 4, webhooks: 4 } },
  (current) => {
    it("a limit comes before the body", async () => {
      const service = current();
      const app = await service.createApp();
      const send = async () => await call(service, "POST", "/auth/initiate", app.headers, "{");
      service.clock.advance(60_000 - (service.clock.now % 60_000));
      for (let n = 0; n < 4; n += 1) expect(await send()).toMatchObject(outcome(400, "INVALID_REQUEST"));
      expect(await send()).toMatchObject(outcome(429, "RATE_LIMITED"));
    });
  },
);
