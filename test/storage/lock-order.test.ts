import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  call,
  initiate,
  newEmail,
  redeem,
  refresh,
  signIn,
  signUp,
  signedUp,
  Visitor,
  goodPassword,
  type Tokens,
} from "../support/person.ts";
import { openAccount, press } from "../support/account.ts";
import { createClient, signInByClient } from "../support/clients-logout.ts";
import { addingSession, prove } from "../support/adding.ts";
import { expectNoDeadlock, untilWaiting } from "../support/locks.ts";
import { givePasskey } from "../support/methods.ts";
import { startProvider, type Provider } from "../support/providers/provider.ts";
import { appWith, atProvider, comeBack, startRound } from "../support/providers/round.ts";
import { startTestService, type TestApp, type TestService } from "../support/service.ts";

// On SQLite there is one lock, and nobody to wait for crosswise.
describe("the order of locks: codes, their user, its logins (docs/decisions/0027) (postgres)", () => {
  let running: Awaited<ReturnType<typeof startTestService>>;
  let service: TestService;
  let app: TestApp;
  let other: Client;
  let provider: Provider;

  beforeAll(async () => {
    running = await startTestService("postgres");
    ({ service } = running);
    provider = await startProvider("github");
    app = await appWith(service, [provider], { methods: ["password", "passkey", "oauth"] });
    other = new Client(service.config.database.url);
    await other.connect();
  });
  afterAll(async () => {
    await other.end();
    await provider.close();
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

  async function loginId({ accessToken }: Tokens): Promise<string> {
    return await service.server.app.services.logins.loginIdOf(accessToken);
  }

  /**
   * Does `work` while another transaction holds the user: it must wait for that one, with none of
   * the user's logins in hand. `meanwhile` begins more, before it may go on.
   */
  async function expectUserFirst(
    id: string,
    work: () => Promise<unknown>,
    meanwhile = async (): Promise<void> => {},
  ): Promise<void> {
    await other.query("BEGIN");
    // As an update of a name does.
    await other.query("SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE", [id]);
    const working = work();
    try {
      await untilWaiting(other, 1);
      const logins = await other.query("SELECT 1 FROM logins WHERE user_id = $1 FOR UPDATE NOWAIT", [id]);
      expect(logins.rowCount).toBeGreaterThan(1);
      await meanwhile();
    } finally {
      await other.query("ROLLBACK");
    }
    await working;
  }

  const operator = { kind: "cli", name: "test" } as const;
  const doing = { dryRun: false };

  type Someone = Awaited<ReturnType<typeof someone>>;

  const bearer = ({ accessToken }: Someone) => ({
    authorization: `Bearer ${accessToken}`,
    "x-service-app-id": app.id,
  });

  /** The form that takes a new password, in a browser that has just signed in. */
  async function passwordForm({ accessToken, visitor }: Someone): Promise<() => Promise<unknown>> {
    const { authUrl } = await addingSession(service, app, accessToken, { type: "password" });
    const page = await visitor.get(authUrl);
    return async () => {
      const done = await visitor.submit(page, "/add/password", { password: "another horse, another battery" });
      expect(done.location.searchParams.get("status")).toBe("changed");
    };
  }

  async function resetForm({ id }: Someone): Promise<() => Promise<unknown>> {
    const { resetLinks } = service.server.app.services;
    const { link } = await resetLinks.linkFor(id, { send: false, dryRun: false }, operator);
    const visitor = new Visitor();
    const page = await visitor.get(link ?? "");
    return async () => {
      const fields = { password: "another horse, another battery" };
      expect((await visitor.submit(page, new URL(link ?? "").pathname, fields)).status).toBe(200);
    };
  }

  /** Somebody's address, which nobody has proven yet, is proven by a provider. */
  async function firstProof({ email }: Someone): Promise<() => Promise<unknown>> {
    const { visitor, address } = await startRound(service, app, provider);
    const back = await atProvider(address, provider, { subject: "4711", email, verified: true });
    const asked = await comeBack(visitor, back);
    const page = await visitor.get(asked.location.href);
    return async () =>
      expect((await visitor.submit(page, "/step/take-over", {})).location.searchParams.has("code")).toBe(true);
  }

  const calls = (method: string, path: string, body?: unknown) => async (person: Someone) => async () => {
    expect((await call(service, method, path, bearer(person), body)).status).toBe(200);
  };

  type Caller = [title: string, prepare: (person: Someone) => Promise<() => Promise<unknown>>];

  /** What ends one login, with what its browser opened. */
  const enders: Caller[] = [
    ["a logout of one login", calls("POST", "/auth/logout", {})],
    [
      "the end of one login on the account page",
      async (person) => {
        const id = await loginId(person);
        return () => service.server.app.services.ownLogins.end(person.id, id, { actor: operator });
      },
    ],
    [
      "an operator's end of one login",
      async (person) => {
        const id = await loginId(person);
        return () => service.server.app.services.logins.end(id, doing, operator);
      },
    ],
    [
      "the sign-out on the account page",
      async ({ visitor }) => {
        const page = await openAccount(service, app, visitor);
        return async () => expect((await press(app, visitor, page, "/sign-out")).status).toBe(303);
      },
    ],
  ];

  /** The deletion of a client that somebody has signed in by. */
  async function deletionOfClient({ email, visitor }: Someone): Promise<() => Promise<unknown>> {
    const id = await createClient(service, app);
    await signInByClient(service, email, id, visitor);
    return () => service.server.app.services.clients.delete(id, { actor: operator });
  }

  const callers: Caller[] = [
    ["a logout of all sessions", calls("POST", "/auth/logout", { allSessions: true })],
    ["the deletion of an account", calls("DELETE", "/users/profile")],
    [
      "the removal of a method",
      async (person) => await calls("DELETE", `/users/auth-methods/${await givePasskey(service, person.id)}`)(person),
    ],
    ["a changed password", passwordForm],
    ["a reset password", resetForm],
    ["the first proof of an address", firstProof],
    [
      "the end of all logins on the account page",
      async ({ id }) =>
        () =>
          service.server.app.services.ownLogins.endAll(id, { actor: operator }),
    ],
    [
      "the end of other logins on the account page",
      async ({ id }) =>
        () =>
          service.server.app.services.ownLogins.endOthers(id, "another browser", { actor: operator }),
    ],
    ...(["revokeLogins", "disable"] as const).map((what): Caller => [
      `an operator's ${what}`,
      async ({ id }) =>
        () =>
          service.server.app.services.userAdministration[what](id, doing, { actor: operator }),
    ]),
  ];

  it.each(callers)("%s takes codes, then the user, then logins", async (_title, prepare) => {
    const person = await someone();
    const act = await prepare(person);
    const code = await signIn(service, app, person);
    const kept = new Visitor();
    const session = await addingSession(service, app, person.accessToken, { type: "password" });
    const page = await prove(kept, session, person.email);
    let beside: Promise<unknown>[] = [];
    await expectUserFirst(person.id, act, async () => {
      // They wait for what it holds by now; whoever had the user before its codes would wait for
      // them in turn.
      beside = [
        redeem(service, app, code).catch(() => "refused"),
        kept.submit(page, "/add/password", { password: "a third password altogether" }),
        refresh(service, app, person.refreshToken),
        signUp(service, app, person).catch(() => "refused"),
      ];
      await untilWaiting(other, 3);
    });
    const [redeemed] = await Promise.all(beside);
    expect(redeemed).toBe("refused");
  });

  it.each([...enders, ["the deletion of a client", deletionOfClient] as Caller])(
    "%s takes the user, then browser sessions and logins",
    async (_title, prepare) => {
      const person = await someone();
      const act = await prepare(person);
      const code = await signIn(service, app, person);
      let beside: Promise<unknown>[] = [];
      await expectUserFirst(person.id, act, async () => {
        const sessions = "SELECT 1 FROM browser_sessions WHERE user_id = $1 FOR UPDATE NOWAIT";
        expect((await other.query(sessions, [person.id])).rowCount).toBeGreaterThan(0);
        beside = [
          redeem(service, app, code),
          signIn(service, app, person, {}, person.visitor),
          refresh(service, app, person.refreshToken),
          call(service, "POST", "/auth/logout", bearer(person), { allSessions: true }),
        ];
        await untilWaiting(other, 3);
      });
      await Promise.allSettled(beside);
    },
  );

  it("a sign-in in another language, which moves the logins of its browser, waits for it, too", async () => {
    const { id, email, visitor } = await someone();
    const session = await initiate(service, app, { locale: "de" });
    const page = await visitor.get(session.authUrl);
    await expectUserFirst(id, async () => {
      expect(await visitor.submit(page, "/password", { email, password: goodPassword })).toMatchObject({ status: 303 });
    });
  });

  it("no transaction of any of them was ended for a deadlock", async () => {
    await expectNoDeadlock(other, running.restart);
  });
});
