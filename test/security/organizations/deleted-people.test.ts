import { expect, it } from "vitest";
import * as applications from "../../../src/applications/service.ts";
import * as invitations from "../../../src/organizations/invitations.ts";
import * as members from "../../../src/organizations/members.ts";
import * as organizations from "../../../src/organizations/service.ts";
import { findOrganization } from "../../../src/organizations/store.ts";
import * as audit from "../../../src/records/audit/audit.ts";
import { companyConfig, useCompanyProvider } from "../../support/company-provider.ts";
import { withCompanySignIn } from "../../support/company-sign-in.ts";
import { useMailServer } from "../../support/mail.ts";
import { withOrganizations } from "../../support/organizations.ts";
import { newEmail } from "../../support/person.ts";
import { describeEachDatabase } from "../../support/service.ts";

const [mailServer, company] = [await useMailServer(), await useCompanyProvider()];

describeEachDatabase("a deleted person", { mail: mailServer.mail, ...companyConfig }, (current) => {
  it("D1: leaves no network address behind in what they did in organizations, also to others", async () => {
    const { ctx } = current().server.app;
    const { app, send, newPerson } = await withOrganizations(current());
    const [ada, bob] = [await newPerson(), await newPerson()];
    const source = { ipAddress: "203.0.113.77", userAgent: null, requestId: "req_test" };
    const byAda = { actor: { kind: "user", name: ada }, source } as const;
    const made = await organizations.createByPerson(ctx, { id: ada, appId: app.id }, { name: "Acme" }, byAda);
    const acting = { ...byAda, member: { userId: ada, throughServer: false } };
    const organization = await findOrganization(ctx.storage.reader, made.id);
    const application = await applications.find(ctx, ctx.storage.reader, app.id);
    if (!organization || !application) throw new Error("no organization");
    const invited = [{ email: newEmail(), roles: ["member"] }];
    expect(await invitations.invite(ctx, application, organization, invited, acting)).toMatchObject([{ error: null }]);
    await send("PUT", `/organizations/${made.id}/members/${bob}`, { roles: ["member"] });
    await members.put(ctx, organization, { userId: bob, roles: ["admin"], adds: false }, acting);
    await members.remove(ctx, organization, bob, acting);
    const { ipAddress } = source;
    const known = await audit.list(ctx, { appId: app.id, ipAddress, limit: 100 });
    expect(known.map(({ action, userId }) => [action, userId])).toContainEqual(["organization.invite", ada]);
    const ofBob = await audit.list(ctx, { userId: bob, limit: 100 });
    expect(ofBob.map(({ action, actor }) => [action, actor])).toContainEqual([
      "organization.member.remove",
      `user:${ada}`,
    ]);
    await send("DELETE", `/users/${ada}`);
    expect(await audit.list(ctx, { appId: app.id, ipAddress, limit: 100 })).toEqual([]);
  });

  it("D1: leaves no trace of a company's sign-in, nor a set-up link to their address", async () => {
    const { ctx } = current().server.app;
    const acme = await withCompanySignIn(current(), company);
    const other = await acme.newOrganization();
    const { email } = await acme.newcomer("lea");
    const id = String((await acme.userOf(email))?.["id"]);
    for (const { path } of [acme.organization, other]) await acme.send("POST", `${path}/setup-links`, { email });
    const elsewhere = await withCompanySignIn(current(), company);
    await elsewhere.send("POST", `${elsewhere.organization.path}/setup-links`, { email });
    const linked = async () =>
      await ctx.storage.reader.db.select().from(ctx.storage.reader.tables.organizationSetupLinks);
    expect((await linked()).filter((link) => link.email === email)).toHaveLength(3);
    await acme.send("DELETE", `/users/${id}`);
    // Another application's stay.
    expect((await linked()).filter((link) => link.email === email).map(({ appId }) => appId)).toEqual([
      elsewhere.app.id,
    ]);
    const { db, tables } = ctx.storage.reader;
    const rows = [tables.organizationIdentities, tables.organizationRelinks, tables.organizationFactorFailures];
    for (const table of rows) expect(JSON.stringify(await db.select().from(table))).not.toContain(id);
  });
});
