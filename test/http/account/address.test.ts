import { expect, it } from "vitest";
import * as audit from "../../../src/records/audit/audit.ts";
import * as users from "../../../src/users/service.ts";
import { accountUrl, minutes, openAccount, press } from "../../support/account.ts";
import { askFor, changeTo, ownerOf, undoLink, useLink, type Owner } from "../../support/address-change.ts";
import { startVerifier } from "../../support/feed.ts";
import { allSent, codeIn, linkIn, mailTo, newUser, otherCode, said } from "../../support/mail-flows.ts";
import { useMailServer } from "../../support/mail.ts";
import { goodPassword, newEmail, redeem, signIn, validate, Visitor } from "../../support/person.ts";
import { useApp, withApp, describeSqliteFirst, describeOnSqlite } from "../../support/service.ts";

const server = await useMailServer();

describeSqliteFirst("a change of address on the account page", { mail: server.mail }, (current) => {
  const app = useApp(current);

  it("accepts a code from the new address, ends nothing, and mails the old one, which can undo it; the database shows no link", async () => {
    const service = current();
    const owner = await ownerOf(service, app);
    const tokens = await redeem(service, app, await signIn(service, app, owner));
    const { to, page, mail } = await askFor(service, server, owner);
    const wrong = await press(app, owner.visitor, page, "/email/code", { code: otherCode(mail) });
    expect(wrong.status).toBe(422);
    expect((await users.find(service.server.app.ctx.storage.reader, owner.id))?.email).toBe(owner.email);
    const done = await press(app, owner.visitor, wrong, "/email/code", { code: codeIn(mail) });
    expect((await owner.visitor.get(done.location.href)).text).toContain("Your email address is changed.");
    expect(await users.find(service.server.app.ctx.storage.reader, owner.id)).toMatchObject({
      email: to,
      emailVerified: true,
    });
    expect((await validate(service, app, tokens.accessToken)).body).toMatchObject({ user: { email: to } });
    await signIn(service, app, { email: to });

    const link = await undoLink(server, owner.email);
    const stored = await service.databaseText();
    for (const url of [linkIn(mail), link]) expect(stored).not.toContain(url.split("/").at(-1));
    const told = await mailTo(server, owner.email, 1, /email address .*was changed$/u);
    expect(told.text).not.toContain(to);
    const verifier = await startVerifier(service, app);
    const restored = await useLink(link);
    await verifier.listen();
    expect(verifier.verdict(tokens.accessToken)).not.toBe("good");
    expect(said(restored)).toContain("Your email address is restored");
    expect(await users.find(service.server.app.ctx.storage.reader, owner.id)).toMatchObject({ email: owner.email });
    expect((await validate(service, app, tokens.accessToken)).status).toBe(401);
    expect((await openAccount(service, app, owner.visitor)).status).toBe(303);
    const reset = /href="([^"]*\/reset\/[^"]+)"/u.exec(restored.text)?.[1] ?? "";
    const form = await new Visitor().get(reset);
    expect(form.text).toContain(owner.email);
    expect((await useLink(link)).status).toBe(410);

    const events = await audit.list(service.server.app.ctx, { userId: owner.id, limit: 50 });
    const about = events.filter(({ action }) => action.startsWith("user.address")).map(({ action }) => action);
    expect(about.toSorted()).toEqual(["user.address-asked", "user.address-changed", "user.address-restored"]);
    expect(JSON.stringify(events)).not.toContain(to);
  });

  it("lets one of two people get an address that both have proven at the same moment", async () => {
    const service = current();
    const to = newEmail();
    const asked: (Owner & Awaited<ReturnType<typeof askFor>>)[] = [];
    for (let nth = 0; nth < 2; nth += 1) {
      const owner = await ownerOf(service, app);
      asked.push({ ...owner, ...(await askFor(service, server, owner, to)) });
    }
    const outcomes = await Promise.all(
      asked.map(({ visitor, page, mail }) => press(app, visitor, page, "/email/code", { code: codeIn(mail) })),
    );
    const statuses = outcomes.map(({ status }) => status);
    expect(statuses.toSorted((one, other) => one - other)).toEqual([303, 422]);
    expect(outcomes.find(({ status }) => status === 422)?.text).toContain("has this address");
  });

  it("is undone once, however many use the link at the same moment", async () => {
    const service = current();
    const owner = await ownerOf(service, app);
    await changeTo(service, server, owner);
    const link = await undoLink(server, owner.email);
    const visitor = new Visitor();
    const page = await visitor.get(link);
    const path = new URL(link).pathname;
    const statuses = await Promise.all([1, 2, 3].map(async () => (await visitor.submit(page, path, {})).status));
    expect(statuses.toSorted((one, other) => one - other)).toEqual([200, 410, 410]);
  });
});

