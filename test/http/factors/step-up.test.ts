import { decodeJwt } from "jose";
import { expect, it } from "vitest";
import * as factors from "../../../src/factors/service.ts";
import { openAccount } from "../../support/account.ts";
import { assertion, attest, newPasskey } from "../../support/authenticator.ts";
import {
  codeAt,
  codesIn,
  firstProof,
  keyIn,
  setUpTotp,
  signedInWithTotp,
  signedUpWithTotp,
} from "../../support/factors.ts";
import { askForCode, codeIn, mailTo, newUser } from "../../support/mail-flows.ts";
import { useMailServer } from "../../support/mail.ts";
import { bearer } from "../../support/methods.ts";
import { basic, newParty, post as postForm, type Party } from "../../support/openid-tokens.ts";
import { authorizeUrl } from "../../support/openid.ts";
import { askedBy, askOptions, post, signUpByPasskey, type PasskeyOwner } from "../../support/passkey-ceremonies.ts";
import {
  call,
  goodPassword,
  initiate,
  newEmail,
  openPage,
  redeem,
  refresh,
  signedUp,
  signIn,
  validate,
  Visitor,
  type Page,
  type Session,
  type Tokens,
} from "../../support/person.ts";
import { describeSqliteFirst, updateApp, withApp, type TestApp, type TestService } from "../../support/service.ts";

const server = await useMailServer();
const one = "urn:authsvc:acr:1";
const two = "urn:authsvc:acr:2";
const optional = { settings: { secondFactor: "optional" } } as const;
const required = { settings: { secondFactor: "required" } } as const;
const trusting = { settings: { secondFactor: "required", trustBrowsersDays: 30 } } as const;

/** What goes back to the app or client; undefined for a page of the service. */
function answerOf({ location, url }: Page): Record<string, string> | undefined {
  if (location.protocol === "about:" || location.origin === new URL(url).origin) return undefined;
  return Object.fromEntries(location.searchParams);
}

/** The page that a redirect leads to, if it is one of the service. */
async function followed(visitor: Visitor, done: Page): Promise<Page> {
  return done.status === 303 && !answerOf(done) ? await visitor.get(done.location.href) : done;
}

function asksForCode({ text }: Page): boolean {
  return text.includes("/step/code");
}

async function redeemed(service: TestService, app: TestApp, session: Session, done: Page): Promise<Tokens> {
  return await redeem(service, app, { session, code: answerOf(done)?.["code"] ?? "" });
}

/** Answers the page after the first proof with the next code. */
async function typeCode(service: TestService, { key }: { key: string }, visitor: Visitor, page: Page): Promise<Page> {
  service.clock.advance(30_000);
  return await visitor.submit(page, "/step/code", { code: codeAt(key, service.clock.now) });
}

const emptySession = { authUrl: "", sessionId: "", expiresAt: "" };

/** Creates an account by password, up to the page that comes next. */
async function createdByPassword(service: TestService, app: TestApp, extra: Record<string, unknown> = {}) {
  const session = await initiate(service, app, extra);
  const [visitor, email] = [new Visitor(), newEmail()];
  const form = await visitor.get(`${session.authUrl}/create-account`);
  const done = await visitor.submit(form, "/create-account", { email, name: "", password: goodPassword });
  return { session, visitor, email, done: await followed(visitor, done) };
}

/** Signs in by passkey at a page of the service. */
async function usePasskey(service: TestService, { passkey }: PasskeyOwner, page: Page, visitor = new Visitor()) {
  const ceremony = { visitor, page, session: emptySession };
  return await post(ceremony, assertion(passkey, askedBy(service, await askOptions(ceremony))));
}

/** Removes the person's second factor, as an operator does. */
async function removeFactor(service: TestService, { user }: Pick<Tokens, "user">): Promise<void> {
  const { ctx } = service.server.app;
  const by = { actor: { kind: "cli", name: "test" } } as const;
  expect(await factors.remove(ctx, String(user["id"]), by, { evenRequired: true })).toBe(true);
}

