import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import * as provider from "../../../src/companies/service.ts";
import type { Providers } from "../../../src/companies/service.ts";
import * as audit from "../../../src/records/audit/audit.ts";
import { asMember } from "../../../src/organizations/organization.ts";
import { findOrganization } from "../../../src/organizations/store.ts";
import { findUser } from "../../../src/users/store.ts";
import {
  type CompanyProvider,
  companyConfig,
  employee,
  proveDomain,
  useCompanyProvider,
} from "../../support/company-provider.ts";
import { ofProviderPage } from "../../support/company-sign-in.ts";
import { proveAt } from "../../support/account.ts";
import { useMailServer } from "../../support/mail.ts";
import { follow } from "../../support/mail-flows.ts";
import { withOrganizationPages } from "../../support/organizations.ts";
import type { Visitor } from "../../support/person.ts";
import { until } from "../../support/receiver.ts";
import { describeSqliteFirst, updateApp, type TestService } from "../../support/service.ts";

const mailServer = await useMailServer();
const [first, second] = [await useCompanyProvider(), await useCompanyProvider()];
const day = 86_400_000;

/** A company with two owners, and its proved domain. */
async function having(service: TestService) {
  first.clock = second.clock = () => service.clock.now;
  const all = await withOrganizationPages(service, { companySignIn: "on" });
  const { userId: owner, visitor, email } = await all.newVisitor();
  const { userId: other, visitor: asOther } = await all.newVisitor();
  const organization = await all.newOrganization({ owner });
  await all.send("PUT", `${organization.path}/members/${other}`, { roles: ["owner"] });
  await proveDomain(service, organization, email.split("@")[1] ?? "");
  return {
    ...all,
    ...organization,
    service,
    owner,
    visitor,
    email,
    other,
    asOther,
    ...ofProviderPage(service, all.app, organization.id),
  };
}

const fieldsOf = ({ issuer, clientId, secret }: CompanyProvider) => {
  return { act: "set", issuer, clientId, clientSecret: secret };
};

/** Presses "Try it", signs in there, and comes back. */
async function tries(
  { tryAddress, service }: Pick<Awaited<ReturnType<typeof having>>, "tryAddress" | "service">,
  visitor: Visitor,
  at: CompanyProvider,
): Promise<string> {
  const back = await at.visit(await tryAddress(visitor));
  return (await visitor.get(service.url + back.pathname + back.search)).text;
}

