import { expect, it } from "vitest";
import { emailTokenLasts } from "../../../src/credentials/mailed/rules.ts";
import * as emailTokens from "../../../src/credentials/mailed/service.ts";
import * as methods from "../../../src/credentials/methods/service.ts";
import { aggregatedEvents } from "../../../src/records/audit/aggregated-events.ts";
import * as audit from "../../../src/records/audit/audit.ts";
import type { EmailTokenPurpose } from "../../../src/storage/column-types.ts";
import * as users from "../../../src/users/service.ts";
import { openAccount } from "../../support/account.ts";
import { addingSession, prove } from "../../support/adding.ts";
import {
  allSent,
  askForAccount,
  askForReset,
  codeIn,
  comparable,
  disableUser,
  hasReset,
  linkIn,
  linkSecret,
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
import {
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
} from "../../support/person.ts";
import { describeSqliteFirst, updateApp, withApp, type TestApp, type TestService } from "../../support/service.ts";

const server = await useMailServer();

const minute = 60_000;
const newPassword = "a wholly different phrase";
const purposes = Object.keys(emailTokenLasts) as EmailTokenPurpose[];
const withPasskeys = {
  authMethods: {
    passkey: { enabled: true, required: true },
    password: { enabled: true },
    oauth: { enabled: false, providers: [] },
  },
};

type Asked = Asking & { mail: ReceivedMail; id: string; app: TestApp };

/** Somebody with a password who has asked for a new one, and got the mail. */
async function asked(service: TestService, app: TestApp, { emailVerified = true } = {}): Promise<Asked> {
  const user = await newUser(service, app, { password: goodPassword, emailVerified });
  return { app, ...user, ...(await askForReset(service, app, user.email)), mail: await mailTo(server, user.email) };
}

async function byCode({ visitor, page, mail }: Asked, password = newPassword): Promise<Page> {
  return await visitor.submit(page, "/reset", { code: codeIn(mail), password });
}

async function byLink(mail: ReceivedMail, visitor = new Visitor(), password = newPassword): Promise<Page> {
  return await useMailed(linkIn(mail), { password }, visitor);
}

describeSqliteFirst("a forgotten password", { mail: server.mail }, (current) => {
  it("is replaced with the code of the mail, which also signs in to the app; the old password no longer works", async () => {
    const { service, app } = await withApp(current());
    const person = await asked(service, app);
    expect(person.page.text).toContain("If this address has an account at");
    const done = await byCode(person);
    expect(done.status).toBe(303);
    expect(done.location.href).toContain(app.redirectUri);
    expect(done.location.searchParams.has("code")).toBe(true);
    await expect(signIn(service, app, { email: person.email, password: goodPassword })).rejects.toThrow("401");
    await signIn(service, app, { email: person.email, password: newPassword });
    expect((await mailTo(server, person.email, 2)).subject).toContain("password was changed");
  });

  it("is replaced by the link on another device", async () => {
    const { service, app } = await withApp(current());
    const { visitor, email, mail } = await asked(service, app);
    const phone = new Visitor();
    expect((await phone.get(linkIn(mail))).text).toContain(email);
    const done = await byLink(mail, phone);
    expect(done.text).toContain("Your password is changed");
    expect(done.text).toContain("https://app.example/");
    expect(done.text).not.toContain("Back to sign in");
    await signIn(service, app, { email, password: newPassword });
    // In the browser that asked, the used link leads nowhere.
    expect((await visitor.get(linkIn(mail))).status).toBe(410);
  });

  it("signs in when the link is opened in the browser that asked, and with its code the user gets tokens", async () => {
    const { service, app } = await withApp(current());
    const { visitor, session, email, mail } = await asked(service, app);
    const code = (await byLink(mail, visitor)).location.searchParams.get("code") ?? "";
    const { accessToken } = await redeem(service, app, { code, session });
    expect((await validate(service, app, accessToken)).body["user"]).toMatchObject({ email });
  });

  it.each(["code", "link"])(
    "a reset by the %s leads to the passkey where the app requires one, not past it",
    async (way) => {
      const { service, app } = await withApp(current(), withPasskeys);
      const person = await asked(service, app);
      await givePasskey(service, person.id);
      const done = way === "code" ? await byCode(person) : await byLink(person.mail, person.visitor);
      expect(done.status).toBe(303);
      expect(done.headers.get("location")).toBe(new URL(person.session.authUrl).pathname);
      expect((await person.visitor.get(person.session.authUrl)).text).toContain("Now use your passkey");
    },
  );

  it("signs nobody in who opens the link in another browser, nor in that browser later", async () => {
    const { service, app } = await withApp(current());
    const attacker = await asked(service, app);
    expect((await byLink(attacker.mail)).text).toContain("Your password is changed");
    const seen = await attacker.visitor.get(attacker.session.authUrl);
    expect(seen.status).toBe(200);
    expect(seen.text).toContain("Forgot password?");
  });

  it("in a session that waits for another user, changes the password and signs nobody in", async () => {
    const { service, app } = await withApp(current());
    const [ada, bob] = [
      await newUser(service, app, { password: goodPassword }),
      await newUser(service, app, { password: goodPassword }),
    ];
    const { accessToken } = await redeem(service, app, await signIn(service, app, { email: ada.email }));
    const { authUrl } = await addingSession(service, app, accessToken, { type: "password" });
    const visitor = new Visitor();
    const page = await visitor.submit(await visitor.get(`${authUrl}/forgot-password`), "/forgot-password", {
      email: bob.email,
    });
    const code = codeIn(await mailTo(server, bob.email));
    const done = await visitor.submit(page, "/reset", { code, password: newPassword });
    expect([done.status, done.text.includes("Your password is changed")]).toEqual([200, true]);
    expect((await openAccount(service, app, visitor)).location.pathname).toContain("/sign-in/");
    await signIn(service, app, { email: bob.email, password: newPassword });
  });

  it("P6: is the mail's account's, though somebody else is signed in in the browser", async () => {
    const { service, app } = await withApp(current());
    const other = await newUser(service, app, { password: goodPassword });
    const { email, mail } = await asked(service, app);
    const bystander = new Visitor();
    await prove(bystander, await initiate(service, app), other.email);
    await byLink(mail, bystander);
    await signIn(service, app, { email, password: newPassword });
  });

  it("P6, CVE-2026-22706, CVE-2026-34969: ends every login, account page, code and half-done sign-in of the user by itself, and signs nobody in", async () => {
    const { service, app } = await withApp(current());
    const { id, email } = await newUser(service, app, { password: goodPassword });
    const other = await newUser(service, app, { password: goodPassword });
    // What other tests asked for is written by now, and is not counted together with this.
    const { ctx } = service.server.app;
    const { storage } = ctx;
    await aggregatedEvents(ctx).flush();
    const thief = new Visitor();
    const logins = [
      await redeem(service, app, await signIn(service, app, { email }, {}, thief)),
      await redeem(service, app, await signIn(service, app, { email })),
    ];
    expect((await openAccount(service, app, thief)).status).toBe(200);
    const refreshed = (await refresh(service, app, logins[1]?.refreshToken ?? "")).body;
    const kept = await redeem(service, app, await signIn(service, app, { email: other.email }));
    const unredeemed = await signIn(service, app, { email });
    await askForReset(service, app, email);
    const visitor = new Visitor();
    // Nothing but the new password is sent: no device, no session, no choice.
    const done = await byLink(await mailTo(server, email, 1, /Reset/u), visitor);
    expect([done.status, done.headers.get("location")]).toEqual([200, null]);
    for (const { accessToken, refreshToken } of logins) {
      expect((await validate(service, app, accessToken)).status).toBe(401);
      expect((await refresh(service, app, refreshToken)).status).toBe(401);
    }
    expect((await refresh(service, app, String(refreshed["refreshToken"]))).status).toBe(401);
    expect((await validate(service, app, kept.accessToken)).status).toBe(200);
    await expect(redeem(service, app, unredeemed)).rejects.toThrow("400");
    for (const browser of [thief, visitor])
      expect((await openAccount(service, app, browser)).location.pathname).toContain("/sign-in/");
    // A browser that a stranger may have used is told of as a new one.
    for (const table of [storage.reader.tables.browserSessions, storage.reader.tables.knownBrowsers])
      expect((await storage.reader.db.select().from(table)).filter(({ userId }) => userId === id)).toEqual([]);
    const events = await audit.list(ctx, { userId: id, limit: 100 });
    expect(events.map(({ action }) => action)).toEqual(
      expect.arrayContaining(["password.reset-asked", "password.reset"]),
    );
  });

  it("P6, GHSA-hc7v-rggr-4hvx: of 20 uses at once of a code, its link, and its link in other browsers, one changes the password", async () => {
    const { service, app } = await withApp(current());
    const person = await asked(service, app);
    const link = linkIn(person.mail);
    const opened = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        const visitor = n % 3 === 0 ? person.visitor : new Visitor();
        return { visitor, page: await visitor.get(link), password: `password of thread number ${n}` };
      }),
    );
    const answers = await Promise.all(
      opened.map(({ visitor, page, password }, n) =>
        n % 3 === 1 ? byCode(person, password) : visitor.submit(page, new URL(link).pathname, { password }),
      ),
    );
    const [winner, ...others] = opened.filter((_, n) => answers.some((page, at) => at === n && hasReset(page)));
    expect(others).toEqual([]);
    const elsewhere = answers.filter((page, n) => n % 3 === 2 && !hasReset(page));
    expect(new Set(elsewhere.map(({ status }) => status))).toEqual(new Set([410]));
    await signIn(service, app, { email: person.email, password: winner?.password ?? "" });
    await expect(signIn(service, app, { email: person.email, password: goodPassword })).rejects.toThrow("401");
    expect((await new Visitor().get(link)).status).toBe(410);
  });

  it("a password against the rules uses up neither link nor code", async () => {
    const { service, app } = await withApp(current());
    const person = await asked(service, app);
    for (const password of ["", "short", person.email]) {
      expect((await byCode(person, password)).status).toBe(422);
      expect((await byLink(person.mail, person.visitor, password)).status).toBe(422);
    }
    expect(hasReset(await byCode(person))).toBe(true);
  });

  it("gives a password to a user without one, and asks neither about failures before it nor counts them after it", async () => {
    const { service, app } = await withApp(current());
    const { id, email } = await newUser(service, app);
    await giveIdentity(service, app, id);
    for (let tries = 0; tries < 8; tries += 1)
      await expect(signIn(service, app, { email, password: "guessing is no use" })).rejects.toThrow("401");
    const { visitor, page } = await askForReset(service, app, email);
    const code = codeIn(await mailTo(server, email));
    await visitor.submit(page, "/reset", { code, password: newPassword });
    await signIn(service, app, { email, password: newPassword });
    expect(await methodKinds(service, id)).toEqual({ passkey: false, oauth: ["google"], password: true });
  });

  it("a first proof of the address shows what it removes besides the password, and why, before it happens; on a proven one everything stays", async () => {
    const { service, app } = await withApp(current());
    for (const emailVerified of [false, true]) {
      const person = await asked(service, app, { emailVerified });
      const { id, email } = person;
      await givePasskey(service, id);
      await giveIdentity(service, app, id);
      const shown = await byCode(person);
      if (!emailVerified) {
        expect(shown.text).toContain("somebody else may have set up the account");
        expect(shown.text).toContain("passkeys: 1");
        expect(shown.text).toContain("the link to Google");
        expect(await methodKinds(service, id)).toEqual({ passkey: true, oauth: ["google"], password: true });
        expect(await userWith(service, app, email)).toMatchObject({ emailVerified: false });
        // The code is in the page by now; the password is asked for again.
        await person.visitor.submit(shown, "/reset", { password: newPassword });
      }
      const oauth = emailVerified ? ["google"] : [];
      expect(await methodKinds(service, id)).toEqual({ passkey: emailVerified, oauth, password: true });
      expect(await userWith(service, app, email)).toMatchObject({ emailVerified: true, name: "Ann" });
      await signIn(service, app, { email, password: newPassword });
    }
  });

  it.each(["code", "link"])(
    "removes nothing by the %s that its page has not shown, also what was added meanwhile",
    async (way) => {
      const { service, app } = await withApp(current());
      const person = await asked(service, app, { emailVerified: false });
      const { id, visitor, mail } = person;
      await givePasskey(service, id);
      const form = way === "code" ? "/reset" : new URL(linkIn(mail)).pathname;
      const first = way === "code" ? await byCode(person) : await visitor.get(linkIn(mail));
      expect(first.text).toContain("passkeys: 1");
      await givePasskey(service, id);
      const second = await visitor.submit(first, form, { password: newPassword });
      expect(second.text).toContain("passkeys: 2");
      expect(await methodKinds(service, id)).toMatchObject({ passkey: true });
      expect(hasReset(await visitor.submit(second, form, { password: newPassword }))).toBe(true);
      expect(await methodKinds(service, id)).toEqual({ passkey: false, oauth: [], password: true });
    },
  );

  it("changes the password and nothing else where a passkey is required", async () => {
    const { service, app } = await withApp(current(), withPasskeys);
    const { id, email } = await newUser(service, app, { password: goodPassword });
    await givePasskey(service, id);
    const halfDone = await openPage(service, app);
    const now = async ({ visitor, session }: Pick<Asking, "visitor" | "session">) =>
      (await visitor.get(session.authUrl)).text.includes("Now use your passkey");
    await halfDone.visitor.submit(halfDone.page, "/password", { email, password: goodPassword });
    expect(await now(halfDone)).toBe(true);
    const person = await askForReset(service, app, email);
    const code = codeIn(await mailTo(server, email));
    await person.visitor.submit(person.page, "/reset", { code, password: newPassword });
    expect([await now(halfDone), await now(person)]).toEqual([false, true]);
  });

  it("P8: looks the same for known, unknown, disabled and password-less users, and mails only those who can use it (docs/spec/decisions.md, 7)", async () => {
    const { service, app } = await withApp(current());
    const known = await newUser(service, app, { password: goodPassword });
    const passwordless = await newUser(service, app);
    const disabled = await newUser(service, app, { password: goodPassword });
    await disableUser(service, disabled.id);
    const unknown = { email: newEmail() };
    const seen = [];
    for (const { email } of [known, passwordless, disabled, unknown]) {
      const { visitor, page, session } = await askForReset(service, app, email);
      const guessed = await visitor.submit(page, "/reset", { code: "00000000", password: newPassword });
      const again = await visitor.submit(page, "/forgot-password", { email, again: "1" });
      seen.push([page, guessed, again].map((each) => `${each.status} ${comparable(each, { session, email })}`));
    }
    for (const pages of seen.slice(1)) expect(pages).toEqual(seen[0]);
    await allSent(service);
    for (const { email } of [known, passwordless]) expect(server.to(email)).toHaveLength(2);
    for (const { email } of [disabled, unknown]) expect(server.to(email)).toEqual([]);
  });

  it("asks for an address before it does anything", async () => {
    const { service, app } = await withApp(current());
    const hinted = { loginHint: "hinted@example.org" };
    const { visitor, page } = await openPage(service, app, hinted, "/forgot-password");
    expect(page.text).toContain("hinted@example.org");
    for (const email of ["", "nobody", "a@b@c.example"])
      expect((await visitor.submit(page, "/forgot-password", { email })).status).toBe(422);
  });

  it("P6: its token is 256 random bits, and neither it nor its code nor the session can be found in the database", async () => {
    const { service, app } = await withApp(current());
    const secrets: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      const { mail, session } = await asked(service, app);
      expect(secretIn(mail)).toMatch(/^[\w-]{43}$/u);
      const stored = await service.databaseText();
      for (const hidden of [secretIn(mail), codeIn(mail), codeIn(mail).replace(" ", ""), session.sessionId])
        expect(stored).not.toContain(hidden);
      secrets.push(secretIn(mail));
    }
    expect(new Set(secrets.map((secret) => secret.slice(0, 4))).size).toBe(3);
  });

  it("P6: its link and code are good for 30 minutes, and no longer", async () => {
    const { service, app } = await withApp(current());
    const person = await asked(service, app);
    const link = linkIn(person.mail);
    const phone = new Visitor();
    service.clock.advance(30 * minute - 1);
    const page = await phone.get(link);
    expect(page.status).toBe(200);
    service.clock.advance(1);
    expect((await phone.get(link)).status).toBe(410);
    const late = await phone.submit(page, new URL(link).pathname, { password: newPassword });
    expect(late.status).toBe(410);
    expect(said(late)).toContain("This link doesn't work any more");
    expect(hasReset(await byCode(person))).toBe(false);
    await signIn(service, app, { email: person.email });
  });

  it("P6: only the newest mail counts, also for a page that was open", async () => {
    const { service, app } = await withApp(current());
    const first = await asked(service, app);
    const { email } = first;
    const visitor = new Visitor();
    const page = await visitor.get(linkIn(first.mail));
    expect(page.status).toBe(200);
    const second = { ...first, ...(await askForReset(service, app, email)), mail: await mailTo(server, email, 2) };
    expect((await new Visitor().get(linkIn(first.mail))).status).toBe(410);
    const late = await visitor.submit(page, new URL(page.url).pathname, { password: newPassword });
    expect([late.status, (await byCode(first)).status]).toEqual([410, 422]);
    await signIn(service, app, { email });
    expect(hasReset(await byCode(second))).toBe(true);
  });

  it("P7: looking at a mailed link many times, by every method, changes nothing", async () => {
    const { service, app } = await withApp(current());
    const { email, mail } = await asked(service, app);
    const signUp = await askForAccount(service, app);
    const confirm = await mailTo(server, signUp.email);
    for (const link of [linkIn(mail), linkIn(confirm)])
      for (const init of [
        { method: "GET" },
        { method: "HEAD" },
        { method: "OPTIONS" },
        { method: "GET", headers: { "sec-purpose": "prefetch;prerender" } },
        { method: "GET", headers: { "user-agent": "Mail scanner", "x-moz": "prefetch" } },
      ])
        for (let looks = 0; looks < 5; looks += 1)
          expect((await fetch(link, { ...init, redirect: "manual" })).status).toBeLessThan(500);
    await signIn(service, app, { email });
    expect(hasReset(await byLink(mail))).toBe(true);
    const form = await signUp.visitor.get(linkIn(confirm));
    const confirmed = await signUp.visitor.submit(form, new URL(linkIn(confirm)).pathname, {});
    expect(confirmed.location.searchParams.has("code")).toBe(true);
  });

  it("P8: asking floods no mailbox, changes nothing, locks nobody out, and does not end the mail that is there", async () => {
    const { service, app } = await withApp(current());
    const person = await asked(service, app);
    const { email, visitor, page } = person;
    const login = await redeem(service, app, await signIn(service, app, { email }));
    await allSent(service);
    const before = server.to(email).length;
    const answers = [];
    for (let more = 0; more < 9; more += 1) {
      answers.push((await visitor.submit(page, "/forgot-password", {})).text);
      await allSent(service);
    }
    // Five an hour, and the sixth is answered like the fifth (docs/spec/decisions.md, 7).
    expect(server.to(email)).toHaveLength(before + 4);
    expect(new Set(answers).size).toBe(1);
    expect((await validate(service, app, login.accessToken)).status).toBe(200);
    await signIn(service, app, { email });
    expect(hasReset(await byCode({ ...person, mail: await mailTo(server, email, 5, /Reset/u) }))).toBe(true);
  });

  it("L9, CVE-2024-32868: takes no code after five wrong ones of anybody; the account is not locked, and the link still works", async () => {
    const { service, app } = await withApp(current());
    const owner = await asked(service, app);
    const { email, mail } = owner;
    // Anybody can guess, in a sign-in of their own.
    const guesser = new Visitor();
    const form = await guesser.get((await askForReset(service, app, newEmail(), guesser)).session.authUrl);
    const token = form.form("/password").fields["token"] ?? "";
    const guesses = Array.from({ length: 10 }, (_, nth) => otherCode(mail, nth + 1));
    const answers = await Promise.all(
      guesses.map((code) => guesser.post(`${form.url}/reset`, { token, email, code, password: newPassword })),
    );
    expect(answers.filter((answer) => said(answer).includes("Not the code from the newest email"))).toHaveLength(5);
    expect((await byCode(owner)).status).toBe(422);
    await signIn(service, app, { email });
    expect(hasReset(await byLink(mail, owner.visitor))).toBe(true);
  });

  it("P8: each mailed token opens its own page only, for every pair of kinds", async () => {
    const { service, app } = await withApp(current());
    const { ctx } = service.server.app;
    const { id: userId, email } = await newUser(service, app, { emailVerified: false });
    const secrets = new Map<string, string>();
    /** Nothing but its purpose keeps such a token from any page. */
    const issue = async (purpose: EmailTokenPurpose, proves: string) => {
      const slot = emailTokens.slot(ctx, purpose, userId, proves);
      const token = { slot, purpose, appId: app.id, userId, email: proves };
      return await service.server.app.ctx.storage.write((tx) => emailTokens.issue(ctx, tx, token, service.clock.now));
    };
    for (const purpose of purposes) secrets.set(purpose, linkSecret((await issue(purpose, "")).link));
    const opening = new Map<string, string[]>();
    for (const page of ["reset", "restore", "invite"]) {
      for (const [purpose, secret] of secrets) {
        const link = `${service.url}/${page}/${secret}`;
        const visitor = new Visitor();
        const { status } = await visitor.get(link);
        if (status === 200) opening.set(page, [...(opening.get(page) ?? []), purpose]);
        else {
          const posted = await visitor.post(link, { password: newPassword, adds: "password" });
          expect([page, purpose, status, posted.status]).toEqual([page, purpose, 410, 410]);
        }
      }
    }
    expect(Object.fromEntries(opening)).toEqual({ reset: ["reset"], restore: ["undo"], invite: ["invite"] });
    for (const purpose of ["reset", "undo", "invite"])
      expect((await new Visitor().get(`${service.url}/confirm/${secrets.get(purpose) ?? ""}`)).status).toBe(410);
    const user = await users.find(ctx.storage.reader, userId);
    if (!user) throw new Error("no user");
    const source = { ipAddress: "127.0.0.1", userAgent: null, requestId: "req_test" };
    for (const purpose of purposes.filter((each) => each !== "verify")) {
      const secret = linkSecret((await issue(purpose, email)).link);
      expect([purpose, await emailTokens.confirmVerify(ctx, user, { secret }, source)]).toEqual([purpose, "over"]);
    }
    expect(await users.find(ctx.storage.reader, userId)).toMatchObject({ email, emailVerified: false });
    expect(await methods.list(ctx.storage.reader, userId)).toEqual([]);
  });

  it("a code is worth nothing for the same address in another app, nor one of another kind", async () => {
    const service = current();
    const [one, other] = [await service.createApp(), await service.createApp()];
    const { email, mail } = await asked(service, one);
    await newUser(service, other, { email, password: goodPassword });
    const elsewhere = await askForReset(service, other, email);
    await mailTo(server, email, 2);
    const signUp = await askForAccount(service, other);
    const confirm = await mailTo(server, signUp.email);
    const own = await askForReset(service, other, signUp.email);
    for (const [{ visitor, page }, foreign] of [
      [elsewhere, mail],
      [own, confirm],
    ] as const) {
      const tried = await visitor.submit(page, "/reset", { code: codeIn(foreign), password: newPassword });
      expect(tried.status).toBe(422);
    }
    for (const app of [one, other]) await signIn(service, app, { email });
  });

  it("a link must be posted by its own page: another site's form, another page's token and no cookie are refused", async () => {
    const { service, app } = await withApp(current());
    const { visitor, page, email, mail } = await asked(service, app);
    const link = linkIn(mail);
    const fields = { ...(await visitor.get(link)).form(new URL(link).pathname).fields, password: newPassword };
    const elsewhere = { "sec-fetch-site": "cross-site", origin: "https://evil.example" };
    expect((await visitor.post(link, fields, elsewhere)).status).toBe(403);
    const foreign = page.form("/reset").fields["token"] ?? "";
    expect((await visitor.post(link, { ...fields, token: foreign })).status).toBe(403);
    expect((await new Visitor().post(link, fields)).status).toBe(400);
    await signIn(service, app, { email });
  });

  it("opens nothing for somebody who was disabled, or whose app gave passwords up, after the mail", async () => {
    const { service, app } = await withApp(current());
    const [disabled, other] = [await asked(service, app), await asked(service, app)];
    await disableUser(service, disabled.id);
    expect((await new Visitor().get(linkIn(disabled.mail))).status).toBe(410);
    expect((await byCode(disabled)).status).toBe(422);
    await updateApp(service, app, { authMethods: { password: { enabled: false } } });
    expect((await new Visitor().get(linkIn(other.mail))).status).toBe(410);
  });

  it("knows no link but its own: made-up ones of any form get the same page", async () => {
    const service = current();
    const pages = [];
    for (const secret of ["x", "a".repeat(43), "..%252F..%252Fadmin", "%00", "é", "a".repeat(5000)])
      for (const kind of ["reset", "confirm"]) pages.push(await new Visitor().get(`${service.url}/${kind}/${secret}`));
    expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([410]));
    expect(new Set(pages.map(({ text }) => text)).size).toBe(1);
  });
});

describeSqliteFirst("a forgotten password without a mail server", (current) => {
  it("is explained, and nothing is asked for", async () => {
    const { service, app } = await withApp(current());
    const { session, visitor, page } = await openPage(service, app, {}, "/forgot-password");
    expect(said(page)).toContain("Password reset by email isn't set up");
    const token = (await visitor.get(session.authUrl)).form("/password").fields["token"] ?? "";
    const posted = await visitor.post(`${session.authUrl}/forgot-password`, { token, email: newEmail() });
    expect(said(posted)).toContain("Password reset by email isn't set up");
  });
});
