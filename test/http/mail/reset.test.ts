import { afterAll, expect, it } from "vitest";
import { openAccount } from "../../support/account.ts";
import { startMailServer } from "../../support/mail.ts";
import {
  allSent,
  askForReset,
  codeIn,
  comparable,
  disableUser,
  hasReset,
  linkIn,
  mailTo,
  newUser,
  said,
  secretIn,
} from "../../support/mail-flows.ts";
import { giveIdentity, givePasskey } from "../../support/methods.ts";
import {
  goodPassword,
  initiate,
  newEmail,
  redeem,
  refresh,
  signIn,
  validate,
  Visitor,
  call,
} from "../../support/person.ts";
import { describeSqliteFirst, type TestApp, type TestService } from "../../support/service.ts";

const server = await startMailServer();
afterAll(async () => await server.close());

const minute = 60_000;
const newPassword = "a wholly different phrase";

async function userWith(service: TestService, app: TestApp, email: string) {
  return await service.server.app.services.users.findByEmail(app.id, email);
}

async function methodKinds(service: TestService, userId: string) {
  return (await service.server.app.services.userAdministration.get(userId)).authMethods;
}

describeSqliteFirst(
  "a forgotten password",
  (current) => {
    it("is replaced with the code of the mail, which also signs in to the app; the old password no longer works", async () => {
      const service = current();
      const app = await service.createApp();
      const { email } = await newUser(service, app, { password: goodPassword });
      const { visitor, page } = await askForReset(service, app, email);
      expect(page.text).toContain("If this address has an account at");
      const code = codeIn(await mailTo(server, email));
      const done = await visitor.submit(page, "/reset", { code, password: newPassword });
      expect(done.status).toBe(303);
      expect(done.location.href).toContain(app.redirectUri);
      expect(done.location.searchParams.has("code")).toBe(true);
      await expect(signIn(service, app, { email, password: goodPassword })).rejects.toThrow("401");
      await signIn(service, app, { email, password: newPassword });
      expect((await mailTo(server, email, 2)).subject).toContain("password was changed");
    });

    it("is replaced by the link on another device, after ten looks of a mail scanner", async () => {
      const service = current();
      const app = await service.createApp();
      const { email } = await newUser(service, app, { password: goodPassword });
      const { visitor } = await askForReset(service, app, email);
      const link = linkIn(await mailTo(server, email));
      for (let looks = 0; looks < 10; looks += 1) await new Visitor().get(link);
      const phone = new Visitor();
      const page = await phone.get(link);
      expect(page.text).toContain(email);
      const done = await phone.submit(page, new URL(link).pathname, { password: newPassword });
      expect(done.text).toContain("Your password is changed");
      expect(done.text).toContain("https://app.example/");
      expect(done.text).not.toContain("Back to sign in");
      await signIn(service, app, { email, password: newPassword });
      // In the browser that asked, the used link leads nowhere.
      expect((await visitor.get(link)).status).toBe(410);
    });

    it("signs in when the link is opened in the browser that asked, and with its code the user gets tokens", async () => {
      const service = current();
      const app = await service.createApp();
      const { email } = await newUser(service, app, { password: goodPassword });
      const { visitor, session } = await askForReset(service, app, email);
      const link = linkIn(await mailTo(server, email));
      const done = await visitor.submit(await visitor.get(link), new URL(link).pathname, { password: newPassword });
      const code = done.location.searchParams.get("code") ?? "";
      const { accessToken } = await redeem(service, app, { code, session });
      expect((await validate(service, app, accessToken)).body["user"]).toMatchObject({ email });
    });

    it.each(["code", "link"])(
      "a reset by the %s leads to the passkey where the app requires one, not past it",
      async (way) => {
        const service = current();
        const app = await service.createApp({
          authMethods: {
            passkey: { enabled: true, required: true },
            password: { enabled: true },
            oauth: { enabled: false, providers: [] },
          },
        });
        const { id, email } = await newUser(service, app, { password: goodPassword });
        await givePasskey(service, id);
        const { visitor, session, page } = await askForReset(service, app, email);
        const mail = await mailTo(server, email);
        const done =
          way === "code"
            ? await visitor.submit(page, "/reset", { code: codeIn(mail), password: newPassword })
            : await visitor.submit(await visitor.get(linkIn(mail)), new URL(linkIn(mail)).pathname, {
                password: newPassword,
              });
        expect(done.status).toBe(303);
        expect(done.headers.get("location")).toBe(new URL(session.authUrl).pathname);
        expect((await visitor.get(session.authUrl)).text).toContain("Now use your passkey");
      },
    );

    it("signs nobody in who opens the link in another browser, nor in that browser later", async () => {
      const service = current();
      const app = await service.createApp();
      const { email } = await newUser(service, app, { password: goodPassword });
      const attacker = await askForReset(service, app, email);
      const link = linkIn(await mailTo(server, email));
      const owner = new Visitor();
      const done = await owner.submit(await owner.get(link), new URL(link).pathname, { password: newPassword });
      expect(done.text).toContain("Your password is changed");
      const seen = await attacker.visitor.get(attacker.session.authUrl);
      expect(seen.status).toBe(200);
      expect(seen.text).toContain("Forgot password?");
    });

    it("in a session that waits for another user, changes the password and signs nobody in", async () => {
      const service = current();
      const app = await service.createApp();
      const [ada, bob] = [
        await newUser(service, app, { password: goodPassword }),
        await newUser(service, app, { password: goodPassword }),
      ];
      const { accessToken } = await redeem(service, app, await signIn(service, app, { email: ada.email }));
      const adding = { type: "password", redirectUri: app.redirectUri };
      const headers = { authorization: `Bearer ${accessToken}` };
      const { body } = await call(service, "POST", "/users/auth-methods", headers, adding);
      const visitor = new Visitor();
      const form = await visitor.get(`${String(body["authUrl"])}/forgot-password`);
      const page = await visitor.submit(form, "/forgot-password", { email: bob.email });
      const code = codeIn(await mailTo(server, bob.email));
      const done = await visitor.submit(page, "/reset", { code, password: newPassword });
      expect([done.status, done.text.includes("Your password is changed")]).toEqual([200, true]);
      expect((await openAccount(service, app, visitor)).location.pathname).toContain("/sign-in/");
      await signIn(service, app, { email: bob.email, password: newPassword });
    });

    it("P6: ends every login, account page, code and half-done sign-in of the user", async () => {
      const service = current();
      const app = await service.createApp();
      const { id, email } = await newUser(service, app, { password: goodPassword });
      const other = await newUser(service, app, { password: goodPassword });
      const logins = [
        await redeem(service, app, await signIn(service, app, { email })),
        await redeem(service, app, await signIn(service, app, { email })),
      ];
      const kept = await redeem(service, app, await signIn(service, app, { email: other.email }));
      const unredeemed = await signIn(service, app, { email });
      await askForReset(service, app, email);
      const link = linkIn(await mailTo(server, email, 1, /Reset/u));
      const phone = new Visitor();
      await phone.submit(await phone.get(link), new URL(link).pathname, { password: newPassword });
      for (const { accessToken, refreshToken } of logins) {
        expect((await validate(service, app, accessToken)).status).toBe(401);
        expect((await refresh(service, app, refreshToken)).status).toBe(401);
      }
      expect((await validate(service, app, kept.accessToken)).status).toBe(200);
      const { code: unused, session } = unredeemed;
      const late = await call(service, "POST", "/auth/callback", app.headers, {
        code: unused,
        sessionId: session.sessionId,
      });
      expect(late.status).toBe(400);
      const { storage } = service.server.app;
      const sessions = await storage.reader.db.select().from(storage.reader.tables.browserSessions);
      expect(sessions.filter(({ userId }) => userId === id)).toEqual([]);
      // A browser that a stranger may have used is told of as a new one.
      const known = await storage.reader.db.select().from(storage.reader.tables.knownBrowsers);
      expect(known.filter(({ userId }) => userId === id)).toEqual([]);
      const events = await service.server.app.services.audit.list({ userId: id, limit: 100 });
      expect(events.map(({ action }) => action)).toEqual(
        expect.arrayContaining(["password.reset-asked", "password.reset"]),
      );
    });

    it("works once: of parallel posts of link and code one wins, and its password is the one", async () => {
      const service = current();
      const app = await service.createApp();
      const { email } = await newUser(service, app, { password: goodPassword });
      const { visitor, page } = await askForReset(service, app, email);
      const mail = await mailTo(server, email);
      const link = linkIn(mail);
      const linkPage = await visitor.get(link);
      const passwords = Array.from({ length: 6 }, (_, nth) => `parallel password ${nth}`);
      const answers = await Promise.all(
        passwords.map((password, nth) =>
          nth < 3
            ? visitor.submit(page, "/reset", { code: codeIn(mail), password })
            : visitor.submit(linkPage, new URL(link).pathname, { password }),
        ),
      );
      const winners = passwords.filter((_, nth) => answers[nth] !== undefined && hasReset(answers[nth]));
      expect(winners).toHaveLength(1);
      await signIn(service, app, { email, password: winners[0] ?? "" });
      await expect(signIn(service, app, { email, password: goodPassword })).rejects.toThrow("401");
    });

    it("a password against the rules uses up neither link nor code", async () => {
      const service = current();
      const app = await service.createApp();
      const { email } = await newUser(service, app, { password: goodPassword });
      const { visitor, page } = await askForReset(service, app, email);
      const mail = await mailTo(server, email);
      const link = linkIn(mail);
      for (const password of ["", "short", email]) {
        expect((await visitor.submit(page, "/reset", { code: codeIn(mail), password })).status).toBe(422);
        expect((await visitor.submit(await visitor.get(link), new URL(link).pathname, { password })).status).toBe(422);
      }
      const done = await visitor.submit(page, "/reset", { code: codeIn(mail), password: newPassword });
      expect(hasReset(done)).toBe(true);
    });

    it("gives a password to a user without one, and asks neither about failures before it nor counts them after it", async () => {
      const service = current();
      const app = await service.createApp();
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
      const service = current();
      const app = await service.createApp();
      for (const emailVerified of [false, true]) {
        const { id, email } = await newUser(service, app, { password: goodPassword, emailVerified });
        await givePasskey(service, id);
        await giveIdentity(service, app, id);
        const { visitor, page } = await askForReset(service, app, email);
        const code = codeIn(await mailTo(server, email));
        const shown = await visitor.submit(page, "/reset", { code, password: newPassword });
        if (!emailVerified) {
          expect(shown.text).toContain("somebody else may have set up the account");
          expect(shown.text).toContain("passkeys: 1");
          expect(shown.text).toContain("the link to Google");
          expect(await methodKinds(service, id)).toEqual({ passkey: true, oauth: ["google"], password: true });
          expect(await userWith(service, app, email)).toMatchObject({ emailVerified: false });
          // The code is in the page by now; the password is asked for again.
          await visitor.submit(shown, "/reset", { password: newPassword });
        }
        expect(await methodKinds(service, id)).toEqual({
          passkey: emailVerified,
          oauth: emailVerified ? ["google"] : [],
          password: true,
        });
        expect(await userWith(service, app, email)).toMatchObject({ emailVerified: true, name: "Ann" });
        await signIn(service, app, { email, password: newPassword });
      }
    });

    it.each(["code", "link"])(
      "removes nothing by the %s that its page has not shown, also what was added meanwhile",
      async (way) => {
        const service = current();
        const app = await service.createApp();
        const { id, email } = await newUser(service, app, { password: goodPassword, emailVerified: false });
        await givePasskey(service, id);
        const { visitor, page } = await askForReset(service, app, email);
        const mail = await mailTo(server, email);
        const form = way === "code" ? "/reset" : new URL(linkIn(mail)).pathname;
        const first =
          way === "code"
            ? await visitor.submit(page, form, { code: codeIn(mail), password: newPassword })
            : await visitor.get(linkIn(mail));
        expect(first.text).toContain("passkeys: 1");
        await givePasskey(service, id);
        const second = await visitor.submit(first, form, { password: newPassword });
        expect(second.text).toContain("passkeys: 2");
        expect(await methodKinds(service, id)).toMatchObject({ passkey: true });
        const done = await visitor.submit(second, form, { password: newPassword });
        expect(hasReset(done)).toBe(true);
        expect(await methodKinds(service, id)).toEqual({ passkey: false, oauth: [], password: true });
      },
    );

    it("changes the password and nothing else where a passkey is required", async () => {
      const service = current();
      const app = await service.createApp({
        authMethods: {
          passkey: { enabled: true, required: true },
          password: { enabled: true },
          oauth: { enabled: false, providers: [] },
        },
      });
      const { id, email } = await newUser(service, app, { password: goodPassword });
      await givePasskey(service, id);
      const halfDone = await initiate(service, app);
      const other = new Visitor();
      await other.submit(await other.get(halfDone.authUrl), "/password", { email, password: goodPassword });
      expect((await other.get(halfDone.authUrl)).text).toContain("Now use your passkey");
      const { visitor, session, page } = await askForReset(service, app, email);
      const code = codeIn(await mailTo(server, email));
      await visitor.submit(page, "/reset", { code, password: newPassword });
      expect((await other.get(halfDone.authUrl)).text).not.toContain("Now use your passkey");
      expect((await visitor.get(session.authUrl)).text).toContain("Now use your passkey");
    });

    it("looks the same for known, unknown, disabled and password-less users, and mails only those who can use it (docs/spec/decisions.md, 7)", async () => {
      const service = current();
      const app = await service.createApp();
      const known = await newUser(service, app, { password: goodPassword });
      const passwordless = await newUser(service, app);
      const disabled = await newUser(service, app, { password: goodPassword });
      await disableUser(service, disabled.id);
      const unknown = { email: newEmail() };
      const seen = [];
      for (const { email } of [known, passwordless, disabled, unknown]) {
        const asked = await askForReset(service, app, email);
        const guess = { code: "00000000", password: newPassword };
        const guessed = await asked.visitor.submit(asked.page, "/reset", guess);
        const again = await asked.visitor.submit(asked.page, "/forgot-password", { email, again: "1" });
        seen.push([asked.page, guessed, again].map((page) => `${page.status} ${comparable(page, asked)}`));
      }
      for (const pages of seen.slice(1)) expect(pages).toEqual(seen[0]);
      await allSent(service);
      for (const { email } of [known, passwordless]) expect(server.to(email)).toHaveLength(2);
      for (const { email } of [disabled, unknown]) expect(server.to(email)).toEqual([]);
    });

    it("asks for an address before it does anything", async () => {
      const service = current();
      const app = await service.createApp();
      const { authUrl } = await initiate(service, app, { loginHint: "hinted@example.org" });
      const visitor = new Visitor();
      const page = await visitor.get(`${authUrl}/forgot-password`);
      expect(page.text).toContain("hinted@example.org");
      for (const email of ["", "nobody", "a@b@c.example"])
        expect((await visitor.submit(page, "/forgot-password", { email })).status).toBe(422);
    });

    it("keeps neither link nor session readable in the database", async () => {
      const service = current();
      const app = await service.createApp();
      const { email } = await newUser(service, app);
      const { session } = await askForReset(service, app, email);
      const mail = await mailTo(server, email);
      const text = await service.databaseText();
      for (const secret of [secretIn(mail), session.sessionId]) expect(text).not.toContain(secret);
    });

    it("ends after 30 minutes", async () => {
      const service = current();
      const app = await service.createApp();
      const { email } = await newUser(service, app, { password: goodPassword });
      await askForReset(service, app, email);
      const link = linkIn(await mailTo(server, email));
      const phone = new Visitor();
      service.clock.advance(30 * minute - 1);
      const page = await phone.get(link);
      expect(page.status).toBe(200);
      service.clock.advance(1);
      const late = await phone.submit(page, new URL(link).pathname, { password: newPassword });
      expect(late.status).toBe(410);
      expect(said(late)).toContain("This link doesn't work any more");
      await signIn(service, app, { email });
    });
  },
  { mail: server.mail },
);

describeSqliteFirst("a forgotten password without a mail server", (current) => {
  it("is explained, and nothing is asked for", async () => {
    const service = current();
    const app = await service.createApp();
    const { authUrl } = await initiate(service, app);
    const visitor = new Visitor();
    const page = await visitor.get(`${authUrl}/forgot-password`);
    expect(said(page)).toContain("Password reset by email isn't set up");
    const token = (await visitor.get(authUrl)).form("/password").fields["token"] ?? "";
    const posted = await visitor.post(`${authUrl}/forgot-password`, { token, email: newEmail() });
    expect(said(posted)).toContain("Password reset by email isn't set up");
  });
});
