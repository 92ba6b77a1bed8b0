import { beforeAll, expect, it } from "vitest";
import * as audit from "../../../src/records/audit/audit.ts";
import * as logins from "../../../src/sessions/login-administration.ts";
import { openAccount, press } from "../../support/account.ts";
import { signedUpIn, type SignedInVisitor } from "../../support/adding.ts";
import { createClient, secretOf, signInByClient } from "../../support/clients-logout.ts";
import { basic, codeFor, post, refreshWith } from "../../support/openid-tokens.ts";
import { call, isLive, redeem, signIn, Visitor } from "../../support/person.ts";
import { useApp, describeSqliteFirst } from "../../support/service.ts";

describeSqliteFirst("what ends a login ends what its browser opened", (current) => {
  type Tokens = { accessToken: string; refreshToken: string };

  const app = useApp(current);
  let wiki: string;
  let chat: string;
  beforeAll(async () => {
    wiki = await createClient(current(), app);
    chat = await createClient(current(), app);
  });

  async function loginId({ accessToken }: Tokens): Promise<string> {
    return await logins.loginIdOf(current().server.app.ctx, accessToken);
  }

  const signInToWiki = async (visitor: Visitor, email: string): Promise<Tokens> =>
    await signInByClient(current(), email, wiki, visitor);

  const refreshAt = async (clientId: string, { refreshToken }: Tokens) =>
    await refreshWith(current(), { client: { id: clientId }, secret: secretOf(clientId) }, refreshToken);

  type Someone = SignedInVisitor & Record<"own" | "wiki" | "chat" | "elsewhere", Tokens>;

  /** Signed in to the application twice and to two clients in one browser, and to one elsewhere. */
  async function someone(): Promise<Someone> {
    const person = await signedUpIn(current(), app);
    const { visitor, email } = person;
    return {
      ...person,
      own: await redeem(current(), app, await signIn(current(), app, { email }, {}, visitor)),
      wiki: await signInToWiki(visitor, email),
      chat: await signInByClient(current(), email, chat, visitor),
      elsewhere: await signInToWiki(new Visitor(), email),
    };
  }

  async function liveOf(person: Someone): Promise<Record<string, boolean>> {
    const { own, wiki, chat, elsewhere } = person;
    const named = { first: person, own, wiki, chat, elsewhere };
    const live = Object.entries(named).map(async ([name, tokens]) => [name, await isLive(current(), app, tokens)]);
    return Object.fromEntries(await Promise.all(live));
  }

  async function tryLogout({ accessToken }: Tokens, body?: unknown): Promise<number> {
    const headers = { authorization: `Bearer ${accessToken}` };
    return (await call(current(), "POST", "/auth/logout", headers, body)).status;
  }

  async function logout(tokens: Tokens, body?: unknown): Promise<void> {
    expect(await tryLogout(tokens, body)).toBe(200);
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
      async (person) => await logins.end(current().server.app.ctx, await loginId(person), { dryRun: false }, operator),
    ],
  ];

  it.each(ends)("%s ends the login, the account page and the clients there, and nothing else", async (_, end) => {
    const person = await someone();
    const stranger = await someone();
    await end(person);
    const ended = { first: false, wiki: false, chat: false };
    expect(await liveOf(person)).toEqual({ ...ended, own: true, elsewhere: true });
    expect((await openAccount(current(), app, person.visitor)).status).toBe(303);
    expect((await refreshAt(wiki, person.wiki)).body["error"]).toBe("invalid_grant");
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
    const again = await signInToWiki(person.visitor, person.email);
    await logins.end(current().server.app.ctx, await loginId(person), { dryRun: false }, operator);
    expect(await isLive(current(), app, again)).toBe(true);
    expect((await openAccount(current(), app, person.visitor)).status).toBe(200);
  });

  it("the account page's sign-out leaves what somebody else opened in this browser", async () => {
    const stranger = await someone();
    const { email } = await signedUpIn(current(), app);
    const client = { id: wiki, redirectUris: ["https://wiki.example/callback"] };
    const form = await codeFor(current(), { client, email }, { prompt: "login" }, stranger.visitor);
    const { body } = await post(current(), "/oauth2/token", form, basic({ client, secret: secretOf(wiki) }));
    const mine = { accessToken: String(body["access_token"]) };
    expect(await isLive(current(), app, mine)).toBe(true);
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
    const events = await audit.list(current().server.app.ctx, { userId, limit: 30 });
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
      const refreshed = [refreshAt(wiki, person.wiki), refreshAt(chat, person.chat)];
      // Whichever comes first ends the other one's token.
      const logouts = await Promise.all([tryLogout(person.wiki), tryLogout(person.chat)]);
      expect([
        [200, 200],
        [200, 401],
      ]).toContainEqual(logouts.toSorted((a, b) => a - b));
      const answers = (await Promise.all(refreshed)).filter(({ status }) => status === 200);
      const tokens = answers.map(({ body }) => ({ accessToken: String(body["access_token"]) }));
      for (const pair of [...tokens, person.wiki, person.chat]) expect(await isLive(current(), app, pair)).toBe(false);
    }
  });
});
