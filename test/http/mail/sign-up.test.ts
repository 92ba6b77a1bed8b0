import { afterAll, expect, it } from "vitest";
import { startMailServer } from "../../support/mail.ts";
import {
  askForAccount,
  codeIn,
  comparable,
  confirmedUser,
  follow,
  linkIn,
  mailTo,
  said,
  secretIn,
  userWith,
} from "../../support/mail-flows.ts";
import { goodPassword, redeem, signIn, Visitor } from "../../support/person.ts";
import { withApp, updateApp, describeEachDatabase } from "../../support/service.ts";

const server = await startMailServer();
afterAll(async () => await server.close());

const minute = 60_000;

describeEachDatabase(
  "signing up with the proof of an address",
  (current) => {
    it("creates the account, verified, when the code of the mail is typed, and goes on to the app", async () => {
      const { service, app } = await withApp(current());
      const { visitor, session, email, page } = await askForAccount(service, app, { name: "Ada" });
      expect(page.text).toContain("Check your email");
      expect(page.text).toContain(email);
      expect(await userWith(service, app, email)).toBeUndefined();
      const mail = await mailTo(server, email);
      const done = await visitor.submit(page, "/confirm", { code: codeIn(mail) });
      expect(done.status).toBe(303);
      const code = done.location.searchParams.get("code") ?? "";
      const { user } = await redeem(service, app, { session, code });
      expect(user).toMatchObject({ email, emailVerified: true, name: "Ada" });
      await signIn(service, app, { email });
    });

    it("does the same by the link, in the browser that asked, and ten looks of a mail scanner change nothing", async () => {
      const { service, app } = await withApp(current());
      const { visitor, session, email } = await askForAccount(service, app);
      const link = linkIn(await mailTo(server, email));
      for (let looks = 0; looks < 10; looks += 1) await new Visitor().get(link);
      const page = await visitor.get(link);
      expect(page.status).toBe(200);
      expect(await userWith(service, app, email)).toBeUndefined();
      const done = await visitor.submit(page, new URL(link).pathname, {});
      expect(done.location.href).toContain(app.redirectUri);
      await redeem(service, app, { session, code: done.location.searchParams.get("code") ?? "" });
      expect(await userWith(service, app, email)).toMatchObject({ emailVerified: true });
    });

    it("a link and a code work once, whichever comes first", async () => {
      const { service, app } = await withApp(current());
      const { visitor, email, page } = await askForAccount(service, app);
      const mail = await mailTo(server, email);
      const link = linkIn(mail);
      const linkPage = await visitor.get(link);
      expect((await visitor.submit(page, "/confirm", { code: codeIn(mail) })).status).toBe(303);
      const again = await visitor.submit(linkPage, new URL(link).pathname, {});
      expect(again.status).toBe(410);
      expect(said(again)).toContain("doesn't work any more");
      expect((await visitor.get(link)).status).toBe(410);
      expect(said(await visitor.submit(page, "/confirm", { code: codeIn(mail) }))).toContain("You're signed in");
    });

    it("what is no code costs no try; blanks, dashes and other digits are as good", async () => {
      const { service, app } = await withApp(current());
      const { visitor, email, page } = await askForAccount(service, app);
      const mail = await mailTo(server, email);
      for (const code of ["", "1234567", "123456789", "abcdefgh", "1234 567x", "x".repeat(9000)])
        expect((await visitor.submit(page, "/confirm", { code })).text).toContain("Enter the eight digits");
      const arabic = codeIn(mail).replaceAll(/\d/gu, (digit) => String.fromCodePoint(0x0660 + Number(digit)));
      expect((await visitor.submit(page, "/confirm", { code: ` ${arabic.replace(" ", "–")} ` })).status).toBe(303);
    });

    it("P5: a known address gets the same pages; its owner is told, and gets nothing that works", async () => {
      const { service, app } = await withApp(current());
      const known = await confirmedUser(service, server, app);
      const unknown = await askForAccount(service, app);
      const asked = await askForAccount(service, app, { email: known.email });
      expect(comparable(asked.page, asked)).toBe(comparable(unknown.page, unknown));
      expect(asked.page.status).toBe(unknown.page.status);
      const told = await mailTo(server, known.email, 2);
      expect(told.subject).toContain("You already have an account");
      expect(() => codeIn(told)).toThrow("no code");
      expect(() => linkIn(told)).toThrow("no link");
      const wrong = { code: "00000000" };
      const [one, other] = [
        await asked.visitor.submit(asked.page, "/confirm", wrong),
        await unknown.visitor.submit(unknown.page, "/confirm", wrong),
      ];
      expect(comparable(one, asked)).toBe(comparable(other, unknown));
      const again = await follow(asked.visitor, await asked.visitor.submit(asked.page, "/confirm/again", {}));
      expect(again.text).toContain("A new email is on its way");
      expect((await mailTo(server, known.email, 3)).subject).toContain("You already have an account");
    });

    it("a mail that takes longer than the sign-in lives still creates the account, in the same browser, and signs nobody in", async () => {
      const { service, app } = await withApp(current());
      const asked = await askForAccount(service, app);
      const other = await askForAccount(service, app);
      const mail = await mailTo(server, asked.email);
      const otherMail = await mailTo(server, other.email);
      service.clock.advance(23 * 60 * minute);
      // Which removes sign-ins that nobody finished in time, but not one that waits for its mail.
      await service.server.app.sweep();
      const stranger = new Visitor();
      expect((await stranger.get(linkIn(mail))).status).toBe(403);
      const linkPage = await asked.visitor.get(linkIn(mail));
      const done = await asked.visitor.submit(linkPage, new URL(linkIn(mail)).pathname, {});
      expect(done.status).toBe(200);
      expect(done.text).toContain("Your account is created");
      expect(done.headers.getSetCookie()).toEqual([]);
      const byCode = await other.visitor.submit(other.page, "/confirm", { code: codeIn(otherMail) });
      expect(byCode.text).toContain("Your account is created");
      for (const { email } of [asked, other]) await signIn(service, app, { email });
    });

    it("ends after 24 hours", async () => {
      const { service, app } = await withApp(current());
      const { visitor, email, page } = await askForAccount(service, app);
      const mail = await mailTo(server, email);
      service.clock.advance(24 * 60 * minute);
      expect((await visitor.get(linkIn(mail))).status).toBe(410);
      expect((await visitor.submit(page, "/confirm", { code: codeIn(mail) })).status).not.toBe(200);
      service.clock.advance(1);
      await service.server.app.sweep();
      expect(await userWith(service, app, email)).toBeUndefined();
      expect(await service.databaseText()).not.toContain(email);
    });

    it("asks again what the app allows: sign-up closed or passwords off after the mail", async () => {
      const { service, app } = await withApp(current());
      const { visitor, email, page } = await askForAccount(service, app);
      const mail = await mailTo(server, email);
      await updateApp(service, app, { settings: { signUp: "closed" } });
      const refused = await visitor.submit(page, "/confirm", { code: codeIn(mail) });
      expect(refused.headers.get("location")).toBe(new URL(`${page.url}/..`).pathname.replace(/\/$/u, ""));
      expect(await userWith(service, app, email)).toBeUndefined();
    });

    it("keeps neither link nor password readable in the database", async () => {
      const { service, app } = await withApp(current());
      const { email, session } = await askForAccount(service, app);
      const mail = await mailTo(server, email);
      const text = await service.databaseText();
      for (const secret of [secretIn(mail), goodPassword, session.sessionId]) expect(text).not.toContain(secret);
    });
  },
  { mail: server.mail },
);
