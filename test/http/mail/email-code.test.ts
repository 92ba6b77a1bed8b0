import { decodeJwt } from "jose";
import { expect, it } from "vitest";
import { aggregatedEvents } from "../../../src/records/audit/aggregated-events.ts";
import * as audit from "../../../src/records/audit/audit.ts";
import { openAccount } from "../../support/account.ts";
import { acceptWithPassword, invite } from "../../support/invites.ts";
import {
  allSent,
  askForCode,
  codeIn,
  comparable,
  disableUser,
  follow,
  linkIn,
  mailTo,
  methodKinds,
  newUser,
  otherCode,
  said,
  secretIn,
  useMailed,
  userWith,
  type Asking,
} from "../../support/mail-flows.ts";
import { useMailServer, type ReceivedMail } from "../../support/mail.ts";
import { giveIdentity, givePasskey } from "../../support/methods.ts";
import { authorizeUrl, createTestClient } from "../../support/openid.ts";
import {
  call,
  goodPassword,
  initiate,
  newEmail,
  openPage,
  redeem,
  refresh,
  signIn,
  validate,
  Visitor,
  type Page,
  type Tokens,
} from "../../support/person.ts";
import { until, useReceiver } from "../../support/receiver.ts";
import { scrape } from "../../support/scrape.ts";
import {
  describeOnSqlite,
  describeSqliteFirst,
  updateApp,
  withApp,
  type TestApp,
  type TestService,
} from "../../support/service.ts";
import { createEndpoint, localWebhooks } from "../../support/webhooks.ts";

const server = await useMailServer();
const receiver = useReceiver();

const minute = 60_000;
const byMail = { settings: { emailCode: true } };
const closed = { settings: { emailCode: true, signUp: "closed" } } as const;

type Asked = Asking & { mail: ReceivedMail };

/** Somebody who has asked for a code, and got the mail. */
async function asked(service: TestService, app: TestApp, email = newEmail(), count = 1): Promise<Asked> {
  const asking = await askForCode(service, app, email);
  return { ...asking, mail: await mailTo(server, email, count) };
}

async function byCode({ visitor, page, mail }: Asked): Promise<Page> {
  return await visitor.submit(page, "/code", { code: codeIn(mail) });
}

async function byLink({ visitor, mail }: Asked): Promise<Page> {
  return await useMailed(linkIn(mail), {}, visitor);
}

function gotCode(page: Page): boolean {
  return page.status === 303 && page.location.searchParams.has("code");
}

async function tokensOf(service: TestService, app: TestApp, asking: Asked, page: Page): Promise<Tokens> {
  return await redeem(service, app, {
    session: asking.session,
    code: page.location.searchParams.get("code") ?? "",
  });
}

