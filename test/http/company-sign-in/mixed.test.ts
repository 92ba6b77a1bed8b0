import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import type { OrganizationProvider } from "../../../src/organizations/provider/provider.ts";
import { parseJwt } from "../../../src/tokens/jwt.ts";
import { companyConfig, useCompanyProvider } from "../../support/company-provider.ts";
import { giveTotp, withEmma, type CameTo } from "../../support/company-sign-in.ts";
import { codeAt } from "../../support/factors.ts";
import { call, Visitor } from "../../support/person.ts";
import { describeSqliteFirst, updateApp, type TestService } from "../../support/service.ts";

const company = await useCompanyProvider();
const claimsOf = (token: unknown) => parseJwt(String(token))?.claims ?? {};
const acr = (level: 1 | 2) => `urn:authsvc:acr:${level}`;

/** Emma, whose organization requires its provider, and what she does there. */
async function requiring(service: TestService, fields: Partial<OrganizationProvider> = {}, isRequired = true) {
  const emma = await withEmma(service, company, fields);
  const require = async () => {
    await service.server.app.ctx.storage.write(async ({ db, tables: { organizationProviders: t } }) => {
      await db.update(t).set({ requiredSince: 1 }).where(eq(t.organizationId, emma.organization.id));
    });
  };
  if (isRequired) await require();
  const other = await emma.newOrganization({ name: "Globex" });
  await emma.send("PUT", `${other.path}/members/${emma.userId}`, { roles: ["member"] });
  async function byOwn(visitor = new Visitor(), extra = {}): Promise<CameTo> {
    const proven = await emma.byPassword(visitor, { organization: emma.organization.id, ...extra });
    return { ...proven, page: await emma.followed(visitor, proven.page) };
  }
  /** By the password, and then by the provider. */
  async function toCode(person: Record<string, unknown> = emma.person, extra = {}): Promise<CameTo> {
    const step = await byOwn(new Visitor(), extra);
    const back = await emma.followed(step.visitor, await emma.pressed(step, person));
    return await emma.agree({ ...step, page: back });
  }
  const mixed = async (person?: Record<string, unknown>) => await emma.tokens(await toCode(person));
  async function refresh(refreshToken: string, organization?: string) {
    const body = { refreshToken, ...(organization !== undefined && { organization }) };
    return await call(service, "POST", "/auth/refresh", emma.app.headers, body);
  }
  return { ...emma, require, other, byOwn, toCode, mixed, refresh };
}

describeSqliteFirst("a login with an own proof and one of a company", { ...companyConfig, dev: true }, (current) => {
  it("is not confined, and is refreshed in its organization no longer than the company's proof lasts", async () => {
    const service = current();
    const emma = await requiring(service, { sessionSeconds: 3600 });
    const { accessToken, refreshToken } = await emma.mixed();
    expect(claimsOf(accessToken)).toMatchObject({ org_id: emma.organization.id });
    expect(claimsOf(accessToken)).not.toHaveProperty("org_confined");
    service.clock.advance(3_590_000);
    const last = await emma.refresh(refreshToken);
    expect([last.status, Number(last.body["expiresIn"]) <= 10]).toEqual([200, true]);
    service.clock.advance(11_000);
    const token = String(last.body["refreshToken"]);
    expect((await emma.refresh(token)).status).toBe(401);
    // Their own proof still opens what is theirs.
    expect((await emma.refresh(token, emma.other.id)).status).toBe(200);
  });

  it("Q26: gets no new token once its organization requires the provider, before the last one ends", async () => {
    const service = current();
    const emma = await requiring(service, {}, false);
    const { refreshToken, expiresIn } = await emma.tokens(
      await emma.byPassword(new Visitor(), { organization: emma.organization.id }),
    );
    await emma.require();
    expect([expiresIn <= 900, (await emma.refresh(refreshToken)).status]).toEqual([true, 401]);
  });

  it("stays valid by the own proof when the provider is removed, and says nothing more of its factor", async () => {
    const service = current();
    const emma = await requiring(service, { trustsSecondFactor: "amr=mfa" });
    const { accessToken, refreshToken } = await emma.mixed({ ...emma.person, amr: ["mfa"] });
    expect(claimsOf(accessToken)["acr"]).toBe(acr(2));
    await emma.send("DELETE", `${emma.organization.path}/provider`);
    service.clock.advance(1000);
    const again = await emma.refresh(refreshToken);
    expect([again.status, claimsOf(again.body["accessToken"])["acr"]]).toEqual([200, acr(1)]);
  });

  it("Q22: has two factors of the provider for its organization, and for no other, nor for the application", async () => {
    const service = current();
    const emma = await requiring(service, { trustsSecondFactor: "amr=mfa" });
    await emma.send("PATCH", emma.organization.path, { secondFactor: "required" });
    const { accessToken, refreshToken } = await emma.mixed({ ...emma.person, amr: ["mfa"] });
    expect(claimsOf(accessToken)).toMatchObject({ acr: acr(2), org_id: emma.organization.id });
    const none = await emma.refresh(refreshToken, "none");
    expect([none.status, claimsOf(none.body["accessToken"])["acr"]]).toEqual([200, acr(1)]);
    const other = await emma.refresh(String(none.body["refreshToken"]), emma.other.id);
    expect([other.status, claimsOf(other.body["accessToken"])["acr"]]).toEqual([200, acr(1)]);
    await emma.send("PATCH", emma.other.path, { secondFactor: "required" });
    const strict = await emma.refresh(String(other.body["refreshToken"]), emma.other.id);
    expect(strict.status).toBe(403);
    const back = await emma.refresh(String(other.body["refreshToken"]), emma.organization.id);
    expect([back.status, claimsOf(back.body["accessToken"])["acr"]]).toEqual([200, acr(2)]);
    await updateApp(service, emma.app, { settings: { secondFactor: "required" } });
    expect((await emma.refresh(String(back.body["refreshToken"]), emma.organization.id)).status).toBe(401);
  });

  it("begins no more at the level that a request demands, if the provider is removed before its code is used", async () => {
    const service = current();
    const emma = await requiring(service, { trustsSecondFactor: "amr=mfa" });
    const person = { ...emma.person, amr: ["mfa"] };
    const demand = { acr: acr(2) };
    expect(claimsOf((await emma.tokens(await emma.toCode(person, demand))).accessToken)["acr"]).toBe(acr(2));
    const late = await emma.toCode(person, demand);
    await emma.send("DELETE", `${emma.organization.path}/provider`);
    const code = late.page.location.searchParams.get("code") ?? "";
    const body = { code, sessionId: late.session.sessionId };
    expect((await call(service, "POST", "/auth/callback", emma.app.headers, body)).status).toBe(400);
  });

  it("takes no factor of the provider unless the server says by which claim", async () => {
    const service = current();
    const emma = await requiring(service);
    const { accessToken } = await emma.mixed({ ...emma.person, amr: ["mfa"] });
    expect(claimsOf(accessToken)["acr"]).toBe(acr(1));
  });
});