describeSqliteFirst("what an app asks of a sign-in", (current) => {
  it.each<[string, Record<string, unknown>]>([
    ["maxAge", { maxAge: -1 }],
    ["maxAge", { maxAge: 1.5 }],
    ["maxAge", { maxAge: "60" }],
    ["maxAge", { maxAge: 2 ** 31 }],
    ["acr", { acr: "urn:authsvc:acr:3" }],
    ["acr", { acr: 2 }],
    ["acr", { acr: [two] }],
  ])("is refused by its field, %s: %j", async (field, extra) => {
    const { service, app } = await withApp(current());
    const { status, body } = await call(service, "POST", "/auth/initiate", app.headers, {
      redirectUri: app.redirectUri,
      ...extra,
    });
    expect([status, body.error?.code]).toEqual([400, "INVALID_REQUEST"]);
    expect(body.error?.details).toMatch(new RegExp(`^${field}: `, "u"));
  });

  it("cannot be a passkey where the application takes none", async () => {
    const { service, app } = await withApp(current(), { authMethods: { passkey: { enabled: false } } });
    const asked = { redirectUri: app.redirectUri, acr: "phr" };
    const { body } = await call(service, "POST", "/auth/initiate", app.headers, asked);
    expect(body.error).toMatchObject({ code: "INVALID_REQUEST", details: expect.stringMatching(/^acr: /u) });
  });

  it("is one factor: nothing is asked besides", async () => {
    const { service, app } = await withApp(current(), optional);
    const { email } = await signedUp(service, app);
    const tokens = await redeem(service, app, await signIn(service, app, { email }, { acr: one, maxAge: 0 }));
    expect(decodeJwt(tokens.accessToken)).toMatchObject({ acr: one, amr: ["pwd"] });
  });

  it("is a recent proof: the page offers to continue only while the last one is young enough", async () => {
    const { service, app } = await withApp(current());
    const { email } = await signedUp(service, app);
    const visitor = new Visitor();
    await signIn(service, app, { email }, {}, visitor);
    const offers = async (maxAge?: number) => {
      const { authUrl } = await initiate(service, app, maxAge === undefined ? {} : { maxAge });
      return (await visitor.get(authUrl)).text.includes("/continue");
    };
    service.clock.advance(60_000);
    expect([await offers(), await offers(60), await offers(59), await offers(0)]).toEqual([true, true, false, false]);
  });

  it("is a recent proof: one who continues all the same is asked, and auth_time is that of the new proof", async () => {
    const { service, app } = await withApp(current());
    const { email } = await signedUp(service, app);
    const visitor = new Visitor();
    await signIn(service, app, { email }, {}, visitor);
    const session = await initiate(service, app, { maxAge: 60 });
    const page = await visitor.get(session.authUrl);
    service.clock.advance(61_000);
    const late = await followed(visitor, await visitor.submit(page, "/continue", {}));
    expect([answerOf(late), late.text.includes("/continue")]).toEqual([undefined, false]);
    const done = await visitor.submit(late, "/password", { email, password: goodPassword });
    const { accessToken } = await redeemed(service, app, session, done);
    expect(decodeJwt(accessToken)["auth_time"]).toBe(Math.floor(service.clock.now / 1000));
  });

  it("that the account cannot give goes back as an error, with state and sessionId, and signs nobody in", async () => {
    const { service, app } = await withApp(current(), optional);
    const { email } = await signedUp(service, app);
    for (const acr of [two, "phr"]) {
      const { session, visitor, done } = await firstProof(service, app, email, { extra: { acr, state: "s t&1" } });
      expect(done.location.href.startsWith(app.redirectUri)).toBe(true);
      expect(answerOf(done)).toEqual({
        error: "unmet_authentication_requirements",
        error_description: expect.any(String),
        state: "s t&1",
        sessionId: session.sessionId,
      });
      expect((await openAccount(service, app, visitor)).status).toBe(303);
    }
  });

  it("that a new account cannot give creates none", async () => {
    const { service, app } = await withApp(current(), optional);
    const { email, done } = await createdByPassword(service, app, { acr: two });
    expect(answerOf(done)?.["error"]).toBe("unmet_authentication_requirements");
    await signedUp(service, app, email);
  });

  it("M18: is not met by a factor that is set up on the way: its code is asked for as well", async () => {
    const { service, app } = await withApp(current(), required);
    const { session, visitor, done: page } = await createdByPassword(service, app, { acr: two });
    const key = keyIn(page);
    const shown = await visitor.submit(page, "/step/set-up", { code: codeAt(key, service.clock.now) });
    expect(codesIn(shown)).toHaveLength(10);
    const next = await followed(visitor, await visitor.submit(shown, "/step/continue", {}));
    expect([answerOf(next), asksForCode(next)]).toEqual([undefined, true]);
    const tokens = await redeemed(service, app, session, await typeCode(service, { key }, visitor, next));
    expect(decodeJwt(tokens.accessToken)["acr"]).toBe(two);
  });
});

