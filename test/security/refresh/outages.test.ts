import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { bearer } from "../../support/methods.ts";
import { call, redeem, refresh, signUp, validate, type Tokens } from "../../support/person.ts";
import { startPostgres } from "../../support/postgres.ts";
import { startTestService, serviceOfTest, type TestApp, type TestService } from "../../support/service.ts";

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
  const service = await serviceOfTest("sqlite");
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
