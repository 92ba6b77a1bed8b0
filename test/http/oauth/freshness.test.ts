import { decodeJwt } from "jose";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as providers from "../../../src/applications/providers/provider-clients.ts";
import { accountUrl, openAccount, press } from "../../support/account.ts";
import { addingSession } from "../../support/adding.ts";
import { attest, newPasskey } from "../../support/authenticator.ts";
import { useMailServer } from "../../support/mail.ts";
import { codeAt, keyIn } from "../../support/factors.ts";
import { givePasskey } from "../../support/methods.ts";
import { codeIn, linkIn, mailTo } from "../../support/mail-flows.ts";
import { authorizeUrl, codeChallenge, createTestClient } from "../../support/openid.ts";
import { askedBy, askOptions, post } from "../../support/passkey-ceremonies.ts";
import {
  goodPassword,
  initiate,
  newEmail,
  redeem,
  refresh,
  Visitor,
  type Page,
  type Session,
} from "../../support/person.ts";
import { honest, silent, useProviders, type AuthTime, type FakeProvider } from "../../support/providers/provider.ts";
import { usersOf } from "../../support/providers/records.ts";
import { appWith, atProvider, codeOf, comeBack, signInAt } from "../../support/providers/round.ts";
import { describeSqliteFirst, updateApp, type TestApp, type TestService } from "../../support/service.ts";

const [corp, other, github, discord, apple, google] = await useProviders(
  "openid",
  "microsoft",
  "github",
  "discord",
  "apple",
  "google",
);
const server = await useMailServer();
const minute = 60_000;
const years = 5;

let subjects = 90_000;
const somebody = () => ({ subject: String((subjects += 1)), email: newEmail(), verified: true });

/** Of a token, or of the ID token. */
function authTimeOf(token: string): unknown {
  return decodeJwt(token)["auth_time"];
}

const words = "doesn&#39;t say that you signed in there just now";
function asksAnew({ text }: Page): boolean {
  return text.includes(words);
}

