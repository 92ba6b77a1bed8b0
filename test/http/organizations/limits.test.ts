import { expect, it } from "vitest";
import { namesHost } from "../../../src/lib/public-suffixes.ts";
import * as organizations from "../../../src/organizations/service.ts";
import { findOrganization, hasAsMany } from "../../../src/organizations/store.ts";
import * as audit from "../../../src/records/audit/audit.ts";
import { findUser } from "../../../src/users/store.ts";
import { useMailServer } from "../../support/mail.ts";
import { acceptNewest, source, withOrganizations } from "../../support/organizations.ts";
import { newEmail } from "../../support/person.ts";
import { describeEachDatabase } from "../../support/service.ts";

const mailServer = await useMailServer();

describeEachDatabase("the limits of organizations", { mail: mailServer.mail }, (current) => {
  /** Somebody creates an organization on the page. */
  const createdBy = async (userId: string, ipAddress = source.ipAddress) => {
    const { ctx } = current().server.app;
    const user = await findUser(ctx.storage.reader, userId);
    if (!user) throw new Error("no such user");
    const acting = { actor: { kind: "user", name: userId }, source: { ...source, ipAddress } } as const;
    return await organizations.createByPerson(ctx, user, { name: "Bakery" }, acting);
  };

  it("hold for a member's roles also when an invitation adds some", async () => {
    const service = current();
    const some = (prefix: string) => Array.from({ length: 9 }, (_, i) => `${prefix}${i}`);
    const own = await withOrganizations(service, { organizationRoles: [...some("a"), ...some("b")] });
    const { send, newPerson } = own;
    const { path, rolesOf } = await own.newOrganization();
    const email = newEmail();
    const userId = await newPerson(email);
    const invitation = { email, roles: some("b") };
    await send("POST", `${path}/invitations`, { invitations: [invitation] });
    await send("PUT", `${path}/members/${userId}`, { roles: some("a") });
    await expect(acceptNewest(service, own.app, userId)).rejects.toMatchObject({ code: "CONFLICT" });
    expect(await rolesOf(userId)).toEqual(some("a"));
    // The invitation stays open, and works once there is room (25).
    await send("PUT", `${path}/members/${userId}`, { roles: ["a0"] });
    await acceptNewest(service, own.app, userId);
    expect(await rolesOf(userId)).toEqual(["a0", ...some("b")]);
  });

  it("for an organization that a person made end when the server sets the number of members, also to none", async () => {
    const { send, newPerson } = await withOrganizations(current());
    const { id } = await createdBy(await newPerson());
    const { ctx } = current().server.app;
    const approvedAt = async () => (await findOrganization(ctx.storage.reader, id))?.approvedAt;
    await send("PATCH", `/organizations/${id}`, { name: "Baker" });
    expect(await approvedAt()).toBeNull();
    await send("PATCH", `/organizations/${id}`, { maxMembers: null });
    expect(await approvedAt()).toBe(ctx.clock());
  });

  it("name the field that a call has, and want an owner who is not disabled", async () => {
    const { send, newPerson } = await withOrganizations(current());
    const create = async (owner: string) =>
      (await send("POST", "/organizations", { name: "Acme", owner })).body.error?.details;
    expect(await create("a@b@c")).toMatch(/^owner: /u);
    const owner = await newPerson();
    await send("PATCH", `/users/${owner}`, { disabled: true });
    expect(await create(owner)).toBe("owner: a user who is not disabled");
  });

  it("let three be made a day from one network, however many the server makes, and say when to try again", async () => {
    const { app, newPerson } = await withOrganizations(current());
    const { ctx } = current().server.app;
    for (let made = 0; made < 3; made += 1) await createdBy(await newPerson());
    await ctx.storage.write(async (tx) => {
      const event = { actor: { kind: "app", name: app.id }, appId: app.id, result: "success" } as const;
      for (let made = 0; made < 1000; made += 1)
        await audit.record(ctx, tx, { ...event, action: "organization.create" }, ctx.clock() + 1);
    });
    const fourth = await newPerson();
    await expect(createdBy(fourth)).rejects.toMatchObject({ code: "RATE_LIMITED", retryAfterSeconds: 86_400 });
    await createdBy(fourth, "192.0.2.10");
  });

  it("let owners change the policy six times an hour, and say when to try again", async () => {
    const { newOrganization } = await withOrganizations(current());
    const { id, owner } = await newOrganization();
    const { ctx } = current().server.app;
    const row = await findOrganization(ctx.storage.reader, id);
    if (!row) throw new Error("no row");
    const acting = { actor: { kind: "user", name: owner }, member: { userId: owner, throughServer: false } } as const;
    const change = async (round: number) =>
      await organizations.update(ctx, row, { secondFactor: round % 2 === 0 ? "required" : "off" }, acting);
    for (let round = 0; round < 6; round += 1) await change(round);
    await expect(change(6)).rejects.toMatchObject({ code: "RATE_LIMITED", retryAfterSeconds: 3600 });
    current().clock.advance(3_600_001);
    await change(6);
  });

  it("count an organization of one person a tenth, and deleted ones not at all", async () => {
    const { app, send, newPerson, newOrganization } = await withOrganizations(current());
    const { reader } = current().server.app.ctx.storage;
    const { path } = await newOrganization();
    await newOrganization();
    await createdBy(await newPerson());
    for (const [limit, expected] of [
      [1, true],
      [2, true],
      [3, false],
    ] as const)
      expect([limit, await hasAsMany(reader, app.id, limit)]).toEqual([limit, expected]);
    await send("DELETE", path);
    expect(await hasAsMany(reader, app.id, 2)).toBe(false);
  });

  it("keep the name of a host out of a name, also with joiners that nobody sees", () => {
    expect(["evil.c\u200Com", "e\u200Dvil.com", "Acme 2.0"].map(namesHost)).toEqual([true, true, false]);
  });
});
