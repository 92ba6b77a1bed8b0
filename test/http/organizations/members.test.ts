import { expect, it } from "vitest";
import * as audit from "../../../src/records/audit/audit.ts";
import * as members from "../../../src/organizations/members.ts";
import { findOrganization } from "../../../src/organizations/store.ts";
import { withOrganizations, type TestOrganization } from "../../support/organizations.ts";
import { call, signedUp } from "../../support/person.ts";
import { describeSqliteFirst, updateApp, type TestService } from "../../support/service.ts";

const day = 86_400_000;
const added = ["billing", "audit:owners"];

/** A member acts on a page: with all their rights. */
async function acting(service: TestService, organization: TestOrganization, userId: string) {
  const { ctx } = service.server.app;
  const row = await findOrganization(ctx.storage.reader, organization.id);
  if (!row) throw new Error("no such organization");
  const by = { actor: { kind: "user", name: userId }, member: { userId, throughServer: false } } as const;
  return {
    put: async (target: string, roles: string[]) =>
      await members.put(ctx, row, { userId: target, roles, adds: false }, by),
    remove: async (target: string) => await members.remove(ctx, row, target, by),
  };
}

const outcome = async (work: Promise<unknown>): Promise<string> =>
  await work.then(
    () => "done",
    (error: unknown) => (error as { code?: string }).code ?? "failed",
  );

