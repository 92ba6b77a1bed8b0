import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { findOrganization } from "../../../src/organizations/store.ts";
import * as relinks from "../../../src/companies/relinks.ts";
import { companyConfig, employee, useCompanyProvider } from "../../support/company-provider.ts";
import { giveTotp, withCompanySignIn, withEmma, type CameTo } from "../../support/company-sign-in.ts";
import { codeAt, wrongCodeAt } from "../../support/factors.ts";
import { codeInMailbox, goodPassword } from "../../support/person.ts";
import { answerTerms, someTerms, team } from "../../support/waiting-steps.ts";
import { describeSqliteFirst, updateApp, type TestService } from "../../support/service.ts";

const company = await useCompanyProvider();
const given = { ...companyConfig, dev: true };
const day = 86_400_000;
type Acme = Awaited<ReturnType<typeof withCompanySignIn>>;

async function organizationOf({ server }: TestService, { organization }: Pick<Acme, "organization">) {
  const found = await findOrganization(server.app.ctx.storage.reader, organization.id);
  if (!found) throw new Error("no organization");
  return found;
}

async function profileOf({ server }: TestService, email: string): Promise<unknown> {
  const { db, tables } = server.app.ctx.storage.reader;
  const [row] = await db
    .select({ profile: tables.users.profile })
    .from(tables.users)
    .where(eq(tables.users.email, email));
  if (!row) throw new Error("no user");
  return row.profile;
}

async function proveByMail(service: TestService, acme: Acme, came: CameTo, email: string): Promise<CameTo> {
  const { visitor, page } = came;
  const asked = await acme.followed(visitor, await visitor.submit(page, "/company/mail", {}));
  const code = await codeInMailbox(service.url, email);
  return { ...came, page: await acme.followed(visitor, await visitor.submit(asked, "/company/code", { code })) };
}

describeSqliteFirst("wrong codes after a company's provider", given, (current) => {
  it("Q23: block the second factor there and nowhere else, at 100", async () => {
    const service = current();
    company.clock = () => service.clock.now;
    const emma = await withEmma(service, company);
    const { key } = await giveTotp(service, emma);
    const { ctx } = service.server.app;
    const failuresThere = async () => {
      const { db, tables } = ctx.storage.reader;
      const rows = await db.select().from(tables.organizationFactorFailures);
      return rows.find(({ userId }) => userId === emma.userId)?.failures ?? 0;
    };
    const typed = async (code: (at: number) => string) => {
      const step = await emma.came();
      service.clock.advance(3_600_000);
      // The hour of waiting is longer than a sign-in: another one types the code.
      const again = await emma.came();
      expect(step.page.text).toContain("/step/code");
      const page = await again.visitor.submit(again.page, "/step/code", { code: code(service.clock.now) });
      return { ...again, page: await emma.followed(again.visitor, page) };
    };
    expect((await typed((at) => wrongCodeAt(key, at))).page.status).toBe(422);
    expect(await failuresThere()).toBe(1);
    // The right one forgets them, and trusts no browser.
    await updateApp(service, emma.app, { settings: { trustBrowsersDays: 30 } });
    const right = await emma.came();
    service.clock.advance(60_000);
    const fields = { code: codeAt(key, service.clock.now), trust: "yes" };
    const done = await emma.followed(right.visitor, await right.visitor.submit(right.page, "/step/code", fields));
    expect(await emma.tokens({ ...right, page: done })).toBeDefined();
    expect(await failuresThere()).toBe(0);
    const { db, tables } = ctx.storage.reader;
    expect(await db.select().from(tables.trustedBrowsers)).toEqual([]);

    await typed((at) => wrongCodeAt(key, at));
    await ctx.storage.write(async (tx) => {
      const { organizationFactorFailures: t } = tx.tables;
      await tx.db.update(t).set({ failures: 99 }).where(eq(t.userId, emma.userId));
    });
    expect((await typed((at) => wrongCodeAt(key, at))).page.status).toBe(422);
    service.clock.advance(30 * day);
    const blocked = await typed((at) => codeAt(key, at));
    expect([blocked.page.status, blocked.page.location.searchParams.has("code")]).toEqual([429, false]);
    // The account's own count knows nothing of it.
    const own = await emma.byPassword();
    const step = await emma.followed(own.visitor, own.page);
    service.clock.advance(60_000);
    const code = codeAt(key, service.clock.now);
    const page = await emma.followed(own.visitor, await own.visitor.submit(step, "/step/code", { code }));
    expect(await emma.tokens({ ...own, page })).toBeDefined();
  });
});