/** How somebody is signed in, and what their tokens say of it. */
type Kind = "password" | "set-up" | "trusted" | "totp" | "recovery-code" | "passkey";
type SignedIn = { app: TestApp; tokens: Tokens; acr: string; sessionOf(extra: Record<string, unknown>): Promise<Page> };

/** Somebody signed in by this kind of proof; `sessionOf`: signs them in once more, the same way. */
async function signedInBy(service: TestService, kind: Kind): Promise<SignedIn> {
  if (kind === "password") {
    const app = await service.createApp(optional);
    const tokens = await signedUp(service, app);
    const sessionOf = async (extra: Record<string, unknown>) =>
      (await firstProof(service, app, tokens.email, { extra })).done;
    return { app, tokens, acr: one, sessionOf };
  }
  if (kind === "passkey") {
    const app = await service.createApp(required);
    const owner = await signUpByPasskey(service, app);
    const sessionOf = async (extra: Record<string, unknown>) => {
      const { visitor, page } = await openPage(service, app, extra);
      return await usePasskey(service, owner, page, visitor);
    };
    return { app, tokens: owner, acr: "phr", sessionOf };
  }
  const app = await service.createApp(trusting);
  const person = await signedUpWithTotp(service, app);
  if (kind === "set-up") {
    const sessionOf = async (extra: Record<string, unknown>) =>
      (await firstProof(service, app, person.email, { extra })).page;
    return { app, tokens: person.tokens, acr: one, sessionOf };
  }
  if (kind === "trusted") {
    const { visitor } = await signedInWithTotp(service, app, person, { trust: true });
    const { session, done } = await firstProof(service, app, person.email, { visitor });
    const sessionOf = async (extra: Record<string, unknown>) =>
      (await firstProof(service, app, person.email, { visitor, extra })).page;
    return { app, tokens: await redeemed(service, app, session, done), acr: one, sessionOf };
  }
  let used = 0;
  const byFactor = async (extra: Record<string, unknown>) => {
    const { session, visitor, page } = await firstProof(service, app, person.email, { extra });
    if (kind === "totp") return { session, done: await typeCode(service, person, visitor, page) };
    const left = await visitor.submit(page, "/step/code", { code: person.codes[used++] ?? "" });
    if (answerOf(left)) return { session, done: left };
    return { session, done: await visitor.submit(await followed(visitor, left), "/step/continue", {}) };
  };
  const { session, done } = await byFactor({});
  const sessionOf = async (extra: Record<string, unknown>) => {
    // A code is asked for only where it can be enough.
    if (extra["acr"] === "phr") return (await firstProof(service, app, person.email, { extra })).done;
    return (await byFactor(extra)).done;
  };
  return { app, tokens: await redeemed(service, app, session, done), acr: two, sessionOf };
}

