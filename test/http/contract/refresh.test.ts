import { beforeAll, describe, expect, it } from "vitest";
import { call, isLive, newEmail, redeem, refresh, signIn, signUp, type Tokens } from "../../support/person.ts";
import { describeEachDatabase, type TestApp } from "../../support/service.ts";

describeEachDatabase("POST /auth/refresh", (current) => {
  let app: TestApp;
  const person = { email: newEmail() };
  beforeAll(async () => {
    app = await current().createApp();
    await redeem(current(), app, await signUp(current(), app, person));
  });
  const newLogin = async (): Promise<Tokens> => await redeem(current(), app, await signIn(current(), app, person));
  const next = async (refreshToken: string): Promise<Tokens> => {
    const { status, body } = await refresh(current(), app, refreshToken);
    expect([status, body.error]).toEqual([200, undefined]);
    return body as Tokens;
  };

  it("answers exactly a new pair and its lifetime in seconds (security rule F1)", async () => {
    const first = await newLogin();
    const { status, headers, body } = await refresh(current(), app, first.refreshToken);
    expect(status).toBe(200);
    expect(body).toEqual({
      accessToken: expect.any(String),
      refreshToken: expect.stringMatching(/^[\w-]{43,}$/u),
      expiresIn: 900,
    });
    expect(body["refreshToken"]).not.toBe(first.refreshToken);
    expect(body["accessToken"]).not.toBe(first.accessToken);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(await isLive(current(), app, body as Tokens)).toBe(true);
  });

  it("goes on for many generations, no token twice", async () => {
    const seen = [await newLogin()];
    for (let n = 0; n < 12; n += 1) seen.push(await next(seen.at(-1)?.refreshToken ?? ""));
    expect(new Set(seen.map(({ refreshToken }) => refreshToken)).size).toBe(13);
    expect(new Set(seen.map(({ accessToken }) => accessToken)).size).toBe(13);
  });

  describe("refuses a body", () => {
    it.each([
      {},
      { refreshToken: null },
      { refreshToken: 1 },
      { refreshToken: ["x"] },
      { refreshToken: { x: 1 } },
      { refresh_token: "x" },
    ])("that is not as documented, naming the field: %j", async (body) => {
      const details = expect.stringContaining("refreshToken");
      expect(await call(current(), "POST", "/auth/refresh", app.headers, body)).toMatchObject({
        status: 400,
        body: { error: { code: "INVALID_REQUEST", details } },
      });
    });

    it.each(["scope", "grant_type", "userId"])("with the extra key %s, and does not use up the token", async (key) => {
      const { refreshToken } = await newLogin();
      const details = expect.stringContaining(key);
      const answer = await call(current(), "POST", "/auth/refresh", app.headers, { refreshToken, [key]: "x" });
      expect(answer).toMatchObject({ status: 400, body: { error: { code: "INVALID_REQUEST", details } } });
      current().clock.advance(60_000);
      await next(refreshToken);
    });
  });
});
