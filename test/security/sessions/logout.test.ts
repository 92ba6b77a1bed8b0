import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type RunningServer } from "../../../src/process/server.ts";
import { openAccount, press } from "../../support/account.ts";
import type { SignedInVisitor } from "../../support/adding.ts";
import { freePort } from "../../support/free-port.ts";
import { askForReset, disableUser, linkIn, mailTo, newUser } from "../../support/mail-flows.ts";
import { useMailServer } from "../../support/mail.ts";
import { bearer } from "../../support/methods.ts";
import { call, goodPassword, redeem, refresh, signIn, validate, Visitor } from "../../support/person.ts";
import { atUrl, startTestService, type Dialect, type TestApp, type TestService } from "../../support/service.ts";

const server = await useMailServer();

/**
 * Whether a token is good, asked without end and without pause by several callers, until `over`.
 */
function watch(services: TestService[], app: TestApp, accessToken: string) {
  const seen: { begun: number; status: number }[] = [];
  const state = { over: false };
  const watchers = Array.from({ length: 4 }, async (_, nth) => {
    while (!state.over) {
      const begun = performance.now();
      const service = services[nth % services.length] as TestService;
      seen.push({ begun, status: (await validate(service, app, accessToken)).status });
    }
  });
  return {
    seen,
    async stop(): Promise<void> {
      state.over = true;
      await Promise.all(watchers);
    },
  };
}

/**
 * Carries out an act within a validate loop: the token is good before it, and no call that begins
 * after its answer finds it good.
 */
async function expectEndedBy(
  services: TestService[],
  app: TestApp,
  accessToken: string,
  act: () => Promise<unknown>,
): Promise<void> {
  const watching = watch(services, app, accessToken);
  try {
    await expect.poll(() => watching.seen.length, { timeout: 60_000 }).toBeGreaterThan(8);
    await act();
    const ended = performance.now();
    const before = watching.seen.length;
    await expect.poll(() => watching.seen.length, { timeout: 60_000 }).toBeGreaterThan(before + 16);
    await sleep(20);
    await watching.stop();
    const after = watching.seen.filter(({ begun }) => begun > ended);
    expect(watching.seen.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    expect(after.length).toBeGreaterThan(0);
    expect(after.filter(({ status }) => status !== 401)).toEqual([]);
  } finally {
    await watching.stop();
  }
}

type Act = (service: TestService, app: TestApp, person: SignedInVisitor) => Promise<unknown>;
const logout =
  (body: (person: SignedInVisitor) => unknown): Act =>
  async (service, _app, person) => {
    const answer = await call(service, "POST", "/auth/logout", bearer(person.accessToken), body(person));
    expect(answer.status).toBe(200);
  };

/** Everything that ends a login. */
const acts: [title: string, act: Act][] = [
  ["a logout", logout(() => ({}))],
  ["a logout by the refresh token", logout(({ refreshToken }) => ({ refreshToken }))],
  ["a logout everywhere", logout(() => ({ allSessions: true }))],
  [
    "the deletion of the account",
    async (service, _app, { accessToken }) => {
      expect((await call(service, "DELETE", "/users/profile", bearer(accessToken))).status).toBe(200);
    },
  ],
  [
    "the operator who disables the user",
    async (service, _app, { user }) => await disableUser(service, String(user["id"])),
  ],
  [
    "the button on the account page",
    async (service, app, { visitor }) => {
      const page = await openAccount(service, app, visitor);
      expect((await press(app, visitor, page, "/logins/end-all")).status).toBe(303);
    },
  ],
  [
    "a new password by mail",
    async (service, app, { email }) => {
      await askForReset(service, app, email);
      const link = linkIn(await mailTo(server, email, 1, /password/iu));
      const browser = new Visitor();
      const form = await browser.get(link);
      const done = await browser.submit(form, new URL(link).pathname, { password: "another good and long password" });
      expect(done.status).toBeLessThan(400);
    },
  ],
];

/** A user who has just signed in to the app, and the browser that did it. */
async function signedInPerson(service: TestService, app: TestApp): Promise<SignedInVisitor> {
  const { email } = await newUser(service, app, { password: goodPassword });
  return await signInAgain(service, app, email);
}

async function signInAgain(service: TestService, app: TestApp, email: string): Promise<SignedInVisitor> {
  const visitor = new Visitor();
  const signedIn = await signIn(service, app, { email }, {}, visitor);
  return { ...(await redeem(service, app, signedIn)), email, visitor };
}

describe.each<Dialect>(["sqlite", "postgres"])("two processes on one database (%s)", (dialect) => {
  let running: Awaited<ReturnType<typeof startTestService>>;
  let second: RunningServer;
  beforeAll(async () => {
    const port = await freePort();
    const address = { baseUrl: `http://localhost:${port}`, listen: { host: "127.0.0.1", port, tls: undefined } };
    running = await startTestService(dialect, { ...address, mail: server.mail });
    const { config, clock } = running.service;
    second = await startServer({ ...config, listen: { ...config.listen, port: 0 } }, { clock: () => clock.now });
  });
  afterAll(async () => {
    await second.close();
    await running.stop();
  });

  it.each(acts)(
    "S10: from the answer to %s on, no call to validate in either of them finds the token good",
    async (_title, act) => {
      const { service } = running;
      const elsewhere = atUrl(service, second.url);
      const app = await service.createApp();
      const person = await signedInPerson(service, app);
      await expectEndedBy([service, elsewhere], app, person.accessToken, () => act(service, app, person));
      expect((await refresh(elsewhere, app, person.refreshToken)).status).toBe(401);
    },
  );
});
