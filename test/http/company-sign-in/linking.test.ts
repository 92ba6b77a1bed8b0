import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { asMember } from "../../../src/organizations/organization.ts";
import { findOrganization } from "../../../src/organizations/store.ts";
import * as relinks from "../../../src/companies/relinks.ts";
import { companyConfig, employee, useCompanyProvider } from "../../support/company-provider.ts";
import { giveTotp, withCompanySignIn, type CameTo } from "../../support/company-sign-in.ts";
import { codeAt, wrongCodeAt } from "../../support/factors.ts";
import { codeInMailbox, goodPassword } from "../../support/person.ts";
import { describeSqliteFirst, type TestService } from "../../support/service.ts";

const company = await useCompanyProvider();
type Acme = Awaited<ReturnType<typeof withCompanySignIn>>;

/** Proves the account in this sign-in by its password, and stops at the page that links. */
async function proveByPassword(acme: Acme, { visitor, session, page }: CameTo, email: string): Promise<CameTo> {
  expect(page.text).toContain("?own=1");
  const own = await visitor.get(`${session.authUrl}?own=1`);
  const proven = await visitor.submit(own, "/password", { email, password: goodPassword });
  return { visitor, session, page: await acme.followed(visitor, proven) };
}

async function proveByMail(service: TestService, acme: Acme, came: CameTo, email: string): Promise<CameTo> {
  const { visitor, page } = came;
  const asked = await acme.followed(visitor, await visitor.submit(page, "/company/mail", {}));
  const code = await codeInMailbox(service.url, email);
  return { ...came, page: await acme.followed(visitor, await visitor.submit(asked, "/company/code", { code })) };
}

async function openRelink({ server }: TestService, acme: Acme, userId: string): Promise<void> {
  const { ctx } = server.app;
  const organization = await findOrganization(ctx.storage.reader, acme.organization.id);
  if (!organization) throw new Error("no organization");
  const acting = { actor: { kind: "cli", name: "test" } } as const;
  await relinks.openRelink(ctx, organization, { userIds: [userId] }, acting);
}

