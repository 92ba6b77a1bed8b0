import { afterAll, expect, it } from "vitest";
import { accountUrl, openAccount, press, proveAt } from "../../support/account.ts";
import { startMailServer } from "../../support/mail.ts";
import { codeIn, linkIn, mailTo, newUser, otherCode } from "../../support/mail-flows.ts";
import { goodPassword, Visitor } from "../../support/person.ts";
import { withApp, describeSqliteFirst, type TestService } from "../../support/service.ts";

const server = await startMailServer();
afterAll(async () => await server.close());

describeSqliteFirst(
  "an address that is not proven yet, on the account page",
  (current) => {
    async function someone(service: TestService, known: { emailVerified?: boolean } = { emailVerified: false }) {
      const app = await service.createApp();
      const { id, email } = await newUser(service, app, { password: goodPassword, ...known });
      const visitor = new Visitor();
      await proveAt(visitor, await openAccount(service, app, visitor), email);
      const page = await openAccount(service, app, visitor);
      return { app, id, email, visitor, page };
    }

    const isVerified = async (service: TestService, id: string) =>
      (await service.server.app.services.users.find(id))?.emailVerified;

    it("is proven with the code of a mail", async () => {
      const service = current();
      const { app, id, email, visitor, page } = await someone(service);
      expect(page.text).toContain("Not verified");
      const sent = await press(app, visitor, page, "/verify-email");
      const waiting = await visitor.get(sent.location.href);
      expect(waiting.text).toContain(email);
      const mail = await mailTo(server, email);
      const wrong = await press(app, visitor, waiting, "/verify-email/code", { code: otherCode(mail) });
      expect([wrong.status, await isVerified(service, id)]).toEqual([422, false]);
      expect((await press(app, visitor, waiting, "/verify-email/code", { code: "12" })).status).toBe(422);
      const done = await press(app, visitor, wrong, "/verify-email/code", { code: codeIn(mail) });
      expect((await visitor.get(done.location.href)).text).toContain("Your email address is verified.");
      expect(await isVerified(service, id)).toBe(true);
      expect((await visitor.get(sent.location.href)).location.href).toBe(accountUrl(service, app));
    });

    it("is proven with the link of the newest mail, in the browser that is signed in, and in no other", async () => {
      const service = current();
      const { app, id, email, visitor, page } = await someone(service);
      const waiting = await visitor.get((await press(app, visitor, page, "/verify-email")).location.href);
      const older = linkIn(await mailTo(server, email));
      const again = await press(app, visitor, waiting, "/verify-email");
      expect((await visitor.get(again.location.href)).text).toContain("A new email is on its way");
      const link = linkIn(await mailTo(server, email, 2));
      for (const [guest, address] of [
        [visitor, older],
        [new Visitor(), link],
      ] as const)
        expect((await guest.get(address)).text).not.toContain("<form");
      const done = await visitor.submit(await visitor.get(link), new URL(link).pathname, {});
      expect(done.location.href).toBe(`${accountUrl(service, app)}&notice=verified`);
      expect(await isVerified(service, id)).toBe(true);
    });

    it("is asked about no more once it is proven", async () => {
      const service = current();
      const { app, email, visitor, page } = await someone(service, { emailVerified: true });
      expect(page.text).not.toContain("/verify-email");
      const { token = "" } = page.form(`/sign-out?app_id=${app.id}`).fields;
      const posted = await visitor.post(accountUrl(service, app, "/verify-email"), { token });
      expect((await visitor.get(posted.location.href)).location.href).toBe(accountUrl(service, app));
      const { mails } = await service.server.app.services.mail.pending();
      expect(mails + server.to(email).filter(({ subject }) => subject.startsWith("Confirm")).length).toBe(0);
    });
  },
  { mail: server.mail },
);

describeSqliteFirst("an address that is not proven, where there is no mail server", (current) => {
  it("has no button that would do nothing", async () => {
    const { service, app } = await withApp(current());
    const { email } = await newUser(service, app, { password: goodPassword, emailVerified: false });
    const visitor = new Visitor();
    await proveAt(visitor, await openAccount(service, app, visitor), email);
    const { text } = await openAccount(service, app, visitor);
    expect(text).toContain("Not verified");
    expect(text).not.toContain("/verify-email");
  });
});
