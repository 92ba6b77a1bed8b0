import { decodeJwt } from "jose";
import { describe, expect, it } from "vitest";
import {
  withParty,
  basic,
  codeFor,
  newParty,
  post,
  tokensFor,
  userInfo,
  type Party,
} from "../../support/openid-tokens.ts";
import { authorizeUrl, codeChallenge, createTestClient } from "../../support/openid.ts";
import { call, goodPassword, initiate, Visitor } from "../../support/person.ts";
import { describeSqliteFirst, describeOnSqlite, type TestService } from "../../support/service.ts";

const pkce = { code_challenge: codeChallenge, code_challenge_method: "S256" };

const redeem = async (service: TestService, party: Party, form: Record<string, string>) =>
  await post(service, "/oauth2/token", form, basic(party));

const refused = { status: 400, body: { error: "invalid_grant" } };

describeSqliteFirst("attacks on the code flow (RFC 9700 §4)", (current) => {
  it("C2: code injection: a used code of one client does not let another one end its login", async () => {
    const { service, party } = await withParty(current());
    const thief = await newParty(service, {}, party.app);
    const form = await codeFor(service, party);
    const { body } = await redeem(service, party, form);
    expect(await redeem(service, thief, form)).toMatchObject(refused);
    expect((await userInfo(service, String(body["access_token"]))).status).toBe(200);
    expect(await redeem(service, party, form)).toMatchObject(refused);
    expect((await userInfo(service, String(body["access_token"]))).status).toBe(401);
  });

  it("C2: the two doors: neither takes the codes of the other one, nor consumes them", async () => {
    const { service, party } = await withParty(current());
    const visitor = new Visitor();
    const start = await visitor.get(authorizeUrl(service, party.client, { state: null }));
    const sessionId = start.location.pathname.slice("/sign-in/".length);
    const page = await visitor.get(start.location.href);
    const done = await visitor.submit(page, "/password", { email: party.email, password: goodPassword });
    const code = done.location.searchParams.get("code") ?? "";
    const { headers } = party.app;
    expect((await call(service, "POST", "/auth/callback", headers, { code, sessionId })).status).toBe(400);
    const redirectUri = party.client.redirectUris[0] ?? "";
    const form = { grant_type: "authorization_code", code, redirect_uri: redirectUri };
    const redeemed = await redeem(service, party, form);
    expect(redeemed.status).toBe(200);
    // Used by now; the contract's door still ends nothing.
    expect((await call(service, "POST", "/auth/callback", headers, { code, sessionId })).status).toBe(400);
    expect((await userInfo(service, String(redeemed.body["access_token"]))).status).toBe(200);

    const session = await initiate(service, party.app);
    const form2 = await visitor.get(session.authUrl);
    const own = await visitor.submit(form2, "/password", { email: party.email, password: goodPassword });
    const theirs = own.location.searchParams.get("code") ?? "";
    expect(await redeem(service, party, { ...form, code: theirs })).toMatchObject(refused);
    const body = { code: theirs, sessionId: session.sessionId };
    expect((await call(service, "POST", "/auth/callback", headers, body)).status).toBe(200);
  });

  it("C2: cross-application use: a code of one application is nothing to another one, and stays good", async () => {
    const { service, party } = await withParty(current());
    const form = await codeFor(service, party);
    expect(await redeem(service, await newParty(service), form)).toMatchObject(refused);
    expect((await redeem(service, party, form)).status).toBe(200);
  });

  it("S10: a sign-out between code and redemption leaves no login, also by single sign-on", async () => {
    const { service, party } = await withParty(current());
    const visitor = new Visitor();
    const first = await codeFor(service, party, {}, visitor);
    const second = await visitor.get(authorizeUrl(service, party.client, { prompt: "none" }));
    const account = await visitor.get(`${service.url}/account?app_id=${party.app.id}`);
    await visitor.submit(account, `/account/sign-out?app_id=${party.app.id}`, {});
    expect(await redeem(service, party, first)).toMatchObject(refused);
    const code = second.location.searchParams.get("code") ?? "";
    expect(await redeem(service, party, { ...first, code })).toMatchObject(refused);
  });

  it("a login by single sign-on has the time and the proofs of the first sign-in", async () => {
    const { service, party } = await withParty(current());
    const visitor = new Visitor();
    const first = await tokensFor(service, party, {}, visitor);
    service.clock.advance(600_000);
    const silent = await visitor.get(authorizeUrl(service, party.client, { prompt: "none" }));
    const code = silent.location.searchParams.get("code") ?? "";
    const redirectUri = party.client.redirectUris[0] ?? "";
    const { body } = await redeem(service, party, {
      grant_type: "authorization_code",
      code,
      redirect_uri: redirectUri,
    });
    const [before, after] = [decodeJwt(first.id_token), decodeJwt(String(body["id_token"]))];
    for (const claim of ["sub", "auth_time", "amr", "acr"]) expect(after[claim]).toEqual(before[claim]);
    expect(after["sid"]).not.toBe(before["sid"]);
    const hint = await visitor.get(
      authorizeUrl(service, party.client, { prompt: "none", id_token_hint: first.id_token }),
    );
    expect(hint.location.searchParams.has("code")).toBe(true);
    const other = await tokensFor(service, { ...(await newParty(service, {}, party.app)) });
    const wrong = { prompt: "none", id_token_hint: other.id_token };
    const answer = await visitor.get(authorizeUrl(service, party.client, wrong));
    expect(answer.location.searchParams.get("error")).toBe("login_required");
  });

  it("C7: a silent sign-in is of the user whom the client asks for, and of nobody if it asks for two", async () => {
    const { service, party } = await withParty(current());
    const visitor = new Visitor();
    const mine = await tokensFor(service, party, {}, visitor);
    const theirs = await tokensFor(service, await newParty(service, {}, party.app));
    const subOf = (tokens: { id_token: string }) => {
      const { sub } = decodeJwt(tokens.id_token);
      return JSON.stringify({ id_token: { sub: { value: sub } } });
    };
    for (const [asked, answer] of [
      [{ claims: subOf(mine) }, null],
      [{ claims: subOf(mine), id_token_hint: mine.id_token }, null],
      [{ claims: subOf(theirs) }, "login_required"],
      [{ claims: subOf(mine), id_token_hint: theirs.id_token }, "login_required"],
      [{ claims: subOf(theirs), id_token_hint: mine.id_token }, "login_required"],
    ] as const) {
      const page = await visitor.get(authorizeUrl(service, party.client, { prompt: "none", ...asked }));
      expect([asked, page.location.searchParams.get("error")]).toEqual([asked, answer]);
    }
  });
});

