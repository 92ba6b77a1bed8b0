import { beforeAll, expect, test } from "vitest";
import * as domains from "../../src/organizations/domains/service.ts";
import * as invitations from "../../src/organizations/invitations.ts";
import * as members from "../../src/organizations/members.ts";
import * as organizations from "../../src/organizations/service.ts";
import * as userAdministration from "../../src/people/administration.ts";
import { commandsOn, openConsole, type Console } from "../support/console.ts";
import { withOrganizations, type WithOrganizations } from "../support/organizations.ts";
import { decoded, newEmail } from "../support/person.ts";
import { describeSqliteFirst } from "../support/service.ts";
import { mailAway } from "./somebody.ts";
import { filled } from "./support-forms.ts";

const by = { actor: { kind: "cli", name: "test" } } as const;
const now = { dryRun: false };

// No name server listens there.
const dns = { servers: ["127.0.0.1:9"] };

describeSqliteFirst("organizations in the console", { ...mailAway, dns }, (service) => {
  const ctx = () => service().server.app.ctx;
  let shop: WithOrganizations;
  let console: Console;
  let base = "";

  beforeAll(async () => {
    shop = await withOrganizations(service(), { organizationRoles: ["billing"] });
    base = `/applications/${shop.app.id}/organizations`;
  });

  async function rowOf(id: string) {
    const row = await organizations.find(ctx().storage.reader, shop.app.id, id);
    if (!row) throw new Error(`no organization ${id}`);
    return row;
  }

  const pageOf = async (id: string) => await console.get(`${base}/${id}`);

  /** Sends a form of the page of an organization. */
  async function send(id: string, action: string, values: Record<string, string> = {}) {
    console = await openConsole(service());
    const page = await pageOf(id);
    return await console.submit(page, action, { ...filled(page, action), ...values });
  }

  /** The names that the list shows. */
  async function listed(query: Record<string, string> = {}): Promise<string[]> {
    console = await openConsole(service());
    const { text, status } = await console.get(`${base}?${new URLSearchParams(query).toString()}`);
    if (status !== 200) throw new Error(text.slice(-900));
    return [...text.matchAll(/organizations\/org_\w+"><bdi>([^<]*)</gu)].map(([, name = ""]) => name);
  }

  test("the list finds by parts of name, slug and domain, and by state, page by page", async () => {
    shop = await withOrganizations(service(), { organizationRoles: ["billing"] });
    base = `/applications/${shop.app.id}/organizations`;
    const acme = await shop.newOrganization({ name: "Ácme Bücher", slug: "books" });
    await domains.add(ctx(), await rowOf(acme.id), { domain: "buecher.example", isProved: true }, by);
    // Newest first is by time.
    service().clock.advance(1);
    const gone = await shop.newOrganization({ name: "Without" });
    await userAdministration.disable(ctx(), gone.owner, now, by);
    service().clock.advance(1);
    const off = await shop.newOrganization({ name: "Off" });
    await organizations.update(ctx(), await rowOf(off.id), { disabled: true }, by);
    service().clock.advance(1);
    await shop.newOrganization({ name: "Invited", owner: newEmail() });
    expect(await listed()).toEqual(["Invited", "Off", "Without", "Ácme Bücher"]);
    for (const q of ["acme", "BUCHER ac", "ooks", "echer.ex", acme.id])
      expect(await listed({ q })).toEqual(["Ácme Bücher"]);
    expect(await listed({ q: "nothing" })).toEqual([]);
    expect(await listed({ state: "ownerless" })).toEqual(["Without"]);
    expect(await listed({ state: "disabled" })).toEqual(["Off"]);
    expect(await listed({ state: "new" })).toEqual(["Invited"]);
    expect(await listed({ state: "active", q: "b" })).toEqual(["Ácme Bücher"]);
    for (let n = 0; n < 50; n += 1) await shop.newOrganization({ name: `Many ${n}`, owner: acme.owner });
    const [first, second] = [await listed({ q: "many" }), await listed({})];
    expect([first.length, second.length]).toEqual([50, 50]);
    const page = await console.get(base);
    const next = /href="([^"]*after=[^"]*)"/u.exec(page.text)?.[1] ?? "";
    const { text } = await console.visitor.get(new URL(decoded(next), page.url).href);
    expect(text).toContain("Ácme Bücher");
    expect(text).not.toContain("Next page");
    expect((await console.get(`${base}?state=odd`)).status).toBe(400);
  });

  test("creates one with an owner, and says what is wrong beside the field", async () => {
    console = await openConsole(service());
    const opened = console;
    const { token = "" } = filled(await opened.get(base), "/sign-out");
    const create = async (values: Record<string, string>) =>
      await opened.visitor.post(`${opened.url}/console${base}`, { token, ...values });
    const owner = await shop.newPerson();
    const values = { name: "Created", owner, maxMembers: "7", secondFactor: "off", "was.secondFactor": "off" };
    const checked = await create({ ...values, check: "yes" });
    expect(commandsOn(checked).join("\n")).toContain(
      `organization create Created --app ${shop.app.id} --owner ${owner}`,
    );
    for (const owner of ["", "@", "no user"])
      expect([owner, (await create({ ...values, owner })).status]).toEqual([owner, 422]);
    const refused = await create({ ...values, owner: "usr_nobody" });
    expect([refused.status, decoded(refused.text)]).toEqual([
      422,
      expect.stringContaining("Owner: a user of this application"),
    ]);
    expect((await create(values)).status).toBe(303);
    expect(await listed({ q: "created" })).toEqual(["Created"]);
    const taken = await create({ ...values, slug: "created" });
    expect(taken.text).toContain("has or had this slug");
  });

  test("changes settings, roles and members; the last owner may go, and the page then offers to appoint one", async () => {
    const acme = await shop.newOrganization({ name: "Team" });
    await send(acme.id, "/change", { name: "Team Two", secondFactor: "required" });
    expect(await rowOf(acme.id)).toMatchObject({ name: "Team Two", secondFactor: "required" });
    const refused = await send(acme.id, "/change", { maxMembers: "many" });
    expect(decoded(refused.text)).toContain("Member limit: a whole number from 1 to 10000, or null");
    const email = newEmail();
    const userId = await shop.newPerson(email);
    expect((await send(acme.id, "/members", { who: email, "roles.billing": "on" })).text).toContain(
      "They are a member",
    );
    expect(await acme.rolesOf(userId)).toEqual(["billing", "member"]);
    for (const who of ["", "a b", "@"]) {
      const { status, text } = await send(acme.id, "/members", { who });
      expect([who, status, text.includes("Something went wrong")]).toEqual([who, 422, false]);
    }
    const page = await pageOf(acme.id);
    expect(page.text).toContain(email);
    for (const query of ["?after=%00", "?invited=a%20b"])
      expect((await console.get(`${base}/${acme.id}${query}`)).status).toBe(400);
    await send(acme.id, `/members/${userId}/roles`, { "roles.admin": "on" });
    expect(await acme.rolesOf(userId)).toEqual(["admin", "billing", "member"]);
    const unknown = await send(acme.id, "/members", { who: newEmail() });
    expect([unknown.status, decoded(unknown.text)]).toEqual([
      422,
      expect.stringContaining("Who: a user of this application"),
    ]);
    await send(acme.id, `/members/${acme.owner}/remove`);
    const ownerless = await pageOf(acme.id);
    expect(ownerless.text).toContain(">no owner<");
    await send(acme.id, "/members", { who: userId });
    expect(await acme.rolesOf(userId)).toEqual(["owner"]);
  });

  test("roles that somebody else changed meanwhile are not overwritten", async () => {
    const acme = await shop.newOrganization();
    const userId = await acme.newMember("member");
    console = await openConsole(service());
    const page = await pageOf(acme.id);
    const action = `/members/${userId}/roles`;
    await members.put(ctx(), await rowOf(acme.id), { userId, roles: ["billing"], adds: false }, by);
    const refused = await console.submit(page, action, { ...filled(page, action), "roles.admin": "on" });
    expect(refused.text).toContain("Somebody else has changed this in the meantime");
    expect(await acme.rolesOf(userId)).toEqual(["billing"]);
  });

  test("invites a list, keeps the refused addresses in the form, and withdraws", async () => {
    const acme = await shop.newOrganization();
    const [ada, bob] = [newEmail(), newEmail()];
    const answer = await send(acme.id, "/invitations", { addresses: `${ada}\nno address\n${bob}` });
    expect(answer.status).toBe(422);
    expect(answer.text).toContain("2 of 3 invitations were sent. no address:");
    expect(filled(answer, "/invitations")).toMatchObject({ addresses: "no address", "roles.member": "on" });
    const open = async () => (await invitations.list(ctx(), await rowOf(acme.id), { after: "", limit: 9 })).invitations;
    expect((await open()).map(({ email }) => email).toSorted()).toEqual([ada, bob].toSorted());
    const [first] = await open();
    expect((await send(acme.id, `/invitations/${first?.id}/withdraw`)).text).toContain("withdrawn");
    expect(await open()).toHaveLength(1);
  });

  test("a domain: its record, who joins, vouching and removing", async () => {
    const acme = await shop.newOrganization();
    const page = await send(acme.id, "/domains", { domain: "team.example", join: "ask" });
    expect(page.text).toContain("_authsvc-challenge.team.example");
    const claims = async () => await domains.list(ctx(), await rowOf(acme.id), by);
    expect(await claims()).toMatchObject([{ domain: "team.example", state: "pending", join: "ask" }]);
    await send(acme.id, "/domains/team.example/join", { join: "on" });
    await send(acme.id, "/domains/team.example/vouch");
    expect(await claims()).toMatchObject([{ state: "proved", join: "on", record: null }]);
    const refused = await send(acme.id, "/domains", { domain: "gmail.com" });
    expect(decoded(refused.text)).toContain("Domain: a domain of its own");
    await send(acme.id, "/domains", { domain: "often.example" });
    for (let n = 0; n < 10; n += 1) await domains.check(ctx(), await rowOf(acme.id), "often.example", by);
    const limited = await send(acme.id, "/domains/often.example/check");
    expect(decoded(limited.text)).toContain("Too many checks of this organization.");
    await send(acme.id, "/domains/often.example/remove");
    await send(acme.id, "/domains/team.example/remove");
    expect(await claims()).toEqual([]);
  });

  test("disables and enables, also after an owner's deletion; deletes once the name is typed", async () => {
    const acme = await shop.newOrganization({ name: "Ended" });
    await send(acme.id, "/disable");
    expect(await rowOf(acme.id)).toMatchObject({ disabledAt: expect.any(Number) as number });
    await send(acme.id, "/enable");
    const member = { userId: acme.owner, throughServer: false };
    const deletion = await import("../../src/organizations/deletion.ts");
    await deletion.remove(ctx(), await rowOf(acme.id), { ...by, member });
    const page = await pageOf(acme.id);
    expect(page.text).toContain("being deleted");
    expect(page.text).toContain("Keep the organization");
    await send(acme.id, "/enable");
    expect(await rowOf(acme.id)).toMatchObject({ disabledAt: null, deletesAt: null });
    expect((await send(acme.id, "/delete", { confirmation: "Another" })).status).toBe(422);
    expect((await send(acme.id, "/delete", { confirmation: "Ended" })).text).toContain("The organization was deleted.");
    expect((await pageOf(acme.id)).status).toBe(404);
  });

  test("the page of a person has their organizations, also while they are disabled", async () => {
    const acme = await shop.newOrganization({ name: "Their company" });
    console = await openConsole(service());
    for (const change of [undefined, userAdministration.disable]) {
      if (change) await change(ctx(), acme.owner, now, by);
      const { text } = await console.get(`/people/${acme.owner}`);
      expect(text).toContain("Their company");
      expect(text).toContain(`/console${base}/${acme.id}`);
    }
  });

  test("what is wrong: an organization without an owner, for everybody who sees the application", async () => {
    const acme = await shop.newOrganization({ slug: "alone" });
    await userAdministration.disable(ctx(), acme.owner, now, by);
    const other = await service().createApp();
    for (const [appId, isSaid] of [
      [undefined, true],
      [shop.app.id, true],
      [other.id, false],
    ] as const) {
      const { text } = await (await openConsole(service(), appId === undefined ? {} : { appId })).get("/overview");
      expect(text.includes(`Organizations of ${shop.app.id} have no owner any more`)).toBe(isSaid);
    }
  });

  test("the search and the audit log lead to an organization; without them, an application says how to begin", async () => {
    const acme = await shop.newOrganization({ name: "Findable" });
    console = await openConsole(service());
    const path = `/console${base}/${acme.id}`;
    expect((await console.get("/search?q=findab")).text).toContain(path);
    expect((await console.get(`/search?q=${acme.id}`)).headers.get("location")).toBe(path);
    expect((await console.get(`/audit?action=organization.create&app=${shop.app.id}`)).text).toContain(path);
    const plain = await service().createApp();
    expect((await console.get(`/applications/${plain.id}`)).text).not.toContain(`/${plain.id}/organizations`);
    expect((await console.get(`/applications/${plain.id}/organizations`)).text).toContain("Organizations are off.");
    expect((await console.get(`/applications/${plain.id}/organizations/${acme.id}`)).status).toBe(404);
  });

  test("J8: an organization of another application is not found, and nothing in it changes", async () => {
    const acme = await shop.newOrganization();
    const other = await withOrganizations(service());
    console = await openConsole(service());
    const page = await pageOf(acme.id);
    const { token = "" } = filled(page, "/disable");
    const path = `${console.url}/console/applications/${other.app.id}/organizations/${acme.id}`;
    expect((await console.visitor.get(path)).status).toBe(404);
    for (const action of ["/disable", "/domains", "/members", "/invitations", "/delete"])
      expect((await console.visitor.post(path + action, { token, domain: "x.example", who: acme.owner })).status).toBe(
        404,
      );
    expect(await rowOf(acme.id)).toMatchObject({ disabledAt: null });
  });

  // The last: the service's search looks at the newest 2,000.
  test("a search looks at 5,000, says that there may be more, and continues there", async () => {
    const many = await withOrganizations(service());
    const path = `/applications/${many.app.id}/organizations`;
    const { id } = await many.newOrganization({ name: "Oldest" });
    await ctx().storage.write(async (tx) => {
      const row = await organizations.find(tx, many.app.id, id);
      if (!row) throw new Error(`no organization ${id}`);
      for (let from = 0; from < 5000; from += 500) {
        const rows = Array.from({ length: 500 }, (_, n) => ({ ...row, id: `org_z${from + n}`, slug: `z${from + n}` }));
        await tx.db.insert(tx.tables.organizations).values(rows.map((each) => ({ ...each, name: "Newer" })));
      }
    });
    console = await openConsole(service());
    const page = await console.get(`${path}?q=oldest`);
    expect(page.text).toContain("None so far. The next page looks further.");
    const next = /href="([^"]*after=[^"]*)"/u.exec(page.text)?.[1] ?? "";
    const { text } = await console.visitor.get(new URL(decoded(next), page.url).href);
    expect(text).toContain(`${path}/${id}"`);
    expect(text).not.toContain("Next page");
  });
});
