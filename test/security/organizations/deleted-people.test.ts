import { expect, it } from "vitest";
import * as applications from "../../../src/applications/service.ts";
import * as invitations from "../../../src/organizations/invitations.ts";
import * as members from "../../../src/organizations/members.ts";
import * as organizations from "../../../src/organizations/service.ts";
import { findOrganization } from "../../../src/organizations/store.ts";
import * as audit from "../../../src/records/audit/audit.ts";
import { useMailServer } from "../../support/mail.ts";
import { withOrganizations } from "../../support/organizations.ts";
import { newEmail } from "../../support/person.ts";
import { describeEachDatabase } from "../../support/service.ts";

const mailServer = await useMailServer();

describeEachDatabase("a deleted person", { mail: mailServer.mail }, (current) => {
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
});
