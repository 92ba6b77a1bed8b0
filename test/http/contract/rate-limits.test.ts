import { beforeEach, describe, expect, it } from "vitest";
import * as apiKeys from "../../../src/applications/keys.ts";
import { toNextMinute } from "../../support/limits.ts";
import { call, newEmail, redeem, signedUp, signIn, signUp, validate } from "../../support/person.ts";
import { describeSqliteFirst } from "../../support/service.ts";

const limit = 6;
const rateLimits = { authentication: limit, userManagement: 1000, applicationManagement: 1000, webhooks: 1000 };
const minute = 60_000;

/** The three headers of the contract; undefined where there is none. */
function standing({ headers }: { headers: Headers }) {
  return ["limit", "remaining", "reset"].map((name) => headers.get(`x-ratelimit-${name}`) ?? undefined);
}

describeSqliteFirst("rate limits", { rateLimits }, (current) => {
  beforeEach(() => toNextMinute(current()));
  const badKey = (headers: Record<string, string> = {}) =>
    call(current(), "POST", "/auth/initiate", { authorization: "Bearer x", ...headers }, {});
  const statuses = async (count: number, send: () => Promise<{ status: number }>) => {
    const seen: number[] = [];
    for (let n = 0; n < count; n += 1) seen.push((await send()).status);
    return seen;
  };
  const times = (count: number, status: number) => Array.from({ length: count }, () => status);

  it("are told on success and on error alike: limit, what is left, and the end of the minute in epoch seconds (security rule L1)", async () => {
    const app = await current().createApp();
    const body = { redirectUri: app.redirectUri };
    current().clock.advance(12_345);
    const reset = String(Math.ceil(current().clock.now / minute) * 60);
    const answers = [
      await call(current(), "POST", "/auth/initiate", app.headers, body),
      await call(current(), "POST", "/auth/initiate", app.headers, "{"),
      await call(current(), "POST", "/auth/initiate", { ...app.headers, "content-type": "text/plain" }, body),
      await call(current(), "POST", "/auth/initiate", app.headers, "x".repeat(20_000)),
      await call(current(), "POST", "/auth/callback", app.headers, { code: "x", sessionId: "x" }),
      await call(current(), "POST", "/auth/refresh", app.headers, { refreshToken: "x" }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 415, 413, 400, 401]);
    expect(answers.map(standing)).toEqual(["5", "4", "3", "2", "5", "4"].map((left) => [String(limit), left, reset]));
  });

  it("answer 429 RATE_LIMITED with Retry-After, and do not carry the call out (security rule L1)", async () => {
    const app = await current().createApp();
    const person = { email: newEmail() };
    await redeem(current(), app, await signUp(current(), app, person));
    toNextMinute(current());
    current().clock.advance(40_500);
    const { session, code } = await signIn(current(), app, person);
    await statuses(limit, () => call(current(), "POST", "/auth/refresh", app.headers, { refreshToken: "x" }));
    const send = () => call(current(), "POST", "/auth/callback", app.headers, { code, sessionId: session.sessionId });
    const { status, headers, body } = await send();
    expect(status).toBe(429);
    expect(body).toEqual({
      error: {
        code: "RATE_LIMITED",
        message: expect.stringMatching(/\S/u),
        details: expect.any(String),
        requestId: headers.get("x-request-id"),
      },
    });
    expect(headers.get("retry-after")).toBe("20");
    expect(standing({ headers })).toEqual([String(limit), "0", String((current().clock.now + 19_500) / 1000)]);
    expect(headers.get("cache-control")).toBe("no-store");
    current().clock.advance(20_000);
    expect((await send()).status).toBe(200);
  });

  it("end with the minute, not before", async () => {
    const app = await current().createApp();
    const send = () => call(current(), "POST", "/auth/initiate", app.headers, { redirectUri: app.redirectUri });
    current().clock.advance(30_000);
    expect(await statuses(limit + 1, send)).toEqual([...times(limit, 200), 429]);
    current().clock.advance(29_900);
    const last = await send();
    expect([last.status, last.headers.get("retry-after")]).toEqual([429, "1"]);
    current().clock.advance(200);
    expect(await statuses(limit + 1, send)).toEqual([...times(limit, 200), 429]);
  });

  describe("are counted", () => {
    it("per app for calls with its API key, over all paths and keys of it; another app is not affected (security rule L10)", async () => {
      const [app, other] = [await current().createApp(), await current().createApp()];
      const second = await apiKeys.createKey(
        current().server.app.ctx,
        { appId: app.id },
        { kind: "cli", name: "test" },
      );
      const withSecond = { ...app.headers, authorization: `Bearer ${second.apiKey}` };
      const refresh = (headers: Record<string, string>) => () =>
        call(current(), "POST", "/auth/refresh", headers, { refreshToken: "x" });
      expect(await statuses(limit - 1, refresh(app.headers))).toEqual(times(limit - 1, 401));
      expect(await statuses(2, refresh(withSecond))).toEqual([401, 429]);
      const callback = { code: "x", sessionId: "x" };
      expect((await call(current(), "POST", "/auth/callback", app.headers, callback)).status).toBe(429);
      expect((await refresh(other.headers)()).status).toBe(401);
    });

    it("apart for initiate, by the same number: who starts sign-ins uses up nothing that others need, and no other way round", async () => {
      const [app, other] = [await current().createApp(), await current().createApp()];
      const initiate = () => call(current(), "POST", "/auth/initiate", app.headers, { redirectUri: app.redirectUri });
      const refresh = () => call(current(), "POST", "/auth/refresh", app.headers, { refreshToken: "x" });
      expect(await statuses(limit + 1, initiate)).toEqual([...times(limit, 200), 429]);
      expect(await statuses(limit + 1, refresh)).toEqual([...times(limit, 401), 429]);
      const byOther = await call(current(), "POST", "/auth/initiate", other.headers, {
        redirectUri: other.redirectUri,
      });
      expect(byOther.status).toBe(200);
      toNextMinute(current());
      await statuses(limit + 1, refresh);
      expect((await initiate()).status).toBe(200);
    });

    it("per user for calls with an access token, whichever of its logins; other users and the app are not affected", async () => {
      const app = await current().createApp();
      const { accessToken, email } = await signedUp(current(), app);
      const again = await redeem(current(), app, await signIn(current(), app, { email }));
      toNextMinute(current());
      const other = await signedUp(current(), app);
      expect(await statuses(limit, () => validate(current(), app, accessToken))).toEqual(times(limit, 200));
      expect((await validate(current(), app, again.accessToken)).status).toBe(429);
      expect(
        (await call(current(), "POST", "/auth/logout", { authorization: `Bearer ${accessToken}` }, {})).status,
      ).toBe(429);
      const answer = await validate(current(), app, other.accessToken);
      expect([answer.status, ...standing(answer).slice(0, 2)]).toEqual([200, String(limit), String(limit - 1)]);
      toNextMinute(current());
      expect((await validate(current(), app, accessToken)).status).toBe(200);
    });

    it("per address for credentials that fail, so that nobody tries keys and tokens at will (security rule L2)", async () => {
      const app = await current().createApp();
      const failures = [
        () => badKey(),
        () => call(current(), "GET", "/auth/validate", { authorization: "Bearer x", "x-service-app-id": app.id }),
        () => call(current(), "POST", "/auth/logout", {}, {}),
      ];
      for (const [n, send] of [...failures, ...failures].entries()) {
        const answer = await send();
        expect([answer.status, ...standing(answer).slice(0, 2)]).toEqual([401, String(limit), String(limit - 1 - n)]);
      }
      for (const send of failures) {
        const answer = await send();
        expect(answer).toMatchObject({ status: 429, body: { error: { code: "RATE_LIMITED" } } });
        expect(answer.headers.get("retry-after")).toBe("60");
      }
    });

    it("by the address alone where a public client calls", async () => {
      const app = await current().createApp();
      const send = () =>
        call(current(), "POST", "/auth/refresh", { "x-service-app-id": app.id }, { refreshToken: "x" });
      expect(await statuses(limit + 1, send)).toEqual([...times(limit, 401), 429]);
      // The app's server is elsewhere.
      expect((await call(current(), "POST", "/auth/refresh", app.headers, { refreshToken: "x" })).status).toBe(401);
    });
  });

  it.each(["/.well-known/jwks.json", "/.well-known/openid-configuration", "/healthz", "/readyz"])(
    "leave %s alone, which is none of the four types",
    async (path) => {
      await statuses(limit + 1, badKey);
      const answer = await call(current(), "GET", path, {});
      expect([answer.status, standing(answer)]).toEqual([200, [undefined, undefined, undefined]]);
    },
  );
});