describeSqliteFirst("signing in by a mailed code", { mail: server.mail }, (current) => {
  it.each([
    { way: "code", use: byCode },
    { way: "link", use: byLink },
  ])("signs in by the $way of the mail, as one factor, and proves the address", async ({ use }) => {
    const { service, app } = await withApp(current(), byMail);
    const { id, email } = await newUser(service, app, { emailVerified: false });
    const person = await asked(service, app, email);
    expect(person.mail.subject).toMatch(/^\d{8} – Sign in to Acme/u);
    expect(person.page.text).toContain("Check your email");
    const stored = await service.databaseText();
    for (const secret of [secretIn(person.mail), codeIn(person.mail).replace(" ", ""), person.session.sessionId])
      expect(stored).not.toContain(secret);
    const done = await use(person);
    expect(done.location.href).toContain(app.redirectUri);
    const tokens = await tokensOf(service, app, person, done);
    expect(tokens.user).toMatchObject({ id, email, emailVerified: true });
    expect(decodeJwt(tokens.accessToken)).toMatchObject({ amr: ["otp"], email_verified: true });
    expect((await refresh(service, app, tokens.refreshToken)).status).toBe(200);
  });

  it("creates an account where sign-up is open, once the code was right", async () => {
    const { service, app } = await withApp(current(), byMail);
    const person = await asked(service, app);
    const wrong = await person.visitor.submit(person.page, "/code", { code: otherCode(person.mail) });
    expect(said(wrong)).toContain("Not the code from the newest email");
    expect(await userWith(service, app, person.email)).toBeUndefined();
    const { user } = await tokensOf(service, app, person, await byCode(person));
    expect(user).toMatchObject({ email: person.email, emailVerified: true, name: null });
    expect(await methodKinds(service, String(user["id"]))).toEqual({ passkey: false, oauth: [], password: false });
    const events = await audit.list(service.server.app.ctx, { userId: String(user["id"]), limit: 100 });
    expect(events.map(({ action, details }) => [action, details["method"]])).toEqual(
      expect.arrayContaining([
        ["user.create", "emailCode"],
        ["sign-in", "emailCode"],
      ]),
    );
  });

  it("of 12 uses at once of the code and its link, one signs in, and one account is created", async () => {
    const { service, app } = await withApp(current(), byMail);
    const person = await asked(service, app);
    const page = await person.visitor.get(linkIn(person.mail));
    const answers = await Promise.all(
      Array.from({ length: 12 }, async (_, n) =>
        n % 3 === 0 ? await byCode(person) : await person.visitor.submit(page, new URL(page.url).pathname, {}),
      ),
    );
    expect(answers.filter(gotCode)).toHaveLength(1);
    expect(await userWith(service, app, person.email)).toBeDefined();
  });

  it("O3: removes what was added before the address was proven, after the person has seen it", async () => {
    const { service, app } = await withApp(current(), byMail);
    for (const use of [byCode, byLink]) {
      const { id, email } = await newUser(service, app, { emailVerified: false, password: goodPassword });
      await givePasskey(service, id);
      await giveIdentity(service, app, id);
      const thief = await redeem(service, app, await signIn(service, app, { email }));
      const person = await asked(service, app, email);
      const shown = await use(person);
      expect(said(shown)).toContain("somebody else may have set up the account");
      for (const what of ["the password that was set", "passkeys: 1", "the link to Google", "active sign-ins: 1"])
        expect(shown.text).toContain(what);
      expect(await methodKinds(service, id)).toEqual({ passkey: true, oauth: ["google"], password: true });
      expect((await validate(service, app, thief.accessToken)).status).toBe(200);
      // Added meanwhile: it has to be shown too.
      await givePasskey(service, id);
      const action = use === byCode ? "/code" : new URL(linkIn(person.mail)).pathname;
      const second = await person.visitor.submit(shown, action, {});
      expect(second.text).toContain("passkeys: 2");
      expect(gotCode(await person.visitor.submit(second, action, {}))).toBe(true);
      expect(await methodKinds(service, id)).toEqual({ passkey: false, oauth: [], password: false });
      expect((await validate(service, app, thief.accessToken)).status).toBe(401);
      expect((await refresh(service, app, thief.refreshToken)).status).toBe(401);
      expect(await userWith(service, app, email)).toMatchObject({ emailVerified: true });
    }
  });

  it("keeps everything of an account whose address was proven", async () => {
    const { service, app } = await withApp(current(), byMail);
    const { id, email } = await newUser(service, app, { password: goodPassword });
    await givePasskey(service, id);
    expect(gotCode(await byCode(await asked(service, app, email)))).toBe(true);
    expect(await methodKinds(service, id)).toEqual({ passkey: true, oauth: [], password: true });
  });
});