describeOnSqlite("the form for a new address", { mail: server.mail }, (current) => {
  const app = useApp(current);

  it("needs a fresh proof, and comes back after it", async () => {
    const service = current();
    const owner = await ownerOf(service, app);
    const form = await openAccount(service, app, owner.visitor, "/email");
    service.clock.advance(11 * minutes);
    const posted = await press(app, owner.visitor, form, "/account/email", { email: newEmail() });
    const opened = await openAccount(service, app, owner.visitor, "/email");
    for (const page of [posted, opened]) expect(page.location.pathname).toMatch(/^\/sign-in\//u);
    const signInPage = await owner.visitor.get(opened.location.href);
    const values = { email: owner.email, password: goodPassword };
    const proven = await owner.visitor.submit(signInPage, "/password", values);
    const account = await owner.visitor.get(proven.location.href);
    expect(account.location.href).toBe(accountUrl(service, app, "/email"));
  });

  it("says what is wrong with what was typed", async () => {
    const service = current();
    const owner = await ownerOf(service, app);
    for (const [email, words] of [
      ["", "Enter your email address"],
      ["nobody", "name@example.com"],
      [owner.email.toUpperCase(), "This is your address already."],
    ] as const) {
      const form = await openAccount(service, app, owner.visitor, "/email");
      const refused = await press(app, owner.visitor, form, "/account/email", { email });
      expect([refused.status, refused.text]).toEqual([422, expect.stringContaining(words)]);
    }
  });

  it("looks the same for an address that has an account, until its code is typed", async () => {
    const service = current();
    const { email: taken } = await newUser(service, app);
    const seen: string[] = [];
    for (const to of [taken, newEmail()]) {
      const owner = await ownerOf(service, app);
      const { page, mail } = await askFor(service, server, owner, to);
      seen.push(
        page.text.replaceAll(to, "ADDRESS").replaceAll(/name="token" value="[^"]*"/gu, ""),
        mail.text.replaceAll(/\/confirm\/\S+|\d{4} \d{4}/gu, ""),
      );
      if (to !== taken) continue;
      const refused = await press(app, owner.visitor, page, "/email/code", { code: codeIn(mail) });
      expect([refused.status, refused.text]).toEqual([422, expect.stringContaining("has this address")]);
      expect((await users.find(service.server.app.ctx.storage.reader, owner.id))?.email).toBe(owner.email);
    }
    expect(seen.slice(0, 2)).toEqual(seen.slice(2));
  });

  it("takes the link of the mail as well, only in the browser that asked, and only the newest", async () => {
    const service = current();
    const owner = await ownerOf(service, app);
    const { to, page, mail } = await askFor(service, server, owner);
    const again = await press(app, owner.visitor, page, "/email/again");
    expect((await owner.visitor.get(again.location.href)).text).toContain("A new email is on its way");
    const link = linkIn(await mailTo(server, to, 2));
    expect((await owner.visitor.get(linkIn(mail))).status).toBe(410);
    expect((await new Visitor().get(link)).status).toBe(403);
    const done = await useLink(link, owner.visitor);
    expect(done.location.href).toBe(`${accountUrl(service, app)}&notice=email`);
    expect((await users.find(service.server.app.ctx.storage.reader, owner.id))?.email).toBe(to);
  });

  it("gives an address to somebody whose own was never verified, without a way back to that one", async () => {
    const service = current();
    const owner = await ownerOf(service, app, false);
    const to = await changeTo(service, server, owner);
    await allSent(service);
    expect(server.to(owner.email).filter(({ text }) => text.includes("/restore/"))).toEqual([]);
    expect(await users.find(service.server.app.ctx.storage.reader, owner.id)).toMatchObject({
      email: to,
      emailVerified: true,
    });
  });

  it("sends at most five mails an hour to an address, and then waits for a code that nobody knows", async () => {
    const service = current();
    const owner = await ownerOf(service, app);
    const to = newEmail();
    for (let nth = 1; nth <= 5; nth += 1) await askFor(service, server, owner, to);
    const form = await openAccount(service, app, owner.visitor, "/email");
    const asked = await press(app, owner.visitor, form, "/account/email", { email: to });
    const waiting = await owner.visitor.get(asked.location.href);
    expect(waiting.text).toContain(to);
    await allSent(service);
    expect(server.to(to)).toHaveLength(5);
    const code = codeIn(await mailTo(server, to, 5));
    expect((await press(app, owner.visitor, waiting, "/email/code", { code })).status).toBe(422);
  });
});

describeOnSqlite("a change of address where there is no mail server", (current) => {
  it("is not offered, and its page leads back", async () => {
    const { service, app } = await withApp(current());
    const { visitor } = await ownerOf(service, app);
    expect((await openAccount(service, app, visitor)).text).not.toContain("/account/email");
    expect((await openAccount(service, app, visitor, "/email")).location.href).toBe(accountUrl(service, app));
  });
});
