import { expect, it } from "vitest";
import { assertion, attest, newPasskey, type Credential } from "../../support/authenticator.ts";
import { newUser } from "../../support/mail-flows.ts";
import { authorize, authorizeUrl, createTestClient } from "../../support/openid.ts";
import { askedBy, askOptions, post, type PasskeyOptions } from "../../support/passkey-ceremonies.ts";
import {
  call,
  goodPassword,
  initiate,
  newEmail,
  redeem,
  signIn,
  signUp,
  Visitor,
  type Page,
} from "../../support/person.ts";
import {
  withApp,
  updateApp,
  describeSqliteFirst,
  describeOnSqlite,
  type TestApp,
  type TestService,
} from "../../support/service.ts";

const hour = 3_600_000;

/** A person who is signed in to a browser by a client. */
async function signedIn(service: TestService, input: Parameters<TestService["createApp"]>[0] = {}) {
  const app = await service.createApp(input);
  const email = newEmail();
  await signUp(service, app, { email, name: "Ada" });
  const first = await createTestClient(service, app);
  const visitor = new Visitor();
  await authorize(service, first, { email }, {}, visitor);
  return { service, app, email, first, visitor, second: await createTestClient(service, app) };
}

/** What went back to the client; undefined if the browser was sent to a page. */
function answerOf(page: Page): Record<string, string> | undefined {
  if (page.location.pathname.startsWith("/sign-in/")) return undefined;
  return Object.fromEntries(page.location.searchParams);
}

const isAsked = (page: Page) => answerOf(page) === undefined;
const gotCode = (page: Page) => answerOf(page)?.["code"] !== undefined;

describeSqliteFirst("single sign-on", (current) => {
  it("signs in to the next client of the application without a form, also with prompt none", async () => {
    const { service, visitor, second } = await signedIn(current());
    for (const prompt of [null, "none"]) {
      const page = await visitor.get(authorizeUrl(service, second, { prompt }));
      expect(answerOf(page)).toEqual({ code: expect.any(String), state: "st", iss: service.url });
    }
  });

  it("C7: never signs in across applications", async () => {
    const { service, visitor } = await signedIn(current());
    const other = await createTestClient(service, await service.createApp());
    expect(isAsked(await visitor.get(authorizeUrl(service, other)))).toBe(true);
    const silent = await visitor.get(authorizeUrl(service, other, { prompt: "none" }));
    expect(answerOf(silent)?.["error"]).toBe("login_required");
  });

  it("keeps the browser session as it is: its proof does not become younger", async () => {
    const { service, visitor, second } = await signedIn(current());
    const cookies = new Map(visitor.cookies);
    service.clock.advance(11 * hour);
    expect(gotCode(await visitor.get(authorizeUrl(service, second)))).toBe(true);
    expect(visitor.cookies).toEqual(cookies);
    service.clock.advance(hour);
    expect(isAsked(await visitor.get(authorizeUrl(service, second)))).toBe(true);
  });

  it("asks again after a sign-out on the account page", async () => {
    const { service, app, visitor, second } = await signedIn(current());
    const account = await visitor.get(`${service.url}/account?app_id=${app.id}`);
    await visitor.submit(account, `/account/sign-out?app_id=${app.id}`, {});
    expect(isAsked(await visitor.get(authorizeUrl(service, second)))).toBe(true);
  });

  it("asks when the user was disabled, or the method is no longer accepted", async () => {
    const { service, visitor, second, app } = await signedIn(current());
    await updateApp(service, app, { authMethods: { passkey: { enabled: true, required: true } } });
    expect(isAsked(await visitor.get(authorizeUrl(service, second)))).toBe(true);
  });
});

