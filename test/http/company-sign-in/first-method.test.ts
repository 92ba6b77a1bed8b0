import { and, eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { companyConfig, useCompanyProvider } from "../../support/company-provider.ts";
import { giveTotp, withEmma } from "../../support/company-sign-in.ts";
import { codeAt, wrongCodeAt } from "../../support/factors.ts";
import { codeInMailbox, goodPassword } from "../../support/person.ts";
import { describeEachDatabase, type TestService } from "../../support/service.ts";

const company = await useCompanyProvider();
const given = { ...companyConfig, dev: true };

describeEachDatabase("the door by the mailbox", given, (current) => {
  /** Somebody whom only the company signs in, and who has a second factor. */
  async function withoutMethod(service: TestService) {
    const emma = await withEmma(service, company);
    const { key } = await giveTotp(service, emma);
    await service.server.app.ctx.storage.write(async ({ db, tables: { passwords } }) => {
      await db.delete(passwords).where(eq(passwords.userId, emma.userId));
    });
    const { visitor, session } = await emma.typed(emma.email);
    const form = await visitor.get(`${session.authUrl}/first-method`);
    const asked = await emma.followed(visitor, await visitor.submit(form, "/first-method", { email: emma.email }));
    const mailed = await codeInMailbox(service.url, emma.email);
    return { ...emma, key, visitor, asked, mailed };
  }

  it("takes the second factor where one is set, and no guess of it", async () => {
    const service = current();
    company.clock = () => service.clock.now;
    const { key, visitor, asked, mailed, followed, userId } = await withoutMethod(service);
    const step = await visitor.submit(asked, "/first-method/code", { code: mailed });
    expect([step.status, step.text.includes('name="mailed"')]).toEqual([200, true]);
    const wrong = await visitor.submit(step, "/first-method/code", { code: wrongCodeAt(key, service.clock.now) });
    expect([wrong.status, wrong.location.pathname.startsWith("/invite/")]).toEqual([422, false]);
    service.clock.advance(60_000);
    const right = await visitor.submit(wrong, "/first-method/code", { code: codeAt(key, service.clock.now) });
    const choose = await followed(visitor, right);
    expect([right.status, choose.status]).toEqual([303, 200]);
    const { token = "" } = choose.form(new URL(choose.url).pathname).fields;
    const form = await followed(visitor, await visitor.post(choose.url, { token, adds: "password" }));
    await visitor.submit(form, "/add/password", { password: goodPassword });
    const { db, tables } = service.server.app.ctx.storage.reader;
    const [user] = await db.select().from(tables.users).where(eq(tables.users.id, userId));
    expect(user?.mailedMethodAt).toBe(service.clock.now);
  });

  it("makes nothing without the factor, also if it is left out of the form", async () => {
    const service = current();
    company.clock = () => service.clock.now;
    const { visitor, asked, mailed, userId } = await withoutMethod(service);
    const { action, fields } = asked.form("/first-method/code");
    const address = new URL(action, asked.url).href;
    for (const sent of [{ code: mailed }, { code: "", mailed }, { code: mailed, mailed: "" }]) {
      const page = await visitor.post(address, Object.assign({ ...fields }, sent));
      expect(page.status).not.toBe(303);
    }
    const { db, tables } = service.server.app.ctx.storage.reader;
    const { emailTokens: t } = tables;
    expect(
      await db
        .select()
        .from(t)
        .where(and(eq(t.userId, userId), eq(t.purpose, "invite"))),
    ).toEqual([]);
  });
});
