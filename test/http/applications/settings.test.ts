import { beforeEach, describe, expect, it } from "vitest";
import type { ApplicationChange } from "../../../src/applications/settings.ts";
import * as applications from "../../../src/applications/service.ts";
import { bearer } from "../../support/methods.ts";
import { call, initiate, redeem, signedUp, signUp, validate } from "../../support/person.ts";
import { describeSqliteFirst, type TestApp } from "../../support/service.ts";

const operator = { kind: "cli", name: "test" } as const;
const minute = 60 * 1000;

describeSqliteFirst("what an operator sets of an application", (current) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await current().createApp();
  });
  const update = async (change: ApplicationChange) =>
    await applications.update(current().server.app.ctx, app.id, change, operator);

  it("can be given when an application is created", async () => {
    const settings = { signUp: "closed", rateLimits: { webhooks: 5 } } as const;
    const { id } = await current().createApp({ settings, authMethods: { oauth: { providers: ["google"] } } });
    expect(
      await applications.find(current().server.app.ctx, current().server.app.ctx.storage.reader, id),
    ).toMatchObject({
      settings: { ...settings, passwordMinLength: 15 },
      authMethods: { oauth: { enabled: false, providers: ["google"] } },
    });
  });

  describe("scopes", () => {
    it("are all that a sign-in gets, asked for or not", async () => {
      await update({ settings: { scopes: ["profile"] } });
      const { accessToken } = await redeem(current(), app, await signUp(current(), app));
      expect((await validate(current(), app, accessToken)).body["scopes"]).toEqual(["profile"]);
      await expect(initiate(current(), app, { scopes: ["profile", "email"] })).rejects.toThrow(
        "scopes: not granted to this application",
      );
      const config = await call(current(), "GET", `/api/config?app_id=${app.id}`, {});
      expect(config.body["scopes"]).toEqual(["profile"]);
    });
  });

  describe("limits", () => {
    const remaining = (headers: Headers) => [headers.get("x-ratelimit-limit"), headers.get("x-ratelimit-remaining")];
    /**
     * A minute of its own: nothing has been counted in it yet, and it does not end in the middle of
     * a test.
     */
    const freshMinute = (): void => {
      const { clock } = current();
      clock.advance(minute - (clock.now % minute));
    };

    it("count its own calls from the next one on", async () => {
      freshMinute();
      await update({ settings: { rateLimits: { applicationManagement: 2 } } });
      const get = async () => await call(current(), "GET", `/applications/${app.id}`, bearer(app.apiKey));
      expect(remaining((await get()).headers)).toEqual(["2", "1"]);
      expect(remaining((await get()).headers)).toEqual(["2", "0"]);
      expect(await get()).toMatchObject({ status: 429, body: { error: { code: "RATE_LIMITED" } } });
      await update({ settings: { rateLimits: { applicationManagement: null } } });
      expect(remaining((await get()).headers)[0]).toBe("1000000000");
    });

    it("count its users' calls, by user, after a second at most", async () => {
      const [ada, bob] = [await signedUp(current(), app), await signedUp(current(), app)];
      const elsewhere = await signedUp(current(), await current().createApp());
      const profile = async (token: string) => await call(current(), "GET", "/users/profile", bearer(token));
      expect(remaining((await profile(ada.accessToken)).headers)[0]).toBe("1000000000");
      freshMinute();
      await update({ settings: { rateLimits: { userManagement: 3 } } });
      current().clock.advance(1000);
      for (const left of ["2", "1", "0"])
        expect(remaining((await profile(ada.accessToken)).headers)).toEqual(["3", left]);
      expect((await profile(ada.accessToken)).status).toBe(429);
      expect(remaining((await profile(bob.accessToken)).headers)).toEqual(["3", "2"]);
      expect(remaining((await profile(elsewhere.accessToken)).headers)[0]).toBe("1000000000");
    });

    it("do not count who has no credential of the application", async () => {
      freshMinute();
      await update({ settings: { rateLimits: { applicationManagement: 1, authentication: 1 } } });
      for (let calls = 1; calls <= 3; calls += 1) {
        expect((await call(current(), "GET", `/api/config?app_id=${app.id}`, {})).status).toBe(200);
        await initiateBadly(app);
      }
      expect((await initiate(current(), app)).sessionId).toBeTruthy();
    });

    async function initiateBadly({ id }: TestApp): Promise<void> {
      const headers = { authorization: "Bearer wrong", "x-service-app-id": id };
      expect((await call(current(), "POST", "/auth/initiate", headers, {})).status).toBe(401);
    }
  });
});
