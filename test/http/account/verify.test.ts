import { expect, it } from "vitest";
import * as mail from "../../../src/records/mail/service.ts";
import * as userAdministration from "../../../src/people/administration.ts";
import * as users from "../../../src/users/service.ts";
import { accountUrl, openAccount, press, proveAt } from "../../support/account.ts";
import {
  allSent,
  askForReset,
  codeIn,
  linkIn,
  mailTo,
  newUser,
  otherCode,
  secretIn,
} from "../../support/mail-flows.ts";
import { useMailServer } from "../../support/mail.ts";
import { givePasskey } from "../../support/methods.ts";
import { goodPassword, Visitor } from "../../support/person.ts";
import { describeSqliteFirst, type TestApp, type TestService } from "../../support/service.ts";

const server = await useMailServer();

/** Somebody in a browser that is signed in to the account page. */
async function someone(service: TestService, app: TestApp, known = { emailVerified: false }) {
  const { id, email } = await newUser(service, app, { password: goodPassword, ...known });
  const visitor = new Visitor();
  await proveAt(visitor, await openAccount(service, app, visitor), email);
  return { id, email, visitor, page: await openAccount(service, app, visitor) };
}

describeSqliteFirst("an address that is not proven yet, on the account page", { mail: server.mail }, (current) => {
  const isVerified = async (id: string) =>
    (await users.find(current().server.app.ctx.storage.reader, id))?.emailVerified;

  /** Somebody in front of the page that waits for the code. */
  async function waiting() {
    const app = await current().createApp();
    const person = await someone(current(), app);
    expect(person.page.text).toContain("Not verified");
    const sent = await press(app, person.visitor, person.page, "/verify-email");
    const page = await person.visitor.get(sent.location.href);
    expect(page.text).toContain(person.email);
    return { ...person, app, page, mail: await mailTo(server, person.email) };
  }

  const type = async ({ app, visitor, page }: Awaited<ReturnType<typeof waiting>>, code: string) =>
    await press(app, visitor, page, "/verify-email/code", { code });

  it("is proven with the code of a mail, once", async () => {
    const person = await waiting();
    const { visitor, id, mail } = person;
    expect([(await type(person, otherCode(mail))).status, await isVerified(id)]).toEqual([422, false]);
    expect((await type(person, "12")).status).toBe(422);
    const done = await type(person, codeIn(mail));
    expect((await visitor.get(done.location.href)).text).toContain("Your email address is verified.");
    expect(await isVerified(id)).toBe(true);
    const account = accountUrl(current(), person.app);
    expect((await visitor.get(person.page.url)).location.href).toBe(account);
    expect((await type(person, codeIn(mail))).location.href).toBe(account);
  });

  it("is not proven with the code after five wrong ones", async () => {
    const person = await waiting();
    for (let nth = 1; nth <= 5; nth += 1) expect((await type(person, otherCode(person.mail, nth))).status).toBe(422);
    await type(person, codeIn(person.mail));
    expect(await isVerified(person.id)).toBe(false);
  });

  it("is proven once with the link of the newest mail, in the browser that is signed in, and keeps name and methods", async () => {
    const { app, id, email, visitor, page, mail } = await waiting();
    await givePasskey(current(), id);
    const stranger = await someone(current(), app);
    const again = await press(app, visitor, page, "/verify-email");
    expect((await visitor.get(again.location.href)).text).toContain("A new email is on its way");
    const link = linkIn(await mailTo(server, email, 2));
    expect((await visitor.get(linkIn(mail))).text).not.toContain("<form");
    for (const other of [new Visitor(), stranger.visitor]) {
      const seen = await other.get(link);
      expect([seen.status, seen.text]).toEqual([403, expect.stringContaining("Open this link where you asked for it")]);
      expect((await other.post(link, { token: "x" })).status).toBe(403);
    }
    const form = await visitor.get(link);
    expect(form.text).toContain("Confirm your email address");
    expect(await isVerified(id)).toBe(false);
    const answers = await Promise.all([1, 2, 3].map(() => visitor.submit(form, new URL(link).pathname, {})));
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(["303", "410", "410"]);
    const done = answers.find(({ status }) => status === 303);
    expect(done?.location.href).toBe(`${accountUrl(current(), app)}&notice=verified`);
    const kept = await userAdministration.get(current().server.app.ctx, id);
    expect(kept).toMatchObject({ emailVerified: true, name: "Ann", authMethods: { passkey: true, password: true } });
  });

  it("is proven neither with another user's code nor with the link of a reset", async () => {
    const [one, other] = [await waiting(), await waiting()];
    expect((await type(other, codeIn(one.mail))).status).toBe(422);
    await askForReset(current(), other.app, other.email);
    const reset = secretIn(await mailTo(server, other.email, 1, /Reset/u));
    expect((await other.visitor.get(`${current().url}/confirm/${reset}`)).status).toBe(410);
    expect(await isVerified(other.id)).toBe(false);
  });

  it("is asked for by mail five times within the hour at most", async () => {
    const { app, visitor, page, email } = await waiting();
    for (let asked = 0; asked < 6; asked += 1) await press(app, visitor, page, "/verify-email");
    await allSent(current());
    expect(server.to(email)).toHaveLength(5);
  });

  it("is asked about no more once it is proven", async () => {
    const app = await current().createApp();
    const { email, visitor, page } = await someone(current(), app, { emailVerified: true });
    expect(page.text).not.toContain("/verify-email");
    const { token = "" } = page.form(`/sign-out?app_id=${app.id}`).fields;
    const posted = await visitor.post(accountUrl(current(), app, "/verify-email"), { token });
    expect((await visitor.get(posted.location.href)).location.href).toBe(accountUrl(current(), app));
    const { mails } = await mail.pending(current().server.app.ctx);
    expect(mails + server.to(email).filter(({ subject }) => subject.startsWith("Confirm")).length).toBe(0);
  });
});

describeSqliteFirst("an address that is not proven, where there is no mail server", (current) => {
  it("has no button that would do nothing", async () => {
    const { text } = (await someone(current(), await current().createApp())).page;
    expect(text).toContain("Not verified");
    expect(text).not.toContain("/verify-email");
  });
});