describeSqliteFirst("a provider and the time of its proof", (current) => {
  beforeEach(() => {
    for (const provider of [corp, other, github, discord, apple, google]) provider.clock = () => current().clock.now;
  });

  /** Signs in once at the provider, and answers the app and the person. */
  async function known(provider: FakeProvider, methods: ("password" | "oauth" | "passkey")[] = ["password", "oauth"]) {
    const service = current();
    const app = await appWith(service, [provider], { methods });
    const person = somebody();
    const round = await signInAt(service, app, provider, person);
    return { service, app, person, round };
  }

  /** From the provider back, and on to the page that comes next, if it is one of ours. */
  async function goOn(visitor: Visitor, provider: FakeProvider, start: Page, person: ReturnType<typeof somebody>) {
    const done = await comeBack(visitor, await atProvider(start.location, provider, person));
    const isOurs = done.status === 303 && done.location.pathname.startsWith("/sign-in/");
    return isOurs ? await visitor.get(done.location.href) : done;
  }

  async function signInAgain(
    { service, app, person }: { service: TestService; app: TestApp; person: ReturnType<typeof somebody> },
    provider: FakeProvider,
    extra: Record<string, unknown>,
  ): Promise<{ session: Session; visitor: Visitor; page: Page; asked: URLSearchParams }> {
    const session = await initiate(service, app, { authMethod: "oauth", provider: provider.name, ...extra });
    const visitor = new Visitor();
    const start = await visitor.get(session.authUrl);
    return {
      session,
      visitor,
      asked: start.location.searchParams,
      page: await goOn(visitor, provider, start, person),
    };
  }

  describe("without any demand", () => {
    it.each<[title: string, says: AuthTime | undefined, age: number | undefined]>([
      ["that says nothing", undefined, undefined],
      ["that says nothing when it could", () => undefined, undefined],
      ["with a session of an hour", silent(3600), 3600],
      ["with a session of an hour, as a fraction", (_query, now) => Math.floor(now) - 3600.5, 3601],
      ["with a text", (_query, now) => String(Math.floor(now)), undefined],
      ["with an hour from now", (_query, now) => Math.floor(now) + 3600, undefined],
      ["with milliseconds", (_query, now) => Math.floor(now) * 1000, undefined],
      ["with a list", (_query, now) => [Math.floor(now)], undefined],
      ["with nothing", () => null, undefined],
      ["with less than nothing", () => -5, undefined],
      ["with 0", () => 0, undefined],
    ])("O14: signs in by a provider %s, and auth_time is what was proven", async (_title, says, age) => {
      corp.authTime = says;
      const { service, app, round } = await known(corp);
      expect(round.address.searchParams.has("max_age")).toBe(false);
      expect(round.address.searchParams.has("prompt")).toBe(false);
      const tokens = await redeem(service, app, { session: round.session, code: codeOf(round.done) });
      const now = Math.floor(service.clock.now / 1000);
      const said = authTimeOf(tokens.accessToken);
      if (age === undefined) expect(said).toBeUndefined();
      else expect(Math.abs(Number(said) - (now - age))).toBeLessThanOrEqual(2);
    });

    it.each([
      ["an hour ago", silent(3600)],
      ["an unknown time", undefined],
    ])("O14: keeps the time in refreshed tokens: %s", async (_title, says) => {
      corp.authTime = says;
      const { service, app, round } = await known(corp);
      const tokens = await redeem(service, app, { session: round.session, code: codeOf(round.done) });
      service.clock.advance(10 * minute);
      const { body } = await refresh(service, app, tokens.refreshToken);
      expect(authTimeOf(String(body["accessToken"]))).toBe(authTimeOf(tokens.accessToken));
    });

    it("O14: keeps the provider's time beside a passkey that is created in this sign-in: anybody who is there could do that", async () => {
      corp.authTime = silent(3600);
      const { service, app, person } = await known(corp, ["passkey", "oauth"]);
      await updateApp(service, app, { authMethods: { passkey: { required: true } } });
      const { session, visitor, page } = await signInAgain({ service, app, person }, corp, {});
      const creation = { visitor, page, session, form: "/step/new-passkey" };
      const options = await askOptions(creation);
      const done = await post(creation, attest(newPasskey("ES256", options.user?.id), askedBy(service, options)));
      const tokens = await redeem(service, app, { session, code: codeOf(done) });
      const age = service.clock.now / 1000 - Number(authTimeOf(tokens.accessToken));
      expect(Math.abs(age - 3600)).toBeLessThanOrEqual(2);
    });

    it.each(["github", "discord"])("O14: says no auth_time of a sign-in by %s, which can prove none", async (name) => {
      const { service, app, round } = await known(name === "github" ? github : discord);
      const tokens = await redeem(service, app, { session: round.session, code: codeOf(round.done) });
      expect(authTimeOf(tokens.accessToken)).toBeUndefined();
      expect(decodeJwt(tokens.accessToken)).toMatchObject({ amr: ["fed"] });
    });
  });

  describe.each<[title: string, extra: Record<string, unknown>, asked: Record<string, string | null>]>([
    ["maxAge 0", { maxAge: 0 }, { prompt: "login", max_age: "0" }],
    ["maxAge 300", { maxAge: 300 }, { prompt: null, max_age: "300" }],
  ])("a sign-in with %s", (_title, extra, asked) => {
    it("O14: takes the word of a provider that signs the person in again, and asked for that", async () => {
      const it = await known(corp);
      corp.authTime = honest(3600);
      const again = await signInAgain(it, corp, extra);
      for (const [name, value] of Object.entries(asked)) expect(again.asked.get(name)).toBe(value);
      const tokens = await redeem(it.service, it.app, { session: again.session, code: codeOf(again.page) });
      const age = Math.floor(it.service.clock.now / 1000) - Number(authTimeOf(tokens.accessToken));
      expect(age).toBeGreaterThanOrEqual(0);
      expect(age).toBeLessThanOrEqual(2);
    });

    it.each<[string, AuthTime]>([
      ["answers silently with an old session", silent(3600)],
      ["answers silently with one of six minutes", silent(360)],
      ["says nothing", () => undefined],
      ["says a text", (_query, now) => String(Math.floor(now))],
      ["says an hour from now", (_query, now) => Math.floor(now) + 3600],
      ["says two minutes from now", (_query, now) => Math.floor(now) + 120],
      ["says milliseconds", (_query, now) => Math.floor(now) * 1000],
    ])("O14: takes no word of a provider that %s: the person proves something else", async (_case, says) => {
      const it = await known(corp);
      corp.authTime = says;
      const again = await signInAgain(it, corp, extra);
      expect(again.page.status).toBe(200);
      expect(asksAnew(again.page)).toBe(true);
      expect(again.page.text).not.toContain("/step/password");
    });

    it("O14: a provider that knows neither leads to one more proof, whose time is told", async () => {
      const it = await known(github);
      const again = await signInAgain(it, github, extra);
      expect(asksAnew(again.page)).toBe(true);
      expect([...again.asked.keys()]).not.toContain("max_age");
      expect([...again.asked.keys()]).not.toContain("prompt");
    });
  });

  it("O14: max_age takes a session of the provider that is young enough, and auth_time is its time", async () => {
    const it = await known(corp);
    corp.authTime = silent(100);
    const again = await signInAgain(it, corp, { maxAge: 300 });
    const tokens = await redeem(it.service, it.app, { session: again.session, code: codeOf(again.page) });
    const age = Math.floor(it.service.clock.now / 1000) - Number(authTimeOf(tokens.accessToken));
    expect(Math.abs(age - 100)).toBeLessThanOrEqual(2);
  });

  it.each([
    ["two minutes ahead", 120_000],
    ["50 seconds behind", -50_000],
  ])("O14: a provider whose clock is %s is believed, and its session of 40 s is old to it", async (_title, skew) => {
    const it = await known(corp);
    corp.clock = () => it.service.clock.now + skew;
    corp.authTime = honest(3600);
    codeOf((await signInAgain(it, corp, { maxAge: 0 })).page);
    corp.authTime = silent(40);
    expect(asksAnew((await signInAgain(it, corp, { maxAge: 0 })).page)).toBe(true);
  });

  it("O14: a provider that dates its tokens back by five minutes is believed, and no session hides behind that", async () => {
    const it = await known(corp);
    const dated = (age: number) => {
      corp.makeIdToken = async (claims) => {
        const now = Math.floor(it.service.clock.now / 1000);
        return await corp.key.sign({ ...claims, iat: now - 300, auth_time: now - age });
      };
    };
    dated(0);
    codeOf((await signInAgain(it, corp, { maxAge: 0 })).page);
    for (const age of [200, 310]) {
      dated(age);
      expect(asksAnew((await signInAgain(it, corp, { maxAge: 0 })).page)).toBe(true);
    }
  });

  describe("of an OpenID Connect client", () => {
    it.each<[string, Record<string, string>, Record<string, string | null>]>([
      ["prompt=login", { prompt: "login" }, { prompt: "login", max_age: "0" }],
      ["max_age=0", { max_age: "0" }, { prompt: "login", max_age: "0" }],
      ["max_age=60", { max_age: "60" }, { prompt: null, max_age: "60" }],
      ["prompt=login select_account", { prompt: "login select_account" }, { prompt: "login select_account" }],
      [
        "prompt=select_account and a hint",
        { prompt: "select_account", login_hint: "ada@x.example" },
        { prompt: "select_account", login_hint: "ada@x.example", max_age: null },
      ],
    ])("forwards %s", async (_title, parameters, asked) => {
      const { service, app } = await known(corp);
      const client = await createTestClient(service, app);
      const visitor = new Visitor();
      const begun = await visitor.get(
        authorizeUrl(service, client, { code_challenge: codeChallenge, code_challenge_method: "S256", ...parameters }),
      );
      const start = await visitor.submit(await visitor.get(begun.location.href), "/oauth/corp", {});
      for (const [name, value] of Object.entries(asked)) expect(start.location.searchParams.get(name)).toBe(value);
    });

    it("O14: prompt=login with a silent provider signs nobody in before another proof, and auth_time is the time of that", async () => {
      const { service, app, person, round } = await known(corp);
      const client = await createTestClient(service, app);
      corp.authTime = silent(years * 365 * 86_400);
      const begun = await round.visitor.get(
        authorizeUrl(service, client, {
          prompt: "login",
          code_challenge: codeChallenge,
          code_challenge_method: "S256",
        }),
      );
      const start = await round.visitor.submit(await round.visitor.get(begun.location.href), "/oauth/corp", {});
      const page = await goOn(round.visitor, corp, start, person);
      expect(asksAnew(page)).toBe(true);
    });

    it("continues nobody whose provider does not say when, if max_age asks", async () => {
      const { service, app, round } = await known(github);
      codeOf(round.done);
      const client = await createTestClient(service, app);
      const open = async (more: Record<string, string>) =>
        await round.visitor.get(
          authorizeUrl(service, client, { ...more, code_challenge: codeChallenge, code_challenge_method: "S256" }),
        );
      // Single sign-on itself works as ever.
      expect((await open({ prompt: "none" })).location.searchParams.has("code")).toBe(true);
      expect((await open({ prompt: "none", max_age: "3600" })).location.searchParams.get("error")).toBe(
        "login_required",
      );
    });
  });

  it("forwards the loginHint of initiate to providers that take one, and no unknown word to others", async () => {
    const service = current();
    const app = await appWith(service, [corp, google, other, github, discord, apple]);
    for (const [provider, hint, prompt] of [
      [corp, true, "login"],
      [other, true, "login"],
      [google, true, null],
      [github, false, null],
      [discord, false, null],
      [apple, false, null],
    ] as const) {
      const extra = { authMethod: "oauth", provider: provider.name, loginHint: "Ada@x.example", maxAge: 0 };
      const session = await initiate(service, app, extra);
      const { searchParams } = (await new Visitor().get(session.authUrl)).location;
      expect([provider.name, searchParams.get("login_hint"), searchParams.get("prompt")]).toEqual([
        provider.name,
        hint ? "ada@x.example" : null,
        prompt,
      ]);
    }
  });

  it("sends no word of prompt that the discovery does not name", async () => {
    const service = current();
    corp.instead.set("/.well-known/openid-configuration", () => ({
      body: { ...corp.discovery(), prompt_values_supported: ["none", "consent"] },
    }));
    // Kept for an hour, by issuer.
    service.clock.advance(61 * minute);
    const app = await appWith(service, [corp]);
    const session = await initiate(service, app, { authMethod: "oauth", provider: "corp", maxAge: 0 });
    const { searchParams } = (await new Visitor().get(session.authUrl)).location;
    expect([searchParams.get("prompt"), searchParams.get("max_age")]).toEqual([null, "0"]);
    service.clock.advance(61 * minute);
  });
});