describeSqliteFirst("the provider of an organization", { mail: mailServer.mail, ...companyConfig }, (current) => {
  it("is set, tried, confirmed and demanded by an owner on the page, without code", async () => {
    const all = await having(current());
    const { send, path, visitor, email, page, press } = all;
    const shown = async () => (await send("GET", `${path}/provider`)).body as unknown as Providers;
    expect(
      (await press(visitor, { ...fieldsOf(first), issuer: "https://login.microsoftonline.com/common/v2.0" })).status,
    ).toBe(422);
    expect((await press(visitor, fieldsOf(first))).status).toBe(303);
    expect(await shown()).toMatchObject({ provider: null, waiting: { issuer: first.issuer, setterId: all.owner } });
    expect(await page(visitor)).toContain((await shown()).callbackUrl);
    // Nothing counts before it was tried.
    expect((await press(visitor, { act: "confirm", issuer: first.issuer })).status).toBe(422);
    first.person = { ...employee("s1", email), email: "eve@other.example" };
    expect(await tries(all, visitor, first)).toContain("speaks only for addresses of confirmed domains");
    expect((await shown()).waiting?.triedAt).toBeNull();
    first.person = employee("s1", email);
    expect(await tries(all, visitor, first)).toContain("opens the organization as you");
    expect((await press(visitor, { act: "confirm", issuer: first.issuer, required: "on" })).status).toBe(303);
    expect(await shown()).toMatchObject({
      provider: { issuer: first.issuer, requiredSince: expect.any(String), triedAt: expect.any(String) },
      waiting: null,
    });
    expect([first.complaints, await page(visitor)]).toEqual([[], expect.not.stringContaining(first.secret)]);
    const [entry] = await audit.list(current().server.app.ctx, { action: "organization.provider.try", limit: 1 });
    expect(entry).toMatchObject({ actor: `user:${all.owner}`, ipAddress: "127.0.0.1", requestId: expect.any(String) });
  });

  it("Q27: is an owner's, who proved themselves; an admin, a member and `by` get nothing (35, 36, 50)", async () => {
    const { send, path, newVisitor, visitor, email, other, page, press, url } = await having(current());
    for (const roles of [["admin"], ["member"]]) {
      const { userId, visitor: asOther } = await newVisitor();
      await send("PUT", `${path}/members/${userId}`, { roles });
      expect((await press(asOther, fieldsOf(first))).status).toBe(404);
    }
    for (const [method, way] of [
      ["GET", ""],
      ["DELETE", ""],
      ["POST", "/test"],
      ["POST", "/confirm"],
    ] as const)
      expect(
        (await send(method, `${path}/provider${way}?by=${other}`, method === "POST" ? { issuer: "x" } : undefined))
          .status,
      ).not.toBe(200);
    const { issuer, clientId, secret: clientSecret } = first;
    expect((await send("PUT", `${path}/provider?by=${other}`, { issuer, clientId, clientSecret })).status).toBe(403);
    current().clock.advance(day / 24);
    // An unattended browser proves nothing.
    expect((await press(visitor, fieldsOf(first))).location.pathname).toMatch(/^\/sign-in\//u);
    // The proof is asked for before anything is entered, and leads back to the form.
    const asked = await visitor.get(url);
    expect(asked.location.pathname).toMatch(/^\/sign-in\//u);
    const proven = await follow(visitor, await proveAt(visitor, asked, email));
    expect(proven.location.href).toBe(url);
    expect(await page(visitor)).toContain('name="clientSecret"');
    expect((await send("GET", `${path}/provider`)).body).toMatchObject({ provider: null, waiting: null });
  });

  it("Q27: is demanded only by an owner whom it let in within the hour (57)", async () => {
    const all = await having(current());
    const { visitor, email, press, send, path, asOther } = all;
    await press(visitor, fieldsOf(first));
    first.person = employee("s57", email);
    await tries(all, visitor, first);
    await press(visitor, { act: "confirm", issuer: first.issuer });
    // The other owner never signed in by it.
    expect((await press(asOther, { act: "require", required: "on" })).text).toContain("Sign in by the provider first");
    expect((await press(visitor, { act: "require", required: "on" })).status).toBe(303);
    expect((await send("GET", `${path}/provider`)).body).toMatchObject({
      provider: { requiredSince: expect.any(String) },
    });
    expect((await press(asOther, { act: "require" })).status).toBe(303);
    expect((await send("GET", `${path}/provider`)).body).toMatchObject({ provider: { requiredSince: null } });
  });

  it("Q27: another issuer is mailed to all owners, and works after a day unless a second owner agrees", async () => {
    const all = await having(current());
    const { service, visitor, asOther, email, press, send, path } = all;
    const { ctx } = service.server.app;
    const issuer = async () => ((await send("GET", `${path}/provider`)).body as unknown as Providers).provider?.issuer;
    await press(visitor, fieldsOf(first));
    first.person = second.person = employee("s1", email);
    await tries(all, visitor, first);
    await press(visitor, { act: "confirm", issuer: first.issuer });
    await press(visitor, fieldsOf(second));
    await tries(all, visitor, second);
    await press(visitor, { act: "confirm", issuer: second.issuer });
    expect(await issuer()).toBe(first.issuer);
    await until(() => mailServer.to(email).some(({ subject }) => subject.includes("Another sign-in")));
    // The owner who set it cannot agree to it.
    expect((await press(visitor, { act: "agree", issuer: second.issuer })).status).toBe(422);
    // Nor somebody whom they made an owner within the day.
    expect((await press(asOther, { act: "agree", issuer: second.issuer })).status).toBe(422);
    await ctx.storage.write(async ({ db, tables: { organizationMembers: t } }) => {
      const ownerSince = service.clock.now - day;
      await db.update(t).set({ ownerSince }).where(eq(t.userId, all.other));
    });
    await provider.beginDue(ctx);
    expect(await issuer()).toBe(first.issuer);
    expect((await press(asOther, { act: "agree", issuer: second.issuer })).status).toBe(303);
    expect(await issuer()).toBe(second.issuer);
    // A removal does not shorten the way back to an issuer that knows people here.
    service.clock.advance(1000);
    await press(visitor, { act: "remove" });
    await press(visitor, fieldsOf(first));
    await tries(all, visitor, first);
    await press(visitor, { act: "confirm", issuer: first.issuer });
    expect(await issuer()).toBeUndefined();
    service.clock.advance(day + 1);
    await provider.beginDue(ctx);
    expect(await issuer()).toBe(first.issuer);
  });

  it("that waits begins only while its setter is an owner, with what is demanded by then", async () => {
    const all = await having(current());
    const { service, visitor, email, press, send, path, owner } = all;
    const { ctx } = service.server.app;
    const shown = async () => (await send("GET", `${path}/provider`)).body as unknown as Providers;
    await press(visitor, fieldsOf(first));
    first.person = second.person = employee("s6", email);
    await tries(all, visitor, first);
    await press(visitor, { act: "confirm", issuer: first.issuer, required: "on" });
    expect((await shown()).provider?.requiredSince).not.toBeNull();
    await press(visitor, fieldsOf(second));
    expect((await shown()).waiting?.requiredSince).toBeNull();
    await tries(all, visitor, second);
    await press(visitor, { act: "confirm", issuer: second.issuer, required: "on" });
    // The demand ends during the day, and does not come back with the other provider.
    await press(visitor, { act: "require" });
    expect((await shown()).provider?.requiredSince).toBeNull();
    await send("PATCH", `${path}/members/${owner}`, { roles: ["member"] });
    service.clock.advance(day + 1);
    await provider.beginDue(ctx);
    expect(await shown()).toMatchObject({ provider: { issuer: first.issuer }, waiting: { worksAt: null } });
    await send("PATCH", `${path}/members/${owner}`, { roles: ["owner"] });
    const organization = await findOrganization(ctx.storage.reader, all.id);
    if (!organization) throw new Error("no organization");
    await provider.confirm(ctx, organization, { issuer: second.issuer }, asMember(owner));
    service.clock.advance(day + 1);
    await provider.beginDue(ctx);
    expect((await shown()).provider).toMatchObject({ issuer: second.issuer, requiredSince: null });
  });

  it("is mailed to all owners when it is the first; another client of it to the other owners", async () => {
    const all = await having(current());
    const { visitor, email, press, other, service } = all;
    const others = (await findUser(service.server.app.ctx.storage.reader, other))?.email ?? "";
    const mails = (to: string) => mailServer.to(to).filter(({ subject }) => subject.includes("Another sign-in")).length;
    const both = () => [mails(email), mails(others)];
    await press(visitor, fieldsOf(first));
    first.person = employee("s14", email);
    await tries(all, visitor, first);
    expect((await press(visitor, { act: "confirm", issuer: first.issuer })).status).toBe(303);
    await until(() => both().join() === "1,1");
    await press(visitor, { ...fieldsOf(first), clientSecret: "another" });
    await press(visitor, { ...fieldsOf(first), clientId: "client-2" });
    await until(() => both().join() === "1,2");
    await press(visitor, { ...fieldsOf(first), clientId: "client-2", fixed: "on" });
    await until(() => both().join() === "1,3");
  });

  it("of the server works at once; another secret keeps its proofs, another issuer ends them", async () => {
    const { send, path, service, owner, id } = await having(current());
    const put = async (at: CompanyProvider, more: object = {}) =>
      await send("PUT", `${path}/provider`, {
        issuer: at.issuer,
        clientId: at.clientId,
        clientSecret: at.secret,
        ...more,
      });
    const { ctx } = service.server.app;
    const { findProvider } = await import("../../../src/organizations/provider/provider-store.ts");
    expect((await put(first, { sessionSeconds: 299 })).status).toBe(400);
    expect((await put(first)).body).toMatchObject({
      provider: { issuer: first.issuer, sessionSeconds: 43_200 },
      waiting: null,
    });
    const { proofsFrom } = (await findProvider(ctx.storage.reader, id)) ?? {};
    service.clock.advance(1000);
    expect((await put(first, { clientSecret: undefined, clientId: "client-2" })).status).toBe(200);
    expect((await findProvider(ctx.storage.reader, id))?.proofsFrom).toBe(proofsFrom);
    // The stored secret is never sent to another issuer.
    expect((await put(second, { clientSecret: undefined })).status).toBe(400);
    expect((await put(second)).status).toBe(200);
    expect((await findProvider(ctx.storage.reader, id))?.proofsFrom).toBeGreaterThan(proofsFrom ?? 0);
    // Nobody has signed in by it.
    expect((await put(second, { required: true })).status).toBe(409);
    expect((await send("POST", `${path}/provider/test`)).body).toEqual({ issuer: second.issuer, problem: null });
    second.instead.set("/keys", () => ({ status: 500 }));
    expect((await send("POST", `${path}/provider/test`)).body).toMatchObject({
      problem: expect.stringContaining("500"),
    });
    expect((await send("DELETE", `${path}/provider`)).body).toEqual({ withoutMethod: 0 });
    expect((await send("DELETE", `${path}/provider`)).status).toBe(404);
    expect(owner).not.toBe("");
  });

  it("lets named members link another identity; owners and admins take an owner's word", async () => {
    const { send, path, press, visitor, service, newMember, other, page, app } = await having(current());
    const { issuer, clientId, secret: clientSecret } = first;
    await send("PUT", `${path}/provider`, { issuer, clientId, clientSecret });
    const { listRelinks } = await import("../../../src/organizations/provider/relink-store.ts");
    const { ctx } = service.server.app;
    const member = await newMember("member");
    await ctx.storage.write(async ({ db, tables }) => {
      await db.update(tables.users).set({ lastLoginAt: service.clock.now });
    });
    const emailOf = async (id: string) => (await findUser(ctx.storage.reader, id))?.email ?? "";
    const addresses = `${await emailOf(member)}\n${await emailOf(other)}`;
    expect((await press(visitor, { act: "relink", addresses: "nobody@else.example" })).status).toBe(422);
    expect((await press(visitor, { act: "relink", addresses })).status).toBe(303);
    const opened = async () => {
      const id = path.split("/").at(-1) ?? "";
      const rows = await listRelinks(ctx.storage.reader, id, service.clock.now);
      return Object.fromEntries(
        rows.map(({ userId, asksOwner, agreedAt }) => [userId, [asksOwner, agreedAt !== null]]),
      );
    };
    expect(await opened()).toEqual({ [member]: [false, false], [other]: [true, false] });
    expect(await page(visitor)).toContain("An owner has to agree");
    expect((await press(visitor, { act: "agree-relink", user: other })).status).toBe(303);
    expect(await opened()).toMatchObject({ [other]: [true, true] });
    const mailed = await emailOf(member);
    await until(() => mailServer.to(mailed).some(({ subject }) => subject.includes("anew")));
    service.clock.advance(14 * day + 1);
    expect([await opened(), app.id]).toEqual([{}, app.id]);
  });

  it("is a setting: none while companySignIn is off, and no passkey is required beside one", async () => {
    const { send, path, app, service } = await having(current());
    const { issuer, clientId, secret: clientSecret } = first;
    const put = async () => await send("PUT", `${path}/provider`, { issuer, clientId, clientSecret });
    await put();
    const required = updateApp(service, app, { authMethods: { passkey: { required: true } } });
    await expect(required).rejects.toMatchObject({ details: expect.stringContaining("1 of them do") });
    await updateApp(service, app, { settings: { companySignIn: "off" } });
    expect((await put()).status).toBe(409);
    await send("DELETE", `${path}/provider`);
    await updateApp(service, app, { authMethods: { passkey: { required: true } } });
    const on = updateApp(service, app, { settings: { companySignIn: "on" } });
    await expect(on).rejects.toMatchObject({ details: expect.stringContaining("required passkey") });
  });

  it("exempts members whom an owner or the server names, also by an invitation", async () => {
    const { send, path, newMember, other } = await having(current());
    const member = await newMember("member");
    const patched = await send("PATCH", `${path}/members/${member}`, { roles: ["member"], providerExempt: true });
    expect(patched.body).toMatchObject({ providerExempt: true });
    const back = { roles: ["member"], providerExempt: false };
    expect((await send("PATCH", `${path}/members/${member}?by=${other}`, back)).status).toBe(403);
    const { body } = await send("PATCH", `${path}/members/${member}`, back);
    expect(body).not.toHaveProperty("providerExempt");
  });
});
