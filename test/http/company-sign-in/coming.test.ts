import { expect, it } from "vitest";
import { companyConfig, employee, useCompanyProvider } from "../../support/company-provider.ts";
import { withCompanySignIn } from "../../support/company-sign-in.ts";
import { comparable } from "../../support/mail-flows.ts";
import { codeInMailbox, goodPassword, initiate, Visitor } from "../../support/person.ts";
import { describeEachDatabase } from "../../support/service.ts";

const company = await useCompanyProvider();

describeEachDatabase("a first sign-in by a company's provider", { ...companyConfig, dev: true }, (current) => {
  it("Q24: names organization, domain and host before, the person after, and opens the organization", async () => {
    const acme = await withCompanySignIn(current(), company);
    const email = acme.at("ada");
    await acme.invite(email);
    const came = await acme.typed(email);
    const host = new URL(company.issuer).host;
    for (const shown of ["Initech", acme.domain, host]) expect(came.page.text).toContain(shown);
    const after = {
      ...came,
      page: await acme.followed(came.visitor, await acme.pressed(came, employee("a-1", email))),
    };
    for (const shown of ["Initech", acme.domain, host, email]) expect(after.page.text).toContain(shown);
    expect(await acme.membersOf()).not.toContain(email);
    const done = await acme.agree(after);
    const tokens = await acme.tokens(done);
    expect(tokens).toMatchObject({ organization: { id: acme.organization.id, roles: ["member"] } });
    expect(await acme.membersOf()).toContain(email);
    expect(company.complaints).toEqual([]);
  });

  it("Q24: comes back without a page in the browser that came before as this person, and with one in another", async () => {
    const acme = await withCompanySignIn(current(), company);
    const { email, subject, visitor } = await acme.newcomer("bea");
    const again = await acme.come(email, employee(subject, email), visitor);
    expect((await acme.tokens(again)).organization).toMatchObject({ id: acme.organization.id });
    const elsewhere = await acme.come(email, employee(subject, email));
    expect(elsewhere.page.status).toBe(200);
    // Another person in the known browser is named first, too.
    await acme.invite(acme.at("eve"));
    const other = await acme.come(email, employee("other", acme.at("eve")), visitor);
    expect(other.page.text).toContain(acme.at("eve"));
  });

  it("makes nothing of somebody who is not invited, and says whom to ask (53)", async () => {
    const acme = await withCompanySignIn(current(), company);
    const email = acme.at("stranger");
    const { page } = await acme.come(email, employee("x", email));
    expect([page.status, page.text.includes("Ask the person who manages it")]).toEqual([403, true]);
    expect(await acme.userOf(email)).toBeUndefined();
  });

  it("joins by the domain where it is on, also with closed sign-up", async () => {
    const acme = await withCompanySignIn(current(), company, {}, { signUp: "closed" });
    await acme.send("PATCH", `${acme.organization.path}/domains/${acme.domain}`, { join: "on" });
    current().clock.advance(1000);
    const email = acme.at("cleo");
    const done = await acme.agree(await acme.come(email, employee("c", email)));
    expect((await acme.tokens(done)).organization).toMatchObject({ roles: ["member"] });
  });

  it("proves the mailbox once where the provider does not say that the address is verified", async () => {
    const acme = await withCompanySignIn(current(), company);
    const email = acme.at("dan");
    await acme.invite(email);
    const person = { sub: "d", email };
    const came = await acme.come(email, person);
    expect(came.page.text).not.toContain("/company/agree");
    const asked = await acme.followed(came.visitor, await came.visitor.submit(came.page, "/company/mail", {}));
    const code = await codeInMailbox(current().url, email);
    const page = await acme.followed(came.visitor, await came.visitor.submit(asked, "/company/code", { code }));
    expect(await acme.tokens(await acme.agree({ ...came, page }))).toBeDefined();
  });

  it("keeps the same person when the provider names another address, and their own address", async () => {
    const acme = await withCompanySignIn(current(), company);
    const { email, subject } = await acme.newcomer("fay");
    const renamed = acme.at("fay-new");
    const done = await acme.agree(await acme.come(renamed, employee(subject, renamed)));
    expect((await acme.tokens(done)).user).toMatchObject({ email });
  });

  it("leaves own methods two presses away, also when the provider is down", async () => {
    const acme = await withCompanySignIn(current(), company);
    const email = acme.at("gus");
    await acme.account(email);
    company.instead.set("/.well-known/openid-configuration", () => ({ status: 503 }));
    const came = await acme.typed(email);
    const failing = await came.visitor.submit(came.page, "/company", {});
    expect(failing.status).toBe(400);
    const own = await came.visitor.get(`${came.session.authUrl}?own=1`);
    const page = await came.visitor.submit(own, "/password", { email, password: goodPassword });
    expect((await acme.tokens({ ...came, page })).user).toMatchObject({ email });
  });

  it("Q29: answers an address of its domain by the domain alone, before any proof and on the page after (58, 59)", async () => {
    const acme = await withCompanySignIn(current(), company);
    const linked = (await acme.newcomer("hal")).email;
    const [member, stranger, disabled, invited] = [acme.at("ian"), acme.at("joy"), acme.at("kim"), acme.at("leo")];
    await acme.account(member, ["owner"]);
    await acme.send("PATCH", `/users/${await acme.account(disabled)}`, { disabled: true });
    await acme.invite(invited);
    const answers: string[] = [];
    for (const email of [linked, member, stranger, disabled, invited]) {
      const came = await acme.typed(email);
      const again = await came.visitor.get(`${came.session.authUrl}/company`);
      for (const page of [came.page, again]) {
        const text = comparable(page, { ...came, email });
        answers.push(`${page.status} ${text.replaceAll(/[\w-]{43}/gu, "SECRET")}`);
      }
      expect(came.page.text).toContain(acme.organization.id);
    }
    expect(new Set(answers.filter((_answer, at) => at % 2 === 0)).size).toBe(1);
    expect(new Set(answers.filter((_answer, at) => at % 2 === 1)).size).toBe(1);
  });

  it("Q29: leads a demanded organization there with the server's key only, or in a browser that came before", async () => {
    const acme = await withCompanySignIn(current(), company);
    const organization = acme.organization.slug;
    const session = await initiate(current(), acme.app, { organization });
    expect(new URL(session.authUrl).pathname).toMatch(/\/company$/u);
    expect((await new Visitor().get(session.authUrl)).text).toContain(new URL(company.issuer).host);
    const { client, url } = await acme.openIdClient();
    expect(client.companySignIn).toBe(true);
    const stranger = new Visitor();
    const page = await acme.followed(stranger, await stranger.get(url({ organization })));
    expect(page.text).not.toContain(new URL(company.issuer).host);
    expect(page.text).not.toContain("Initech");
  });
});
