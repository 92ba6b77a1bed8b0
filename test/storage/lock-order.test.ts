import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  call,
  initiate,
  newEmail,
  redeem,
  signIn,
  signedUp,
  Visitor,
  goodPassword,
  type Tokens,
} from "../support/person.ts";
import { startTestService, type TestApp, type TestService } from "../support/service.ts";

// On SQLite there is one lock, and nobody to wait for crosswise.
describe("the order of locks: a user, then its logins (docs/decisions/0027) (postgres)", () => {
  let running: Awaited<ReturnType<typeof startTestService>>;
  let service: TestService;
  let app: TestApp;
  let other: Client;

  beforeAll(async () => {
    running = await startTestService("postgres");
    ({ service } = running);
    app = await service.createApp();
    other = new Client(service.config.database.url);
    await other.connect();
  });
  afterAll(async () => {
    await other.end();
    await running.stop();
  });

  /** Somebody with two logins, both of one browser. */
  async function someone(): Promise<Tokens & { id: string; email: string; visitor: Visitor }> {
    const email = newEmail();
    await signedUp(service, app, email);
    const visitor = new Visitor();
    for (let login = 0; login < 2; login += 1)
      await redeem(service, app, await signIn(service, app, { email }, {}, visitor));
    const tokens = await redeem(service, app, await signIn(service, app, { email }, {}, visitor));
    return { ...tokens, id: String(tokens.user["id"]), email, visitor };
  }

  /** Does `work` while another transaction holds the user: it must wait for that one, with none of the user's logins in hand. */
  async function expectUserFirst(id: string, work: () => Promise<unknown>): Promise<void> {
    await other.query("BEGIN");
    // As an update of a name does.
    await other.query("SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE", [id]);
    const working = work();
    const waits = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    try {
      await expect.poll(async () => (await other.query(waits)).rowCount, { timeout: 10_000 }).toBe(1);
      const logins = await other.query("SELECT 1 FROM logins WHERE user_id = $1 FOR UPDATE NOWAIT", [id]);
      expect(logins.rowCount).toBeGreaterThan(1);
    } finally {
      await other.query("ROLLBACK");
      await working;
    }
  }

  const operator = { kind: "cli", name: "test" } as const;
  const by = { actor: operator };
  const doing = { dryRun: false };

  it("a logout of all sessions waits for whoever changes the user, with no login in hand", async () => {
    const { id, accessToken } = await someone();
    const bearer = { authorization: `Bearer ${accessToken}`, "x-service-app-id": app.id };
    await expectUserFirst(id, async () => {
      expect(await call(service, "POST", "/auth/logout", bearer, { allSessions: true })).toMatchObject({ status: 200 });
    });
  });

  it.each(["endAll", "endOthers"] as const)("the account page waits for it, too: %s", async (what) => {
    const { ownLogins } = service.server.app.services;
    const { id } = await someone();
    await expectUserFirst(id, () =>
      what === "endAll" ? ownLogins.endAll({ id, appId: app.id }, by) : ownLogins.endOthers(id, "another browser", by),
    );
  });

  it.each(["revokeLogins", "disable"] as const)("an operator waits for it, too: %s", async (what) => {
    const { id } = await someone();
    await expectUserFirst(id, () => service.server.app.services.userAdministration[what](id, doing, operator));
  });

  it("a sign-in in another language, which moves the logins of its browser, waits for it, too", async () => {
    const { id, email, visitor } = await someone();
    const session = await initiate(service, app, { locale: "de" });
    const page = await visitor.get(session.authUrl);
    await expectUserFirst(id, async () => {
      expect(await visitor.submit(page, "/password", { email, password: goodPassword })).toMatchObject({ status: 303 });
    });
  });
});