const refused = expect.objectContaining({
  code: "INSUFFICIENT_SCOPE",
  details: expect.stringContaining(`acr: ${two}`),
});

/** What changes an account: the status of each answer, or the error that refuses its token. */
async function acts(service: TestService, app: TestApp, { accessToken }: Tokens) {
  const headers = bearer(accessToken);
  const answers = [
    await call(service, "POST", "/users/auth-methods", headers, { type: "passkey", redirectUri: app.redirectUri }),
    await call(service, "DELETE", "/users/auth-methods/mth_none", headers),
    await call(service, "DELETE", "/users/profile", headers),
  ];
  return answers.map(({ status, body }) => (status === 403 ? body.error : status));
}

describeSqliteFirst("a step-up", (current) => {
  it.each<[Kind, Record<string, string>]>([
    ["password", { [one]: "code", [two]: "unmet", phr: "unmet" }],
    ["set-up", { [one]: "a page", [two]: "a page", phr: "unmet" }],
    ["trusted", { [one]: "code", [two]: "a page", phr: "unmet" }],
    ["totp", { [one]: "code", [two]: "code", phr: "unmet" }],
    ["recovery-code", { [one]: "code", [two]: "code", phr: "unmet" }],
    ["passkey", { [one]: "code", [two]: "code", phr: "code" }],
  ])("M18, Logto-9110: by %s reaches what it proves, and no more", async (kind, results) => {
    const service = current();
    const { sessionOf } = await signedInBy(service, kind);
    for (const [acr, result] of Object.entries(results)) {
      const answer = answerOf(await sessionOf({ acr }));
      const given = answer?.["code"] === undefined ? (answer?.["error"] ?? "a page") : "code";
      expect([kind, acr, given.replace("_authentication_requirements", "")]).toEqual([kind, acr, result]);
    }
  });

  it.each<[Kind, boolean]>([
    ["password", true],
    ["set-up", false],
    ["trusted", false],
    ["totp", true],
    ["recovery-code", true],
    ["passkey", true],
  ])(
    "M18, GHSA-hp74-gm6m-2qm5: a token by %s, however fresh, changes an account only if no factor was left out",
    async (kind, isEnough) => {
      const service = current();
      const { app, tokens, acr } = await signedInBy(service, kind);
      expect(decodeJwt(tokens.accessToken)["acr"]).toBe(acr);
      expect(await acts(service, app, tokens)).toEqual(isEnough ? [200, 404, 200] : [refused, refused, refused]);
    },
  );

  it("takes a passkey after the password where only that is enough, and the tokens say so", async () => {
    const { service, app } = await withApp(current(), { authMethods: { passkey: { required: true } } });
    const { email, done, visitor } = await createdByPassword(service, app);
    const creation = { visitor, page: done, session: emptySession, form: "/step/new-passkey" };
    const options = await askOptions(creation);
    const passkey = newPasskey("ES256", options.user?.id);
    expect(answerOf(await post(creation, attest(passkey, askedBy(service, options))))).toHaveProperty("code");
    await updateApp(service, app, { authMethods: { passkey: { required: false } } });
    const { session, page, visitor: browser } = await firstProof(service, app, email, { extra: { acr: "phr" } });
    const ceremony = { visitor: browser, page, session, form: "/step/passkey" };
    const proven = await post(ceremony, assertion(passkey, askedBy(service, await askOptions(ceremony))));
    const { accessToken, refreshToken } = await redeemed(service, app, session, proven);
    const claims = { acr: "phr", amr: ["pwd", "pop", "user", "mfa"] };
    expect(decodeJwt(accessToken)).toMatchObject(claims);
    const { body } = await refresh(service, app, refreshToken);
    expect(decodeJwt(String(body["accessToken"]))).toMatchObject(claims);
  });
});

