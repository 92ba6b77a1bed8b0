import { expect, it } from "vitest";
import * as applications from "../../../src/applications/service.ts";
import * as logins from "../../../src/sessions/login-administration.ts";
import { accountUrl, openAccount, proveAt } from "../../support/account.ts";
import { signedUpIn } from "../../support/adding.ts";
import { newUser } from "../../support/mail-flows.ts";
import { authorizeUrl, createTestClient } from "../../support/openid.ts";
import {
  call,
  goodPassword,
  initiate,
  newEmail,
  redeem,
  signedUp,
  Visitor,
  type Page,
  type Session,
} from "../../support/person.ts";
import { useApp, describeOnSqlite, type TestApp, type TestService } from "../../support/service.ts";
import { expectNoCode } from "../no-code.ts";

/** A page that tells a browser which is not the session's nothing of it. */
function expectNeutral(page: Page, ...secrets: string[]): void {
  expect(page.status).toBe(403);
  expect(page.headers.get("location")).toBeNull();
  for (const secret of secrets) expect(page.text).not.toContain(secret);
}

async function callback(service: TestService, app: TestApp, { sessionId }: Session, code: string) {
  return await call(service, "POST", "/auth/callback", app.headers, { code, sessionId });
}

describeOnSqlite("the steps of a sign-in", (service) => {
  const app = useApp(service);

  it("S6: there is no code to guess before the sign-in, whatever is asked for", async () => {
    const session = await initiate(service, app);
    const { sessionId } = session;
    for (const code of ["", "null", "undefined", sessionId, sessionId.slice(4), "A".repeat(43), "%", "\u0001"])
      expect((await callback(service, app, session, code)).status).toBe(400);
    const visitor = new Visitor();
    await visitor.get(session.authUrl);
    for (const code of ["", "A".repeat(43)]) expect((await callback(service, app, session, code)).status).toBe(400);
  });

  it("S6: no later step can be posted before the one that it follows", async () => {
    const { email } = await newUser(service, app, { password: goodPassword });
    const session = await initiate(service, app);
    const visitor = new Visitor();
    const { fields } = (await visitor.get(session.authUrl)).form("/password");
    for (const step of [
      "/step/passkey",
      "/step/new-passkey",
      "/step/skip",
      "/step/take-over",
      "/add/passkey",
      "/add/password",
      "/add/oauth",
      "/confirm",
      "/confirm/again",
      "/reset",
      "/create-account/passkey",
      "/passkey",
      "/oauth/google",
    ]) {
      const body = { ...fields, email, password: "another password that is long", code: "12345678", credential: "{}" };
      const page = await visitor.post(`${session.authUrl}${step}`, body);
      expectNoCode(page);
      expect([step, page.status < 500]).toEqual([step, true]);
    }
    // All of that has changed nothing: the person signs in as before.
    const done = await visitor.post(`${session.authUrl}/password`, { ...fields, email, password: goodPassword });
    expect(done.location.searchParams.get("code")).toMatch(/^[\w-]{43}$/u);
  });

  it("S6: a finished step posted again makes no second code, and no second account", async () => {
    const app = await service.createApp();
    const session = await initiate(service, app);
    const visitor = new Visitor();
    const form = await visitor.get(`${session.authUrl}/create-account`);
    const signInForm = await visitor.get(session.authUrl);
    const fields = { email: newEmail(), name: "", password: goodPassword };
    const done = await visitor.submit(form, "/create-account", fields);
    const code = done.location.searchParams.get("code") ?? "";
    for (const again of [
      await visitor.submit(form, "/create-account", fields),
      await visitor.submit(form, "/create-account", { ...fields, email: newEmail() }),
      await visitor.submit(signInForm, "/password", fields),
      await visitor.get(session.authUrl),
    ]) {
      expectNoCode(again);
      expect(again.text).not.toContain(code);
    }
    expect((await redeem(service, app, { session, code })).expiresIn).toBe(900);
    expect((await applications.get(service.server.app.ctx, app.id)).stats.totalUsers).toBe(1);
  });

  it("S6, CVE-2025-64103: where a passkey is required, the password alone buys nothing by any door", async () => {
    const app = await service.createApp({ authMethods: { passkey: { required: true } } });
    const { id, email } = await newUser(service, app, { password: goodPassword });
    const session = await initiate(service, app);
    const visitor = new Visitor();
    const signInForm = await visitor.get(session.authUrl);
    const proven = await visitor.submit(signInForm, "/password", { email, password: goodPassword });
    expect(proven.location.href).toBe(session.authUrl);
    expectNoCode(proven);
    const step = await visitor.get(session.authUrl);
    const { token = "" } = step.form("/step/new-passkey").fields;
    const credentials = ["", "{}", "null", "[]", '{"id":"x","response":{}}'];
    const tries = [
      await visitor.post(`${session.authUrl}/step/skip`, { token }),
      await visitor.submit(signInForm, "/password", { email, password: goodPassword }),
      await visitor.post(`${session.authUrl}/create-account`, { token, email, password: goodPassword }),
      await visitor.get(`${session.authUrl}/cancel`),
      ...(await Promise.all(
        credentials.flatMap((credential) =>
          ["/step/new-passkey", "/step/passkey", "/passkey"].map((path) =>
            visitor.post(`${session.authUrl}${path}`, { token, credential }),
          ),
        ),
      )),
    ];
    for (const page of tries) expect(page.headers.get("location") ?? "").not.toContain("code=");
    expect((await callback(service, app, session, "A".repeat(43))).status).toBe(400);
    // Nor is the browser signed in to the account page, or a login begun.
    expect((await openAccount(service, app, visitor)).location.pathname).toMatch(/^\/sign-in\//u);
    expect(await logins.list(service.server.app.ctx, id, { all: true })).toEqual([]);
  });
});

describeOnSqlite("the browser of a sign-in", (service) => {
  const app = useApp(service);

  it("S7: belongs to nobody by being looked at, however often and by whom", async () => {
    const { authUrl } = await initiate(service, app);
    const lookers: Record<string, string>[] = [
      {},
      { "sec-purpose": "prefetch" },
      { "user-agent": "Slackbot-LinkExpanding 1.0" },
    ];
    for (const headers of lookers) {
      expect((await new Visitor().get(authUrl, headers)).status).toBe(200);
      expect((await fetch(authUrl, { method: "HEAD", headers })).status).toBe(200);
    }
    const person = new Visitor();
    const page = await person.get(`${authUrl}/create-account`);
    const done = await person.submit(page, "/create-account", { email: newEmail(), name: "", password: goodPassword });
    expect(done.location.searchParams.get("code")).toMatch(/./u);
  });

  it("S7, CVE-2026-45337, CVE-2024-28197: is the first that posts; any other gets a neutral page, whatever it opened before", async () => {
    const victim = await signedUp(service, app);
    const session = await initiate(service, app, { loginHint: victim.email });
    const [first, second] = [new Visitor(), new Visitor()];
    const [mine, theirs] = [await first.get(session.authUrl), await second.get(session.authUrl)];
    // Even a wrong password says whose it is.
    const wrong = await first.submit(mine, "/password", { email: victim.email, password: "not this one, however" });
    expect(wrong.status).toBe(401);
    const theirTry = { email: victim.email, password: goodPassword };
    expectNeutral(await second.submit(theirs, "/password", theirTry), victim.email);
    expectNeutral(await second.get(session.authUrl), victim.email);
    expectNeutral(await new Visitor().get(`${session.authUrl}/create-account`), victim.email);
    expectNeutral(await second.get(`${session.authUrl}/forgot-password`), victim.email);
    const done = await first.submit(wrong, "/password", theirTry);
    expect(done.location.searchParams.get("code")).toMatch(/./u);
    // And after the end as before it.
    const late = await second.submit(theirs, "/password", theirTry);
    expectNoCode(late);
    expect(late.text).not.toContain(victim.email);
  });

  it("S7: of fifty browsers that post at once one owns the session", async () => {
    const { email } = await signedUp(service, app);
    const { authUrl } = await initiate(service, app);
    const browsers = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const visitor = new Visitor();
        return { visitor, page: await visitor.get(authUrl) };
      }),
    );
    const wrong = { email, password: "not the right password" };
    const answers = await Promise.all(browsers.map(({ visitor, page }) => visitor.submit(page, "/password", wrong)));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(49);
  });

  it("S9, CVE-2024-28197: a cookie that an attacker put there before the sign-in is not the one after it", async () => {
    const { email } = await newUser(service, app, { password: goodPassword });
    const attacker = new Visitor();
    await openAccount(service, app, attacker);
    const victim = attacker.copy();
    const planted = new Set(attacker.cookies.values());

    const asked = await openAccount(service, app, victim);
    expect((await proveAt(victim, asked, email)).status).toBe(303);
    const inside = await openAccount(service, app, victim);
    expect([inside.status, inside.text.includes(email)]).toEqual([200, true]);
    const [accountCookie] = [...victim.cookies].filter(([, value]) => !planted.has(value));
    expect(accountCookie).toBeDefined();
    // What the attacker knows opens nothing.
    const outside = await attacker.get(accountUrl(service, app));
    expect([outside.status, outside.text.includes(email)]).toEqual([303, false]);
  });

  /** Before the proof, an attacker holds the same cookies as the person; afterwards they differ. */
  async function expectStepIsOwn(person: Visitor, planted: Map<string, string>, url: string, step: string) {
    const attacker = new Visitor();
    for (const [name, value] of planted) attacker.cookies.set(name, value);
    const page = await person.get(url);
    const { fields } = page.form(step);
    expectNeutral(await attacker.get(url));
    expectNeutral(await attacker.post(url + step, fields));
    const done = await person.submit(page, step, {});
    expect([done.status, done.location.searchParams.has("code")]).toEqual([303, true]);
  }

  it("S9, H10: the cookie of a sign-in changes with a password before an offered passkey", async () => {
    const { email } = await newUser(service, app, { password: goodPassword });
    const { authUrl } = await initiate(service, app);
    const person = new Visitor();
    const page = await person.get(authUrl);
    const planted = new Map(person.cookies);
    await person.submit(page, "/password", { email, password: goodPassword, passkeys: "1" });
    await expectStepIsOwn(person, planted, authUrl, "/step/skip");
  });

  it.each(["by password", "by single sign-on"])(
    "S9, H10: the cookie of a sign-in changes with a proof %s before consent",
    async (how) => {
      const { email } = await newUser(service, app, { password: goodPassword });
      const client = await createTestClient(service, app, { consent: "ask" });
      const person = new Visitor();
      if (how === "by single sign-on") await proveAt(person, await openAccount(service, app, person), email);
      const start = await person.get(
        authorizeUrl(service, client, how === "by password" ? {} : { prompt: "select_account" }),
      );
      const page = await person.get(start.location.href);
      const planted = new Map(person.cookies);
      if (how === "by password") await person.submit(page, "/password", { email, password: goodPassword });
      else await person.submit(page, "/continue", {});
      await expectStepIsOwn(person, planted, start.location.href, "/step/consent");
    },
  );

  it("S9: a second sign-in in the same browser changes the cookie again, and the one before is dead", async () => {
    const person = await signedUpIn(service, app);
    const thief = person.visitor.copy();
    expect((await openAccount(service, app, thief)).status).toBe(200);
    const session = await initiate(service, app);
    const page = await person.visitor.get(session.authUrl);
    await person.visitor.submit(page, "/password", { email: person.email, password: goodPassword });
    expect((await openAccount(service, app, person.visitor)).status).toBe(200);
    expect((await openAccount(service, app, thief)).status).toBe(303);
  });
});