describeSqliteFirst(
  "a mailed code",
  { mail: server.mail, metrics: { host: "127.0.0.1", port: 0, hosts: [] }, ...localWebhooks },
  (current) => {
    it("and its link work once, whichever comes first", async () => {
      const { service, app } = await withApp(current(), byMail);
      const person = await asked(service, app);
      const linkPage = await person.visitor.get(linkIn(person.mail));
      expect(gotCode(await byCode(person))).toBe(true);
      expect((await person.visitor.submit(linkPage, new URL(linkPage.url).pathname, {})).status).toBe(410);
      expect(said(await byCode(person))).toContain("You're signed in");
      const other = await asked(service, app);
      expect(gotCode(await byLink(other))).toBe(true);
      expect(said(await byCode(other))).toContain("You're signed in");
    });

    it("M3, Authorizer-698: can be tried five times; then the link still works, in its browser", async () => {
      const { service, app } = await withApp(current(), byMail);
      const person = await asked(service, app);
      for (let nth = 1; nth <= 5; nth += 1) {
        const page = await person.visitor.submit(person.page, "/code", { code: otherCode(person.mail, nth) });
        expect([page.status, said(page)]).toEqual([422, expect.stringContaining("Not the code from the newest email")]);
      }
      const over = await byCode(person);
      expect([over.status, said(over)]).toEqual([422, expect.stringContaining("This code no longer works")]);
      expect(gotCode(await byLink(person))).toBe(true);
    });

    it("costs no try unless eight digits are typed", async () => {
      const { service, app } = await withApp(current(), byMail);
      const person = await asked(service, app);
      for (const code of ["", "1234567", "123456789", "abcdefgh", "x".repeat(9000), ""])
        expect((await person.visitor.submit(person.page, "/code", { code })).text).toContain("Enter the eight digits");
      expect(gotCode(await byCode(person))).toBe(true);
    });

    it("counts only from the newest mail of its sign-in, also after another address was typed", async () => {
      const { service, app } = await withApp(current(), byMail);
      const first = await asked(service, app);
      const again = await follow(first.visitor, await first.visitor.submit(first.page, "/code/again", {}));
      expect(again.text).toContain("A new email is on its way");
      const second = { ...first, mail: await mailTo(server, first.email, 2) };
      expect((await first.visitor.get(linkIn(first.mail))).status).toBe(410);
      expect(said(await byCode(first))).toContain("Not the code from the newest email");
      const email = newEmail();
      await askForCode(service, app, email, first.visitor, first.session);
      expect(said(await byCode(second))).toContain("Not the code from the newest email");
      const third = { ...first, mail: await mailTo(server, email) };
      const { user } = await tokensOf(service, app, third, await byCode(third));
      expect(user).toMatchObject({ email });
    });

    it("ends with the sign-in that asked for it, after ten minutes at most, as the mail says", async () => {
      const { service, app } = await withApp(current(), byMail);
      const session = await initiate(service, app);
      service.clock.advance(4 * minute);
      const visitor = new Visitor();
      const email = newEmail();
      const asking = await askForCode(service, app, email, visitor, session);
      const person = { ...asking, mail: await mailTo(server, email) };
      const ends = new Date(session.expiresAt).toISOString().slice(14, 16);
      expect(person.mail.text).toMatch(new RegExp(`work once, until .*:${ends}`, "u"));
      service.clock.advance(6 * minute - 1);
      expect((await visitor.get(linkIn(person.mail))).status).toBe(200);
      service.clock.advance(1);
      expect((await visitor.get(linkIn(person.mail))).status).toBe(410);
      expect((await byCode(person)).status).toBe(410);
      service.clock.advance(1);
      await service.server.app.sweep();
      expect(await userWith(service, app, email)).toBeUndefined();
      expect(await service.databaseText()).not.toContain(email);
    });

    it("P7: looking at its link changes nothing, in any browser and by every method", async () => {
      const { service, app } = await withApp(current(), byMail);
      const person = await asked(service, app);
      for (const method of ["GET", "HEAD", "OPTIONS"])
        for (let looks = 0; looks < 5; looks += 1) await fetch(linkIn(person.mail), { method, redirect: "manual" });
      for (let looks = 0; looks < 5; looks += 1)
        expect((await person.visitor.get(linkIn(person.mail))).text).toContain(person.email);
      expect(await userWith(service, app, person.email)).toBeUndefined();
      expect(gotCode(await byLink(person))).toBe(true);
    });

    it("S7: completes nothing in another browser, which is told so: neither by link nor by code", async () => {
      const { service, app } = await withApp(current(), byMail);
      const attacker = await asked(service, app);
      const victim = new Visitor();
      const seen = await victim.get(linkIn(attacker.mail));
      expect([seen.status, said(seen)]).toEqual([403, expect.stringContaining("Nobody was signed in")]);
      expect(seen.text).not.toContain("<form");
      const own = await attacker.visitor.get(linkIn(attacker.mail));
      const { action, fields } = own.form(new URL(own.url).pathname);
      const forged = await victim.post(new URL(action, own.url).href, fields);
      expect(forged.status).toBe(403);
      const code = { ...attacker.page.form("/code").fields, code: codeIn(attacker.mail) };
      const typed = await victim.post(`${attacker.session.authUrl}/code`, code);
      expect([typed.status, typed.headers.get("location")]).toEqual([403, null]);
      // A code is of its sign-in: another one does not take it, though it is of the same address.
      const other = await asked(service, app, attacker.email, 2);
      expect(said(await byCode({ ...other, mail: attacker.mail }))).toContain("Not the code from the newest email");
      expect(await userWith(service, app, attacker.email)).toBeUndefined();
    });

    it.each([
      { signUp: "open", input: byMail },
      { signUp: "closed", input: closed },
    ])(
      "P4: looks the same for known, password-less, disabled and unknown addresses while sign-up is $signUp",
      async ({ signUp, input }) => {
        const { service, app } = await withApp(current(), input);
        const known = await newUser(service, app, { password: goodPassword });
        const unproven = await newUser(service, app, { emailVerified: false });
        const disabled = await newUser(service, app, { password: goodPassword });
        await disableUser(service, disabled.id);
        const unknown = { email: newEmail() };
        const seen = [];
        for (const { email } of [known, unproven, disabled, unknown]) {
          const { visitor, page, session } = await askForCode(service, app, email);
          const guessed = await visitor.submit(page, "/code", { code: "00000000" });
          const again = await follow(visitor, await visitor.submit(page, "/code/again", {}));
          const pages = [page, guessed, again];
          for (let nth = 1; nth <= 6; nth += 1) pages.push(await visitor.submit(page, "/code", { code: "00000001" }));
          seen.push(pages.map((each) => `${each.status} ${comparable(each, { session, email })}`));
        }
        for (const pages of seen.slice(1)) expect(pages).toEqual(seen[0]);
        await allSent(service);
        for (const { email } of [known, unproven]) expect(server.to(email)).toHaveLength(2);
        expect(server.to(disabled.email)).toEqual([]);
        expect(server.to(unknown.email)).toHaveLength(signUp === "open" ? 2 : 0);
      },
    );

    it("P4: keeps one row for an address, whether or not a mail is sent", async () => {
      const { service, app } = await withApp(current(), closed);
      const known = await newUser(service, app);
      const { storage } = service.server.app.ctx;
      const rows = async (): Promise<number> =>
        (await storage.reader.db.select().from(storage.reader.tables.emailTokens)).length;
      for (const email of [known.email, newEmail()]) {
        const before = await rows();
        await askForCode(service, app, email);
        expect((await rows()) - before).toBe(1);
      }
    });

    it("gives at most five mails an hour to an address, and no more guesses by asking more often", async () => {
      const { service, app } = await withApp(current(), byMail);
      const email = newEmail();
      for (let count = 1; count <= 5; count += 1) await asked(service, app, email, count);
      const mail = await mailTo(server, email, 5);
      const { visitor, page } = await askForCode(service, app, email);
      const guess = await visitor.submit(page, "/code", { code: otherCode(mail) });
      expect(said(guess)).toContain("This code no longer works");
      await allSent(service);
      expect(server.to(email)).toHaveLength(5);
      // Other mails are counted apart, and after an hour it begins anew.
      service.clock.advance(60 * minute);
      expect(gotCode(await byCode(await asked(service, app, email, 6)))).toBe(true);
    });

    it("asking again above the limit leaves the last mail valid", async () => {
      const { service, app } = await withApp(current(), byMail);
      const email = newEmail();
      for (let count = 1; count <= 4; count += 1) await asked(service, app, email, count);
      const last = await asked(service, app, email, 5);
      const again = await follow(last.visitor, await last.visitor.submit(last.page, "/code/again", {}));
      expect(again.text).toContain("unless several were sent");
      expect(gotCode(await byCode(last))).toBe(true);
    });

    it("creates no account where sign-up was closed between the mail and the code, and signs nobody in who was disabled", async () => {
      const { service, app } = await withApp(current(), byMail);
      const person = await asked(service, app);
      await updateApp(service, app, { settings: { signUp: "closed" } });
      const refused = await byCode(person);
      expect([refused.status, said(refused)]).toEqual([422, expect.stringContaining("This code no longer works")]);
      expect((await byLink(person)).status).toBe(410);
      expect(await userWith(service, app, person.email)).toBeUndefined();
      const user = await newUser(service, app);
      const disabled = await asked(service, app, user.email);
      await disableUser(service, user.id);
      expect(gotCode(await byCode(disabled))).toBe(false);
      expect(gotCode(await byLink(disabled))).toBe(false);
    });

    it("is refused once the setting is off, as are its refresh tokens and single sign-on", async () => {
      const { service, app } = await withApp(current(), byMail);
      const [typed, linked, live] = [await asked(service, app), await asked(service, app), await asked(service, app)];
      const linkPage = await linked.visitor.get(linkIn(linked.mail));
      const { refreshToken } = await tokensOf(service, app, live, await byCode(live));
      const client = await createTestClient(service, app);
      const silent = async () =>
        (await live.visitor.get(authorizeUrl(service, client, { prompt: "none" }))).location.searchParams;
      expect((await silent()).has("code")).toBe(true);
      await updateApp(service, app, { settings: { emailCode: false } });
      for (const page of [
        await byCode(typed),
        await linked.visitor.submit(linkPage, new URL(linkPage.url).pathname, {}),
        await typed.visitor.submit(typed.page, "/code/again", {}),
      ])
        expect(page.location.searchParams.get("error")).toBe("method_disabled");
      expect((await refresh(service, app, refreshToken)).status).toBe(401);
      expect((await silent()).get("error")).toBe("login_required");
      expect((await openAccount(service, app, live.visitor)).location.pathname).toContain("/sign-in/");
    });

    it("is offered only where it is on and no other method is asked for", async () => {
      const { service, app } = await withApp(current());
      const without = await openPage(service, app);
      expect(without.page.text).not.toContain("Email me a code");
      expect((await without.visitor.get(`${without.session.authUrl}/email-code`)).location.pathname).toBe(
        new URL(without.session.authUrl).pathname,
      );
      const { token } = without.page.form("/password").fields;
      const forged = await without.visitor.post(`${without.session.authUrl}/email-code`, {
        token: token ?? "",
        email: newEmail(),
      });
      expect(forged.location.searchParams.get("error")).toBe("method_disabled");
      const config = async () => (await call(service, "GET", `/api/config?app_id=${app.id}`, {})).body["emailCode"];
      expect(await config()).toBe(false);
      await updateApp(service, app, byMail);
      expect(await config()).toBe(true);
      expect((await openPage(service, app)).page.text).toContain("Email me a code");
      const other = await openPage(service, app, { authMethod: "password" });
      expect(other.page.text).not.toContain("Email me a code");
    });

    it("is enough for an app without any other method, whose one page signs in and signs up", async () => {
      const { service, app } = await withApp(current(), { ...byMail, methods: [] });
      const { visitor, session, page } = await openPage(service, app, { loginHint: "hinted@example.org" });
      expect(page.text).not.toContain("Create account");
      expect(page.text).toContain("hinted@example.org");
      for (const email of ["", "nobody", "a@b@c.example"])
        expect((await visitor.submit(page, "/email-code", { email })).status).toBe(422);
      const created = await visitor.get(`${session.authUrl}/create-account`);
      expect(created.location.pathname).toBe(new URL(session.authUrl).pathname);
      const email = newEmail();
      const waiting = await follow(visitor, await visitor.submit(page, "/email-code", { email }));
      const code = codeIn(await mailTo(server, email));
      expect(gotCode(await visitor.submit(waiting, "/code", { code }))).toBe(true);
    });

    it("signs in to the account page, and confirms a person there; another account's code does not", async () => {
      const { service, app } = await withApp(current(), byMail);
      const [ada, bob] = [await newUser(service, app), await newUser(service, app)];
      const visitor = new Visitor();
      const redirected = await openAccount(service, app, visitor);
      const signInAt = async (page: Page, { email }: { email: string }, count: number): Promise<Page> => {
        const authUrl = page.location.href.split("?")[0] ?? "";
        const form = await visitor.get(`${authUrl}/email-code`);
        const waiting = await follow(visitor, await visitor.submit(form, "/email-code", { email }));
        return await visitor.submit(waiting, "/code", { code: codeIn(await mailTo(server, email, count)) });
      };
      await signInAt(redirected, ada, 1);
      const account = await openAccount(service, app, visitor);
      expect(account.text).toContain(ada.email);
      service.clock.advance(11 * minute);
      const proving = await visitor.submit(account, `/account/add?app_id=${app.id}`, { adds: "password" });
      const refused = await signInAt(proving, bob, 1);
      expect(said(refused)).toContain("That's another account");
      expect((await signInAt(proving, ada, 2)).status).toBe(303);
    });

    it("leads to the passkey where the app requires one, not past it", async () => {
      const methods = { authMethods: { passkey: { enabled: true, required: true } } };
      const { service, app } = await withApp(current(), { ...byMail, ...methods });
      const { id, email } = await newUser(service, app);
      await givePasskey(service, id);
      const person = await asked(service, app, email);
      const done = await byCode(person);
      expect(done.location.pathname).toBe(new URL(person.session.authUrl).pathname);
      expect((await person.visitor.get(person.session.authUrl)).text).toContain("Now use your passkey");
    });

    it("ends the invitation of a user who signs in with it", async () => {
      const { service, app } = await withApp(current(), byMail);
      const email = newEmail();
      const { link } = await invite(service, app, email, { link: true });
      expect((await new Visitor().get(link ?? "")).status).toBe(200);
      const person = await asked(service, app, email);
      expect(gotCode(await byCode(person))).toBe(true);
      expect((await acceptWithPassword(link ?? "", goodPassword)).status).toBe(410);
    });

    it("is named in the audit log, webhooks, metrics, and by what the browser used last", async () => {
      const { service, app } = await withApp(current(), byMail);
      await createEndpoint(service, app, {
        url: receiver.url,
        events: ["user.created", "user.login", "login.failed"],
      });
      // What other tests asked for is written by now, and is not counted together with this.
      const { ctx } = service.server.app;
      await aggregatedEvents(ctx).flush();
      const person = await asked(service, app);
      await person.visitor.submit(person.page, "/code", { code: otherCode(person.mail) });
      await tokensOf(service, app, person, await byCode(person));
      for (const event of ["user.created", "user.login", "login.failed"])
        expect((await until(() => receiver.of(event)[0])).body.data["authMethod"]).toBe("emailCode");
      const metrics = await scrape(service);
      for (const result of ["success", "failure"])
        expect(metrics.value("authsvc_sign_ins_total", { method: "emailCode", result })).toBeGreaterThan(0);
      const { authUrl } = await initiate(service, app);
      expect((await person.visitor.get(authUrl)).text).toMatch(/email-code"[^>]*>Email me a code<\/a\s*><small/u);
      await aggregatedEvents(ctx).flush();
      const events = await audit.list(ctx, { appId: app.id, limit: 100 });
      expect(events.map(({ action, result, details }) => [action, result, details["method"]])).toEqual(
        expect.arrayContaining([
          ["sign-in.code-asked", "success", undefined],
          ["email-code", "failure", undefined],
          ["sign-in", "failure", "emailCode"],
          ["sign-in", "success", "emailCode"],
        ]),
      );
    });
  },
);

describeOnSqlite("a mailed code without a mail server", (current) => {
  it("is not offered, in the pages or by the public configuration", async () => {
    const { service, app } = await withApp(current(), byMail);
    expect((await openPage(service, app)).page.text).not.toContain("Email me a code");
    const { body } = await call(service, "GET", `/api/config?app_id=${app.id}`, {});
    expect(body["emailCode"]).toBe(false);
  });
});