describeOnSqlite("what a client asks of single sign-on", (current) => {
  const asking: [title: string, parameters: Record<string, string>][] = [
    ["prompt=login", { prompt: "login" }],
    ["prompt=select_account", { prompt: "select_account" }],
    ["max_age=0", { max_age: "0" }],
    ["a passed max_age", { max_age: "59" }],
    ["a login_hint of somebody else", { login_hint: "somebody.else@example.org" }],
    ["an id_token_hint that is not ours", { id_token_hint: "eyJ.eyJ.x" }],
    [
      "an essential acr of two factors",
      { claims: '{"id_token":{"acr":{"essential":true,"value":"urn:authsvc:acr:2"}}}' },
    ],
    ["an essential acr of a passkey", { claims: '{"id_token":{"acr":{"essential":true,"value":"phr"}}}' }],
    ["an essential sub of somebody else", { claims: '{"id_token":{"sub":{"essential":true,"value":"usr_x"}}}' }],
  ];

  it.each(asking)("asks for a proof with %s, and with prompt none says so", async (_title, parameters) => {
    const { service, visitor, second } = await signedIn(current());
    service.clock.advance(60_000);
    const cookies = new Map(visitor.cookies);
    const page = await visitor.get(authorizeUrl(service, second, parameters));
    expect(isAsked(page)).toBe(true);
    for (const [name, value] of cookies) expect(visitor.cookies.get(name), "the old session stays").toBe(value);
    if (parameters["prompt"] === undefined) {
      const silent = await visitor.get(authorizeUrl(service, second, { ...parameters, prompt: "none" }));
      expect(answerOf(silent)).toEqual({
        error: "login_required",
        error_description: expect.any(String),
        state: "st",
        iss: service.url,
      });
    }
    expect(gotCode(await visitor.get(authorizeUrl(service, second)))).toBe(true);
  });

  const satisfied: [title: string, parameters: (email: string) => Record<string, string>][] = [
    ["a max_age that is not passed", () => ({ max_age: "60" })],
    ["the login_hint of the person", (email) => ({ login_hint: email })],
    ["acr_values that one factor satisfies", () => ({ acr_values: "urn:authsvc:acr:2 urn:authsvc:acr:1" })],
    ["an essential acr that it has", () => ({ claims: '{"id_token":{"acr":{"essential":true}}}' })],
  ];

  it.each(satisfied)("does not ask with %s", async (_title, parameters) => {
    const { service, visitor, second, email } = await signedIn(current());
    service.clock.advance(60_000);
    expect(gotCode(await visitor.get(authorizeUrl(service, second, parameters(email))))).toBe(true);
  });

  it("asks once with max_age=0 and prompt=login, and does not loop", async () => {
    const { service, visitor, second, email } = await signedIn(current());
    const asking: Record<string, string>[] = [{ max_age: "0" }, { prompt: "login" }];
    for (const parameters of asking)
      expect(gotCode(await authorize(service, second, { email }, parameters, visitor))).toBe(true);
  });

  it("refuses an acr that no sign-in here has", async () => {
    const { service, visitor, second } = await signedIn(current());
    const claims = '{"id_token":{"acr":{"essential":true,"value":"urn:other"}}}';
    const page = await visitor.get(authorizeUrl(service, second, { claims }));
    expect(answerOf(page)?.["error"]).toBe("unmet_authentication_requirements");
  });

  it("C7: lasts as long as the application says, and not a moment longer", async () => {
    const { service, visitor, second } = await signedIn(current(), { settings: { singleSignOnSeconds: 60 } });
    service.clock.advance(59_999);
    expect(gotCode(await visitor.get(authorizeUrl(service, second)))).toBe(true);
    service.clock.advance(1);
    expect(isAsked(await visitor.get(authorizeUrl(service, second)))).toBe(true);
  });

  it("C7: does not begin in the last two minutes of a browser session, which must outlive its code", async () => {
    const { service, visitor, second } = await signedIn(current());
    service.clock.advance(12 * hour - 120_001);
    expect(gotCode(await visitor.get(authorizeUrl(service, second)))).toBe(true);
    service.clock.advance(1);
    expect(isAsked(await visitor.get(authorizeUrl(service, second)))).toBe(true);
  });

  it("C7: does not take a passkey that was created after a password for two factors", async () => {
    const { service, app } = await withApp(current(), { authMethods: { passkey: { required: true } } });
    const { email } = await newUser(service, app, { password: goodPassword });
    const [first, second] = [await createTestClient(service, app), await createTestClient(service, app)];
    const claims = '{"id_token":{"acr":{"essential":true,"value":"urn:authsvc:acr:2"}}}';
    const visitor = new Visitor();
    const step = async (form: string, answer: (options: PasskeyOptions) => Credential) => {
      const proven = await authorize(service, first, { email }, { prompt: "login" }, visitor);
      const ceremony = { visitor, session: { authUrl: proven.location.href, sessionId: "", expiresAt: "" }, form };
      const page = { ...ceremony, page: await visitor.get(proven.location.href) };
      expect(gotCode(await post(page, answer(await askOptions(page))))).toBe(true);
    };
    let passkey = newPasskey();
    await step("/step/new-passkey", (options) => {
      passkey = newPasskey("ES256", options.user?.id);
      return attest(passkey, askedBy(service, options));
    });
    expect(gotCode(await visitor.get(authorizeUrl(service, second)))).toBe(true);
    expect(isAsked(await visitor.get(authorizeUrl(service, second, { claims })))).toBe(true);
    await step("/step/passkey", (options) => assertion(passkey, askedBy(service, options)));
    expect(gotCode(await visitor.get(authorizeUrl(service, second, { claims })))).toBe(true);
  });

  it("is off where the application says so", async () => {
    const { service, visitor, second, app } = await signedIn(current());
    await updateApp(service, app, { settings: { singleSignOnSeconds: 0 } });
    expect(isAsked(await visitor.get(authorizeUrl(service, second)))).toBe(true);
    const page = await visitor.get((await initiate(service, app)).authUrl);
    expect(page.text).not.toContain("/continue");
  });
});