describeSqliteFirst("organizations", (current) => {
  it("are created, read, changed and listed by the application's server, and none adopts a slug (82, 85)", async () => {
    const { send, newPerson, newOrganization } = await withOrganizations(current());
    const owner = await newPerson();
    const created = await send("POST", "/organizations", { name: "Bücher & Söhne", owner });
    expect(created).toMatchObject({
      status: 201,
      body: { name: "Bücher & Söhne", slug: "bucher-sohne", secondFactor: "off", maxMembers: null },
    });
    const path = `/organizations/${String(created.body["id"])}`;
    expect((await send("GET", path)).body).toMatchObject({ members: 1, owners: 1 });
    // The same name gets another slug; the same slug is refused (85).
    expect((await newOrganization({ name: "Bücher & Söhne" })).slug).toMatch(/^bucher-sohne-[0-9a-z]{6}$/u);
    expect((await send("POST", "/organizations", { name: "B", owner, slug: "bucher-sohne" })).status).toBe(409);
    const change = { name: "Books", slug: "books", maxMembers: 2, publicMetadata: { plan: "pro" } };
    expect((await send("PATCH", path, change)).body).toMatchObject(change);
    expect((await send("PATCH", path, { publicMetadata: { plan: null } })).body).toMatchObject({ publicMetadata: {} });
    // The old slug stays its own, and nobody else's (82).
    expect((await send("POST", "/organizations", { name: "B", owner, slug: "bucher-sohne" })).status).toBe(409);
    expect((await send("PATCH", path, { slug: "bucher-sohne" })).status).toBe(200);
    expect((await send("PATCH", path, { slug: "third" })).status).toBe(200);
    expect((await send("PATCH", path, { slug: "fourth" })).status).toBe(200);
    expect((await send("PATCH", path, { slug: "fifth" })).status).toBe(409);
    expect((await send("PATCH", path, { slug: "books" })).status).toBe(200);
    const { body } = await send("GET", "/organizations?limit=1");
    const { body: rest } = await send("GET", `/organizations?cursor=${String(body["nextCursor"])}`);
    expect(rest["nextCursor"]).toBeNull();
    const listed = [body, rest].flatMap((page) => page["organizations"] as { slug: string }[]);
    const slugs = listed.map((each) => each.slug).toSorted();
    expect(slugs).toEqual(["books", expect.stringMatching(/^bucher-sohne-/u)]);
  });

  it("refuse names, slugs and fields that mislead", async () => {
    const { send, newPerson } = await withOrganizations(current());
    const owner = await newPerson();
    const create = async (input: object) =>
      (await send("POST", "/organizations", { name: "Acme", owner, ...input })).body.error?.details;
    for (const name of [
      "",
      " ",
      "x".repeat(65),
      "acme.com",
      "a\u202Eb",
      "a\nb",
      "log in at evil.io now",
      "evil。com",
      "x@evil.co.uk",
      "10.0.0.1",
    ])
      expect([name, await create({ name })]).toEqual([name, expect.stringMatching(/^name: /u)]);
    for (const name of ["Node.js", "Shop 1", "Dr. Oetker", "A.B.C."])
      expect([name, await create({ name })]).toEqual([name, undefined]);
    for (const slug of ["a", "A1", "-ab", "ab-", "none", "x".repeat(49), "a.b"])
      expect([slug, await create({ slug })]).toEqual([slug, expect.stringMatching(/^slug: /u)]);
    expect(await create({ maxMembers: 0 })).toMatch(/^maxMembers: /u);
    expect(await create({ maxMembers: 1.5 })).toMatch(/^maxMembers: /u);
    expect(await create({ publicMetadata: [] })).toMatch(/^publicMetadata: /u);
    expect((await send("POST", "/organizations", { name: "Acme", owner, id: "org_1" })).status).toBe(400);
    expect((await send("POST", "/organizations", { name: "Acme" })).status).toBe(400);
    expect((await send("POST", "/organizations", { name: "Acme", owner: "usr_unknown" })).status).toBe(404);
  });

  it("have members, whom the server adds, changes and removes; a repetition changes nothing (31, 88)", async () => {
    const { app, send, newPerson, newOrganization } = await withOrganizations(current(), { organizationRoles: added });
    const { path, newMember, rolesOf } = await newOrganization();
    const userId = await newPerson();
    expect((await send("PATCH", `${path}/members/${userId}`, { roles: ["member"] })).status).toBe(404);
    const put = async (roles: unknown) => await send("PUT", `${path}/members/${userId}`, { roles });
    expect((await put(["member", "billing", "member"])).body).toMatchObject({
      id: userId,
      roles: ["billing", "member"],
      joinedBy: "server",
    });
    const { ctx } = current().server.app;
    const entries = async () => (await audit.list(ctx, { appId: app.id, limit: 100 })).length;
    const before = await entries();
    expect((await put(["member", "billing"])).status).toBe(200);
    expect(await entries()).toBe(before);
    // Unknown or empty roles, and those in other letters, are none (31).
    for (const roles of [[], ["Owner"], ["billing "], ["none"], [""], "member", [null], undefined])
      expect([roles, (await put(roles)).status]).toEqual([roles, 400]);
    expect((await put(["audit"])).body).toMatchObject({ roles: ["audit"] });
    const other = await newMember("member");
    const list = await send("GET", `${path}/members`);
    expect((list.body["members"] as { id: string }[]).map(({ id }) => id)).toContain(other);
    expect((await send("DELETE", `${path}/members/${userId}`)).status).toBe(200);
    expect(await rolesOf(userId)).toBeUndefined();
    expect((await send("DELETE", `${path}/members/${userId}`)).status).toBe(404);
  });

  it("keep a role that somebody has (33)", async () => {
    const service = current();
    const { app, newOrganization } = await withOrganizations(service, { organizationRoles: added });
    const { newMember, path } = await newOrganization();
    const userId = await newMember("billing");
    await expect(updateApp(service, app, { settings: { organizationRoles: ["audit"] } })).rejects.toMatchObject({
      code: "CONFLICT",
    });
    await updateApp(service, app, { settings: { organizationRoles: ["billing:owners"] } });
    const { send } = { send: async (method: string, to: string) => await call(service, method, to, app.headers) };
    await send("DELETE", `/applications/${app.id}${path}/members/${userId}`);
    await updateApp(service, app, { settings: { organizationRoles: null } });
  });

  it("have no more members than allowed, at every door, of many at once (86, 87)", async () => {
    const { send, newPerson, newOrganization } = await withOrganizations(current());
    const { path } = await newOrganization({ maxMembers: 3 });
    const people = await Promise.all(Array.from({ length: 10 }, async () => await newPerson()));
    const joined = await Promise.all(
      people.map(async (id) => (await send("PUT", `${path}/members/${id}`, { roles: ["member"] })).status),
    );
    expect(joined.filter((status) => status === 200)).toHaveLength(2);
    expect(joined.filter((status) => status === 409)).toHaveLength(8);
    expect((await send("GET", path)).body).toMatchObject({ members: 3 });
  });

  it("Q3: the last owner stays, also when two go at once (37–39)", async () => {
    const service = current();
    const { send, newOrganization } = await withOrganizations(service);
    for (let round = 0; round < 5; round += 1) {
      const organization = await newOrganization();
      const { path, owner, newMember, rolesOf } = organization;
      const second = await newMember("owner");
      const [first, other] = [await acting(service, organization, owner), await acting(service, organization, second)];
      const both = await Promise.all(
        round % 2 === 0
          ? [outcome(first.put(second, ["member"])), outcome(other.put(owner, ["member"]))]
          : [outcome(first.remove(owner)), outcome(other.remove(second))],
      );
      expect(both.filter((each) => each === "done")).toHaveLength(1);
      expect((await send("GET", path)).body).toMatchObject({ owners: 1 });
      const [left] = (await rolesOf(owner))?.toString() === "owner" ? [owner] : [second];
      const page = await acting(service, organization, left ?? "");
      expect(await outcome(page.remove(left ?? ""))).toBe("CONFLICT");
      expect(await outcome(page.put(left ?? "", ["member"]))).toBe("CONFLICT");
      // A disabled owner does not count (39).
      const third = await newMember("owner");
      await send("PATCH", `/users/${third}`, { disabled: true });
      expect(await outcome(page.remove(left ?? ""))).toBe("CONFLICT");
      // The server may.
      expect((await send("DELETE", `${path}/members/${left ?? ""}`)).status).toBe(200);
    }
  });

  it("become ownerless with their owner's account, which is never refused", async () => {
    const service = current();
    const { app, send, newOrganization } = await withOrganizations(service);
    const { ctx } = service.server.app;
    const reported = async (id: string) =>
      (await audit.list(ctx, { appId: app.id, action: "organization.ownerless", limit: 50 })).filter(
        ({ target }) => target === id,
      ).length;
    const deleted = await newOrganization();
    expect((await send("DELETE", `/users/${deleted.owner}`)).status).toBe(200);
    expect(await reported(deleted.id)).toBe(1);
    const disabled = await newOrganization();
    expect((await send("PATCH", `/users/${disabled.owner}`, { disabled: true })).status).toBe(200);
    expect(await reported(disabled.id)).toBe(1);
    // It was so before: nothing new to tell.
    await send("PUT", `${disabled.path}/members/${disabled.owner}`, { roles: ["member"] });
    await send("PUT", `${disabled.path}/members/${disabled.owner}`, { roles: ["owner"] });
    expect((await send("DELETE", `/users/${disabled.owner}`)).status).toBe(200);
    expect(await reported(disabled.id)).toBe(1);
    const shared = await newOrganization();
    await shared.newMember("owner");
    await send("DELETE", `/users/${shared.owner}`);
    expect(await reported(shared.id)).toBe(0);
    // Only the server appoints another: an admin does not.
    const admin = await deleted.newMember("admin");
    expect(await outcome((await acting(service, deleted, admin)).put(admin, ["owner"]))).toBe("INSUFFICIENT_SCOPE");
    expect((await send("PUT", `${deleted.path}/members/${admin}`, { roles: ["owner"] })).status).toBe(200);
    expect((await send("GET", deleted.path)).body).toMatchObject({ owners: 1 });
  });

  it("Q4: a plain member reads name, slug and own roles, and nothing else", async () => {
    const { send, newOrganization } = await withOrganizations(current());
    const { id, path, slug, newMember } = await newOrganization({ publicMetadata: { plan: "pro" } });
    const member = await newMember("member");
    expect(await send("GET", `${path}?by=${member}`)).toMatchObject({
      status: 200,
      body: { id, name: "Acme", slug, roles: ["member"] },
    });
    expect(Object.keys((await send("GET", `${path}?by=${member}`)).body)).toHaveLength(4);
    for (const part of ["members", "invitations"])
      expect((await send("GET", `${path}/${part}?by=${member}`)).status).toBe(403);
    expect((await send("PATCH", `${path}?by=${member}`, { name: "Mine" })).status).toBe(403);
    const admin = await newMember("admin");
    expect((await send("PATCH", `${path}?by=${admin}`, { name: "Ours" })).status).toBe(200);
    for (const field of [{ slug: "ours" }, { maxMembers: 9 }, { publicMetadata: {} }, { disabled: true }])
      expect((await send("PATCH", `${path}?by=${admin}`, field)).status).toBe(403);
    expect((await send("DELETE", `${path}?by=${admin}`)).status).toBe(403);
  });

  it("are left by people themselves, and listed for them alone (13)", async () => {
    const service = current();
    const { app, send, newOrganization } = await withOrganizations(service);
    const { id, path, rolesOf } = await newOrganization();
    const { user, accessToken } = await signedUp(service, app);
    const userId = String(user["id"]);
    const headers = { authorization: `Bearer ${accessToken}`, "x-service-app-id": app.id };
    await send("PUT", `${path}/members/${userId}`, { roles: ["admin"] });
    expect((await call(service, "GET", "/users/organizations", headers)).body).toMatchObject({
      organizations: [{ id, roles: ["admin"] }],
    });
    for (const [method, of] of [
      ["GET", ""],
      ["DELETE", `/${id}`],
    ] as const)
      expect((await call(service, method, `/users/organizations${of}?by=usr_x`, headers)).status).toBe(400);
    expect((await call(service, "DELETE", `/users/organizations/${id}`, headers)).status).toBe(200);
    expect(await rolesOf(userId)).toBeUndefined();
    expect((await call(service, "DELETE", `/users/organizations/${id}`, headers)).status).toBe(404);
    // Leaving is no block: but only the server, an invitation or a domain brings them back.
    expect((await send("PUT", `${path}/members/${userId}`, { roles: ["member"] })).status).toBe(200);
  });

  it("answer as unknown paths while they are off (80)", async () => {
    const service = current();
    const { app, send, newOrganization } = await withOrganizations(service);
    const { path, owner } = await newOrganization();
    await updateApp(service, app, { settings: { organizations: "off" } });
    service.clock.advance(1000);
    for (const [method, at] of [
      ["GET", "/organizations"],
      ["POST", "/organizations"],
      ["GET", path],
      ["GET", `/users/${owner}/organizations`],
    ] as const)
      expect([at, (await send(method, at, method === "POST" ? { name: "A", owner } : undefined)).status]).toEqual([
        at,
        404,
      ]);
  });

  it("Q6: are deleted for good, with members, after which their id and slugs never come back (82–84)", async () => {
    const service = current();
    const { send, newOrganization } = await withOrganizations(service);
    const { path, slug, owner, newMember } = await newOrganization({ slug: "gone" });
    const member = await newMember("member");
    expect((await send("DELETE", path)).status).toBe(200);
    expect((await send("GET", path)).status).toBe(404);
    expect((await send("GET", `/users/${member}/organizations`)).body).toEqual({ organizations: [] });
    expect((await send("GET", `/users/${member}`)).status).toBe(200);
    expect((await send("POST", "/organizations", { name: "Gone", owner, slug })).status).toBe(409);
    expect((await newOrganization({ name: "Gone" })).slug).toMatch(/^gone-/u);
    // Nothing of it is left but the bare row.
    const { reader } = service.server.app.ctx.storage;
    expect(await findOrganization(reader, path.split("/")[2] ?? "")).toMatchObject({
      name: "",
      slug,
      deletesAt: null,
      publicMetadata: null,
    });
  });

  it("wait 7 days when an owner deletes them, and end then", async () => {
    const service = current();
    const { send, newOrganization } = await withOrganizations(service);
    const { ctx } = service.server.app;
    const deletion = await import("../../../src/organizations/deletion.ts");
    const organization = await newOrganization();
    const row = await findOrganization(ctx.storage.reader, organization.id);
    if (!row) throw new Error("no row");
    const by = (userId: string) =>
      ({ actor: { kind: "user", name: userId }, member: { userId, throughServer: false } }) as const;
    const admin = await organization.newMember("admin");
    expect(await outcome(deletion.remove(ctx, row, by(admin)))).toBe("INSUFFICIENT_SCOPE");
    await deletion.remove(ctx, row, by(organization.owner));
    expect((await send("GET", organization.path)).body).toMatchObject({ deletesAt: expect.any(String) });
    expect((await send("GET", `/users/${admin}/organizations`)).body).toEqual({ organizations: [] });
    expect(await outcome(deletion.restore(ctx, row, by(admin)))).toBe("INSUFFICIENT_SCOPE");
    await deletion.restore(ctx, row, by(organization.owner));
    expect((await send("GET", organization.path)).body).toMatchObject({ deletesAt: null, disabledAt: null });
    // An owner who removed another one waits 7 days.
    const second = await organization.newMember("owner");
    await (await acting(service, organization, organization.owner)).remove(second);
    expect(await outcome(deletion.remove(ctx, row, by(organization.owner)))).toBe("CONFLICT");
    service.clock.advance(7 * day + 1);
    await deletion.remove(ctx, row, by(organization.owner));
    service.clock.advance(7 * day + 1);
    await service.server.app.sweep();
    expect((await send("GET", organization.path)).status).toBe(404);
  });
});
