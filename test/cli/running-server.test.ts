import { beforeAll, expect, test } from "vitest";
import { call, initiate, signedUp, signUp, validate } from "../support/person.ts";
import { describeEachDatabase, type TestApp, type TestService } from "../support/service.ts";
import type { Place } from "./databases.ts";
import { answer } from "./in-process.ts";
import { placeOf } from "./service-place.ts";

describeEachDatabase("a running server honours a command at the next call", (current) => {
  let service: TestService;
  let app: TestApp;
  let place: Place;
  beforeAll(async () => {
    service = current();
    place = placeOf(service);
    app = await service.createApp();
  });

  /**
   * A command has no clock but the real one; the service's is moved up to it, as they would agree
   * on one machine.
   */
  async function command(...args: string[]): Promise<Record<string, unknown>> {
    const document = (await answer(args, place)) as Record<string, unknown>;
    service.clock.now = Date.now();
    return document;
  }

  test("a revoked key is refused, a new one works, a rotated one ends", async () => {
    const created = await command("key", "create", "--app", app.id);
    const headers = { ...app.headers, authorization: `Bearer ${String(created["apiKey"])}` };
    const body = { redirectUri: app.redirectUri };
    expect((await call(service, "POST", "/auth/initiate", headers, body)).status).toBe(200);
    await command("key", "revoke", String(created["id"]));
    expect(await call(service, "POST", "/auth/initiate", headers, body)).toMatchObject({
      status: 401,
      body: { error: { code: "INVALID_API_KEY" } },
    });
    const rotating = await service.createApp();
    const rotated = await command("key", "rotate", "--app", rotating.id, "--overlap", "0s");
    service.clock.advance(1);
    expect((await call(service, "POST", "/auth/initiate", rotating.headers, body)).status).toBe(401);
    const renewed = { ...rotating.headers, authorization: `Bearer ${String(rotated["apiKey"])}` };
    expect((await call(service, "POST", "/auth/initiate", renewed, body)).status).toBe(200);
  });

  test("a new redirect address works, one that was taken back does not", async () => {
    const changing = await service.createApp();
    const redirectUri = "https://new.example/callback";
    const start = async (uri: string) =>
      (await call(service, "POST", "/auth/initiate", changing.headers, { redirectUri: uri })).status;
    expect(await start(redirectUri)).toBe(400);
    await command("app", "update", changing.id, "--redirect-uri", redirectUri);
    expect(await start(redirectUri)).toBe(200);
    expect(await start(changing.redirectUri)).toBe(400);
  });

  test("a token that another process signed with a key made this moment is accepted (security rule T6)", async () => {
    const { user } = await signedUp(service, app);
    await command("signing-key", "rotate", "--now");
    const { accessToken } = await command("token", "mint", "--user", String(user["id"]));
    expect((await validate(service, app, String(accessToken))).status).toBe(200);
  });

  test("closing sign-up turns strangers away, switching the query calls off ends them", async () => {
    const changing = await service.createApp();
    const { accessToken } = await signedUp(service, changing);
    const query = `/auth/verify-token?token=${accessToken}&app_id=${changing.id}`;
    expect((await call(service, "GET", query, {})).body).toMatchObject({ valid: true });
    await command("app", "update", changing.id, "--sign-up", "closed", "--query-endpoints", "off");
    expect((await call(service, "GET", query, {})).body).not.toMatchObject({ valid: true });
    await expect(signUp(service, changing)).rejects.toThrow();
    expect((await initiate(service, changing)).sessionId).toMatch(/^sis_/u);
  });
});
