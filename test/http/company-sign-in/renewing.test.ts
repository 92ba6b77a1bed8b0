import { expect, it } from "vitest";
import { companyConfig, employee, useCompanyProvider } from "../../support/company-provider.ts";
import { withCompanySignIn } from "../../support/company-sign-in.ts";
import { codeInMailbox, goodPassword, signIn, Visitor, type Page } from "../../support/person.ts";
import { describeSqliteFirst, updateApp } from "../../support/service.ts";

const company = await useCompanyProvider();
const hours = 3_600_000;

/** Whether the browser is on its way to the provider without a page. */
function isSilent({ location }: Page): boolean {
  return location.origin === company.issuer && location.searchParams.get("prompt") === "none";
}

describeSqliteFirst("a proof by a company's provider that ended", { ...companyConfig, dev: true }, (current) => {
  it("is renewed by a redirect with prompt=none, for the same person only", async () => {
    const acme = await withCompanySignIn(current(), company, { sessionSeconds: 3600 });
    const { client, url } = await acme.openIdClient();
    const { visitor, email, subject } = await acme.newcomer("ada");
    const organization = acme.organization.id;
    const live = await visitor.get(url({ organization }));
    expect(live.location.href).toContain(client.redirectUris[0]);
    current().clock.advance(2 * hours);
    const away = await visitor.get((await visitor.get(url({ organization }))).location.href);
    expect([isSilent(away), away.location.searchParams.get("login_hint")]).toEqual([true, email]);
    company.person = employee(subject, email);
    const back = await visitor.get((await company.visit(away.location.href)).href);
    expect([
      back.location.href.startsWith(client.redirectUris[0] ?? "-"),
      back.location.searchParams.has("code"),
    ]).toEqual([true, true]);
    // Another subject ends it: a page names who came.
    current().clock.advance(2 * hours);
    await acme.invite(acme.at("eve"));
    const again = await visitor.get((await visitor.get(url({ organization }))).location.href);
    company.person = employee("eve", acme.at("eve"));
    const other = await acme.followed(visitor, await visitor.get((await company.visit(again.location.href)).href));
    expect([other.status, other.text.includes(acme.at("eve"))]).toEqual([200, true]);
  });

  it("Q26: is out for somebody who was disabled there, who gets a page and no token", async () => {
    const acme = await withCompanySignIn(current(), company, { sessionSeconds: 3600 });
    const { url } = await acme.openIdClient();
    const { visitor } = await acme.newcomer("bob");
    current().clock.advance(2 * hours);
    const away = await visitor.get((await visitor.get(url())).location.href);
    expect(isSilent(away)).toBe(true);
    company.person = undefined;
    const page = await acme.followed(visitor, await visitor.get((await company.visit(away.location.href)).href));
    expect([page.status, page.text.includes(new URL(company.issuer).host)]).toEqual([200, true]);
  });

  it("is not renewed by itself after a sign-out, nor with prompt=login", async () => {
    const acme = await withCompanySignIn(current(), company, { sessionSeconds: 3600 });
    const { url } = await acme.openIdClient();
    const { visitor } = await acme.newcomer("cho");
    const out = visitor.copy();
    const asked = await out.get(`${current().url}/oauth2/end-session`);
    await out.submit(asked, "/end-session/confirm", {});
    current().clock.advance(2 * hours);
    const signedOut = await acme.followed(out, await out.get(url()));
    expect([signedOut.status, signedOut.text.includes("/password")]).toEqual([200, true]);
    const page = await acme.followed(visitor, await visitor.get(url({ prompt: "login" })));
    expect(page.status).toBe(200);
  });

  it("stands beside an own one: a person with a password switches to the company and back without a page", async () => {
    const acme = await withCompanySignIn(current(), company, { requiredSince: 1 });
    const own = await acme.newOrganization({ name: "Globex" });
    const { client, url } = await acme.openIdClient();
    const email = acme.at("dee");
    const id = await acme.account(email);
    await acme.send("PUT", `${own.path}/members/${id}`, { roles: ["member"] });
    const visitor = new Visitor();
    const page = await acme.followed(visitor, await visitor.get(url({ organization: own.id })));
    const ownPage = await visitor.get(`${page.url}?own=1`);
    const signedIn = await visitor.submit(ownPage, "/password", { email, password: goodPassword });
    expect(signedIn.location.searchParams.has("code")).toBe(true);
    // The company wants its own provider, and the person proved themselves already.
    const step = await acme.followed(visitor, await visitor.get(url({ organization: acme.organization.id })));
    expect(step.text).toContain("asks its members to sign in by its own provider");
    const session = { authUrl: step.url, sessionId: "", expiresAt: "" };
    const back = await acme.pressed({ visitor, page: step, session }, employee("d", email));
    const linked = await acme.followed(visitor, back);
    const done = await visitor.submit(linked, "/company/agree", {});
    expect(done.location.searchParams.has("code")).toBe(true);
    for (const organization of [own.id, acme.organization.id, own.id]) {
      const switched = await visitor.get(url({ organization }));
      expect([
        switched.location.href.startsWith(client.redirectUris[0] ?? "-"),
        switched.location.searchParams.has("code"),
      ]).toEqual([true, true]);
    }
  });

  it("by somebody else at the provider than here is refused", async () => {
    const acme = await withCompanySignIn(current(), company, { requiredSince: 1 });
    const { url } = await acme.openIdClient();
    const email = acme.at("eli");
    await acme.account(email);
    await acme.newcomer("fox");
    const visitor = new Visitor();
    const page = await acme.followed(visitor, await visitor.get(url({ organization: acme.organization.id })));
    const ownPage = await visitor.get(`${page.url}?own=1`);
    const step = await acme.followed(
      visitor,
      await visitor.submit(ownPage, "/password", { email, password: goodPassword }),
    );
    const session = { authUrl: step.url, sessionId: "", expiresAt: "" };
    const back = await acme.pressed({ visitor, page: step, session }, employee("sub-fox", acme.at("fox")));
    expect([back.status, back.text.includes("you are somebody else than here")]).toEqual([403, true]);
  });

  it("fails with words when the secret has expired, and works again with another secret", async () => {
    const acme = await withCompanySignIn(current(), company);
    const email = acme.at("gus");
    await acme.invite(email);
    company.secret = "changed-there";
    const came = await acme.typed(email);
    const failed = await acme.pressed(came, employee("g", email));
    expect([failed.status, failed.text.includes("didn&#39;t answer as expected")]).toEqual([400, true]);
    company.secret = "s3cret-of-company";
    const again = await acme.agree(await acme.come(email, employee("g", email)));
    expect(await acme.tokens(again)).toBeDefined();
  });
});