describeSqliteFirst("a relink", given, (current) => {
  const acting = { actor: { kind: "cli", name: "test" } } as const;

  for (const [who, roles, seenAgo] of [
    ["an owner", ["owner"], 0],
    ["an admin", ["admin"], 0],
    ["somebody who was not seen for 30 days", ["member"], 31 * day],
  ] as const)
    it(`of ${who} takes an owner's word (51)`, async () => {
      const service = current();
      company.clock = () => service.clock.now;
      const { ctx } = service.server.app;
      const acme = await withCompanySignIn(service, company);
      const { email } = await acme.newcomer("mia");
      const userId = String((await acme.userOf(email))?.["id"]);
      await acme.send("PUT", `${acme.organization.path}/members/${userId}`, { roles });
      service.clock.advance(1000 + seenAgo);
      await relinks.openRelink(ctx, await organizationOf(service, acme), { userIds: [userId] }, acting);
      service.clock.advance(1000);
      const refused = await acme.come(email, employee("new", email));
      expect([refused.page.status, refused.page.text.includes("/company/mail")]).toEqual([403, false]);
      await relinks.agreeToRelink(ctx, await organizationOf(service, acme), { userId }, acting);
      // Also then only after the mailbox.
      const came = await acme.come(email, employee("new", email));
      expect(came.page.text).not.toContain("/company/agree");
      const done = await acme.agree(await proveByMail(service, acme, came, email));
      expect((await acme.tokens(done)).user).toMatchObject({ id: userId });
    });

  it("of a member who was seen lately takes none, and ends after 14 days", async () => {
    const service = current();
    company.clock = () => service.clock.now;
    const { ctx } = service.server.app;
    const acme = await withCompanySignIn(service, company);
    const { email, done } = await acme.newcomer("noa");
    await acme.tokens(done);
    const userId = String((await acme.userOf(email))?.["id"]);
    service.clock.advance(1000);
    await relinks.openRelink(ctx, await organizationOf(service, acme), { userIds: [userId] }, acting);
    service.clock.advance(1000);
    expect((await acme.come(email, employee("new", email))).page.text).toContain("/company/mail");
    service.clock.advance(14 * day);
    expect((await acme.come(email, employee("new", email))).page.status).toBe(403);
  });
});

describeSqliteFirst("what a company's provider says of a person", given, (current) => {
  it("Q23: changes nothing of the account: address, name, picture, and whether the address is proved", async () => {
    const service = current();
    company.clock = () => service.clock.now;
    const emma = await withEmma(service, company);
    const before = await emma.userOf(emma.email);
    const other = emma.at("mallory");
    const said = { ...emma.person, email: other, name: "Mallory", picture: "https://evil.example/x.png", locale: "de" };
    await emma.tokens(await emma.agree(await emma.come(other, said)));
    expect(await emma.userOf(other)).toBeUndefined();
    const after = await emma.userOf(emma.email);
    const kept = (user: typeof before) => ({ ...user, lastLoginAt: null, updatedAt: null });
    expect(kept(after)).toEqual(kept(before));
  });
});

describeSqliteFirst("what an account has to answer", given, (current) => {
  it("Q23: is no company's to answer: who has a way to sign in of their own proves that before the terms", async () => {
    const service = current();
    const emma = await withEmma(service, company);
    await updateApp(service, emma.app, { settings: { ...someTerms, profileFields: [team] } });
    const { page, visitor, session } = await emma.came();
    expect([page.text.includes("/step/terms"), page.text.includes("/step/password")]).toEqual([false, true]);
    const { token = "" } = page.form("/step/password").fields;
    for (const step of ["terms", "profile"])
      await visitor.post(`${session.authUrl}/step/${step}`, {
        token,
        answer: "yes",
        version: "1",
        "profile-team": "x",
      });
    const { db, tables } = service.server.app.ctx.storage.reader;
    expect(await db.select().from(tables.termsAnswers).where(eq(tables.termsAnswers.userId, emma.userId))).toEqual([]);
    expect(await profileOf(service, emma.email)).toBeNull();
    const own = await visitor.submit(page, "/step/password", { password: goodPassword });
    expect((await emma.followed(visitor, own)).text).toContain("/step/terms");
  });

  it("is answered in the company's sign-in by who has no other", async () => {
    const service = current();
    const acme = await withCompanySignIn(service, company, {}, someTerms);
    const email = acme.at("zoe");
    await acme.invite(email);
    const came = await acme.agree(await acme.come(email, employee("zoe", email)));
    const page = await answerTerms(came.visitor, came.page, "yes");
    expect(await acme.tokens({ ...came, page })).toBeDefined();
  });

  it("Q23: is never the profile's: a page from before the terms were answered elsewhere writes none", async () => {
    const service = current();
    const acme = await withCompanySignIn(service, company, {}, someTerms);
    await updateApp(service, acme.app, { settings: { profileFields: [team] } });
    const email = acme.at("ivy");
    await acme.invite(email);
    const first = await acme.agree(await acme.come(email, employee("ivy", email)));
    const second = await acme.come(email, employee("ivy", email));
    const waiting = second.page.text.includes("/company/agree") ? await acme.agree(second) : second;
    expect(waiting.page.text).toContain("/step/terms");
    const { token = "" } = waiting.page.form("/step/terms").fields;
    await answerTerms(first.visitor, first.page, "yes");
    const fields = { token, "profile-team": "planted" };
    const done = await waiting.visitor.post(`${waiting.session.authUrl}/step/profile`, fields);
    expect([done.status, done.location.searchParams.has("code")]).toEqual([303, true]);
    expect(await profileOf(service, email)).toBeNull();
  });
});