describeOnSqlite("POST /oauth2/par", (current) => {
  const asked = (party: Party) => ({
    response_type: "code",
    redirect_uri: party.client.redirectUris[0] ?? "",
    scope: "openid",
    state: "pushed",
  });

  async function push(service: TestService, party: Party, changes: Record<string, string> = {}) {
    return await post(service, "/oauth2/par", { ...asked(party), ...changes }, basic(party));
  }

  const open = (
    service: TestService,
    client: { id: string },
    requestUri: unknown,
    more = {},
    headers: Record<string, string> = {},
  ) =>
    new Visitor().get(
      `${service.url}/oauth2/authorize?${new URLSearchParams({
        client_id: client.id,
        request_uri: String(requestUri),
        ...more,
      }).toString()}`,
      headers,
    );

  it("S7: a prefetch or a HEAD of a pushed request begins no session", async () => {
    const { service, party } = await withParty(current());
    const { body } = await push(service, party);
    const { reader } = service.server.app.ctx.storage;
    const countSessions = async () => (await reader.db.select().from(reader.tables.signInSessions)).length;
    const before = await countSessions();
    const url = `${service.url}/oauth2/authorize?client_id=${party.client.id}&request_uri=${String(body["request_uri"])}`;
    expect((await fetch(url, { method: "HEAD", redirect: "manual" })).status).toBe(200);
    const seen = await open(service, party.client, body["request_uri"], {}, { "sec-purpose": "prefetch;prerender" });
    expect(seen.status).toBe(200);
    expect(seen.headers.getSetCookie()).toEqual([]);
    expect(await countSessions()).toBe(before);
    const [, href = ""] = /<a class="button main" href="([^"]+)"/u.exec(seen.text) ?? [];
    const start = await new Visitor().get(new URL(href.replaceAll("&amp;", "&"), service.url).href);
    expect(start.location.pathname).toMatch(/^\/sign-in\//u);
  });

  it("takes a request, and nothing else of the query counts", async () => {
    const { service, party } = await withParty(current());
    const { status, headers, body } = await push(service, party, { prompt: "none" });
    expect(status).toBe(201);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(body).toEqual({
      request_uri: expect.stringMatching(/^urn:ietf:params:oauth:request_uri:[\w-]{43}$/u),
      expires_in: 60,
    });
    const page = await open(service, party.client, body["request_uri"], { state: "query", prompt: "login" });
    expect(Object.fromEntries(page.location.searchParams)).toMatchObject({ error: "login_required", state: "pushed" });
    expect(await service.databaseText()).not.toContain(String(body["request_uri"]).slice(-43));
  });

  it("S2: a pushed request can be reloaded until it led to a code, also by single sign-on, and then no more", async () => {
    const { service, party } = await withParty(current());
    const visitor = new Visitor();
    for (const signIn of [
      async (url: string) => {
        const start = await visitor.get((await visitor.get(url)).location.href);
        return await visitor.submit(start, "/password", { email: party.email, password: goodPassword });
      },
      async (url: string) => await visitor.get(url),
    ]) {
      const { body } = await push(service, party);
      const query = new URLSearchParams({ client_id: party.client.id, request_uri: String(body["request_uri"]) });
      const url = `${service.url}/oauth2/authorize?${query.toString()}`;
      // Of another person too: whoever opens it first does not stop the one it is for.
      for (const one of [new Visitor(), new Visitor()])
        expect((await one.get(url)).location.pathname).toMatch(/^\/sign-in\//u);
      expect((await signIn(url)).location.searchParams.has("code")).toBe(true);
      for (const one of [visitor, new Visitor()]) {
        const again = await one.get(url);
        expect([again.status, again.headers.get("location")]).toEqual([400, null]);
      }
    }
  });

  it("is bound to its client, and lasts 60 seconds", async () => {
    const { service, party } = await withParty(current());
    // With the same address, so that nothing else refuses it.
    const { redirectUris } = party.client;
    const other = await createTestClient(service, party.app, { redirectUris });
    const { body } = await push(service, party);
    expect((await open(service, other, body["request_uri"])).status).toBe(400);
    service.clock.advance(59_999);
    expect((await open(service, party.client, body["request_uri"])).location.pathname).toMatch(/^\/sign-in\//u);
    const late = await push(service, party);
    service.clock.advance(60_000);
    expect((await open(service, party.client, late.body["request_uri"])).status).toBe(400);
  });

  describe("refuses", () => {
    const wrong: [title: string, changes: Record<string, string>, error: string][] = [
      ["a foreign redirect URI", { redirect_uri: "https://evil.example/" }, "invalid_request"],
      ["a request_uri", { request_uri: "urn:ietf:params:oauth:request_uri:x" }, "invalid_request"],
      ["the id of another client", { client_id: "cli_other" }, "invalid_request"],
      ["the implicit flow", { response_type: "token" }, "unsupported_response_type"],
      ["a scope of nobody", { scope: "root" }, "invalid_scope"],
      ["PKCE by plain", { code_challenge: codeChallenge }, "invalid_request"],
    ];

    it.each(wrong)("%s", async (_title, changes, error) => {
      const service = current();
      const { status, body } = await push(service, await newParty(service), changes);
      expect([status, body["error"]]).toEqual([400, error]);
    });

    it("a client that does not authenticate", async () => {
      const { service, party } = await withParty(current());
      const { status, body } = await post(service, "/oauth2/par", { ...asked(party), client_id: party.client.id });
      expect([status, body["error"]]).toEqual([401, "invalid_client"]);
    });

    it("a program without a secret that has no PKCE", async () => {
      const { service, party } = await withParty(current(), { kind: "spa" });
      const form = { ...asked(party), client_id: party.client.id };
      expect((await post(service, "/oauth2/par", form)).body["error"]).toBe("invalid_request");
      expect((await post(service, "/oauth2/par", { ...form, ...pkce })).status).toBe(201);
    });
  });
});
