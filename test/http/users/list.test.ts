import { beforeAll, expect, it } from "vitest";
import * as userAdministration from "../../../src/people/administration.ts";
import * as newUsers from "../../../src/people/new-users.ts";
import * as profiles from "../../../src/people/profile.ts";
import { bearer } from "../../support/methods.ts";
import { call, redeem, signedUp, signIn } from "../../support/person.ts";
import { describeSqliteFirst, type TestApp, type TestService } from "../../support/service.ts";

type Listed = { id: string; name: string | null; email: string };
type Page = { users: Listed[]; nextCursor: string | null };

const operator = { actor: { kind: "cli", name: "test" } } as const;

async function addUser(service: TestService, app: TestApp, name: string | null): Promise<string> {
  const { ctx } = service.server.app;
  // One after the other: equal instants are another test's.
  service.clock.advance(1000);
  const email = `${app.id}-${service.clock.now}@example.com`;
  const input = { appId: app.id, email, emailVerified: true, name, password: undefined };
  return (await newUsers.create(ctx, input, { dryRun: false }, operator)).id;
}

async function addGroup({ server, clock }: TestService, app: TestApp, name: string, userIds: string[]): Promise<void> {
  await server.app.ctx.storage.write(async ({ db, tables: { groups, groupMembers } }) => {
    const group = { id: `grp_${name}`, appId: app.id, name, createdAt: clock.now };
    await db.insert(groups).values(group);
    await db
      .insert(groupMembers)
      .values(userIds.map((userId) => ({ groupId: group.id, userId, createdAt: clock.now })));
  });
}