describeSqliteFirst(
  "an owner of an organization that requires its provider",
  { ...companyConfig, dev: true },
  (current) => {
    async function ownerOf(service: TestService, roles: string[]) {
      const emma = await requiring(service);
      await emma.send("PUT", `${emma.organization.path}/members/${emma.userId}`, { roles });
      return emma;
    }
    const company = "asks its members to sign in by its own provider";

    it("enters without it by an own proof and a second factor used in that sign-in (57)", async () => {
      const service = current();
      const emma = await ownerOf(service, ["owner"]);
      // Without a factor, the provider is asked for.
      expect((await emma.byOwn()).page.text).toContain(company);
      const { key } = await giveTotp(service, emma);
      const step = await emma.byOwn();
      const code = codeAt(key, service.clock.now);
      const page = await emma.followed(step.visitor, await step.visitor.submit(step.page, "/step/code", { code }));
      const { accessToken, refreshToken } = await emma.tokens({ ...step, page });
      expect(claimsOf(accessToken)).toMatchObject({ org_id: emma.organization.id, acr: acr(2) });
      expect((await emma.refresh(refreshToken)).status).toBe(200);
      // As an admin, the same login is one no longer.
      await emma.send("PUT", `${emma.organization.path}/members/${emma.userId}`, { roles: ["admin"] });
      expect((await emma.refresh(refreshToken)).status).toBe(401);
    });

    it("is asked for the factor in a browser that is trusted, too", async () => {
      const service = current();
      const emma = await ownerOf(service, ["owner"]);
      const { key } = await giveTotp(service, emma);
      await updateApp(service, emma.app, { settings: { trustBrowsersDays: 30 } });
      const visitor = new Visitor();
      const first = await emma.byPassword(visitor, { organization: emma.other.id });
      const asked = await emma.followed(visitor, first.page);
      const fields = { code: codeAt(key, service.clock.now), trust: "yes" };
      await emma.tokens({
        ...first,
        page: await emma.followed(visitor, await visitor.submit(asked, "/step/code", fields)),
      });
      const trusted = await emma.byPassword(visitor, { organization: emma.other.id });
      expect(await emma.tokens(trusted)).toBeDefined();
      const owner = await emma.byOwn(visitor);
      expect(owner.page.text).toContain("/step/code");
    });

    it("is nobody else: an admin with a second factor is led to the provider", async () => {
      const service = current();
      const emma = await ownerOf(service, ["admin"]);
      const { key } = await giveTotp(service, emma);
      const step = await emma.byOwn();
      const code = codeAt(key, service.clock.now);
      const page = await emma.followed(step.visitor, await step.visitor.submit(step.page, "/step/code", { code }));
      expect(page.text).toContain(company);
    });
  },
);
