import { beforeAll, describe, expect, it } from "vitest";
import { bearer } from "../../support/methods.ts";
import { call, newEmail, signedUp, type Tokens } from "../../support/person.ts";
import { describeSqliteFirst, type TestApp } from "../../support/service.ts";

const routes: [method: string, path: string, body?: unknown][] = [
  ["GET", "/users/profile"],
  ["PATCH", "/users/profile", { unknown: "key" }],
  ["DELETE", "/users/profile"],
  ["GET", "/users/auth-methods"],
  ["DELETE", "/users/auth-methods/mth_unknown"],
];

describeSqliteFirst("user management", (current) => {
  let app: TestApp;
  let other: TestApp;
  let tokens: Tokens;
  let withoutProfile: Tokens;
  beforeAll(async () => {
    [app, other] = [await current().createApp(), await current().createApp()];
    tokens = await signedUp(current(), app);
    withoutProfile = await signedUp(current(), app, newEmail(), { scopes: ["email"] });
  });

  describe.each(routes)("%s %s", (method, path, body) => {
    const send = async (headers: Record<string, string>) => await call(current(), method, path, headers, body);

    it("refuses every token that is not a good one, before it looks at anything else", async () => {
      const { accessToken, refreshToken } = tokens;
      const ended = await signedUp(current(), app);
      await call(current(), "POST", "/auth/logout", bearer(ended.accessToken), {});
      const bad = ["", "x", refreshToken, app.apiKey, `${accessToken.slice(0, -2)}xx`, ended.accessToken];
      for (const token of bad) {
        const answer = await send({ ...bearer(token), "x-service-app-id": other.id });
        expect(answer).toMatchObject({ status: 401, body: { error: { code: "INVALID_TOKEN" } } });
      }
      expect(await send({})).toMatchObject({ status: 401, body: { error: { code: "INVALID_TOKEN" } } });
      expect(await send({ authorization: `Basic ${accessToken}` })).toMatchObject({ status: 401 });
    });

    it("refuses an App ID that is not the token's, unknown and foreign alike, before it looks at the scope", async () => {
      for (const appId of [other.id, "app_unknown", ""]) {
        const answer = await send({ ...bearer(withoutProfile.accessToken), "x-service-app-id": appId });
        expect(answer).toMatchObject({ status: 401, body: { error: { code: "INVALID_APP_ID" } } });
      }
    });

    it("refuses a token without the scope profile, before it looks at the body", async () => {
      const answer = await send({ ...bearer(withoutProfile.accessToken), "x-service-app-id": app.id });
      expect(answer).toMatchObject({
        status: 403,
        body: { error: { code: "INSUFFICIENT_SCOPE", details: "scope: profile" } },
      });
    });

    it("is counted as user management, by user", async () => {
      const someone = await signedUp(current(), app, newEmail(), { scopes: ["email"] });
      const limit = 1_000_000_000;
      for (const used of [1, 2]) {
        const { headers } = await send(bearer(someone.accessToken));
        expect(headers.get("x-ratelimit-limit")).toBe(String(limit));
        expect(headers.get("x-ratelimit-remaining")).toBe(String(limit - used));
      }
    });

    it("may be called by pages of the app, and of no other", async () => {
      const { origin } = new URL(app.redirectUri);
      const preflight = async (from: string) =>
        await fetch(`${current().url}${path}`, {
          method: "OPTIONS",
          headers: { origin: from, "access-control-request-method": method },
        });
      const allowed = await preflight(origin);
      expect(allowed.headers.get("access-control-allow-origin")).toBe(origin);
      expect(allowed.headers.get("access-control-allow-methods")).toContain(method);
      expect((await preflight("https://stranger.example")).headers.get("access-control-allow-origin")).toBeNull();
      const { headers } = await send({ ...bearer(withoutProfile.accessToken), origin });
      expect(headers.get("access-control-allow-origin")).toBe(origin);
    });
  });

  it("other methods are answered 405 with those that there are", async () => {
    const put = await call(current(), "PUT", "/users/profile", bearer(tokens.accessToken), {});
    expect([put.status, put.headers.get("allow")]).toEqual([405, "GET, HEAD, PATCH, DELETE, OPTIONS"]);
    const get = await call(current(), "GET", "/users/auth-methods/mth_1", bearer(tokens.accessToken));
    expect([get.status, get.headers.get("allow")]).toEqual([405, "DELETE, OPTIONS"]);
  });
});