describeSqliteFirst("linking a member to a company's provider", { ...companyConfig, dev: true }, (current) => {
  it("Q25: asks for an own proof first, and then knows the person", async () => {
    const acme = await withCompanySignIn(current(), company);
    const email = acme.at("ada");
    const id = await acme.account(email);
    const came = await acme.come(email, employee("a", email));
    expect(came.page.text).not.toContain("/company/agree");
    const linked = await acme.agree(await proveByPassword(acme, came, email));
    expect(await acme.tokens(linked)).toMatchObject({ user: { id }, organization: { id: acme.organization.id } });
    const again = await acme.agree(await acme.come(email, employee("a", email)));
    expect(await acme.tokens(again)).toMatchObject({ user: { id } });
  });

  it("Q25: takes the mailbox instead, with the second factor where one is set", async () => {
    const acme = await withCompanySignIn(current(), company);
    const [plain, strong] = [acme.at("bob"), acme.at("cho")];
    await acme.account(plain);
    const came = await proveByMail(current(), acme, await acme.come(plain, employee("b", plain)), plain);
    expect((await acme.tokens(await acme.agree(came))).user).toMatchObject({ email: plain });
    await acme.account(strong);
    const { key } = await giveTotp(current(), { app: acme.app, email: strong });
    const asks = await proveByMail(current(), acme, await acme.come(strong, employee("c", strong)), strong);
    const wrong = await acme.agree(asks, { code: wrongCodeAt(key, current().clock.now) });
    expect(wrong.page.status).toBe(422);
    current().clock.advance(30_000);
    const done = await acme.agree(wrong, { code: codeAt(key, current().clock.now) });
    expect((await acme.tokens(done)).user).toMatchObject({ email: strong });
  });

  it("Q25: takes no code of an app before the mailbox is proved", async () => {
    const acme = await withCompanySignIn(current(), company);
    const email = acme.at("gil");
    await acme.account(email);
    const { key } = await giveTotp(current(), { app: acme.app, email });
    for (const code of ["", codeAt(key, current().clock.now)]) {
      const { visitor, session, page } = await acme.come(email, employee("g", email));
      const { token = "" } = page.form("/company/mail").fields;
      const pressed = await visitor.post(`${session.authUrl}/company/agree`, { token, code });
      expect([pressed.status, pressed.text.includes('role="alert"')]).toEqual([403, true]);
    }
  });

  it("a code for another address of the same sign-in proves no mailbox (54)", async () => {
    const acme = await withCompanySignIn(current(), company, {}, { emailCode: true });
    const email = acme.at("dee");
    await acme.account(email);
    const came = await acme.come(email, employee("d", email));
    const attacker = acme.newEmail();
    await acme.account(attacker, null);
    const form = await came.visitor.get(`${came.session.authUrl}/email-code?own=1`);
    await came.visitor.submit(form, "/email-code", { email: attacker });
    const code = await codeInMailbox(current().url, attacker);
    const { token = "" } = came.page.form("/company/mail").fields;
    await came.visitor.post(`${came.session.authUrl}/company/code`, { token, code });
    expect((await came.visitor.get(`${came.session.authUrl}/company`)).text).not.toContain("/company/agree");
  });

  it("is said in the mail whose code does it", async () => {
    const acme = await withCompanySignIn(current(), company);
    const email = acme.at("tom");
    await acme.account(email);
    const { page, visitor } = await acme.come(email, employee("t", email));
    await visitor.submit(page, "/company/mail", {});
    await codeInMailbox(current().url, email);
    const mailed = await (await fetch(new URL("/dev/mail.json", current().url))).text();
    expect(mailed).toContain(`The code connects your account to the sign-in at: ${new URL(company.issuer).host}`);
  });

  it("Q25: refuses a second subject with the address of somebody who is linked (51)", async () => {
    const acme = await withCompanySignIn(current(), company);
    const { email } = await acme.newcomer("eli");
    const other = await acme.come(email, employee("another", email));
    expect([other.page.status, other.page.text.includes("belongs to another sign-in")]).toEqual([403, true]);
  });

  it("Q25: a relink replaces the subject once, after the mailbox, and only if an owner agreed to an owner's (51)", async () => {
    const acme = await withCompanySignIn(current(), company);
    const { email } = await acme.newcomer("fin");
    const user = await acme.userOf(email);
    current().clock.advance(1000);
    await openRelink(current(), acme, String(user?.["id"]));
    current().clock.advance(1000);
    const came = await proveByMail(current(), acme, await acme.come(email, employee("new", email)), email);
    expect((await acme.tokens(await acme.agree(came))).user).toMatchObject({ email });
    // Used up, and the new subject is not replaced again.
    const third = await acme.come(email, employee("third", email));
    expect(third.page.status).toBe(403);
    const old = await acme.come(email, employee("sub-fin", email));
    expect(old.page.status).toBe(403);
  });

  it("a subject that a relink put in place is not replaced by another relink, but for another client (51)", async () => {
    const acme = await withCompanySignIn(current(), company);
    const { email } = await acme.newcomer("rex");
    const id = String((await acme.userOf(email))?.["id"]);
    const relinked = async (subject: string) => {
      current().clock.advance(1000);
      await openRelink(current(), acme, id);
      current().clock.advance(1000);
      return await acme.come(email, employee(subject, email));
    };
    await acme.agree(await proveByMail(current(), acme, await relinked("second"), email));
    expect((await relinked("third")).page.status).toBe(403);
    // As if that had been for the client before this one.
    await current().server.app.ctx.storage.write(async ({ db, tables: { organizationIdentities: t } }) => {
      await db.update(t).set({ relinkedClientId: "client-0" }).where(eq(t.userId, id));
    });
    expect((await relinked("fourth")).page.text).toContain("/company/mail");
  });

  it("a relink of who became an admin afterwards takes an owner's press, which is never their own (51)", async () => {
    const acme = await withCompanySignIn(current(), company);
    const { email } = await acme.newcomer("sam");
    const id = String((await acme.userOf(email))?.["id"]);
    current().clock.advance(1000);
    await openRelink(current(), acme, id);
    await acme.send("PATCH", `${acme.organization.path}/members/${id}`, { roles: ["owner"] });
    current().clock.advance(1000);
    const came = async () => (await acme.come(email, employee("other", email))).page;
    expect((await came()).text).toContain("An owner of");
    const { ctx } = current().server.app;
    const organization = await findOrganization(ctx.storage.reader, acme.organization.id);
    if (!organization) throw new Error("no organization");
    await expect(relinks.agreeToRelink(ctx, organization, { userId: id }, asMember(id))).rejects.toThrow("may not");
    expect((await came()).status).toBe(403);
    await relinks.agreeToRelink(ctx, organization, { userId: id }, { actor: { kind: "cli", name: "test" } });
    expect((await came()).text).toContain("/company/mail");
  });

  it("Q25: links nobody whose account has an unproven address, and removes nothing of it", async () => {
    const acme = await withCompanySignIn(current(), company);
    const email = acme.at("gil");
    const { body } = await acme.send("POST", "/users", { email, emailVerified: false, password: goodPassword });
    await acme.send("PUT", `${acme.organization.path}/members/${String(body["id"])}`, { roles: ["member"] });
    const came = await acme.come(email, employee("g", email));
    expect([came.page.status, came.page.text.includes("nobody has confirmed")]).toEqual([403, true]);
    expect((await acme.userOf(email))?.["authMethods"]).toMatchObject({ password: true });
  });

  it("Q21: asserts nobody outside its domains, nor somebody of another organization (49, 55)", async () => {
    const acme = await withCompanySignIn(current(), company);
    const other = await withCompanySignIn(current(), company);
    const foreign = other.at("hal");
    const came = await acme.come(acme.at("anybody"), employee("h", foreign));
    expect([came.page.status, came.page.text.includes("has no address of")]).toEqual([403, true]);
  });

  it("does not take somebody out of the browser before they agreed: another's session stays", async () => {
    const acme = await withCompanySignIn(current(), company);
    const { visitor, done } = await acme.newcomer("ivy");
    await acme.tokens(done);
    const eve = acme.at("eve");
    await acme.invite(eve);
    const before = new Map(visitor.cookies);
    await acme.come(eve, employee("e", eve), visitor);
    for (const [name, value] of before) if (!name.includes("visit-")) expect(visitor.cookies.get(name)).toBe(value);
  });
});
