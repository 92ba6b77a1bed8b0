import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import * as applications from "../../../src/applications/service.ts";
import { joinByDomain, offerFor } from "../../../src/organizations/domains/joining.ts";
import * as domains from "../../../src/organizations/domains/service.ts";
import * as invitations from "../../../src/organizations/invitations.ts";
import * as members from "../../../src/organizations/members.ts";
import * as organizations from "../../../src/organizations/service.ts";
import { examine } from "../../../src/upkeep/doctor/service.ts";
import { findUser, lockUser } from "../../../src/users/store.ts";
import { useMailServer } from "../../support/mail.ts";
import { acceptNewest, source, withOrganizations } from "../../support/organizations.ts";
import { newEmail } from "../../support/person.ts";
import { describeSqliteFirst } from "../../support/service.ts";

const day = 86_400_000;
const mailServer = await useMailServer();
const operator = { actor: { kind: "cli", name: "test" } } as const;

describeSqliteFirst("the doors of an organization", { mail: mailServer.mail }, (current) => {
  async function having() {
    const service = current();
    const { ctx } = service.server.app;
    const own = await withOrganizations(service, { organizationCreation: "people" });
    const { app, send } = own;
    const rowOf = async (id: string) => await organizations.named(ctx.storage.reader, app.id, id);
    const accepts = async (userId: string): Promise<string> =>
      await acceptNewest(service, app, userId).then(
        () => "done",
        (error: unknown) => (error as { code: string }).code,
      );
    const joins = async (userId: string, organizationId: string) =>
      await ctx.storage.write(async (tx) => {
        const user = await lockUser(tx, userId);
        return user && (await joinByDomain(ctx, tx, user, { organizationId, agreed: true }, operator));
      });
    const invite = async (path: string, email: string) =>
      await send("POST", `${path}/invitations`, { invitations: [{ email, roles: ["member"] }] });
    return { ...own, service, ctx, rowOf, accepts, joins, invite };
  }

  it("let nobody into more than 100, by any of them, and change nothing by a refusal (25, 87)", async () => {
    const { app, ctx, send, newOrganization, newPerson, rowOf, accepts, joins, invite } = await having();
    const email = "busy@hundred.example";
    const userId = await newPerson(email);
    const last = await newOrganization();
    const like = await rowOf(last.id);
    await ctx.storage.write(async ({ db, tables }) => {
      const rows = Array.from({ length: 100 }, (_, at) => ({
        ...like,
        id: `${like.id}${at}`,
        slug: `acme-${at}`,
        ownedAt: null,
      }));
      await db.insert(tables.organizations).values(rows);
      const { appId, createdAt } = like;
      const member = { userId, appId, createdAt, joinedBy: "server" as const };
      await db.insert(tables.organizationMembers).values(rows.map(({ id }) => ({ ...member, organizationId: id })));
    });
    await domains.add(ctx, await rowOf(last.id), { domain: "hundred.example", join: "on", isProved: true }, operator);
    await invite(last.path, email);
    expect((await send("PUT", `${last.path}/members/${userId}`, { roles: ["member"] })).status).toBe(409);
    expect(await accepts(userId)).toBe("CONFLICT");
    expect(await joins(userId, last.id)).toBe(false);
    expect((await send("POST", "/organizations", { name: "One more", owner: userId })).status).toBe(409);
    const by = { actor: { kind: "user", name: userId }, source } as const;
    await expect(
      organizations.createByPerson(ctx, { id: userId, appId: app.id }, { name: "Mine" }, by),
    ).rejects.toMatchObject({ code: "CONFLICT" });
    expect((await send("GET", last.path)).body).toMatchObject({ members: 1 });
    await send("DELETE", `/organizations/${last.id}0/members/${userId}`);
    expect(await accepts(userId)).toBe("done");
  });

  it("stay closed to a removed address, also of a new account, until it is invited", async () => {
    const { service, ctx, send, newOrganization, newPerson, rowOf, accepts, joins, invite } = await having();
    const { id, path, rolesOf } = await newOrganization();
    await domains.add(ctx, await rowOf(id), { domain: "blocked.example", join: "on", isProved: true }, operator);
    service.clock.advance(1);
    const email = "eve@blocked.example";
    const offered = async (userId: string) => {
      const user = await findUser(ctx.storage.reader, userId);
      return user && (await offerFor(ctx, ctx.storage.reader, user));
    };
    const first = await newPerson(email);
    expect(await joins(first, id)).toBe(true);
    await send("DELETE", `${path}/members/${first}`);
    await send("DELETE", `/users/${first}`);
    const again = await newPerson(email);
    expect([await offered(again), await joins(again, id)]).toEqual([undefined, false]);
    // Neither with another address in between.
    await send("PATCH", `/users/${again}`, { email: "eve+new@blocked.example", emailVerified: true });
    expect([await offered(again), await joins(again, id)]).toEqual([undefined, false]);
    await send("PATCH", `/users/${again}`, { email, emailVerified: true });
    await invite(path, email);
    expect(await accepts(again)).toBe("done");
    expect(await rolesOf(again)).toEqual(["member"]);
    // Now leaving is no block: the domain asks.
    const by = { actor: { kind: "user", name: again }, member: { userId: again, throughServer: false } } as const;
    await members.remove(ctx, await rowOf(id), again, by);
    expect(await offered(again)).toMatchObject({ organizationId: id, asks: true });
  });

  it("send at most 1,000 invitations a day from all that people made, until the server agrees", async () => {
    const { service, app, ctx, send, newOrganization, newPerson, rowOf } = await having();
    const application = await applications.find(ctx, ctx.storage.reader, app.id);
    if (!application) throw new Error("no application");
    async function ofPerson(network: string) {
      const id = await newPerson();
      const by = { actor: { kind: "user", name: id }, source: { ...source, ipAddress: network } } as const;
      const made = await organizations.createByPerson(ctx, { id, appId: app.id }, { name: "Mine" }, by);
      return await rowOf(made.id);
    }
    const [busy, other] = [await ofPerson("192.0.2.1"), await ofPerson("198.51.100.1")];
    const server = await rowOf((await newOrganization()).id);
    const outcome = async (row: typeof busy) => {
      const wanted = [{ email: newEmail(), roles: ["member"] }];
      const [result] = await invitations.invite(ctx, application, row, wanted, operator);
      return result?.error?.code;
    };
    expect(await outcome(busy)).toBeUndefined();
    await ctx.storage.write(async ({ db, tables: { organizationInvitations: table } }) => {
      const [like] = await db.select().from(table).where(eq(table.organizationId, busy.id));
      if (!like) throw new Error("no invitation");
      const ended = { endedAt: service.clock.now, end: "withdrawn" } as const;
      for (let from = 0; from < 1000; from += 100) {
        const some = Array.from({ length: 100 }, (_, at) => ({
          ...like,
          ...ended,
          id: `${like.id}${from + at}`,
          digest: `${like.digest}${from + at}`,
          email: `${from + at}@many.example`,
        }));
        await db.insert(table).values(some);
      }
    });
    expect(await outcome(other)).toBe("RATE_LIMITED");
    expect(await outcome(server)).toBeUndefined();
    await send("PATCH", `/organizations/${other.id}`, { maxMembers: 50 });
    expect(await outcome(await rowOf(other.id))).toBeUndefined();
    service.clock.advance(day + 1);
    expect(await outcome(busy)).toBeUndefined();
  });

  it("have nobody who opens them when the last owner is gone, which doctor names until there is another", async () => {
    const { ctx, send, newOrganization } = await having();
    const { id, path, owner, slug, newMember } = await newOrganization({ slug: "left-alone" });
    const named = async () => {
      const findings = await examine(ctx, { isQuick: true });
      return findings.filter(({ check, message }) => check === "organizations" && message.includes(slug));
    };
    expect(await named()).toEqual([]);
    const member = await newMember("member");
    await send("DELETE", `/users/${owner}`);
    expect(await named()).toMatchObject([{ status: "warning", fix: expect.stringContaining(`member add ${id}`) }]);
    await send("PUT", `${path}/members/${member}`, { roles: ["owner"] });
    expect(await named()).toEqual([]);
  });
});