describeSqliteFirst("a mailed code", { mail: server.mail }, (current) => {
  let sent = 0;
  /** Signs in by a code from the mail; the answer to it. */
  async function byMail(service: TestService, app: TestApp, email: string, extra: Record<string, unknown> = {}) {
    const asking = await askForCode(service, app, email, new Visitor(), await initiate(service, app, extra));
    sent += 1;
    const code = codeIn(await mailTo(server, email, sent, /^\d{8}/u));
    return { ...asking, done: await asking.visitor.submit(asking.page, "/code", { code }) };
  }

  it("M18, GHSA-hp74-gm6m-2qm5: is one factor, however fresh: it reaches no more, and changes no account with two", async () => {
    const { service, app } = await withApp(current(), { settings: { emailCode: true } });
    const { email } = await newUser(service, app, { password: goodPassword });
    expect(answerOf((await byMail(service, app, email, { acr: two })).done)?.["error"]).toContain("unmet");
    const { session, done } = await byMail(service, app, email, { acr: one, maxAge: 0 });
    const tokens = await redeemed(service, app, session, done);
    expect(decodeJwt(tokens.accessToken)).toMatchObject({ acr: one, amr: ["otp"] });
    await updateApp(service, app, { settings: { emailCode: true, ...required.settings } });
    const person = await setUpTotp(service, app, email);
    expect(await acts(service, app, tokens)).toEqual([refused, refused, refused]);
    const asked = await byMail(service, app, email, { acr: two });
    const page = await followed(asked.visitor, asked.done);
    const proven = await typeCode(service, person, asked.visitor, page);
    const { accessToken } = await redeemed(service, app, asked.session, proven);
    expect(decodeJwt(accessToken)).toMatchObject({ acr: two, amr: ["otp", "mfa"] });
  });
});

describeSqliteFirst("after a step-up", (current) => {
  it("tokens carry acr, amr and auth_time, also after a refresh", async () => {
    const { service, app } = await withApp(current(), required);
    const person = await signedUpWithTotp(service, app);
    const { tokens } = await signedInWithTotp(service, app, person, { extra: { acr: two, maxAge: 0 } });
    const provenAt = Math.floor(service.clock.now / 1000);
    const claims = { acr: two, amr: ["pwd", "otp", "mfa"], auth_time: provenAt };
    expect(decodeJwt(tokens.accessToken)).toMatchObject(claims);
    service.clock.advance(600_000);
    const { body } = await refresh(service, app, tokens.refreshToken);
    expect(decodeJwt(String(body["accessToken"]))).toMatchObject({ ...claims, iat: provenAt + 600 });
  });

  it("the browser's session and the tokens are new, and the old cookie opens nothing", async () => {
    const { service, app } = await withApp(current(), trusting);
    const person = await signedUpWithTotp(service, app);
    const visitor = new Visitor();
    await signedInWithTotp(service, app, person, { visitor, trust: true });
    const first = await firstProof(service, app, person.email, { visitor });
    const before = await redeemed(service, app, first.session, first.done);
    const old = visitor.copy();
    expect((await openAccount(service, app, old)).status).toBe(200);
    const session = await initiate(service, app, { acr: two });
    const page = await visitor.get(session.authUrl);
    const asked = await followed(visitor, await visitor.submit(page, "/continue", {}));
    expect(asksForCode(asked)).toBe(true);
    const after = await redeemed(service, app, session, await typeCode(service, person, visitor, asked));
    expect(decodeJwt(after.accessToken)["acr"]).toBe(two);
    expect(after.refreshToken).not.toBe(before.refreshToken);
    expect(decodeJwt(after.accessToken)["sid"]).not.toBe(decodeJwt(before.accessToken)["sid"]);
    expect((await openAccount(service, app, visitor)).status).toBe(200);
    expect((await openAccount(service, app, old)).status).toBe(303);
    // What the old refresh token continues is as weak as it was.
    const { body } = await refresh(service, app, before.refreshToken);
    expect(decodeJwt(String(body["accessToken"]))["acr"]).toBe(one);
  });
});

