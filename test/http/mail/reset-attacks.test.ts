import { afterAll, expect, it } from "vitest";
import { emailTokenLasts } from "../../../src/email-tokens/rules.ts";
import type { EmailTokenPurpose } from "../../../src/storage/column-types.ts";
import { startMailServer } from "../../support/mail.ts";
import {
  allSent,
  askForAccount,
  askForReset,
  codeIn,
  disableUser,
  hasReset,
  linkIn,
  mailTo,
  newUser,
  otherCode,
  said,
  secretIn,
  linkSecret,
} from "../../support/mail-flows.ts";
import { goodPassword, newEmail, signIn, Visitor } from "../../support/person.ts";
import { describeSqliteFirst } from "../../support/service.ts";

const server = await startMailServer();
afterAll(async () => await server.close());

const newPassword = "a wholly different phrase";
const purposes = Object.keys(emailTokenLasts) as EmailTokenPurpose[];

describeSqliteFirst(
  "attacks on a forgotten password",
  (current) => {
    it("takes no code after five wrong ones, whoever typed them; the link still works", async () => {
      const service = current();
      const app = await service.createApp();
      const { email } = await newUser(service, app, { password: goodPassword });
      const owner = await askForReset(service, app, email);
      const mail = await mailTo(server, email);
      // Anybody can guess, in a sign-in of their own.
      const guesser = new Visitor();
      const form = await guesser.get((await askForReset(service, app, newEmail(), guesser)).session.authUrl);
      const token = form.form("/password").fields["token"] ?? "";
      const guesses = Array.from({ length: 10 }, (_, nth) => otherCode(mail, nth + 1));
      const url = `${form.url}/reset`;
      const answers = await Promise.all(
        guesses.map((code) => guesser.post(url, { token, email, code, password: newPassword })),
      );
      expect(answers.filter((answer) => said(answer).includes("That code isn't right"))).toHaveLength(5);
      const right = await owner.visitor.submit(owner.page, "/reset", { code: codeIn(mail), password: newPassword });
      expect(right.status).toBe(422);
      await signIn(service, app, { email });
      const link = linkIn(mail);
      const done = await owner.visitor.submit(await owner.visitor.get(link), new URL(link).pathname, {
        password: newPassword,
      });
      expect(hasReset(done)).toBe(true);
    });

    it("newest only: a newer mail ends the link and the code before it", async () => {
      const service = current();
      const app = await service.createApp();
      const { email } = await newUser(service, app, { password: goodPassword });
      const first = await askForReset(service, app, email);
      const older = await mailTo(server, email);
      const page = await new Visitor().get(linkIn(older));
      expect(page.status).toBe(200);
      const second = await askForReset(service, app, email);
      const newer = await mailTo(server, email, 2);
      expect((await new Visitor().get(linkIn(older))).status).toBe(410);
      const old = { code: codeIn(older), password: newPassword };
      expect((await first.visitor.submit(first.page, "/reset", old)).status).toBe(422);
      const done = await second.visitor.submit(second.page, "/reset", { code: codeIn(newer), password: newPassword });
      expect(hasReset(done)).toBe(true);
    });

    it("P8: asking floods no mailbox, changes nothing, and does not end the mail that is there", async () => {
      const service = current();
      const app = await service.createApp();
      const { email } = await newUser(service, app, { password: goodPassword });
      const asked = await askForReset(service, app, email);
      for (let more = 0; more < 7; more += 1) {
        await asked.visitor.submit(asked.page, "/forgot-password", {});
        await allSent(service);
      }
      expect(server.to(email)).toHaveLength(5);
      await signIn(service, app, { email });
      const code = codeIn(await mailTo(server, email, 5));
      const done = await asked.visitor.submit(asked.page, "/reset", { code, password: newPassword });
      expect(hasReset(done)).toBe(true);
    });

    it("each mailed token opens its own page only, for every pair of kinds (security rule P8)", async () => {
      const service = current();
      const app = await service.createApp();
      const { emailTokens, users, methods } = service.server.app.services;
      const { id: userId, email } = await newUser(service, app, { emailVerified: false });
      const secrets = new Map<string, string>();
      /** Nothing but its purpose keeps such a token from any page. */
      const issue = async (purpose: EmailTokenPurpose, proves: string) => {
        const slot = emailTokens.slot(purpose, userId, proves);
        const token = { slot, purpose, appId: app.id, userId, email: proves };
        return await service.server.app.storage.write((tx) => emailTokens.issue(tx, token, service.clock.now));
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
      const user = await users.find(userId);
      if (!user) throw new Error("no user");
      const clientInfo = { ipAddress: "127.0.0.1", userAgent: null, requestId: "req_test" };
      for (const purpose of purposes.filter((each) => each !== "verify")) {
        const secret = linkSecret((await issue(purpose, email)).link);
        expect([purpose, await emailTokens.confirmVerify(user, { secret }, clientInfo)]).toEqual([purpose, "over"]);
      }
      expect(await users.find(userId)).toMatchObject({ email, emailVerified: false });
      expect(await methods.list(userId)).toEqual([]);
    });

    it("a code is worth nothing for the same address in another app", async () => {
      const service = current();
      const [one, other] = [await service.createApp(), await service.createApp()];
      const { email } = await newUser(service, one, { password: goodPassword });
      await newUser(service, other, { email, password: goodPassword });
      await askForReset(service, one, email);
      const mail = await mailTo(server, email);
      const elsewhere = await askForReset(service, other, email);
      await mailTo(server, email, 2);
      const tried = await elsewhere.visitor.submit(elsewhere.page, "/reset", {
        code: codeIn(mail),
        password: newPassword,
      });
      expect(tried.status).toBe(422);
      for (const app of [one, other]) await signIn(service, app, { email });
    });

    it("a link of one kind opens nothing of another", async () => {
      const service = current();
      const app = await service.createApp();
      const { email } = await newUser(service, app, { password: goodPassword });
      await askForReset(service, app, email);
      const signUp = await askForAccount(service, app);
      const [reset, confirm] = [await mailTo(server, email), await mailTo(server, signUp.email)];
      const visitor = signUp.visitor;
      expect((await visitor.get(`${service.url}/confirm/${secretIn(reset)}`)).status).toBe(410);
      expect((await visitor.get(`${service.url}/reset/${secretIn(confirm)}`)).status).toBe(410);
      const token = (await visitor.get(linkIn(reset))).form(secretIn(reset)).fields["token"] ?? "";
      for (const url of [`/confirm/${secretIn(reset)}`, `/reset/${secretIn(confirm)}`])
        expect((await visitor.post(service.url + url, { token, password: newPassword })).status).toBe(410);
      // Nor does a code: it is looked for where its kind stands.
      const crossed = { code: codeIn(confirm), password: newPassword };
      const asked = await askForReset(service, app, signUp.email);
      expect((await asked.visitor.submit(asked.page, "/reset", crossed)).status).toBe(422);
    });

    it("a link must be posted by its own page: another site's form, another page's token and no cookie are refused", async () => {
      const service = current();
      const app = await service.createApp();
      const { email } = await newUser(service, app, { password: goodPassword });
      const { visitor, page } = await askForReset(service, app, email);
      const link = linkIn(await mailTo(server, email));
      const form = (await visitor.get(link)).form(new URL(link).pathname).fields;
      const elsewhere = { "sec-fetch-site": "cross-site", origin: "https://evil.example" };
      const fields = { ...form, password: newPassword };
      expect((await visitor.post(link, fields, elsewhere)).status).toBe(403);
      const foreign = page.form("/reset").fields["token"] ?? "";
      expect((await visitor.post(link, { ...fields, token: foreign })).status).toBe(403);
      expect((await new Visitor().post(link, fields)).status).toBe(400);
      await signIn(service, app, { email });
    });

    it("opens nothing for somebody who was disabled, or whose app gave passwords up, after the mail", async () => {
      const service = current();
      const app = await service.createApp();
      const disabled = await newUser(service, app, { password: goodPassword });
      const asked = await askForReset(service, app, disabled.email);
      const mail = await mailTo(server, disabled.email);
      await disableUser(service, disabled.id);
      expect((await new Visitor().get(linkIn(mail))).status).toBe(410);
      const code = { code: codeIn(mail), password: newPassword };
      expect((await asked.visitor.submit(asked.page, "/reset", code)).status).toBe(422);

      const { email } = await newUser(service, app, { password: goodPassword });
      await askForReset(service, app, email);
      const link = linkIn(await mailTo(server, email));
      const actor = { kind: "cli", name: "test" } as const;
      await service.server.app.services.applications.update(
        app.id,
        { authMethods: { password: { enabled: false } } },
        actor,
      );
      expect((await new Visitor().get(link)).status).toBe(410);
    });

    it("R5: links come from the configuration, whatever Host and Forwarded headers say", async () => {
      const service = current();
      const app = await service.createApp();
      const { email } = await newUser(service, app, { password: goodPassword });
      const forged = { "x-forwarded-host": "evil.example", forwarded: "host=evil.example" };
      await askForReset(service, app, email, new Visitor(forged));
      expect(linkIn(await mailTo(server, email)).startsWith(`${service.url}/reset/`)).toBe(true);
    });

    it("knows no link but its own: made-up ones of any form get the same page", async () => {
      const service = current();
      const pages = [];
      for (const secret of ["x", "a".repeat(43), "..%252F..%252Fadmin", "%00", "é", "a".repeat(5000)])
        for (const kind of ["reset", "confirm"])
          pages.push(await new Visitor().get(`${service.url}/${kind}/${secret}`));
      expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([410]));
      expect(new Set(pages.map(({ text }) => text)).size).toBe(1);
    });
  },
  { mail: server.mail },
);