describeSqliteFirst('"Continue as Ada"', (current) => {
  const finish = async (service: TestService, app: TestApp, done: Page, sessionId: string) =>
    await call(service, "POST", "/auth/callback", app.headers, {
      code: done.location.searchParams.get("code"),
      sessionId,
    });

  it("is offered where an app of the contract signs in, and never happens by itself", async () => {
    const { service, app, visitor } = await signedIn(current());
    const { authUrl, sessionId } = await initiate(service, app);
    const page = await visitor.get(authUrl);
    expect(page.status).toBe(200);
    expect(page.text).toContain("Continue as Ada");
    expect(page.form("/password").fields).toBeDefined();
    const done = await visitor.submit(page, "/continue", {});
    expect([...done.location.searchParams.keys()]).toEqual(["code", "sessionId"]);
    const redeemed = await finish(service, app, done, sessionId);
    expect(redeemed.status).toBe(200);
    expect(redeemed.body["user"]).toMatchObject({ name: "Ada" });
  });

  it("is offered with prompt=select_account, with a way to be somebody else", async () => {
    const { service, app, visitor, second } = await signedIn(current());
    const other = newEmail();
    await signUp(service, app, { email: other });
    const url = authorizeUrl(service, second, { prompt: "select_account" });
    const start = await visitor.get(url);
    expect(gotCode(await visitor.submit(await visitor.get(start.location.href), "/continue", {}))).toBe(true);
    const done = await authorize(service, second, { email: other }, { prompt: "select_account" }, visitor);
    expect(gotCode(done)).toBe(true);
    const account = await visitor.get(`${service.url}/account?app_id=${app.id}`);
    expect(account.text).toContain(other);
  });

  it("H4: is refused to another browser, without the form token, and after a sign-out", async () => {
    const { service, app, visitor } = await signedIn(current());
    const { authUrl } = await initiate(service, app);
    const page = await visitor.get(authUrl);
    const forged = await visitor.post(`${authUrl}/continue`, { token: "x" });
    expect(forged.status).toBe(403);
    const stranger = new Visitor();
    const theirs = await stranger.get((await initiate(service, app)).authUrl);
    expect(theirs.text).not.toContain("/continue");
    const { fields } = theirs.form("/password");
    const posted = await stranger.post(`${theirs.url}/continue`, fields);
    expect(posted.location.href).toBe(theirs.url);
    const account = await visitor.get(`${service.url}/account?app_id=${app.id}`);
    await visitor.submit(account, `/account/sign-out?app_id=${app.id}`, {});
    const late = await visitor.submit(page, "/continue", {});
    expect(late.location.href).toBe(authUrl);
    expect((await visitor.get(authUrl)).text).not.toContain("/continue");
  });

  it("leaves no code behind in a browser that signs out: neither its own nor one of a new proof", async () => {
    const { service, app, email, visitor } = await signedIn(current());
    const own = await initiate(service, app);
    const continued = await visitor.submit(await visitor.get(own.authUrl), "/continue", {});
    const asked = await initiate(service, app);
    const proven = await visitor.submit(await visitor.get(asked.authUrl), "/password", {
      email,
      password: goodPassword,
    });
    const elsewhere = await signIn(service, app, { email });
    const account = await visitor.get(`${service.url}/account?app_id=${app.id}`);
    await visitor.submit(account, `/account/sign-out?app_id=${app.id}`, {});
    for (const [{ sessionId }, { location }] of [
      [own, continued],
      [asked, proven],
    ] as const) {
      const body = { code: location.searchParams.get("code"), sessionId };
      expect((await call(service, "POST", "/auth/callback", app.headers, body)).status).toBe(400);
    }
    expect((await redeem(service, app, elsewhere)).expiresIn).toBe(900);
  });

  it("is not offered to an app that asks for a method, or for somebody else", async () => {
    const { service, app, visitor, email } = await signedIn(current());
    for (const extra of [{ authMethod: "password" }, { loginHint: "somebody.else@example.org" }]) {
      const page = await visitor.get((await initiate(service, app, extra)).authUrl);
      expect(page.text).not.toContain("/continue");
    }
    const mine = await visitor.get((await initiate(service, app, { loginHint: email })).authUrl);
    expect(mine.text).toContain("/continue");
  });
});
