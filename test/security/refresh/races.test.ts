import { setTimeout as sleep } from "node:timers/promises";
import { decodeJwt } from "jose";
import { beforeAll, expect, it } from "vitest";
import { isLongRun } from "../../support/long-run.ts";
import { invalidToken } from "../../support/outcomes.ts";
import {
  call,
  newEmail,
  redeem,
  refresh,
  signedUp,
  signIn,
  signUp,
  validate,
  type Tokens,
  isLive,
} from "../../support/person.ts";
import { useApp, describeEachDatabase, type TestApp } from "../../support/service.ts";

const people = Array.from({ length: 10 }, () => ({ email: newEmail() }));
const roundsOfEach = isLongRun ? 20 : 3;

describeEachDatabase("refreshing at the same time", (service) => {
  const app = useApp(service);
  beforeAll(async () => {
    for (const person of people) await redeem(service, app, await signUp(service, app, person));
  });
  const newLogin = async (person = people[0]): Promise<Tokens> =>
    await redeem(service, app, await signIn(service, app, person ?? { email: "" }));
  const passwordOf = async ({ id, headers }: TestApp, enabled: boolean): Promise<void> => {
    const body = { authMethods: { password: { enabled } } };
    expect((await call(service, "PATCH", `/applications/${id}`, headers, body)).status).toBe(200);
  };
  const logout = async ({ accessToken }: Tokens, body: unknown = {}) =>
    await call(service, "POST", "/auth/logout", { authorization: `Bearer ${accessToken}` }, body);

  it("F3, GHSA-392p-2q2v-4372, CVE-2026-1035: 50 parallel calls with one token get one successor, which works, generation after generation", async () => {
    let { refreshToken } = await newLogin();
    for (let generation = 0; generation < 4; generation += 1) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => refresh(service, app, refreshToken)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      const successors = new Set(answers.map(({ body }) => String(body["refreshToken"])));
      expect([generation, successors.size]).toEqual([generation, 1]);
      for (const { body } of answers) expect(await isLive(service, app, body)).toBe(true);
      [refreshToken = ""] = successors;
    }
  });

  it("F2, CVE-2026-1035: 50 parallel reuses after the grace end the login, and none gets a token", async () => {
    const first = await newLogin();
    const second = await refresh(service, app, first.refreshToken);
    service.clock.advance(31_000);
    const answers = await Promise.all(Array.from({ length: 50 }, () => refresh(service, app, first.refreshToken)));
    for (const answer of answers) expect(answer).toMatchObject(invalidToken);
    expect(await refresh(service, app, String(second.body["refreshToken"]))).toMatchObject(invalidToken);
  });

  it("F4, GHSA-392p-2q2v-4372: nothing survives a logout that races a refresh, in many rounds", async () => {
    let refreshedFirst = 0;
    const race = async (person: { email: string }, round: number): Promise<void> => {
      const first = await newLogin(person);
      const wait = 2 - (round % 5);
      const [refreshed, loggedOut] = await Promise.all([
        sleep(Math.max(0, -wait)).then(() => refresh(service, app, first.refreshToken)),
        sleep(Math.max(0, wait)).then(() => logout(first, round % 2 === 0 ? {} : { refreshToken: first.refreshToken })),
      ]);
      expect(loggedOut.status).toBe(200);
      if (refreshed.status === 200) refreshedFirst += 1;
      else expect(refreshed).toMatchObject(invalidToken);
      const pairs = [first, ...(refreshed.status === 200 ? [refreshed.body as Tokens] : [])];
      for (const { accessToken, refreshToken } of pairs) {
        expect(await validate(service, app, accessToken)).toMatchObject(invalidToken);
        expect(await refresh(service, app, refreshToken)).toMatchObject(invalidToken);
      }
    };
    const raceAll = async (person: { email: string }): Promise<void> => {
      for (let round = 0; round < roundsOfEach; round += 1) await race(person, round);
    };
    await Promise.all(people.map(raceAll));
    // Otherwise there was no race.
    expect(refreshedFirst).toBeGreaterThan(0);
  });

  it("F1, F2: those that are refused leave their tokens as they were, and a reuse ends its login, all among others that succeed", async () => {
    const away = await service.createApp();
    const ofAway = await signedUp(service, away);
    await passwordOf(away, false);
    const [good, keyless, foreign, reused, late] = await Promise.all(people.slice(0, 5).map(newLogin));
    if (!good || !keyless || !foreign || !reused || !late) throw new Error("too few people");
    const successor = String((await refresh(service, app, reused.refreshToken)).body["refreshToken"]);
    service.clock.advance(31_000);
    const post = async (headers: Record<string, string>, refreshToken: string) =>
      await call(service, "POST", "/auth/refresh", headers, { refreshToken });
    const answers = await Promise.all([
      refresh(service, app, good.refreshToken),
      refresh(service, away, ofAway.refreshToken),
      post({ "x-service-app-id": app.id }, keyless.refreshToken),
      refresh(service, away, foreign.refreshToken),
      refresh(service, app, reused.refreshToken),
      refresh(service, app, late.refreshToken),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 401, 401, 401, 200]);
    await passwordOf(away, true);
    const rows = await service.server.app.ctx.storage.reader.db
      .select()
      .from(service.server.app.ctx.storage.reader.tables.logins);
    const stateOf = ({ accessToken }: Tokens): unknown[] => {
      const { sid } = decodeJwt(accessToken) as {
        sid: string;
      };
      return rows.flatMap(({ id, generation, endReason }) => (id === sid ? [generation, endReason] : []));
    };
    expect([good, ofAway, keyless, foreign, reused, late].map(stateOf)).toEqual([
      [1, null],
      [0, null],
      [0, null],
      [0, null],
      [1, "refresh-reuse"],
      [1, null],
    ]);
    expect(await refresh(service, app, successor)).toMatchObject(invalidToken);
    for (const [owner, { refreshToken }] of [
      [away, ofAway],
      [app, keyless],
      [app, foreign],
    ] as const)
      expect((await refresh(service, owner, refreshToken)).status).toBe(200);
  });

  it("F2: a reuse ends its login also while the app takes nobody's word by that method", async () => {
    const away = await service.createApp();
    const first = await signedUp(service, away);
    const { body } = await refresh(service, away, first.refreshToken);
    service.clock.advance(31_000);
    await passwordOf(away, false);
    expect(await refresh(service, away, first.refreshToken)).toMatchObject(invalidToken);
    await passwordOf(away, true);
    expect(await refresh(service, away, String(body["refreshToken"]))).toMatchObject(invalidToken);
  });

  it("F4: nor a logout of all sessions that races the refreshes of each", async () => {
    for (let round = 0; round < roundsOfEach; round += 1) {
      const logins = await Promise.all(Array.from({ length: 4 }, () => newLogin()));
      const [loggedOut, ...refreshed] = await Promise.all([
        logout(logins[0] as Tokens, { allSessions: true }),
        ...logins.map(({ refreshToken }) => refresh(service, app, refreshToken)),
      ]);
      expect(loggedOut?.status).toBe(200);
      const tokens = [...logins, ...refreshed.filter(({ status }) => status === 200).map(({ body }) => body as Tokens)];
      for (const { refreshToken } of tokens)
        expect(await refresh(service, app, refreshToken)).toMatchObject(invalidToken);
    }
  });
});
