import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import * as setupLinks from "../../../src/companies/setup-links.ts";
import { offerFor } from "../../../src/organizations/domains/joining.ts";
import { findProvider, findWaitingProvider } from "../../../src/organizations/provider/provider-store.ts";
import { findUser } from "../../../src/users/store.ts";
import { companyConfig, storeProvider, useCompanyProvider } from "../../support/company-provider.ts";
import { codeIn, linkIn, mailTo, otherCode } from "../../support/mail-flows.ts";
import { useMailServer } from "../../support/mail.ts";
import { withOrganizationPages } from "../../support/organizations.ts";
import { newEmail, Visitor } from "../../support/person.ts";
import { describeSqliteFirst, type TestService } from "../../support/service.ts";
import { createEndpoint } from "../../support/webhooks.ts";

const company = await useCompanyProvider();
const mails = await useMailServer();
let made = 0;
const [hour, day] = [3_600_000, 86_400_000];

/** An organization with an owner on the page, and a set-up link that was mailed to `email`. */
async function withLink(service: TestService, maker: "owner" | "server" = "owner") {
  const all = await withOrganizationPages(service, { companySignIn: "on" });
  const owner = await all.newVisitor();
  const organization = await all.newOrganization({ owner: owner.userId });
  const email = newEmail();
  const mailed =
    maker === "owner"
      ? await all.act(owner.visitor, organization.id, { act: "setup-link", email })
      : await all.send("POST", `${organization.path}/setup-links`, { email });
  const link = linkIn(await mailTo(mails, email, 1, /Set up/u));
  let codes = 0;
  /** Asks for a code in a browser, and types it. */
  async function open(visitor: Visitor) {
    const page = await visitor.get(link);
    const sent = await visitor.submit(page, new URL(link).pathname, {});
    const mail = await mailTo(mails, email, (codes += 1), /^\d{8} /u);
    return {
      sent,
      mail,
      enter: async (code = codeIn(mail)) => await visitor.submit(sent, new URL(link).pathname, { code }),
    };
  }
  async function opened(visitor = new Visitor()) {
    await (await open(visitor)).enter();
    const { text } = await visitor.get(link);
    const token = /name="token" value="([^"]+)"/u.exec(text)?.[1] ?? "";
    const act = async (fields: Record<string, string>) => await visitor.post(link, { token, ...fields });
    return { visitor, text, act };
  }
  const fields = { act: "provider", issuer: company.issuer, clientId: company.clientId };
  const added = { ...fields, clientSecret: company.secret };
  const { reader } = service.server.app.ctx.storage;
  const waiting = async () => await findWaitingProvider(reader, organization.id);
  const active = async () => await findProvider(reader, organization.id);
  return { ...all, owner, organization, email, mailed, link, open, opened, added, waiting, active };
}

const isForm = (text: string): boolean => text.includes(`value="provider"`);

