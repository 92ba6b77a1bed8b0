import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { invalidRequest, invalidToken } from "../../support/outcomes.ts";
import { call, newEmail, redeem, refresh, signIn, signUp, validate } from "../../support/person.ts";
import { describeSqliteFirst, type TestApp, type TestService } from "../../support/service.ts";

const redirectUris = ["https://app.example/callback", "https://app.example/other"];
const methods = {
  passkey: { enabled: true, required: false },
  oauth: { enabled: false, providers: [] },
  password: { enabled: true },
};
const withoutPassword = { ...methods, password: { enabled: false } };

/** What an operator may do in between. `undo` puts it back; undefined where nothing can. */
const changes: { title: string; make: Change; undo?: Change }[] = [
  {
    title: "the sign-in's method was disabled",
    make: (service, app) => setApplication(service, app, { authMethods: withoutPassword }),
    undo: (service, app) => setApplication(service, app, { authMethods: methods }),
  },
  {
    title: "the user was disabled",
    make: (service, _app, email) => setUser(service, email, { disabledAt: service.clock.now }),
    undo: (service, _app, email) => setUser(service, email, { disabledAt: null }),
  },
  { title: "the user was deleted", make: deleteUser },
];
type Change = (service: TestService, app: TestApp, email: string) => Promise<void>;

describeSqliteFirst("what happens between a sign-in and its calls", (current) => {
  const start = async () => {
    const app = await current().createApp({ redirectUris });
    const email = newEmail();
    await redeem(current(), app, await signUp(current(), app, { email }));
    return { app, email };
  };

  describe.each(changes)("after $title", ({ make, undo }) => {
    it("the callback refuses the code, and keeps refusing it (security rule O9)", async () => {
      const { app, email } = await start();
      const { session, code } = await signIn(current(), app, { email });
      const send = async () =>
        await call(current(), "POST", "/auth/callback", app.headers, { code, sessionId: session.sessionId });
      await make(current(), app, email);
      expect(await send()).toMatchObject(invalidRequest);
      await undo?.(current(), app, email);
      expect(await send()).toMatchObject(invalidRequest);
    });

    it("a refresh is refused (security rule F5)", async () => {
      const { app, email } = await start();
      const tokens = await redeem(current(), app, await signIn(current(), app, { email }));
      await make(current(), app, email);
      expect(await refresh(current(), app, tokens.refreshToken)).toMatchObject(invalidToken);
    });

    it("a refresh within the grace of a lost answer is refused too (security rule F5)", async () => {
      const { app, email } = await start();
      const tokens = await redeem(current(), app, await signIn(current(), app, { email }));
      expect((await refresh(current(), app, tokens.refreshToken)).status).toBe(200);
      await make(current(), app, email);
      expect(await refresh(current(), app, tokens.refreshToken)).toMatchObject(invalidToken);
    });
  });

  it.each(changes.slice(1))(
    "after $title, the access token is dead at once (security rules S10, T4)",
    async ({ make }) => {
      const { app, email } = await start();
      const tokens = await redeem(current(), app, await signIn(current(), app, { email }));
      expect((await validate(current(), app, tokens.accessToken)).status).toBe(200);
      await make(current(), app, email);
      expect(await validate(current(), app, tokens.accessToken)).toMatchObject(invalidToken);
      expect(
        await call(current(), "POST", "/auth/logout", { authorization: `Bearer ${tokens.accessToken}` }, {}),
      ).toMatchObject(invalidToken);
    },
  );

  it("after a deletion, the same address gets another id, and old tokens stay dead (security rule T4)", async () => {
    const { app, email } = await start();
    const before = await redeem(current(), app, await signIn(current(), app, { email }));
    await deleteUser(current(), app, email);
    const after = await redeem(current(), app, await signUp(current(), app, { email }));
    expect(after.user["id"]).not.toBe(before.user["id"]);
    expect(await validate(current(), app, before.accessToken)).toMatchObject(invalidToken);
    expect(await refresh(current(), app, before.refreshToken)).toMatchObject(invalidToken);
  });

  it("after the redirect address was taken back, the callback refuses the code (security rule R6)", async () => {
    const { app, email } = await start();
    const { session, code } = await signIn(current(), app, { email });
    await setApplication(current(), app, { redirectUris: redirectUris.slice(1) });
    const body = { code, sessionId: session.sessionId };
    expect(await call(current(), "POST", "/auth/callback", app.headers, body)).toMatchObject(invalidRequest);
  });

  it("a code cannot be asked for without signing in: the callback refuses whatever is tried (security rule S6)", async () => {
    const { app } = await start();
    const { body } = await call(current(), "POST", "/auth/initiate", app.headers, { redirectUri: app.redirectUri });
    const sessionId = String(body["sessionId"]);
    for (const code of ["", "null", "undefined", sessionId, sessionId.slice(4), "A".repeat(43), "%", "\u0001"]) {
      expect(await call(current(), "POST", "/auth/callback", app.headers, { code, sessionId })).toMatchObject(
        invalidRequest,
      );
    }
  });
});

async function setApplication(
  service: TestService,
  app: TestApp,
  change: { authMethods?: typeof methods; redirectUris?: string[] },
) {
  await service.server.app.storage.write(async ({ db, tables: { applications } }) => {
    await db.update(applications).set(change).where(eq(applications.id, app.id));
  });
}

async function setUser(service: TestService, email: string, change: { disabledAt: number | null }): Promise<void> {
  await service.server.app.storage.write(async ({ db, tables: { users } }) => {
    await db.update(users).set(change).where(eq(users.email, email));
  });
}

async function deleteUser(service: TestService, _app: TestApp, email: string): Promise<void> {
  await service.server.app.storage.write(async ({ db, tables: { users } }) => {
    await db.delete(users).where(eq(users.email, email));
  });
}