describeSqliteFirst("one more proof, where a provider says nothing of now", { mail: server.mail }, (current) => {
  beforeEach(() => {
    for (const provider of [corp, github]) provider.clock = () => current().clock.now;
  });
  afterEach(() => {
    corp.authTime = undefined;
  });

  /** Signed in to the account page by this provider, in a browser. */
  async function atAccount(provider: FakeProvider, input: Parameters<typeof appWith>[2] = {}) {
    const service = current();
    const app = await appWith(service, [provider], input);
    const person = somebody();
    const { visitor } = await signInAt(service, app, provider, person);
    expect((await openAccount(service, app, visitor)).status).toBe(200);
    return { service, app, visitor, person };
  }

  /** Opens a page that needs a fresh proof, and gives the provider's. */
  async function confirmAt(
    { service, app, visitor, person }: Awaited<ReturnType<typeof atAccount>>,
    provider: FakeProvider,
    page: string,
  ): Promise<Page> {
    const begun = await openAccount(service, app, visitor, page);
    expect(begun.status).toBe(303);
    expect(begun.location.pathname).toMatch(/^\/sign-in\//u);
    const start = await visitor.submit(await visitor.get(begun.location.href), `/oauth/${provider.name}`, {});
    const done = await comeBack(visitor, await atProvider(start.location, provider, person));
    return await visitor.get(done.location.href);
  }

  async function byMail(visitor: Visitor, page: Page, email: string): Promise<Page> {
    const before = server.to(email).filter(({ subject }) => /\d{4}/u.test(subject)).length;
    const asked = await visitor.submit(page, "/email-code", { email: "mallory@x.example" });
    const form = await visitor.get(asked.location.href);
    expect(form.text).toContain(email);
    const code = codeIn(await mailTo(server, email, before + 1, /\d{4}/u));
    return await visitor.submit(form, "/code", { code });
  }

  it("O14: an account that has only GitHub is deleted after a mailed code, and not before", async () => {
    const at = await atAccount(github);
    const { service, app, visitor, person } = at;
    const page = await confirmAt(at, github, "/delete");
    expect(asksAnew(page)).toBe(true);
    // The old browser session opens nothing.
    expect((await openAccount(service, app, visitor, "/delete")).status).toBe(303);
    const done = await byMail(visitor, page, person.email);
    expect(done.status).toBe(303);
    const form = await visitor.get((await visitor.get(done.location.href)).location.href);
    await press(app, visitor, form, "/account/delete");
    expect(await usersOf(service, app)).toEqual([]);
    expect(server.to("mallory@x.example")).toEqual([]);
  });

  it("O14: the link of that mail proves the same, in the browser that asked", async () => {
    const at = await atAccount(github);
    const page = await confirmAt(at, github, "/data");
    await at.visitor.submit(page, "/email-code", {});
    const link = linkIn(await mailTo(server, at.person.email, 1, /\d{4}/u));
    const done = await at.visitor.submit(await at.visitor.get(link), new URL(link).pathname, {});
    expect((await at.visitor.get(done.location.href)).location.pathname).toBe("/account/data");
    expect((await openAccount(at.service, at.app, at.visitor, "/data")).status).toBe(200);
  });

  it.each(["/delete", "/data", "/email", "/factor"])("O14: %s asks for more than GitHub's word", async (page) => {
    const at = await atAccount(github, { settings: { secondFactor: "optional" } });
    expect(asksAnew(await confirmAt(at, github, page))).toBe(true);
    expect((await openAccount(at.service, at.app, at.visitor, page)).status).toBe(303);
  });

  it("O14: a method is added after a mailed code, and removed only after a new one", async () => {
    const at = await atAccount(github);
    const { service, app, visitor, person } = at;
    const overview = await openAccount(service, app, visitor);
    const added = await press(app, visitor, overview, "/account/add", { adds: "password" });
    const start = await visitor.submit(await visitor.get(added.location.href), "/oauth/github", {});
    const done = await comeBack(visitor, await atProvider(start.location, github, person));
    const page = await visitor.get(done.location.href);
    expect(asksAnew(page)).toBe(true);
    const proven = await byMail(visitor, page, person.email);
    const form = await visitor.get(proven.location.href);
    const end = await visitor.submit(form, "/add/password", { password: goodPassword });
    expect(end.location.searchParams.get("status")).toBe("added");
    // The password is another way from now on.
    const again = await confirmAt(at, github, "/data");
    expect(again.text).toContain("/step/password");
    const wrong = await visitor.submit(again, "/step/password", { password: "not that one at all" });
    expect([wrong.status, asksAnew(wrong)]).toEqual([401, true]);
    const right = await visitor.submit(again, "/step/password", { password: goodPassword });
    expect((await visitor.get(right.location.href)).location.pathname).toBe("/account/data");
  });

  it("O14: an app's session to add a method takes no silent provider either", async () => {
    const service = current();
    const app = await appWith(service, [github]);
    const person = somebody();
    const round = await signInAt(service, app, github, person);
    const tokens = await redeem(service, app, { session: round.session, code: codeOf(round.done) });
    const session = await addingSession(service, app, tokens.accessToken, { type: "password" });
    const page = await round.visitor.get(session.authUrl);
    expect(page.text).not.toContain("/add/password");
    const start = await round.visitor.submit(page, "/oauth/github", {});
    const done = await comeBack(round.visitor, await atProvider(start.location, github, person));
    const next = await round.visitor.get(done.location.href);
    expect(asksAnew(next)).toBe(true);
    const token = /name="token" value="([^"]+)"/u.exec(next.text)?.[1] ?? "";
    const forced = await round.visitor.post(`${session.authUrl}/add/password`, { token, password: goodPassword });
    expect(forced.headers.get("location") ?? "").not.toContain("status=added");
  });

  it("O14: a provider that signs the person in again is enough, and its proof is over after ten minutes", async () => {
    corp.authTime = honest(3600);
    const at = await atAccount(corp);
    const { service, app, visitor } = at;
    const page = await confirmAt(at, corp, "/delete");
    expect(page.location.pathname).toBe("/account/delete");
    expect((await openAccount(service, app, visitor, "/delete")).status).toBe(200);
    service.clock.advance(10 * minute);
    expect((await openAccount(service, app, visitor, "/delete")).status).toBe(303);
  });

  it("O14: a session of the provider of nine minutes is fresh for one more", async () => {
    corp.authTime = silent(9 * 60);
    const at = await atAccount(corp);
    expect((await openAccount(at.service, at.app, at.visitor, "/delete")).status).toBe(200);
    at.service.clock.advance(minute + 1000);
    expect((await openAccount(at.service, at.app, at.visitor, "/delete")).status).toBe(303);
  });

  it("O14: the password of another account, or another's code, proves nothing", async () => {
    const at = await atAccount(github, { settings: { emailCode: true } });
    const page = await confirmAt(at, github, "/delete");
    expect(page.text).not.toContain("/step/password");
    const token = /name="token" value="([^"]+)"/u.exec(page.text)?.[1] ?? "";
    const path = page.form("/email-code").action.replace("/email-code", "");
    const tried = await at.visitor.post(new URL(`${path}/step/password`, page.url).href, {
      token,
      password: goodPassword,
    });
    expect(tried.status).toBe(303);
    expect(tried.location.pathname).toBe(path);
  });

  it("O14: a sign-in of an app with maxAge 0 is proven by the mailed code, at its time", async () => {
    const service = current();
    const app = await appWith(service, [github]);
    const person = somebody();
    await signInAt(service, app, github, person);
    const { session, visitor, done } = await signInAt(service, app, github, person, { maxAge: 0 });
    service.clock.advance(minute);
    const end = await byMail(visitor, await visitor.get(done.location.href), person.email);
    const tokens = await redeem(service, app, { session, code: codeOf(end) });
    const claims = decodeJwt(tokens.accessToken);
    expect(claims).toMatchObject({ auth_time: Math.floor(service.clock.now / 1000), amr: ["fed", "otp"] });
    expect(claims["acr"]).toBe("urn:authsvc:acr:1");
    // The new browser session rests on that proof too.
    expect((await visitor.get(accountUrl(service, app, "/delete"))).status).toBe(200);
  });

  it("O14: an old second factor of the provider does not become recent by a mailed code", async () => {
    const service = current();
    const app = await appWith(service, [corp]);
    const trusting = { ...corp.settings(), trustsSecondFactor: "amr=mfa" };
    await providers.set(service.server.app.ctx, app.id, trusting, { kind: "cli", name: "test" });
    const person = { ...somebody(), raw: { amr: ["mfa"] } };
    const asked = { acr: "urn:authsvc:acr:2", maxAge: 60 };
    corp.authTime = honest(3600);
    codeOf((await signInAt(service, app, corp, person, asked)).done);
    corp.authTime = silent(3600);
    const { visitor, done } = await signInAt(service, app, corp, person, asked);
    const end = await byMail(visitor, await visitor.get(done.location.href), person.email);
    expect(end.location.searchParams.get("error")).toBe("unmet_authentication_requirements");
  });

  it("O14: a code that was mailed to another address of the same sign-in proves nothing", async () => {
    const service = current();
    const app = await appWith(service, [github], { settings: { emailCode: true } });
    const [victim, mallory] = [somebody(), newEmail()];
    await signInAt(service, app, github, victim);
    const session = await initiate(service, app, { maxAge: 0 });
    const visitor = new Visitor();
    const form = await visitor.get(`${session.authUrl}/email-code`);
    await visitor.submit(form, "/email-code", { email: mallory });
    const code = codeIn(await mailTo(server, mallory, 1, /\d{4}/u));
    const start = await visitor.submit(await visitor.get(session.authUrl), "/oauth/github", {});
    const done = await comeBack(visitor, await atProvider(start.location, github, victim));
    const page = await visitor.get(done.location.href);
    expect(asksAnew(page)).toBe(true);
    const token = /name="token" value="([^"]+)"/u.exec(page.text)?.[1] ?? "";
    const tried = await visitor.post(`${session.authUrl}/code`, { token, code });
    expect(tried.headers.get("location")).toBeNull();
    expect((await usersOf(service, app)).map(({ email }) => email)).toEqual([victim.email]);
  });

  it("O14: a second factor that is typed is a proof of now", async () => {
    const service = current();
    const app = await appWith(service, [github], { settings: { secondFactor: "required" } });
    const person = somebody();
    const first = await signInAt(service, app, github, person);
    const page = await first.visitor.get(first.done.location.href);
    const key = keyIn(page);
    await first.visitor.submit(page, "/step/set-up", { code: codeAt(key, service.clock.now) });
    service.clock.advance(minute);
    const { session, visitor, done } = await signInAt(service, app, github, person, { maxAge: 0 });
    const asked = await visitor.get(done.location.href);
    const end = await visitor.submit(asked, "/step/code", { code: codeAt(key, service.clock.now) });
    const tokens = await redeem(service, app, { session, code: codeOf(end) });
    expect(authTimeOf(tokens.accessToken)).toBe(Math.floor(service.clock.now / 1000));
  });

  it("O14: setting a second factor up is none: it waits until the person is proven", async () => {
    const service = current();
    const app = await appWith(service, [github], { settings: { secondFactor: "required" } });
    const person = somebody();
    const { visitor, done } = await signInAt(service, app, github, person, { maxAge: 0 });
    const page = await visitor.get(done.location.href);
    expect(asksAnew(page)).toBe(true);
    const end = await byMail(visitor, page, person.email);
    expect(keyIn(await visitor.get(end.location.href))).not.toBe("");
  });

  it("O14: a passkey proves the person anew", async () => {
    const service = current();
    const app = await appWith(service, [github], { methods: ["password", "passkey", "oauth"] });
    const person = somebody();
    const first = await signInAt(service, app, github, person);
    const tokens = await redeem(service, app, { session: first.session, code: codeOf(first.done) });
    await givePasskey(service, String(tokens.user["id"]));
    const { visitor, done } = await signInAt(service, app, github, person, { maxAge: 0 });
    const page = await visitor.get(done.location.href);
    expect(page.text).toContain("/step/passkey");
    const token = /name="token" value="([^"]+)"/u.exec(page.text)?.[1] ?? "";
    const options = await visitor.post(`${done.location.href}/step/passkey/options`, { token });
    expect(options.text).toContain("challenge");
  });

  it("O14: a person whose address is not verified, without another method, is told why not, in their language", async () => {
    const service = current();
    const app = await appWith(service, [corp]);
    const person = { ...somebody(), verified: undefined };
    const { visitor, done } = await signInAt(service, app, corp, person, { maxAge: 0, locale: "de" });
    corp.authTime = () => undefined;
    const again = await signInAt(service, app, corp, person, { maxAge: 0, locale: "de" });
    expect(done.location.searchParams.has("code")).toBe(true);
    const page = await again.visitor.get(again.done.location.href);
    expect(page.text).toContain("nichts anderes in diesem Konto");
    expect(page.text).not.toContain("/email-code");
    expect(visitor).toBeDefined();
  });
});

describeSqliteFirst("without a mail server", (current) => {
  it("O14: an account that has only GitHub is not deleted, and the page says why", async () => {
    const service = current();
    const app = await appWith(service, [github]);
    const person = somebody();
    const round = await signInAt(service, app, github, person);
    codeOf(round.done);
    const begun = await openAccount(service, app, round.visitor, "/delete");
    const start = await round.visitor.submit(await round.visitor.get(begun.location.href), "/oauth/github", {});
    const done = await comeBack(round.visitor, await atProvider(start.location, github, person));
    const page = await round.visitor.get(done.location.href);
    expect(page.text).toContain("nothing else in this account can prove");
    const token = /name="token" value="([^"]+)"/u.exec(page.text)?.[1] ?? "";
    expect(token).toBe("");
    const forced = await round.visitor.get(`${done.location.href}/code`);
    expect(forced.status).toBe(303);
    expect(await usersOf(service, app)).toHaveLength(1);
  });
});
