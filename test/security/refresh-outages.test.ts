import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, expect, it } from "vitest";
import { bearer } from "../support/methods.ts";
import { call, initiate, newEmail, redeem, refresh, signIn, signUp, validate, type Tokens } from "../support/person.ts";
import { startPostgres } from "../support/postgres.ts";
import { kill, killAll, startProcess } from "../support/process.ts";
import { startTestService, type TestApp, type TestService } from "../support/service.ts";

// A process that a failed test left behind would keep the run from ending.
afterEach(killAll);

it("F8, CVE-2026-9802: what was ended stays ended after kill -9, and what lived lives on", async () => {
  const data = mkdtempSync(join(tmpdir(), "authsvc-kill-"));
  const first = await startProcess(data);
  const person = { email: newEmail() };
  const { service, app } = first;
  await redeem(service, app, await signUp(service, app, person));
  const newLogin = async (): Promise<Tokens> => await redeem(service, app, await signIn(service, app, person));
  const [live, loggedOut, byToken, reused] = [await newLogin(), await newLogin(), await newLogin(), await newLogin()];
  // A token older than the direct predecessor is a reuse at once, without waiting for the grace to
  // end.
  const second = (await refresh(service, app, reused.refreshToken)).body as Tokens;
  const third = (await refresh(service, app, second.refreshToken)).body as Tokens;
  expect((await refresh(service, app, reused.refreshToken)).status).toBe(401);
  const logout = async (token: string, body: unknown) =>
    (await call(service, "POST", "/auth/logout", bearer(token), body)).status;
  expect(await logout(live.accessToken, { refreshToken: byToken.refreshToken })).toBe(200);
  // Nothing between the answer and the end of the process.
  expect(await logout(loggedOut.accessToken, {})).toBe(200);
  await kill(first.process);

  const again = await startProcess(data);
  for (const { accessToken, refreshToken } of [loggedOut, byToken, reused, second, third]) {
    expect((await refresh(again.service, app, refreshToken)).status).toBe(401);
    if (accessToken) expect((await validate(again.service, app, accessToken)).status).toBe(401);
  }
  expect((await refresh(again.service, app, live.refreshToken)).status).toBe(200);
  await kill(again.process);
  // Nor after a second time.
  const oncemore = await startProcess(data);
  for (const { refreshToken } of [loggedOut, byToken, reused, third])
    expect((await refresh(oncemore.service, app, refreshToken)).status).toBe(401);
  await kill(oncemore.process);
});

it("F9: a refresh whose answer was lost with the process can be tried again", async () => {
  const data = mkdtempSync(join(tmpdir(), "authsvc-kill-"));
  // The ten seconds are of the real clock: a machine too busy to restart within them gets another
  // round.
  for (let round = 0; round < 4; round += 1) {
    const first = await startProcess(data);
    const tokens = await redeem(first.service, first.app, await signUp(first.service, first.app));
    const begun = Date.now();
    const answered = await refresh(first.service, first.app, tokens.refreshToken);
    await kill(first.process);
    const second = await startProcess(data);
    const again = await refresh(second.service, second.app, tokens.refreshToken);
    const took = Date.now() - begun;
    if (took < 10_000) {
      expect(again.status).toBe(200);
      expect(again.body["refreshToken"]).toBe(answered.body["refreshToken"]);
      // The issuer holds the port, and this process has another one.
      expect((await validate(second.service, second.app, String(again.body["accessToken"]))).status).toBe(200);
      expect((await initiate(second.service, second.app)).sessionId).toMatch(/^sis_/u);
      return;
    }
    await kill(second.process);
  }
  throw new Error("the process never started within ten seconds");
});

/** What ends something, and so must not say that it did when it could not. */
const endings: [title: string, end: (service: TestService, tokens: Tokens) => ReturnType<typeof call>][] = [
  ["logout", (service, tokens) => call(service, "POST", "/auth/logout", bearer(tokens.accessToken), {})],
  [
    "logout by refresh token",
    (service, { accessToken, refreshToken }) =>
      call(service, "POST", "/auth/logout", bearer(accessToken), { refreshToken }),
  ],
  [
    "logout everywhere",
    (service, tokens) => call(service, "POST", "/auth/logout", bearer(tokens.accessToken), { allSessions: true }),
  ],
  ["deletion", (service, tokens) => call(service, "DELETE", "/users/profile", bearer(tokens.accessToken))],
];

async function logins(service: TestService, app: TestApp): Promise<Tokens[]> {
  return await Promise.all(endings.map(async () => await redeem(service, app, await signUp(service, app))));
}

/** Each is a 5xx without a word of success; afterwards, each can be done. */
async function expectHonesty(
  service: TestService,
  app: TestApp,
  outage: (during: () => Promise<void>) => Promise<void>,
) {
  const all = await logins(service, app);
  await outage(async () => {
    const answers = await Promise.all(endings.map(([, end], at) => end(service, all[at] as Tokens)));
    for (const [at, { status, body }] of answers.entries()) {
      expect([endings[at]?.[0], status, body.error?.code]).toEqual([endings[at]?.[0], 500, "SERVER_ERROR"]);
      expect(body).not.toHaveProperty("success");
    }
  });
  for (const [at, [title, end]] of endings.entries()) {
    const tokens = all[at] as Tokens;
    // Said to have failed, and has: the login is alive until somebody succeeds.
    expect([title, (await validate(service, app, tokens.accessToken)).status]).toEqual([title, 200]);
    expect([title, (await end(service, tokens)).status]).toEqual([title, 200]);
    expect([title, (await refresh(service, app, tokens.refreshToken)).status]).toEqual([title, 401]);
  }
}

it("F10, CVE-2020-15223: a logout that the database refuses to write is an error, not a success", async () => {
  const running = await startTestService("sqlite");
  try {
    const { service } = running;
    const app = await service.createApp();
    await expectHonesty(service, app, async (during) => {
      const other = new Database(join(service.dataDir, "authsvc.db"));
      const refusals = [
        ["logins", "UPDATE"],
        ["logins", "DELETE"],
        ["users", "DELETE"],
      ].map(([table, what]) => ({ name: `refuse_${table}_${what}`, on: `BEFORE ${what} ON ${table}` }));
      for (const { name, on } of refusals)
        other.exec(`CREATE TRIGGER ${name} ${on} BEGIN SELECT RAISE(ABORT, 'disk I/O error'); END`);
      await during();
      for (const { name } of refusals) other.exec(`DROP TRIGGER ${name}`);
      other.close();
    });
  } finally {
    await running.stop();
  }
});

it("F10, CVE-2020-15223: so is one without PostgreSQL", async () => {
  const postgres = await startPostgres();
  const running = await startTestService("postgres", { database: { url: postgres.url("postgres"), poolSize: 5 } });
  try {
    const app = await running.service.createApp();
    await expectHonesty(running.service, app, async (during) => {
      await postgres.takeDown();
      await during();
      await postgres.bringUp();
    });
  } finally {
    await running.stop();
    await postgres.stop();
  }
});