describeSqliteFirst("a set-up link", { ...companyConfig, mail: mails.mail }, (current) => {
  it("Q27: adds a domain and a provider, which have no effect before an owner confirms them (35)", async () => {
    const { opened, added, waiting, active, send, organization, owner, newPerson, act, link, url } =
      await withLink(current());
    const setup = await opened();
    expect(setup.text).toContain(`/oauth/${organization.id}/callback`);
    const shown = (await owner.visitor.get(url(organization.id))).text;
    for (const happened of ["Set-up link mailed", "Set-up link opened"]) expect(shown).toContain(happened);
    for (const name of ["Okta", "Microsoft Entra ID", "Google Workspace", "Keycloak"])
      expect(setup.text).toContain(name);
    const domain = `setup${(made += 1)}.example`;
    await setup.act({ act: "add-domain", domain });
    expect((await setup.visitor.get(link)).text).toContain(`_authsvc-challenge.${domain}`);
    await setup.act(added);
    expect(await active()).toBeUndefined();
    const row = await waiting();
    expect(row).toMatchObject({ issuer: company.issuer, setterId: null, worksAt: null });
    expect(row?.setupLinkId).toMatch(/^sul_/u);
    // Even a domain whose record is there makes nobody a member.
    const { ctx } = current().server.app;
    const { organizationDomains: t } = ctx.storage.reader.tables;
    const proved = { state: "proved", provedAt: ctx.clock(), join: "on" } as const;
    await ctx.storage.write(async (tx) => void (await tx.db.update(t).set(proved)));
    current().clock.advance(1000);
    const user = await findUser(ctx.storage.reader, await newPerson(`emma@${domain}`));
    if (!user) throw new Error("nobody");
    expect(await offerFor(ctx, ctx.storage.reader, user)).toBeUndefined();
    const page = await act(owner.visitor, organization.id, { act: "confirm-domain", domain });
    expect(page.status).toBe(303);
    expect(await offerFor(ctx, ctx.storage.reader, user)).toMatchObject({ domain });
    await send("POST", `${organization.path}/provider/confirm`, { issuer: company.issuer });
    expect(await active()).toMatchObject({ issuer: company.issuer });
  });

  it("opens only with the newest code of its mailbox, in the browser that asked, for an hour", async () => {
    const { open, link } = await withLink(current());
    const [mine, other] = [new Visitor(), new Visitor()];
    const { mail, enter } = await open(mine);
    expect(isForm((await mine.get(link)).text)).toBe(false);
    expect((await enter(otherCode(mail))).status).toBe(422);
    const elsewhere = await other.get(link);
    await other.submit(elsewhere, new URL(link).pathname, { code: codeIn(mail) });
    expect(isForm((await other.get(link)).text)).toBe(false);
    await enter();
    expect(isForm((await mine.get(link)).text)).toBe(true);
    expect(isForm((await other.get(link)).text)).toBe(false);
    current().clock.advance(hour + 1000);
    expect(isForm((await mine.get(link)).text)).toBe(false);
  });

  it("takes five tries of a code, and no code a second time", async () => {
    const { open, link } = await withLink(current());
    const guesser = new Visitor();
    const { mail, enter } = await open(guesser);
    for (let tries = 0; tries < 5; tries += 1) await enter(otherCode(mail));
    expect((await enter()).status).toBe(422);
    expect(isForm((await guesser.get(link)).text)).toBe(false);
    const again = await open(guesser);
    await again.enter();
    current().clock.advance(hour + 1000);
    expect((await again.enter()).status).toBe(422);
  });

  it("Q27: ends after seven days, with its maker's right, by its owner, or with a newer one (36)", async () => {
    const over = async (own: Awaited<ReturnType<typeof withLink>>) => (await new Visitor().get(own.link)).status;
    const late = await withLink(current(), "server");
    expect(await over(late)).toBe(200);
    current().clock.advance(7 * day);
    expect(await over(late)).toBe(410);
    const demoted = await withLink(current());
    const setup = await demoted.opened();
    await demoted.organization.newMember("owner");
    const roles = { roles: ["admin"] };
    await demoted.send("PATCH", `${demoted.organization.path}/members/${demoted.owner.userId}`, roles);
    expect(await over(demoted)).toBe(410);
    expect((await setup.act(demoted.added)).status).toBe(410);
    expect(await demoted.waiting()).toBeUndefined();
    const replaced = await withLink(current(), "server");
    await replaced.send("POST", `${replaced.organization.path}/setup-links`, { email: replaced.email });
    expect(await over(replaced)).toBe(410);
  });

  it("is made by an owner or the server, and by nobody on behalf of a member (7)", async () => {
    const { send, organization, owner, act, newVisitor } = await withLink(current());
    const path = `${organization.path}/setup-links`;
    expect((await send("POST", `${path}?by=${owner.userId}`, { email: newEmail() })).status).toBe(403);
    const admin = await newVisitor();
    await send("PUT", `${organization.path}/members/${admin.userId}`, { roles: ["admin"] });
    expect((await act(admin.visitor, organization.id, { act: "setup-link", email: newEmail() })).status).toBe(422);
  });

  it("changes neither the provider that works, nor one that waits for the owners, nor sends their secret", async () => {
    const { opened, organization, added, active, waiting } = await withLink(current());
    const before = await storeProvider(current(), organization, company);
    const setup = await opened();
    expect((await setup.act({ ...added, clientSecret: "" })).status).toBe(422);
    await setup.act({ ...added, clientId: "another" });
    expect(await active()).toEqual(before);
    expect(await waiting()).toMatchObject({ clientId: "another" });
    const owners = await withLink(current());
    await storeProvider(current(), owners.organization, company, { state: "waiting" });
    expect((await (await owners.opened()).act(owners.added)).status).toBe(422);
    expect(await owners.waiting()).toMatchObject({ setupLinkId: null });
  });

  it("adds nothing once it has ended, also between its page and the write", async () => {
    const { opened, added, organization, send, waiting, link, owner, newVisitor } = await withLink(current());
    const setup = await opened();
    const { ctx } = current().server.app;
    const open = await setupLinks.findByLink(ctx, new URL(link).pathname.split("/").at(-1) ?? "");
    if (!open) throw new Error("no link");
    const second = await newVisitor();
    await send("PUT", `${organization.path}/members/${second.userId}`, { roles: ["owner"] });
    // The maker is demoted while the issuer is asked.
    company.instead.set("/.well-known/openid-configuration", async (received) => {
      await send("PATCH", `${organization.path}/members/${owner.userId}`, { roles: ["admin"] });
      return await company.rightAnswer(received);
    });
    expect((await setup.act(added)).status).toBe(410);
    expect(await waiting()).toBeUndefined();
    const wanted = { domain: `setup${(made += 1)}.example`, checks: false };
    const source = { ipAddress: "", userAgent: null, requestId: "" };
    await expect(setupLinks.addDomain(ctx, open, wanted, source)).rejects.toThrow("no organization");
    expect((await send("GET", `${organization.path}/domains`)).body["domains"]).toEqual([]);
  });

  it("replaces no provider that an owner set meanwhile, nor its own once an owner confirmed it", async () => {
    const { opened, added, organization, waiting } = await withLink(current());
    const setup = await opened();
    company.instead.set("/.well-known/openid-configuration", async (received) => {
      await storeProvider(current(), organization, company, { state: "waiting", clientId: "owners" });
      return await company.rightAnswer(received);
    });
    expect((await setup.act(added)).status).toBe(422);
    expect(await waiting()).toMatchObject({ setupLinkId: null, clientId: "owners" });
    company.instead.clear();
    const own = await withLink(current());
    const theirs = await own.opened();
    expect((await theirs.act(own.added)).status).toBe(303);
    expect((await theirs.act({ ...own.added, clientId: "again" })).status).toBe(303);
    const { organizationProviders: t } = current().server.app.ctx.storage.reader.tables;
    const confirmed = { worksAt: current().clock.now + day };
    await current().server.app.ctx.storage.write(async (tx) => {
      await tx.db.update(t).set(confirmed).where(eq(t.organizationId, own.organization.id));
    });
    expect((await theirs.act(own.added)).status).toBe(422);
    expect(await own.waiting()).toMatchObject({ ...confirmed, clientId: "again" });
  });

  it("gives a receiver no address of who has a link: they are no user", async () => {
    const { app, opened, added, organization } = await withLink(current());
    await createEndpoint(current(), app, {
      url: "https://receiver.example/hook",
      events: ["organization.provider.updated"],
    });
    await (await opened()).act(added);
    const { db, tables } = current().server.app.ctx.storage.reader;
    const sent = await db
      .select()
      .from(tables.webhookDeliveries)
      .where(eq(tables.webhookDeliveries.organizationId, organization.id));
    expect(sent.map(({ ipAddress, userAgent }) => [ipAddress, userAgent])).toEqual([[null, null]]);
  });

  it("says what is wrong with an issuer, and shows neither members nor a secret", async () => {
    const { opened, added, owner } = await withLink(current());
    const setup = await opened();
    const refused = await setup.act({ ...added, issuer: "https://login.microsoftonline.com/common/v2.0" });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain("an issuer of one tenant");
    for (const secret of [company.secret, owner.email]) expect(refused.text).not.toContain(secret);
  });
});
