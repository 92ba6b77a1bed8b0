import { eq } from "drizzle-orm";
import { beforeAll, expect, it } from "vitest";
import { openAccount, press } from "../support/account.ts";
import { signedUpIn, type SignedInVisitor } from "../support/adding.ts";
import { call, isLive, redeem, refresh, signIn, Visitor, type Tokens } from "../support/person.ts";
import { describeSqliteFirst, type TestApp } from "../support/service.ts";

describeSqliteFirst("what ends a login ends what its browser opened", (current) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await current().createApp();
  });

  async function loginId({ accessToken }: Tokens): Promise<string> {
    return await current().server.app.services.logins.loginIdOf(accessToken);
  }

  /** Signs in once more in this browser: by a client, or without one by the application. */
  async function signInWith(visitor: Visitor, email: string, clientId: string | null = null): Promise<Tokens> {
    const tokens = await redeem(current(), app, await signIn(current(), app, { email }, {}, visitor));
    const id = await loginId(tokens);
    await current().server.app.storage.write(({ db, tables: { logins } }) =>
      db.update(logins).set({ clientId }).where(eq(logins.id, id)),
    );
    return tokens;
  }

  type Someone = SignedInVisitor & Record<"own" | "wiki" | "chat" | "elsewhere", Tokens>;

  /** Signed in to the application twice and to two clients in one browser, and to one elsewhere. */
  async function someone(): Promise<Someone> {
    const person = await signedUpIn(current(), app);
    const { visitor, email } = person;
    return {
      ...person,
      own: await signInWith(visitor, email),
      wiki: await signInWith(visitor, email, "cli_wiki"),
      chat: await signInWith(visitor, email, "cli_chat"),
      elsewhere: await signInWith(new Visitor(), email, "cli_wiki"),
    };
  }

  async function liveOf(person: Someone): Promise<Record<string, boolean>> {
    const { own, wiki, chat, elsewhere } = person;
    const named = { first: person, own, wiki, chat, elsewhere };
    const live = Object.entries(named).map(async ([name, tokens]) => [name, await isLive(current(), app, tokens)]);
    return Object.fromEntries(await Promise.all(live));
  }

  async function logout({ accessToken }: Tokens, body?: unknown): Promise<void> {
    const headers = { authorization: `Bearer ${accessToken}` };
    expect((await call(current(), "POST", "/auth/logout", headers, body)).status).toBe(200);
  }

  const operator = { kind: "cli", name: "test" } as const;

  const ends: [title: string, end: (person: Someone) => Promise<unknown>][] = [
    ["a logout of the app", async (person) => await logout(person)],
    ["a logout by refresh token", async (person) => await logout(person.own, { refreshToken: person.refreshToken })],
    [
      "the account page",
      async (person) => {
        const page = await openAccount(current(), app, person.visitor);
        await press(app, person.visitor, page, `/logins/${await loginId(person)}/end`);
      },
    ],
    [
      "an operator's command",
      async (person) =>
        await current().server.app.services.logins.end(await loginId(person), { dryRun: false }, operator),
    ],
  ];

  it.each(ends)("%s ends the login, the account page and the clients there, and nothing else", async (_, end) => {
    const person = await someone();
    const stranger = await someone();
    await end(person);
    const ended = { first: false, wiki: false, chat: false };
    expect(await liveOf(person)).toEqual({ ...ended, own: true, elsewhere: true });
    expect((await openAccount(current(), app, person.visitor)).status).toBe(303);
    expect((await refresh(current(), app, person.wiki.refreshToken)).status).toBe(401);
    expect(Object.values(await liveOf(stranger))).not.toContain(false);
  });

  it("a client's own logout ends the other clients, and not what the application itself began", async () => {
    const person = await someone();
    await logout(person.wiki);
    expect(await liveOf(person)).toEqual({ first: true, own: true, wiki: false, chat: false, elsewhere: true });
    expect((await openAccount(current(), app, person.visitor)).status).toBe(303);
  });

  it("the end of a login that has ended leaves what was opened since", async () => {
    const person = await someone();
    await logout(person);
    const again = await signInWith(person.visitor, person.email, "cli_wiki");
    await current().server.app.services.logins.end(await loginId(person), { dryRun: false }, operator);
    expect(await isLive(current(), app, again)).toBe(true);
    expect((await openAccount(current(), app, person.visitor)).status).toBe(200);
  });

  it("the account page's sign-out leaves what somebody else opened in this browser", async () => {
    const stranger = await someone();
    const { email } = await signedUpIn(current(), app);
    const mine = await signInWith(stranger.visitor, email, "cli_wiki");
    const page = await openAccount(current(), app, stranger.visitor);
    expect((await press(app, stranger.visitor, page, "/sign-out")).status).toBe(303);
    expect(await isLive(current(), app, mine)).toBe(false);
    expect(Object.values(await liveOf(stranger))).not.toContain(false);
  });

  it("writes down each login that ends, with who ended it, and the sign-out", async () => {
    const person = await someone();
    const page = await openAccount(current(), app, person.visitor);
    await press(app, person.visitor, page, "/sign-out");
    expect(await liveOf(person)).toEqual({ first: false, own: false, wiki: false, chat: false, elsewhere: true });
    const userId = String(person.user["id"]);
    const events = await current().server.app.services.audit.list({ userId, limit: 30 });
    const noted = events.filter(({ action }) => action === "user.logout").map(({ details }) => details["loginId"]);
    const ended = [person, person.own, person.wiki, person.chat];
    expect(noted).toHaveLength(ended.length);
    expect(new Set(noted)).toEqual(new Set(await Promise.all(ended.map(loginId))));
    expect(events.filter(({ action }) => action === "account.sign-out")).toHaveLength(1);
    for (const event of events.slice(0, 5)) expect(event).toMatchObject({ actor: `user:${userId}` });
  });

  it("two logouts and a refresh at once leave no client's login alive", async () => {
    for (let round = 0; round < 5; round += 1) {
      const person = await someone();
      const refreshed = [person.wiki, person.chat].map(({ refreshToken }) => refresh(current(), app, refreshToken));
      await Promise.all([logout(person.wiki), logout(person.chat).catch(() => "already"), ...refreshed]);
      const tokens = (await Promise.all(refreshed)).filter(({ status }) => status === 200).map(({ body }) => body);
      for (const pair of [...tokens, person.wiki, person.chat]) expect(await isLive(current(), app, pair)).toBe(false);
    }
  });
});
