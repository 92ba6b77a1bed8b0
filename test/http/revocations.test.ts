import { beforeAll, expect, it } from "vitest";
import { call, newEmail, redeem, signIn, signUp, type Tokens } from "../support/person.ts";
import { describeEachDatabase, type TestApp } from "../support/service.ts";

type Feed = { cursor: string; revoked: Record<string, string>[]; more: boolean };

describeEachDatabase("GET /auth/revocations", (current) => {
  let app: TestApp;
  let other: TestApp;
  const person = { email: newEmail() };
  beforeAll(async () => {
    [app, other] = [await current().createApp(), await current().createApp()];
    for (const where of [app, other]) await redeem(current(), where, await signUp(current(), where, person));
  });
  const newLogin = async (where = app): Promise<Tokens> =>
    await redeem(current(), where, await signIn(current(), where, person));
  const sidOf = ({ accessToken }: Tokens): string =>
    (JSON.parse(Buffer.from(accessToken.split(".")[1] ?? "", "base64url").toString()) as { sid: string }).sid;
  const logout = async ({ accessToken }: Tokens, body?: unknown) =>
    await call(current(), "POST", "/auth/logout", { authorization: `Bearer ${accessToken}` }, body);
  const ask = async (query: string, where = app) =>
    await call(current(), "GET", `/auth/revocations${query}`, where.headers);
  const poll = async (query: string, where = app): Promise<Feed> => {
    const { status, body } = await ask(query, where);
    expect([status, body]).toEqual([200, expect.objectContaining({ cursor: expect.any(String) })]);
    return body as Feed;
  };

  it("begins with the present cursor and nothing else", async () => {
    await logout(await newLogin());
    expect(await poll("")).toEqual({ cursor: expect.any(String), revoked: [], more: false });
  });

  it("tells a logout once, to the cursor before it", async () => {
    const { cursor } = await poll("");
    const login = await newLogin();
    await logout(login);
    const first = await poll(`?after=${cursor}`);
    expect(first).toEqual({ cursor: expect.any(String), revoked: [{ sid: sidOf(login) }], more: false });
    expect((await poll(`?after=${first.cursor}`)).revoked).toEqual([]);
    expect((await poll(`?after=${cursor}`)).revoked).toEqual([{ sid: sidOf(login) }]);
    expect((await poll(`?after=${(await poll("", other)).cursor}`, other)).revoked).toEqual([]);
  });

  it("answers a waiting call at once", async () => {
    const login = await newLogin();
    const { cursor } = await poll("");
    const waiting = poll(`?after=${cursor}&wait=25`);
    await expect.poll(() => current().server.app.services.revocations.waiting()).toBe(1);
    await logout(login);
    expect((await waiting).revoked).toEqual([{ sid: sidOf(login) }]);
    expect(current().server.app.services.revocations.waiting()).toBe(0);
  });
});