describeSqliteFirst("a tile of a company's page", { ...companyConfig, dev: true }, (current) => {
  it("Q24: names the company first, and ends at the application's home without a code", async () => {
    const acme = await withCompanySignIn(current(), company);
    const { email, subject } = await acme.newcomer("hal");
    const start = `${current().url}/oauth/${acme.organization.id}/start?iss=${encodeURIComponent(company.issuer)}`;
    const visitor = new Visitor();
    const page = await visitor.get(`${start}&target_link_uri=https://evil.example/`);
    for (const shown of ["Initech", acme.domain, new URL(company.issuer).host]) expect(page.text).toContain(shown);
    company.person = employee(subject, email);
    const left = await visitor.submit(page, "/start", {});
    const address = /0; url=(.*)$/u.exec(left.headers.get("refresh") ?? "")?.[1] ?? "";
    const back = await acme.followed(visitor, await visitor.get((await company.visit(address)).href));
    const done = await visitor.submit(back, "/company/agree", {});
    const home = new URL(acme.app.redirectUri).origin;
    expect([done.location.origin, done.location.search]).toEqual([home, `?organization=${acme.organization.id}`]);
    const { url } = await acme.openIdClient();
    const signedIn = await visitor.get(url({ organization: acme.organization.id }));
    expect(signedIn.location.searchParams.has("code")).toBe(true);
  });

  it("stays a sign-in for somebody invited who chooses a password instead", async () => {
    const acme = await withCompanySignIn(current(), company);
    const email = acme.at("kim");
    await acme.account(email, null);
    await acme.invite(email);
    const visitor = new Visitor();
    const page = await visitor.get(`${current().url}/oauth/${acme.organization.id}/start`);
    const left = await visitor.submit(page, "/start", {});
    const address = /0; url=(.*)$/u.exec(left.headers.get("refresh") ?? "")?.[1] ?? "";
    const state = new URL(address).searchParams.get("state") ?? "";
    const cancelled = `${current().url}/oauth/${acme.organization.id}/callback?error=access_denied&state=${state}`;
    const back = await acme.followed(visitor, await visitor.get(cancelled));
    const own = /href="([^"]*own=1)"/u.exec(back.text)?.[1] ?? "";
    const ways = await visitor.get(new URL(own, current().url).href);
    const done = await acme.followed(
      visitor,
      await visitor.submit(ways, "/password", { email, password: goodPassword }),
    );
    expect([done.status === 400, done.text.includes("doesn't work")]).toEqual([false, false]);
  });

  it("refuses another issuer, and an organization without a provider", async () => {
    const acme = await withCompanySignIn(current(), company);
    const start = `${current().url}/oauth/${acme.organization.id}/start`;
    expect((await new Visitor().get(`${start}?iss=https://evil.example`)).status).toBe(400);
    const without = await acme.newOrganization();
    expect((await new Visitor().get(`${current().url}/oauth/${without.id}/start`)).status).toBe(404);
  });
});

