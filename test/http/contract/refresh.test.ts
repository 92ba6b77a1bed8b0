import { beforeAll, describe, expect, it } from "vitest";
import { call, isLive, newEmail, redeem, refresh, signIn, signUp, type Tokens } from "../../support/person.ts";
import { useApp, describeEachDatabase } from "../../support/service.ts";

describeEachDatabase("POST /auth/refresh", (current) => {
  const app = useApp(current);
  const person = { email: newEmail() };
  beforeAll(async () => {
    await redeem(current(), app, await signUp(current(), app, person));
  });
  const newLogin = async (): Promise<Tokens> => await redeem(current(), app, await signIn(current(), app, person));

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
  });
});
