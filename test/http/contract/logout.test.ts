import { beforeAll, describe, expect, it } from "vitest";
import { invalidToken } from "../../support/outcomes.ts";
import { call, newEmail, redeem, refresh, signIn, signUp, validate, type Tokens } from "../../support/person.ts";
import { useApp, describeSqliteFirst } from "../../support/service.ts";

describeSqliteFirst("POST /auth/logout", (current) => {
  const app = useApp(current);
  const other = useApp(current);
  const person = { email: newEmail() };
  const stranger = { email: newEmail() };
  beforeAll(async () => {
    for (const [where, who] of [
      [app, person],
      [app, stranger],
      [other, person],
    ] as const) {
      await redeem(current(), where, await signUp(current(), where, who));
    }
  });
  const newLogin = async (who = person, where = app): Promise<Tokens> =>
    await redeem(current(), where, await signIn(current(), where, who));
  const logout = async ({ accessToken }: Tokens, body?: unknown, headers = {}) =>
    await call(current(), "POST", "/auth/logout", { authorization: `Bearer ${accessToken}`, ...headers }, body);
  const done = { status: 200, body: { success: true, message: expect.stringMatching(/\S/u) } };

  /** Alive or ended, as access token and as refresh token. */
  const expectEnded = async ({ accessToken, refreshToken }: Tokens, where = app): Promise<void> => {
    expect(await validate(current(), where, accessToken)).toMatchObject(invalidToken);
    expect(await refresh(current(), where, refreshToken)).toMatchObject(invalidToken);
  };
  const expectLive = async ({ accessToken, refreshToken }: Tokens, where = app): Promise<void> => {
    expect((await validate(current(), where, accessToken)).status).toBe(200);
    expect((await refresh(current(), where, refreshToken)).status).toBe(200);
  };

  it.each([undefined, {}, { allSessions: false }])(
    "S11: with the body %j ends the bearer's own login and no other",
    async (body) => {
      const [mine, elsewhere, theirs] = [await newLogin(), await newLogin(), await newLogin(stranger)];
      const answer = await logout(mine, body);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual(done.body);
      expect(answer.headers.get("cache-control")).toBe("no-store");
      await expectEnded(mine);
      await expectLive(elsewhere);
      await expectLive(theirs);
    },
  );

  it("ends every access token of the login, older ones too", async () => {
    const mine = await newLogin();
    const renewed = { ...mine, ...(await refresh(current(), app, mine.refreshToken)).body } as Tokens;
    expect(await logout(mine, {})).toMatchObject(done);
    await expectEnded(mine);
    await expectEnded(renewed);
  });

  describe("with a refresh token", () => {
    it("of the bearer's own login ends that", async () => {
      const [mine, elsewhere] = [await newLogin(), await newLogin()];
      expect(await logout(mine, { refreshToken: mine.refreshToken })).toMatchObject(done);
      await expectEnded(mine);
      await expectLive(elsewhere);
    });

    it("of another login of the user ends that one, and leaves the bearer's", async () => {
      const [mine, elsewhere] = [await newLogin(), await newLogin()];
      expect(await logout(mine, { refreshToken: elsewhere.refreshToken })).toMatchObject(done);
      await expectEnded(elsewhere);
      await expectLive(mine);
    });

    it("that was replaced long ago ends the login that it belongs to", async () => {
      const [mine, elsewhere] = [await newLogin(), await newLogin()];
      const renewed = { ...elsewhere, ...(await refresh(current(), app, elsewhere.refreshToken)).body } as Tokens;
      current().clock.advance(60_000);
      expect(await logout(mine, { refreshToken: elsewhere.refreshToken })).toMatchObject(done);
      await expectEnded(renewed);
    });

    it("whose login has ended, ends the bearer's own: a success always means that somebody was signed out", async () => {
      const [mine, elsewhere] = [await newLogin(), await newLogin()];
      const body = { refreshToken: elsewhere.refreshToken };
      expect(await logout(mine, body)).toMatchObject(done);
      await expectEnded(elsewhere);
      await expectLive(mine);
      expect(await logout(mine, body)).toMatchObject(done);
      await expectEnded(mine);
      expect(await logout(mine, body)).toMatchObject(invalidToken);
    });

    it("of somebody else ends the bearer's own login alone, in the same app and in another (security rule A2)", async () => {
      const [theirs, myselfElsewhere] = [await newLogin(stranger), await newLogin(person, other)];
      for (const { refreshToken } of [theirs, myselfElsewhere]) {
        const mine = await newLogin();
        expect(await logout(mine, { refreshToken })).toMatchObject(done);
        await expectEnded(mine);
      }
      await expectLive(theirs);
      await expectLive(myselfElsewhere, other);
    });

    it.each([
      ["a word", () => "unknown"],
      ["noise", () => "A".repeat(120)],
      ["an altered one", ({ refreshToken }: Tokens) => `${refreshToken.slice(0, -8)}AAAAAAAA`],
      ["the access token", ({ accessToken }: Tokens) => accessToken],
      ["SQL", () => "' OR '1'='1"],
    ])("that nobody knows (%s) ends the bearer's own login alone", async (_title, unknown) => {
      const [mine, elsewhere] = [await newLogin(), await newLogin()];
      expect(await logout(mine, { refreshToken: unknown(elsewhere) })).toMatchObject(done);
      await expectEnded(mine);
      await expectLive(elsewhere);
    });
  });

  it.each([{ allSessions: true }, { allSessions: true, refreshToken: "unknown" }])(
    "S11: with %j ends all logins of the user, and nobody else's",
    async (body) => {
      const [mine, second, third] = [await newLogin(), await newLogin(), await newLogin()];
      const [theirs, myselfElsewhere] = [await newLogin(stranger), await newLogin(person, other)];
      expect(await logout(second, body)).toMatchObject(done);
      for (const login of [mine, second, third]) await expectEnded(login);
      await expectLive(theirs);
      await expectLive(myselfElsewhere, other);
      await expectLive(await newLogin());
    },
  );

  it("needs a live token: a second logout with the same one is refused", async () => {
    const mine = await newLogin();
    expect(await logout(mine, {})).toMatchObject(done);
    for (const body of [{}, { allSessions: true }]) expect(await logout(mine, body)).toMatchObject(invalidToken);
  });

  it("does not take an expired token, and then ends nothing", async () => {
    const mine = await newLogin();
    current().clock.advance(901_000);
    expect(await logout(mine, {})).toMatchObject(invalidToken);
    expect((await refresh(current(), app, mine.refreshToken)).status).toBe(200);
  });

  it.each([
    ["refreshToken", { refreshToken: ["x"] }],
    ["allSessions", { allSessions: "true" }],
    ["all", { all: true }],
  ])("refuses a bad %s, names it and ends nothing: %j", async (field, body) => {
    const mine = await newLogin();
    const details = expect.stringContaining(field);
    expect(await logout(mine, body)).toMatchObject({
      status: 400,
      body: { error: { code: "INVALID_REQUEST", details } },
    });
    await expectLive(mine);
  });
});
