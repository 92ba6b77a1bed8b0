import { expect, it } from "vitest";
import * as invitations from "../../../src/organizations/invitations.ts";
import { findNotEnded, insertInvitation } from "../../../src/organizations/invitation-store.ts";
import { findOrganization } from "../../../src/organizations/store.ts";
import * as organizations from "../../../src/organizations/service.ts";
import { useMailServer } from "../../support/mail.ts";
import { acceptNewest, source, withOrganizations } from "../../support/organizations.ts";
import { newEmail } from "../../support/person.ts";
import { until } from "../../support/receiver.ts";
import { describeEachDatabase, updateApp } from "../../support/service.ts";

const hour = 3_600_000;
const day = 24 * hour;
const mailServer = await useMailServer();

type Result = { email: string; invitation: { id: string } | null; error: { code: string; details: string } | null };

describeEachDatabase("invitations into an organization", { mail: mailServer.mail }, (current) => {
  const having = async (settings = {}) => {
    const service = current();
    const own = await withOrganizations(service, settings);
    const organization = await own.newOrganization();
    const invite = async (list: object[], by = "") => {
      const { body } = await own.send("POST", `${organization.path}/invitations${by}`, { invitations: list });
      return (body["results"] ?? []) as Result[];
    };
    const accept = async (userId: string) =>
      await acceptNewest(service, own.app, userId).then(
        () => "done",
        (error: unknown) => (error as { code: string }).code,
      );
    return { ...own, service, organization, invite, accept };
  };

  it("are mailed with the organization's name and the inviter's address, and answered without the link (21)", async () => {
    const { send, organization, invite } = await having();
    const email = newEmail();
    const [result] = await invite([{ email, roles: ["member"] }], `?by=${organization.owner}`);
    expect(result).toMatchObject({ email, error: null, invitation: { inviterId: organization.owner } });
    expect(await until(() => mailServer.to(email).length)).toBe(1);
    const [mail] = mailServer.to(email);
    expect(mail?.text).toContain("Acme");
    const { body: owner } = await send("GET", `/users/${organization.owner}`);
    expect(mail?.text).toContain(`Invited by: ${String(owner["email"])}`);
    const link = /https?:\/\/\S*\/organization\/invitation\/(\S+?)\?/u.exec(mail?.text ?? "")?.[1] ?? "";
    expect(link).toMatch(/^[\w-]{43}$/u);
    const answers = JSON.stringify([result, (await send("GET", `${organization.path}/invitations`)).body]);
    expect(answers).not.toContain(link);
    expect(await current().databaseText()).not.toContain(link);
  });

  it("Q5: let in only the person whose verified address it is, once (18, 19, 27)", async () => {
    const { send, newPerson, organization, invite, accept } = await having();
    const email = newEmail();
    await invite([{ email, roles: ["member"] }]);
    // Somebody with this address, who has not proved it.
    const { body: squatter } = await send("POST", "/users", { email });
    const userId = String(squatter["id"]);
    expect(await accept(userId)).toBe("ORGANIZATION_NOT_FOUND");
    const [open] = (await send("GET", `${organization.path}/invitations`)).body["invitations"] as { id: string }[];
    const { ctx } = current().server.app;
    for (const other of [userId, await newPerson(), organization.owner])
      await expect(invitations.accept(ctx, { id: open?.id ?? "", userId: other }, source)).rejects.toMatchObject({
        code: "ORGANIZATION_NOT_FOUND",
      });
    await send("PATCH", `/users/${userId}`, { emailVerified: true });
    expect(await accept(userId)).toBe("done");
    expect(await organization.rolesOf(userId)).toEqual(["member"]);
    expect(await accept(userId)).toBe("ORGANIZATION_NOT_FOUND");
    // Accepting only adds: roles come on top, and nothing is lost (27).
    const again = await invite([{ email, roles: ["admin"] }]);
    expect(again[0]?.error).toMatchObject({ code: "INVALID_REQUEST" });
  });

  it("Q5: end with the inviter's right, and give no more than it (22)", async () => {
    const { send, organization, invite, newPerson, accept } = await having({ organizationRoles: ["audit:owners"] });
    const { path, newMember } = organization;
    const admin = await newMember("admin");
    const by = `?by=${admin}`;
    for (const role of ["owner", "admin", "audit"])
      expect((await invite([{ email: newEmail(), roles: [role] }], by))[0]?.error?.code).toBe("INSUFFICIENT_SCOPE");
    const email = newEmail();
    const invitee = await newPerson(email);
    expect((await invite([{ email, roles: ["member"] }], by))[0]?.error).toBeNull();
    // An admin replaces or withdraws no invitation of an owner's that gives more.
    await invite([{ email, roles: ["owner"] }]);
    const [open] = (await send("GET", `${path}/invitations`)).body["invitations"] as { id: string }[];
    expect((await invite([{ email, roles: ["member"] }], by))[0]?.error?.code).toBe("INSUFFICIENT_SCOPE");
    expect((await send("DELETE", `${path}/invitations/${open?.id ?? ""}${by}`)).status).toBe(403);
    expect((await send("DELETE", `${path}/invitations/${open?.id ?? ""}`)).status).toBe(200);
    expect((await send("DELETE", `${path}/invitations/${open?.id ?? ""}`)).status).toBe(404);
    // One address gets five an hour.
    current().clock.advance(hour);
    const ends: [string, (inviter: string) => Promise<unknown>][] = [
      ["demoted", async (id) => await send("PATCH", `${path}/members/${id}`, { roles: ["member"] })],
      ["removed", async (id) => await send("DELETE", `${path}/members/${id}`)],
      ["disabled", async (id) => await send("PATCH", `/users/${id}`, { disabled: true })],
      ["deleted", async (id) => await send("DELETE", `/users/${id}`)],
    ];
    for (const [how, end] of ends) {
      const inviter = await newMember("admin");
      expect((await invite([{ email, roles: ["member"] }], `?by=${inviter}`))[0]?.error).toBeNull();
      await end(inviter);
      expect([how, await accept(invitee)]).toEqual([how, "ORGANIZATION_NOT_FOUND"]);
    }
  });

  it("go with the account that has the address (security rule D1)", async () => {
    const { send, invite, newPerson } = await having();
    const email = newEmail();
    const userId = await newPerson(email);
    await invite([{ email, roles: ["member"] }]);
    await send("DELETE", `/users/${userId}`);
    const { reader } = current().server.app.ctx.storage;
    const { organizationInvitations } = reader.tables;
    const kept = await reader.db.select({ email: organizationInvitations.email }).from(organizationInvitations);
    expect(kept.map((each) => each.email)).not.toContain(email);
  });

  it("stay open when joining fails, and 50 for one seat let one in (25, 86)", async () => {
    const { send, organization, invite, newPerson, accept } = await having();
    const { path } = organization;
    await send("PATCH", path, { maxMembers: 2 });
    const emails = Array.from({ length: 12 }, () => newEmail());
    const people = await Promise.all(emails.map(async (email) => await newPerson(email)));
    expect((await invite(emails.map((email) => ({ email, roles: ["member"] })))).every(({ error }) => !error)).toBe(
      true,
    );
    const joined = await Promise.all(people.map(accept));
    expect(joined.toSorted()).toEqual([...Array.from({ length: 11 }, () => "CONFLICT"), "done"]);
    expect((await send("GET", `${path}/invitations?limit=200`)).body["invitations"]).toHaveLength(11);
    await send("PATCH", path, { maxMembers: null });
    expect(await accept(people[joined.indexOf("CONFLICT")] ?? "")).toBe("done");
  });

  it("do not bring back who was removed, unless they are for them (26)", async () => {
    const { send, organization, invite, newPerson, accept } = await having();
    const email = newEmail();
    const userId = await newPerson(email);
    await invite([{ email, roles: ["member"] }]);
    await accept(userId);
    await send("PATCH", `/users/${userId}`, { emailVerified: true });
    await send("DELETE", `${organization.path}/members/${userId}`);
    await invite([{ email: newEmail(), roles: ["member"] }]);
    expect(await accept(userId)).toBe("ORGANIZATION_NOT_FOUND");
    await invite([{ email, roles: ["member"] }]);
    expect(await accept(userId)).toBe("done");
  });

  it("are refused for 30 days, which the inviter is told", async () => {
    const { send, organization, invite, newPerson } = await having();
    const service = current();
    const { ctx } = service.server.app;
    const email = newEmail();
    const userId = await newPerson(email);
    const by = `?by=${organization.owner}`;
    await invite([{ email, roles: ["member"] }], by);
    const [open] = (await send("GET", `${organization.path}/invitations`)).body["invitations"] as { id: string }[];
    await invitations.refuse(ctx, { id: open?.id ?? "", userId }, source);
    const { body: owner } = await send("GET", `/users/${organization.owner}`);
    const told = () => mailServer.to(String(owner["email"])).filter(({ subject }) => subject.includes("declined"));
    expect(await until(() => told().length)).toBe(1);
    expect((await invite([{ email, roles: ["member"] }], by))[0]?.error?.code).toBe("INVALID_REQUEST");
    service.clock.advance(30 * day + 1);
    expect((await invite([{ email, roles: ["member"] }], by))[0]?.error).toBeNull();
  });

  it("are judged one by one, and limited; they end at registered addresses only (23)", async () => {
    const { app, organization, invite } = await having();
    const service = current();
    await updateApp(service, app, { redirectUris: [app.redirectUri] });
    const email = newEmail();
    const results = await invite([
      { email: "not an address", roles: ["member"] },
      { email, roles: [] },
      { email, roles: ["unknown"] },
      { email, roles: ["member"], redirectUri: "https://evil.example/" },
      { email, roles: ["member"], redirectUri: app.redirectUri },
    ]);
    expect(results.map(({ error }) => error?.details.split(":")[0] ?? null)).toEqual([
      "email",
      "roles",
      "roles[0]",
      "redirectUri",
      null,
    ]);
    const many = (count: number) => Array.from({ length: count }, () => ({ email: newEmail(), roles: ["member"] }));
    expect(await invite(many(51))).toEqual([]);
    const sent = await invite(many(50));
    expect(sent.filter(({ error }) => error?.code === "RATE_LIMITED")).toHaveLength(1);
    service.clock.advance(day);
    expect((await invite(many(1)))[0]?.error).toBeNull();
    // What a person made invites 20 in all, until the server sets how many members it may have.
    const { ctx } = service.server.app;
    const owner = { id: organization.owner, appId: app.id };
    const made = await organizations.createByPerson(
      ctx,
      owner,
      { name: "Mine" },
      { actor: { kind: "user", name: owner.id } },
    );
    const row = await findOrganization(ctx.storage.reader, made.id);
    if (!row) throw new Error("no row");
    const application = await (
      await import("../../../src/applications/service.ts")
    ).find(ctx, ctx.storage.reader, app.id);
    if (!application) throw new Error("no application");
    const byServer = { actor: { kind: "app", name: app.id } } as const;
    const first = await invitations.invite(ctx, application, row, many(21), byServer);
    expect(first.filter(({ error }) => error)).toHaveLength(1);
    await organizations.update(ctx, row, { maxMembers: 100 }, byServer);
    expect((await invitations.invite(ctx, application, row, many(1), byServer))[0]?.error).toBeNull();
  });

  it("Q19: reach one address five times an hour at most, of all organizations together", async () => {
    const { newOrganization, send, invite } = await having();
    const service = current();
    const email = newEmail();
    for (let n = 0; n < 5; n += 1) expect((await invite([{ email, roles: ["member"] }]))[0]?.error).toBeNull();
    expect((await invite([{ email, roles: ["member"] }]))[0]?.error?.code).toBe("RATE_LIMITED");
    const { path } = await newOrganization();
    const other = async () =>
      (await send("POST", `${path}/invitations`, { invitations: [{ email, roles: ["member"] }] })).body["results"];
    expect(await other()).toMatchObject([{ error: { code: "RATE_LIMITED" } }]);
    service.clock.advance(hour);
    expect(await other()).toMatchObject([{ error: null }]);
  });

  it("are not sent for one that is disabled, and one of 500 open ones can be replaced", async () => {
    const { app, send, organization, invite } = await having();
    const { ctx } = current().server.app;
    const { id: organizationId, path } = organization;
    await send("PATCH", path, { disabled: true });
    const email = newEmail();
    const [closed] = await invite([{ email, roles: ["member"] }]);
    expect(closed?.error).toMatchObject({ message: expect.stringContaining("disabled") });
    await send("PATCH", path, { disabled: false });
    expect((await invite([{ email, roles: ["member"] }]))[0]?.error).toBeNull();
    const now = ctx.clock();
    await ctx.storage.write(async (tx) => {
      const first = await findNotEnded(tx, organizationId, email);
      if (!first) throw new Error("no invitation");
      for (let n = 1; n < 500; n += 1) {
        const own = { id: `inv_${app.id}_${n}`, email: newEmail(), digest: `${app.id} ${n}` };
        await insertInvitation(tx, { ...first, ...own, createdAt: now - day });
      }
    });
    const [refused] = await invite([{ email: newEmail(), roles: ["member"] }]);
    expect(refused?.error).toMatchObject({ message: expect.stringContaining("500 open") });
    expect((await invite([{ email, roles: ["admin"] }]))[0]?.error).toBeNull();
  });

  it("make an owner of an address, and the organization ends without one", async () => {
    const { send, newPerson, accept } = await having();
    const service = current();
    const email = newEmail();
    const create = async (owner: string) => (await send("POST", "/organizations", { name: "Later", owner })).body;
    const path = `/organizations/${String((await create(email))["id"])}`;
    const unowned = `/organizations/${String((await create(newEmail()))["id"])}`;
    expect((await send("GET", path)).body).toMatchObject({ members: 0, owners: 0 });
    expect(await accept(await newPerson(email))).toBe("done");
    expect((await send("GET", path)).body).toMatchObject({ members: 1, owners: 1 });
    service.clock.advance(7 * day + 1);
    await service.server.app.sweep();
    expect((await send("GET", unowned)).status).toBe(404);
    expect((await send("GET", path)).status).toBe(200);
  });
});
