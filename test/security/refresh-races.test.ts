import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, it } from "vitest";
import { call, newEmail, redeem, refresh, signIn, signUp, validate, type Tokens } from "../support/person.ts";
import { describeEachDatabase, type TestApp } from "../support/service.ts";

const invalidToken = { status: 401, body: { error: { code: "INVALID_TOKEN" } } };
const people = Array.from({ length: 10 }, () => ({ email: newEmail() }));
const roundsOfEach = 20;

describeEachDatabase("refreshing at the same time", (current) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await current().createApp();
    for (const person of people) await redeem(current(), app, await signUp(current(), app, person));
  });
  const newLogin = async (person = people[0]): Promise<Tokens> =>
    await redeem(current(), app, await signIn(current(), app, person ?? { email: "" }));
  const logout = async ({ accessToken }: Tokens, body: unknown = {}) =>
    await call(current(), "POST", "/auth/logout", { authorization: `Bearer ${accessToken}` }, body);

  it("F3, GHSA-392p-2q2v-4372, CVE-2026-1035: 50 parallel calls with one token get one successor, which works", async () => {
    const { refreshToken } = await newLogin();
    const answers = await Promise.all(Array.from({ length: 50 }, () => refresh(current(), app, refreshToken)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const successors = new Set(answers.map(({ body }) => String(body["refreshToken"])));
    expect(successors.size).toBe(1);
    for (const { body } of answers)
      expect((await validate(current(), app, String(body["accessToken"]))).status).toBe(200);
    expect((await refresh(current(), app, [...successors][0] ?? "")).status).toBe(200);
  });

  it("F3, GHSA-392p-2q2v-4372: a line never forks, generation after generation", async () => {
    let { refreshToken } = await newLogin();
    for (let generation = 0; generation < 10; generation += 1) {
      const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(current(), app, refreshToken)));
      const successors = new Set(answers.map(({ body }) => String(body["refreshToken"])));
      expect([generation, successors.size]).toEqual([generation, 1]);
      [refreshToken = ""] = successors;
    }
    expect((await refresh(current(), app, refreshToken)).status).toBe(200);
  });

  it("F2, CVE-2026-1035: 50 parallel reuses after the grace end the login, and none gets a token", async () => {
    const first = await newLogin();
    const second = await refresh(current(), app, first.refreshToken);
    current().clock.advance(11_000);
    const answers = await Promise.all(Array.from({ length: 50 }, () => refresh(current(), app, first.refreshToken)));
    for (const answer of answers) expect(answer).toMatchObject(invalidToken);
    expect(await refresh(current(), app, String(second.body["refreshToken"]))).toMatchObject(invalidToken);
  });

  it(
    "F4, GHSA-392p-2q2v-4372: nothing survives a logout that races a refresh, in 200 rounds",
    { timeout: 60_000 },
    async () => {
      let refreshedFirst = 0;
      const race = async (person: { email: string }, round: number): Promise<void> => {
        const first = await newLogin(person);
        const wait = (round % 5) - 2;
        const [refreshed, loggedOut] = await Promise.all([
          sleep(Math.max(0, -wait)).then(() => refresh(current(), app, first.refreshToken)),
          sleep(Math.max(0, wait)).then(() =>
            logout(first, round % 2 === 0 ? {} : { refreshToken: first.refreshToken }),
          ),
        ]);
        expect(loggedOut.status).toBe(200);
        if (refreshed.status === 200) refreshedFirst += 1;
        else expect(refreshed).toMatchObject(invalidToken);
        const pairs = [first, ...(refreshed.status === 200 ? [refreshed.body as Tokens] : [])];
        for (const { accessToken, refreshToken } of pairs) {
          expect(await validate(current(), app, accessToken)).toMatchObject(invalidToken);
          expect(await refresh(current(), app, refreshToken)).toMatchObject(invalidToken);
        }
      };
      const raceAll = async (person: { email: string }): Promise<void> => {
        for (let round = 0; round < roundsOfEach; round += 1) await race(person, round);
      };
      await Promise.all(people.map(raceAll));
      // Otherwise there was no race.
      expect(refreshedFirst).toBeGreaterThan(0);
    },
  );

  it("F4: nor a logout of all sessions that races the refreshes of each", async () => {
    for (let round = 0; round < 10; round += 1) {
      const logins = await Promise.all(Array.from({ length: 4 }, () => newLogin()));
      const [loggedOut, ...refreshed] = await Promise.all([
        logout(logins[0] as Tokens, { allSessions: true }),
        ...logins.map(({ refreshToken }) => refresh(current(), app, refreshToken)),
      ]);
      expect(loggedOut?.status).toBe(200);
      const tokens = [...logins, ...refreshed.filter(({ status }) => status === 200).map(({ body }) => body as Tokens)];
      for (const { refreshToken } of tokens)
        expect(await refresh(current(), app, refreshToken)).toMatchObject(invalidToken);
    }
  });
});