describeSqliteFirst("a removed factor", (current) => {
  it.each<Kind>(["totp", "recovery-code"])(
    "M10, Supabase-2607: lowers logins by %s at the next call, and what they refresh",
    async (kind) => {
      const service = current();
      const { app, tokens, sessionOf } = await signedInBy(service, kind);
      const acrNow = async (accessToken: unknown) => (await validate(service, app, String(accessToken))).body["acr"];
      expect(await acrNow(tokens.accessToken)).toBe(two);
      await sessionOf({});
      await removeFactor(service, tokens);
      expect(await acrNow(tokens.accessToken)).toBe(one);
      await updateApp(service, app, { settings: { secondFactor: "off" } });
      const { status, body } = await refresh(service, app, tokens.refreshToken);
      expect([status, decodeJwt(String(body["accessToken"]))]).toEqual([
        200,
        expect.objectContaining({ acr: one, amr: ["pwd"] }),
      ]);
      expect(await acrNow(body["accessToken"])).toBeUndefined();
    },
  );

  it("M10: does not come back to old logins when another is set up", async () => {
    const { service, app } = await withApp(current(), required);
    const person = await signedUpWithTotp(service, app);
    const { tokens } = await signedInWithTotp(service, app, person);
    await removeFactor(service, tokens);
    // Without a factor, the contract holds as ever.
    const headers = bearer(tokens.accessToken);
    expect((await call(service, "DELETE", "/users/auth-methods/mth_none", headers)).status).toBe(404);
    const { visitor, page } = await firstProof(service, app, person.email);
    service.clock.advance(60_000);
    const shown = await visitor.submit(page, "/step/set-up", { code: codeAt(keyIn(page), service.clock.now) });
    expect(codesIn(shown)).toHaveLength(10);
    expect((await validate(service, app, tokens.accessToken)).body["acr"]).toBe(one);
    const refused = await call(service, "DELETE", "/users/auth-methods/mth_none", headers);
    expect(refused.body.error?.code).toBe("INSUFFICIENT_SCOPE");
  });

  it("M10: no longer gives the code of a sign-in that it proved", async () => {
    const { service, app } = await withApp(current(), required);
    const person = await signedUpWithTotp(service, app);
    const { session, visitor, page } = await firstProof(service, app, person.email, { extra: { acr: two } });
    const done = await typeCode(service, person, visitor, page);
    await removeFactor(service, person.tokens);
    await expect(redeemed(service, app, session, done)).rejects.toThrow("400");
  });
});

describeSqliteFirst("a trusted browser", (current) => {
  it("M15: satisfies no acr, maxAge, acr_values or max_age, by its proof or by continuing", async () => {
    const { service, app } = await withApp(current(), trusting);
    const person = await signedUpWithTotp(service, app);
    const { visitor } = await signedInWithTotp(service, app, person, { trust: true });
    const { done } = await firstProof(service, app, person.email, { visitor });
    expect(answerOf(done)).toHaveProperty("code");
    for (const extra of [{ acr: two }, { maxAge: 0 }, { maxAge: 3600 }, { acr: two, maxAge: 3600 }]) {
      const browser = visitor.copy();
      expect([
        extra,
        asksForCode((await firstProof(service, app, person.email, { visitor: browser, extra })).page),
      ]).toEqual([extra, true]);
      if (extra.maxAge === 0) continue;
      const again = visitor.copy();
      const page = await again.get((await initiate(service, app, extra)).authUrl);
      const next = await followed(again, await again.submit(page, "/continue", {}));
      expect([extra, asksForCode(next)]).toEqual([extra, true]);
    }
    const { client } = await newParty(service, {}, app);
    expect(answerOf(await visitor.get(authorizeUrl(service, client)))).toHaveProperty("code");
    for (const parameters of [{ acr_values: two }, { max_age: "3600" }] as Record<string, string>[]) {
      const browser = visitor.copy();
      const page = await followed(browser, await browser.get(authorizeUrl(service, client, parameters)));
      expect([parameters, answerOf(page), asksForCode(page)]).toEqual([parameters, undefined, true]);
      const silent = await visitor.get(authorizeUrl(service, client, { ...parameters, prompt: "none" }));
      expect(answerOf(silent)?.["error"]).toBe("login_required");
    }
  });
});