describeSqliteFirst("GET /applications/{appId}/users", (current) => {
  let app: TestApp;
  let other: TestApp;
  const ids = new Map<string, string>();

  beforeAll(async () => {
    app = await current().createApp();
    other = await current().createApp();
    for (const name of ["Ada", "Bob", "ada lovelace", "A%", "A_b", "Éva", "Zoë"])
      ids.set(name, await addUser(current(), app, name));
    ids.set("", await addUser(current(), app, null));
    await addUser(current(), other, "Ada");
  });

  async function get(query = "", key = app): Promise<{ status: number; body: Page & { error?: { details: string } } }> {
    return (await call(current(), "GET", `/applications/${key.id}/users${query}`, bearer(key.apiKey))) as never;
  }
  const names = async (query: string): Promise<(string | null)[]> =>
    (await get(query)).body.users.map(({ name }) => name);

  async function pages(query: string, limit: number): Promise<string[]> {
    const found: string[] = [];
    for (let cursor = ""; ;) {
      const { status, body } = await get(`?limit=${limit}${query}${cursor}`);
      expect([status, body.users.length <= limit]).toEqual([200, true]);
      found.push(...body.users.map(({ id }) => id));
      if (body.nextCursor === null) return found;
      cursor = `&cursor=${body.nextCursor}`;
    }
  }

  it("lists the users of the application, oldest first, with all that is known of each", async () => {
    const { status, body } = await get();
    expect(status).toBe(200);
    expect(body.users.map(({ id }) => id)).toEqual([...ids.values()]);
    expect(body.nextCursor).toBeNull();
    expect(body.users[0]).toEqual({
      id: ids.get("Ada"),
      appId: app.id,
      email: expect.stringContaining("@example.com") as string,
      emailVerified: true,
      name: "Ada",
      picture: null,
      createdAt: expect.stringMatching(/Z$/u) as string,
      updatedAt: expect.stringMatching(/Z$/u) as string,
      lastLoginAt: null,
      disabledAt: null,
      authMethods: { passkey: false, oauth: [], password: false },
    });
  });

  it("finds names by their beginning, A to Z in either case, and takes the wildcards of SQL for what they are", async () => {
    expect(await names("?name=ADA")).toEqual(["Ada", "ada lovelace"]);
    expect(await names("?name=a%25")).toEqual(["A%"]);
    expect(await names("?name=a_")).toEqual(["A_b"]);
    expect(await names("?name=%25")).toEqual([]);
    expect(await names("?name=_")).toEqual([]);
    expect(await names("?name=%C3%89")).toEqual(["Éva"]);
    expect(await names("?name=zo%C3%AB")).toEqual(["Zoë"]);
    expect(await names("?name=%5C")).toEqual([]);
  });

  it("orders by name, creation and last sign-in, either way; users without a name or sign-in come first", async () => {
    const byName = [null, "A%", "A_b", "Ada", "ada lovelace", "Bob", "Zoë", "Éva"];
    expect(await names("?sort=name")).toEqual(byName);
    expect(await names("?sort=-name")).toEqual(byName.toReversed());
    expect((await names("?sort=-createdAt")).slice(0, 2)).toEqual([null, "Zoë"]);
    const person = await signedUp(current(), app);
    const [, before] = [await names("?sort=lastLoginAt"), new Date(current().clock.now + 1).toISOString()];
    expect((await get("?sort=-lastLoginAt")).body.users[0]?.id).toBe(person.user["id"]);
    expect((await get(`?lastLoginBefore=${before}`)).body.users.at(-1)?.id).toBe(person.user["id"]);
    expect(await names("?lastLoginSince=1970-01-01T00:00:00Z&lastLoginBefore=1970-01-02T00:00:00Z")).toHaveLength(8);
    current().clock.advance(60_000);
    const since = new Date(current().clock.now).toISOString();
    expect((await get(`?lastLoginSince=${since}`)).body.users).toEqual([]);
    await redeem(current(), app, await signIn(current(), app, { email: person.email }));
    expect((await get(`?lastLoginSince=${since}`)).body.users.map(({ id }) => id)).toEqual([person.user["id"]]);
    const { ctx } = current().server.app;
    await profiles.remove(ctx, String(person.user["id"]), operator);
  });

  it("filters by address, state and creation, and by all of them at once", async () => {
    const bob = String(ids.get("Bob"));
    const { body } = await call(current(), "GET", `/applications/${app.id}/users/${bob}`, bearer(app.apiKey));
    const { email, createdAt } = body as { email: string; createdAt: string };
    await userAdministration.disable(current().server.app.ctx, bob, { dryRun: false }, operator);
    expect(await names(`?email=${email.toUpperCase()}`)).toEqual(["Bob"]);
    expect(await names("?email=nobody@example.com")).toEqual([]);
    expect(await names("?state=disabled")).toEqual(["Bob"]);
    expect(await names("?state=active")).toHaveLength(7);
    expect(await names("?state=disabled&sort=name")).toEqual(["Bob"]);
    expect(await names(`?createdSince=${createdAt}&sort=createdAt`)).toEqual((await names("")).slice(1));
    expect(await names(`?createdBefore=${createdAt}`)).toEqual(["Ada"]);
    const all = `?email=${email}&name=b&state=disabled&createdSince=${createdAt}&lastLoginBefore=${createdAt}`;
    expect(await names(all)).toEqual(["Bob"]);
    expect(await names(all.replace("name=b", "name=a"))).toEqual([]);
    await userAdministration.enable(current().server.app.ctx, bob, { dryRun: false }, operator);
  });

  it.each([
    "",
    "&sort=name",
    "&sort=-name",
    "&sort=lastLoginAt",
    "&sort=-lastLoginAt",
    "&sort=-createdAt",
    "&state=active",
  ])("pages show everybody once (%s), also among equals", async (query) => {
    const twins = await current().createApp();
    const { ctx } = current().server.app;
    const create = async (n: number) =>
      await newUsers.create(
        ctx,
        { appId: twins.id, email: `twin${n}@example.com`, emailVerified: false, name: "Twin", password: undefined },
        { dryRun: false },
        operator,
      );
    const made = await Promise.all(Array.from({ length: 7 }, async (_, n) => await create(n)));
    [app, other] = [twins, app];
    try {
      for (const limit of [1, 3, 7, 200])
        expect((await pages(query, limit)).toSorted()).toEqual(made.map(({ id }) => id).toSorted());
    } finally {
      [app, other] = [other, app];
    }
  });

  it("lists the members of a group, by their ids; another application's group is unknown", async () => {
    const members = ["Zoë", "Ada", "A%"].map((name) => String(ids.get(name)));
    await addGroup(current(), app, "admins", members);
    await addGroup(current(), other, "theirs", members);
    expect(await pages("&group=admins", 1)).toEqual(members.toSorted());
    expect(await pages("&group=admins&name=a", 2)).toEqual(members.slice(1).toSorted());
    for (const query of ["?group=theirs", "?group=nobody", "?group="]) {
      const { status, body } = await get(query);
      expect([status, body.error?.details]).toEqual([400, "group: the application has no such group"]);
    }
    expect((await get("?group=admins&sort=name")).body.error?.details).toMatch(
      /^sort: it cannot be combined with group/u,
    );
  });

  it("users who are deleted while the list is read are missed or not, and nobody else is", async () => {
    const shrinking = await current().createApp();
    const all = [];
    for (const name of ["a", "b", "c", "d", "e"]) all.push(await addUser(current(), shrinking, name));
    const first = (await get("?limit=2", shrinking)).body;
    const { ctx } = current().server.app;
    // The one that the cursor stands on, and the one after it.
    for (const id of all.slice(1, 3)) await profiles.remove(ctx, id, operator);
    const rest = (await get(`?limit=2&cursor=${first.nextCursor}`, shrinking)).body;
    expect(rest.users.map(({ id }) => id)).toEqual(all.slice(3));
  });

  it("an application sees no user of another: not by address, not by name, not by a cursor", async () => {
    const theirs = (await get("?limit=1", other)).body.users[0];
    expect((await get(`?email=${theirs?.email}`)).body.users).toEqual([]);
    expect((await get("?name=ada")).body.users.map(({ id }) => id)).not.toContain(theirs?.id);
    await addUser(current(), other, "Second");
    const { nextCursor } = (await get("?limit=1", other)).body;
    const refused = await get(`?limit=1&cursor=${nextCursor}`);
    expect([refused.status, refused.body.error?.details]).toEqual([
      400,
      expect.stringMatching(/^cursor: this list did not/u),
    ]);
  });

  it("a forged or foreign cursor is refused, and each other parameter has an error of its own", async () => {
    const { nextCursor } = (await get("?limit=1")).body;
    const bytes = Buffer.from(String(nextCursor), "base64url");
    const forged = (at: number) =>
      Buffer.from(bytes.map((byte, place) => (place === at ? byte ^ 1 : byte))).toString("base64url");
    expect(bytes.toString("latin1")).not.toContain("usr_");
    const notOurs = /^cursor: this list did not return it/u;
    const cases: [query: string, details: RegExp][] = [
      [`cursor=${forged(0)}`, notOurs],
      [`cursor=${forged(bytes.length - 1)}`, notOurs],
      [`cursor=${bytes.subarray(0, 16).toString("base64url")}`, notOurs],
      [`cursor=${nextCursor}A`, notOurs],
      ["cursor=", notOurs],
      [`cursor=${"x".repeat(3000)}`, notOurs],
      [`cursor=${nextCursor}&sort=name`, /^cursor: it belongs to another filter or order/u],
      [`cursor=${nextCursor}&state=active`, /^cursor: it belongs to another filter or order/u],
      ["limit=0", /^limit: a whole number from 1 to 200$/u],
      ["limit=201", /^limit:/u],
      ["limit=1.5", /^limit:/u],
      ["limit=", /^limit:/u],
      ["email=nonsense", /^email: an address/u],
      ["name=", /^name: 1 to 200 characters/u],
      [`name=${"x".repeat(201)}`, /^name:/u],
      ["name=a%07", /^name:/u],
      ["state=gone", /^state: one of active, disabled, pending$/u],
      ["sort=email", /^sort: one of createdAt, -createdAt/u],
      ["createdSince=yesterday", /^createdSince: a time such as/u],
      ["createdSince=2026-02-31T00:00:00Z", /^createdSince: a time such as/u],
      ["createdBefore=2026-02-31", /^createdBefore: a time/u],
      ["lastLoginSince=1", /^lastLoginSince: a time/u],
      ["lastLoginBefore=2026-11-20T10:00:00", /^lastLoginBefore: a time/u],
      ["createdSince=2026-11-20T10:00Z&createdBefore=2026-11-20T10:00Z", /^createdBefore: a time after createdSince$/u],
      ["name=a&name=b", /^query: a parameter is given twice$/u],
      ["name[]=a", /^query: a parameter is sent as a list$/u],
      ["nmae=a", /^query: unknown parameter "nmae"$/u],
    ];
    for (const [query, details] of cases) {
      const { status, body: refused } = await get(`?${query}`);
      expect([query, status, refused.error?.details]).toEqual([query, 400, expect.stringMatching(details)]);
    }
  });
});
