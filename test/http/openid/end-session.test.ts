import { decodeJwt, decodeProtectedHeader, SignJWT } from "jose";
import { beforeAll, expect, it } from "vitest";
import * as clients from "../../../src/applications/clients/service.ts";
import * as audit from "../../../src/records/audit/audit.ts";
import * as signingKeys from "../../../src/tokens/signing-keys.ts";
import { openAccount } from "../../support/account.ts";
import { signedUpIn, type SignedInVisitor } from "../../support/adding.ts";
import { createClient, signInByClient, type SignedInByClient } from "../../support/clients-logout.ts";
import { isLive, Visitor, type Page } from "../../support/person.ts";
import { useApp, describeSqliteFirst } from "../../support/service.ts";

const day = 86_400_000;
const bye = "https://wiki.example/bye?from=authsvc";

describeSqliteFirst("the logout endpoint (OpenID Connect RP-Initiated Logout 1.0)", (current) => {
  const app = useApp(current);
  let wiki: string;
  let chat: string;
  beforeAll(async () => {
    await current().createApp();
    wiki = await createClient(current(), app, { postLogoutRedirectUris: [bye] });
    chat = await createClient(current(), app, { name: "Chat", postLogoutRedirectUris: ["https://chat.example/bye"] });
  });

  type Someone = SignedInVisitor & { wiki: SignedInByClient; chat: SignedInByClient; hint: string; email: string };

  /** Signed in by the application, the wiki and the chat in one browser. */
  async function someone(): Promise<Someone> {
    const person = await signedUpIn(current(), app);
    const inWiki = await signInByClient(current(), person.email, wiki, person.visitor);
    const inChat = await signInByClient(current(), person.email, chat, person.visitor);
    return { ...person, wiki: inWiki, chat: inChat, hint: inWiki.idToken };
  }

  const address = (parameters: Record<string, string>): string =>
    `${current().url}/oauth2/end-session?${new URLSearchParams(parameters).toString()}`;

  async function liveOf(person: Someone): Promise<boolean[]> {
    const all = [person, person.wiki, person.chat].map(async (tokens) => await isLive(current(), app, tokens));
    return await Promise.all(all);
  }

  async function expectSignedIn(person: Someone): Promise<void> {
    expect(await liveOf(person)).toEqual([true, true, true]);
    expect((await openAccount(current(), app, person.visitor)).status).toBe(200);
  }

  async function expectSignedOut(person: Someone): Promise<void> {
    expect(await liveOf(person)).toEqual([false, false, false]);
    expect((await openAccount(current(), app, person.visitor)).status).toBe(303);
  }

  function expectQuestion(page: Page): void {
    expect([page.status, page.text]).toEqual([200, expect.stringMatching(/<h1>Sign out of Acme \d+\?<\/h1>/u)]);
  }

  it("signs this browser out at once for an ID token of its session, and returns with the state", async () => {
    const person = await someone();
    const state = "a b&c=/ü";
    const parameters = { id_token_hint: person.hint, post_logout_redirect_uri: bye, state };
    const left = await person.visitor.get(address(parameters));
    expect([left.status, left.location.origin, left.location.pathname]).toEqual([303, "https://wiki.example", "/bye"]);
    expect(Object.fromEntries(left.location.searchParams)).toEqual({ from: "authsvc", state });
    await expectSignedOut(person);
  });

  it("takes an expired ID token, and a post from the client's site, which brings no cookies", async () => {
    const person = await someone();
    current().clock.advance(day / 4);
    const stranger = new Visitor();
    const url = `${current().url}/oauth2/end-session`;
    const fields = { id_token_hint: person.hint, client_id: wiki, post_logout_redirect_uri: bye };
    const posted = await stranger.post(url, fields, { origin: "https://wiki.example", "sec-fetch-site": "cross-site" });
    expect([posted.status, posted.location.pathname]).toEqual([303, "/oauth2/end-session"]);
    expect((await person.visitor.get(posted.location.href)).location.href).toBe(bye);
    expect(await liveOf(person)).not.toContain(true);
  });

  it("asks without an ID token, names the account, and signs out when that is confirmed", async () => {
    const person = await someone();
    const page = await person.visitor.get(address({ client_id: wiki, post_logout_redirect_uri: bye, state: "s1" }));
    expectQuestion(page);
    expect(page.text).toContain(person.email);
    expect(page.headers.get("content-security-policy")).toContain("form-action 'self' https://wiki.example");
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    await expectSignedIn(person);
    const left = await person.visitor.submit(page, `/end-session/confirm?client_id=${wiki}`, {});
    expect([left.status, left.location.href]).toEqual([303, `${bye}&state=s1`]);
    await expectSignedOut(person);
  });

  it("shows that somebody is signed out where no address to return to is named", async () => {
    const person = await someone();
    const page = await person.visitor.get(address({ client_id: app.id, ui_locales: "tlh de" }));
    expect(page.text).toContain('lang="de"');
    const left = await person.visitor.submit(page, `/end-session/confirm?client_id=${app.id}`, {});
    expect((await person.visitor.get(left.location.href)).text).toContain("You&#39;re signed out");
    await expectSignedOut(person);
    const again = await person.visitor.get(address({ client_id: app.id }));
    expect(again.location.pathname).toBe("/account/signed-out");
  });

  it("C9: asks when the ID token is of another browser or of another person (logout CSRF)", async () => {
    const person = await someone();
    const attacker = await someone();
    const elsewhere = await signInByClient(current(), person.email, wiki);
    for (const hint of [attacker.hint, elsewhere.idToken]) {
      const parameters = { id_token_hint: hint, post_logout_redirect_uri: bye };
      expectQuestion(await person.visitor.get(address(parameters)));
    }
    await expectSignedIn(person);
    await expectSignedIn(attacker);
    expect(await isLive(current(), app, elsewhere)).toBe(true);
  });

  it("ends nothing by an ID token while its browser is signed in elsewhere, and its login once that is over", async () => {
    const person = await someone();
    const holder = new Visitor();
    expect((await holder.get(address({ id_token_hint: person.hint }))).status).toBe(303);
    await expectSignedIn(person);
    current().clock.advance(13 * 3_600_000);
    await current().server.app.sweep();
    expect((await holder.get(address({ id_token_hint: person.hint }))).status).toBe(303);
    const { storage } = current().server.app.ctx;
    const ended = await storage.reader.db.select().from(storage.reader.tables.logins);
    const mine = ended.filter(({ userId, endedAt }) => userId === person.user["id"] && endedAt === null);
    expect(mine.map(({ clientId }) => clientId)).toEqual([null]);
  });

  it("C9: refuses a confirmation from another site, or without this browser's form token (logout CSRF)", async () => {
    const person = await someone();
    const attacker = await someone();
    const url = `${current().url}/oauth2/end-session/confirm?client_id=${wiki}`;
    const question = async ({ visitor }: Someone) =>
      (await visitor.get(address({ client_id: wiki }))).form(`/confirm?client_id=${wiki}`).fields["token"] ?? "";
    const crossSite = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    expect((await person.visitor.post(url, { token: await question(person) }, crossSite)).status).toBe(403);
    for (const token of ["", "x", await question(attacker)])
      expect((await person.visitor.post(url, { token })).status).toBe(403);
    await expectSignedIn(person);
  });

  it("only looks at what a prefetch or a HEAD asks for", async () => {
    const person = await someone();
    const parameters = { id_token_hint: person.hint, post_logout_redirect_uri: bye };
    expectQuestion(await person.visitor.get(address(parameters), { "sec-purpose": "prefetch" }));
    await expectSignedIn(person);
  });

  const strangers: [title: string, parameters: () => Record<string, string>][] = [
    ["another address", () => ({ post_logout_redirect_uri: "https://evil.example/" })],
    ["one below a registered one", () => ({ post_logout_redirect_uri: `${bye}&x=1` })],
    ["another client's", () => ({ post_logout_redirect_uri: "https://chat.example/bye" })],
    ["a redirect URI of a sign-in", () => ({ post_logout_redirect_uri: "https://wiki.example/callback" })],
    ["a script", () => ({ post_logout_redirect_uri: "javascript:alert(1)" })],
  ];

  it.each(strangers)("C9: ends nothing and redirects nowhere for %s (open redirect)", async (_, parameters) => {
    const person = await someone();
    const named: Record<string, string>[] = [{ id_token_hint: person.hint }, { client_id: wiki }];
    for (const who of named) {
      const page = await person.visitor.get(address({ ...who, ...parameters() }));
      expect([page.status, page.headers.get("location")]).toEqual([400, null]);
    }
    const question = await person.visitor.get(address({ client_id: wiki, post_logout_redirect_uri: bye }));
    const action = `/end-session/confirm?client_id=${wiki}`;
    const { post_logout_redirect_uri: changed = "" } = parameters();
    const posted = await person.visitor.submit(question, action, { post_logout_redirect_uri: changed });
    expect([posted.status, posted.headers.get("location")]).toEqual([400, null]);
    await expectSignedIn(person);
  });

  it("refuses an ID token of another client than the one that is named, and what is no ID token", async () => {
    const person = await someone();
    const foreign = [
      person.hint.replace(/.$/u, (last) => (last === "A" ? "B" : "A")),
      person.accessToken,
      "x",
      "a.b.c",
    ];
    expect((await person.visitor.get(address({ id_token_hint: person.hint, client_id: chat }))).status).toBe(400);
    const crossed = { id_token_hint: person.hint, post_logout_redirect_uri: "https://chat.example/bye" };
    expect((await person.visitor.get(address(crossed))).status).toBe(400);
    // Signed by the service's own key: right, then of another issuer and of another kind.
    const [header, claims] = [decodeProtectedHeader(person.hint), decodeJwt(person.hint)];
    const { id, privateKey } = await signingKeys.forSigningExactly(current().server.app.ctx, "RS256");
    expect([header.alg, header.kid]).toEqual(["RS256", id]);
    const signed = async (more: { typ?: string; iss?: string }) =>
      await new SignJWT({ ...claims, ...(more.iss === undefined ? {} : { iss: more.iss }) })
        .setProtectedHeader({ ...header, alg: "RS256", ...(more.typ === undefined ? {} : { typ: more.typ }) })
        .sign(privateKey);
    foreign.push(await signed({ iss: "https://other.example" }), await signed({ typ: "at+jwt" }));
    for (const hint of foreign)
      expect((await person.visitor.get(address({ id_token_hint: hint, client_id: wiki }))).status).toBe(400);
    await expectSignedIn(person);
    const right = { id_token_hint: await signed({}), client_id: wiki };
    expect((await person.visitor.get(address(right))).status).toBe(303);
    await expectSignedOut(person);
  });

  it("takes no bad input: twice, empty, huge, unknown", async () => {
    const person = await someone();
    const { visitor, hint } = person;
    const statusOf = async (query: string) => (await visitor.get(`${current().url}/oauth2/end-session${query}`)).status;
    expect(await statusOf(`?client_id=${wiki}&client_id=${wiki}`)).toBe(400);
    expect(await statusOf(`?id_token_hint=${hint}&id_token_hint=${hint}`)).toBe(400);
    expect(await statusOf(`?client_id=${wiki}&state=${"x".repeat(2049)}`)).toBe(400);
    expect(await statusOf(`?id_token_hint=${"x".repeat(8193)}`)).toBe(400);
    expect(await statusOf("?client_id=cli_nobody")).toBe(400);
    // Whose address it is is not known, because there are two applications.
    expect(await statusOf(`?post_logout_redirect_uri=${encodeURIComponent(bye)}`)).toBe(400);
    expect(await statusOf("?client_id=&unknown=1&unknown=2")).toBe(200);
    expect(await statusOf(`?client_id=${wiki}&id_token_hint=&logout_hint=ada&unknown=1&unknown=2`)).toBe(200);
    await expectSignedIn(person);
  });

  it("knows nobody of another application", async () => {
    const person = await someone();
    const other = await current().createApp();
    const left = await person.visitor.get(address({ client_id: other.id }));
    expect(left.location.pathname).toBe("/account/signed-out");
    await expectSignedIn(person);
  });

  it("C9: names nobody's client: shows who is signed in to which application, and ends all of it when confirmed", async () => {
    const person = await someone();
    const { visitor } = person;
    const other = await current().createApp({ name: "Zebra <b>" });
    const elsewhere = await signedUpIn(current(), other, visitor);
    const stranger = await someone();
    const page = await visitor.get(address({ state: "s1" }));
    expect([page.status, page.text]).toEqual([200, expect.stringContaining("<h1>Sign out of this browser</h1>")]);
    const shown = [person.email, elsewhere.email, "Zebra &lt;b&gt;", `/oauth2/end-session?client_id=${other.id}`];
    for (const part of shown) expect(page.text).toContain(part);
    expect(page.text).not.toContain(stranger.email);
    await expectSignedIn(person);

    const { fields } = page.form("/end-session/confirm");
    const post = async (token = "", headers: Record<string, string> = {}) =>
      await visitor.post(`${current().url}/oauth2/end-session/confirm`, { token }, headers);
    expect((await post("x")).status).toBe(403);
    expect((await post(fields["token"], { "sec-fetch-site": "cross-site" })).status).toBe(403);
    await expectSignedIn(person);
    const done = await post(fields["token"]);
    expect([done.status, done.location.pathname]).toEqual([303, "/oauth2/end-session"]);
    await expectSignedOut(person);
    expect((await openAccount(current(), other, visitor)).status).toBe(303);
    await expectSignedIn(stranger);
    expect((await visitor.get(done.location.href)).text).toContain("Nobody is signed in in this browser.");
    expect((await post(fields["token"])).status).toBe(303);
  });

  it("shows an error page for a disabled client", async () => {
    const id = await createClient(current(), app, { postLogoutRedirectUris: [bye] });
    const person = await signedUpIn(current(), app);
    const { idToken: hint } = await signInByClient(current(), person.email, id, person.visitor);
    await clients.update(current().server.app.ctx, id, { enabled: false }, { actor: { kind: "cli", name: "test" } });
    const page = await person.visitor.get(address({ id_token_hint: hint, post_logout_redirect_uri: bye }));
    expect([page.status, page.headers.get("location")]).toEqual([400, null]);
  });

  it("takes two confirmations at once", async () => {
    const person = await someone();
    const page = await person.visitor.get(address({ client_id: wiki }));
    const confirm = () => person.visitor.submit(page, `/confirm?client_id=${wiki}`, {});
    const both = await Promise.all([confirm(), confirm()]);
    expect(both.map(({ status }) => status)).toEqual([303, 303]);
    await expectSignedOut(person);
    const userId = String(person.user["id"]);
    const events = await audit.list(current().server.app.ctx, { userId, limit: 30 });
    expect(events.filter(({ action }) => action === "account.sign-out")).toHaveLength(1);
  });
});