/** Begins at the client, and gives the password; the page that comes next. */
async function atClient(
  service: TestService,
  { client }: Pick<Party, "client">,
  email: string,
  parameters: Record<string, string>,
  visitor = new Visitor(),
): Promise<{ visitor: Visitor; page: Page }> {
  const form = await followed(visitor, await visitor.get(authorizeUrl(service, client, parameters)));
  const done = await visitor.submit(form, "/password", { email, password: goodPassword });
  return { visitor, page: await followed(visitor, done) };
}

/** What the client's tokens say for the code that went back to it, at once and after a refresh. */
async function acrsOf(service: TestService, { client, secret }: Party, page: Page) {
  const code = { grant_type: "authorization_code", redirect_uri: client.redirectUris[0] ?? "" };
  const headers = basic({ client, secret });
  const fields = { ...code, code: answerOf(page)?.["code"] ?? "" };
  const first = (await postForm(service, "/oauth2/token", fields, headers)).body;
  const again = { grant_type: "refresh_token", refresh_token: String(first["refresh_token"]) };
  service.clock.advance(60_000);
  const second = (await postForm(service, "/oauth2/token", again, headers)).body;
  const [claims, kept] = [first, second].map((body) => {
    const [id, access] = [decodeJwt(String(body["id_token"])), decodeJwt(String(body["access_token"]))];
    return { id: id["acr"], access: access["acr"], amr: id["amr"], authTime: id["auth_time"] };
  });
  expect(kept).toEqual(claims);
  return claims;
}