describeSqliteFirst(
  "the door for people whom only their company signs in",
  { ...companyConfig, dev: true },
  (current) => {
    async function toCode(acme: Awaited<ReturnType<typeof withCompanySignIn>>, email: string) {
      const { visitor, session, page } = await acme.typed(email);
      expect(page.text).toContain("?own=1");
      const own = await visitor.get(`${session.authUrl}?own=1`);
      expect(own.text).toContain("/first-method");
      const form = await visitor.get(`${session.authUrl}/first-method`);
      const asked = await acme.followed(visitor, await visitor.submit(form, "/first-method", { email }));
      return { visitor, asked };
    }

    it("makes a first password by a mailed code, once", async () => {
      const acme = await withCompanySignIn(current(), company);
      const { email } = await acme.newcomer("ida");
      const { visitor, asked } = await toCode(acme, email);
      const code = await codeInMailbox(current().url, email);
      const choose = await acme.followed(visitor, await visitor.submit(asked, "/first-method/code", { code }));
      const { token = "" } = choose.form(new URL(choose.url).pathname).fields;
      const form = await acme.followed(visitor, await visitor.post(choose.url, { token, adds: "password" }));
      await visitor.submit(form, "/add/password", { password: goodPassword });
      await updateOff(acme);
      expect((await signIn(current(), acme.app, { email })).code).not.toBe("");
      await updateOn(acme);
      const again = await toCode(acme, email);
      const second = await codeInMailbox(current().url, email, code);
      const over = await again.visitor.submit(again.asked, "/first-method/code", { code: second });
      expect([over.status, over.text.includes("already has a way to sign in")]).toEqual([422, true]);
    });

    it("looks the same for an unknown address", async () => {
      const acme = await withCompanySignIn(current(), company);
      const { asked } = await toCode(acme, acme.at("nobody"));
      expect([asked.status, asked.text.includes("/first-method/code")]).toEqual([200, true]);
    });

    async function updateOff({ app }: { app: Parameters<typeof updateApp>[1] }) {
      await updateApp(current(), app, { settings: { companySignIn: "off" } });
    }
    async function updateOn({ app }: { app: Parameters<typeof updateApp>[1] }) {
      await updateApp(current(), app, { settings: { companySignIn: "on" } });
    }
  },
);