describeSqliteFirst("what an OpenID Connect client asks of a sign-in", (current) => {
  const essential = (acr: object) => ({ claims: JSON.stringify({ id_token: { acr: { essential: true, ...acr } } }) });
  const offline = { scope: "openid offline_access" };

  it.each<[string, Record<string, string>, string]>([
    ["acr_values", { acr_values: two }, two],
    ["acr_values, of which the least is enough", { acr_values: `phr ${two}` }, two],
    ["an essential acr", essential({ value: two }), two],
    ["essential acrs", essential({ values: ["urn:other", "phr", two] }), two],
    ["one factor", { ...essential({ value: one }), max_age: "0" }, one],
    ["nothing", {}, two],
  ])("by %s is in the ID token, while the access token says what was done", async (_title, parameters, acr) => {
    const { service, app } = await withApp(current(), required);
    const person = await signedUpWithTotp(service, app);
    // The factor that somebody has set up reaches it, whatever the setting is now.
    await updateApp(service, app, { settings: { secondFactor: "off" } });
    const party = await newParty(service, {}, app);
    const { visitor, page } = await atClient(service, party, person.email, { ...offline, ...parameters });
    expect(asksForCode(page)).toBe(true);
    const done = await typeCode(service, person, visitor, page);
    const authTime = Math.floor(service.clock.now / 1000);
    const claims = { id: acr, access: two, amr: ["pwd", "otp", "mfa"], authTime };
    expect(await acrsOf(service, party, done)).toEqual(claims);
  });

  it.each<[string, Record<string, string>, string]>([
    ["two factors", { acr_values: two }, two],
    ["a passkey", { acr_values: "phr" }, "phr"],
    ["nothing", {}, "phr"],
  ])("%s, is reached by a passkey", async (_title, parameters, acr) => {
    const { service, app } = await withApp(current(), optional);
    const owner = await signUpByPasskey(service, app);
    const party = await newParty(service, {}, app);
    const visitor = new Visitor();
    const asked = await visitor.get(authorizeUrl(service, party.client, { ...offline, ...parameters }));
    const done = await usePasskey(service, owner, await visitor.get(asked.location.href), visitor);
    expect(await acrsOf(service, party, done)).toMatchObject({ id: acr, access: "phr", amr: ["pop", "user", "mfa"] });
  });

  it.each<[string, Record<string, string>]>([
    ["acr_values", { acr_values: two }],
    ["an essential acr", essential({ value: two })],
  ])("by %s, and an account cannot give, goes back as an error", async (_title, parameters) => {
    const { service, app } = await withApp(current(), optional);
    const party = await newParty(service, {}, app);
    const { page, visitor } = await atClient(service, party, party.email, parameters);
    expect(answerOf(page)).toEqual({
      error: "unmet_authentication_requirements",
      error_description: expect.any(String),
      state: "st",
      iss: service.url,
    });
    expect((await openAccount(service, app, visitor)).status).toBe(303);
  });

  it.each(["urn:other", "phr"])("and nobody here can give, goes back at once: %s", async (value) => {
    const { service, app } = await withApp(current(), { authMethods: { passkey: { enabled: false } } });
    const { client } = await newParty(service, {}, app);
    const page = await new Visitor().get(authorizeUrl(service, client, essential({ value })));
    expect(answerOf(page)?.["error"]).toBe("unmet_authentication_requirements");
  });

  it("is asked of somebody who is signed in: only for what is missing, and again with max_age=0", async () => {
    const { service, app } = await withApp(current(), required);
    const person = await signedUpWithTotp(service, app);
    const party = await newParty(service, {}, app);
    const { visitor } = await signedInWithTotp(service, app, person);
    const straight = await visitor.get(authorizeUrl(service, party.client, { acr_values: two, max_age: "60" }));
    expect(answerOf(straight)).toHaveProperty("code");
    const again = await visitor.get(authorizeUrl(service, party.client, { acr_values: two, max_age: "0" }));
    const form = await followed(visitor, again);
    expect(form.text).toContain("/password");
    // The set-up on the way is one factor: the code is all that is missing.
    const silent = await person.visitor.get(authorizeUrl(service, party.client, { acr_values: two, prompt: "none" }));
    expect(answerOf(silent)?.["error"]).toBe("login_required");
    const next = await person.visitor.get(authorizeUrl(service, party.client, { ...offline, acr_values: two }));
    const page = await followed(person.visitor, next);
    expect([asksForCode(page), page.text.includes("/password")]).toEqual([true, false]);
    const done = await typeCode(service, person, person.visitor, page);
    expect(await acrsOf(service, party, done)).toMatchObject({ id: two, access: two });
  });

  it("M10: falls for its logins, too, when the factor is removed", async () => {
    const { service, app } = await withApp(current(), required);
    const person = await signedUpWithTotp(service, app);
    const party = await newParty(service, {}, app);
    const { visitor, page } = await atClient(service, party, person.email, { ...offline, acr_values: two });
    const done = await typeCode(service, person, visitor, page);
    const code = { grant_type: "authorization_code", redirect_uri: party.client.redirectUris[0] ?? "" };
    const fields = { ...code, code: answerOf(done)?.["code"] ?? "" };
    const { body } = await postForm(service, "/oauth2/token", fields, basic(party));
    await removeFactor(service, person.tokens);
    expect((await validate(service, app, String(body["access_token"]))).body["acr"]).toBe(one);
    const again = { grant_type: "refresh_token", refresh_token: String(body["refresh_token"]) };
    expect((await postForm(service, "/oauth2/token", again, basic(party))).body["error"]).toBe("invalid_grant");
    await updateApp(service, app, { settings: { secondFactor: "off" } });
    const fallen = await postForm(service, "/oauth2/token", again, basic(party));
    expect(decodeJwt(String(fallen.body["id_token"]))).toMatchObject({ acr: one, amr: ["pwd"] });
    expect(decodeJwt(String(fallen.body["access_token"]))["acr"]).toBe(one);
  });
});
