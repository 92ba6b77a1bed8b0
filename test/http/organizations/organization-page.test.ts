import { afterAll, beforeAll, expect, it } from "vitest";
import { challengeName } from "../../../src/organizations/domains/lookup.ts";
import { openAccount } from "../../support/account.ts";
import { startNameServer, type NameServer } from "../../support/name-server.ts";
import { useMailServer } from "../../support/mail.ts";
import { withOrganizationPages } from "../../support/organizations.ts";
import { newEmail } from "../../support/person.ts";
import { until } from "../../support/receiver.ts";
import * as operatorTokens from "../../../src/sessions/operator-tokens.ts";
import { describeSqliteFirst, type TestService } from "../../support/service.ts";

const mailServer = await useMailServer();

const having = async (service: TestService, settings = {}) =>
  await withOrganizationPages(service, { organizationRoles: ["billing"], ...settings });

/** Filled before the service starts. */
const servers: string[] = [];
let names: NameServer;
beforeAll(async () => {
  names = await startNameServer();
  servers.push(names.address);
});
afterAll(() => names.close());

describeSqliteFirst("the page of an organization", { mail: mailServer.mail, dns: { servers } }, (current) => {
  it("lets a stranger set up a company and invite members, without code", async () => {
    const service = current();
    const { send, newVisitor, url } = await having(service, { organizationCreation: "people" });
    const { visitor } = await newVisitor();
    const list = await visitor.get(url());
    const made = await visitor.submit(list, "/organization", { name: "Acme" });
    expect(made.status).toBe(303);
    const page = await visitor.get(made.location.href);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining("Acme")]);
    const [bob, eve] = [newEmail(), newEmail()];
    const invite = /<form[^>]*>(?:(?!<\/form>)[^])*value="invite"[^]*?<\/form>/u.exec(page.text)?.[0] ?? "";
    expect(invite).toContain("addresses");
    const token = /name="token" value="([^"]+)"/u.exec(page.text)?.[1] ?? "";
    const sent = await visitor.post(made.location.href, {
      token,
      act: "invite",
      addresses: `${bob}\n${eve}\nnot-an-address`,
      "role.member": "on",
    });
    // The good ones are sent, and the page names the others.
    expect([sent.status, sent.text]).toEqual([422, expect.stringContaining("not-an-address")]);
    await until(() => mailServer.to(bob).length + mailServer.to(eve).length === 2);
    const id = made.location.searchParams.get("organization") ?? "";
    expect((await send("GET", `/organizations/${id}/invitations`)).body["invitations"]).toHaveLength(2);
    // Three a day from one network.
    for (const name of ["Two", "Three"])
      expect((await visitor.submit(list, "/organization", { name })).status).toBe(303);
    await visitor.submit(list, "/organization", { name: "Four" });
    expect((await send("GET", "/organizations")).body["organizations"]).toHaveLength(3);
  });

  it("claims a domain, says what DNS answered and who joins, for owners; an admin only sees it", async () => {
    const service = current();
    const { send, newVisitor, newOrganization, url, act } = await having(service);
    const { userId: owner, visitor } = await newVisitor();
    const { userId: admin, visitor: asAdmin } = await newVisitor();
    const { id, path } = await newOrganization({ owner });
    await send("PUT", `${path}/members/${admin}`, { roles: ["admin"] });
    expect((await act(visitor, id, { act: "add-domain", domain: "co.uk" })).status).toBe(422);
    expect((await act(visitor, id, { act: "add-domain", domain: "page.example" })).status).toBe(303);
    const [{ record: asked } = { record: { value: "" } }] = (await send("GET", `${path}/domains`)).body["domains"] as {
      record: { value: string };
    }[];
    names.zones.set(challengeName("page.example"), { txt: [["another value"]] });
    names.zones.set(challengeName("page.example.page.example"), { txt: [[asked.value]] });
    expect((await act(visitor, id, { act: "check-domain", domain: "page.example" })).status).toBe(303);
    expect((await act(visitor, id, { act: "join-domain", domain: "page.example", join: "ask" })).status).toBe(303);
    const claimed = async () => (await send("GET", `${path}/domains`)).body["domains"] as Record<string, unknown>[];
    const [claim] = await claimed();
    expect(claim).toMatchObject({ state: "pending", join: "ask", answer: { result: "missing", isDoubled: true } });
    const page = await visitor.get(url(id));
    const record = claim?.["record"] as { name: string; value: string };
    for (const shown of ["_authsvc-challenge.page.example", record.value, "another value", "There is no such record."])
      expect(page.text).toContain(shown);
    expect(page.text).toContain("The record is at _authsvc-challenge.page.example.page.example.");
    const seen = await asAdmin.get(url(id));
    expect([seen.text.includes("page.example"), seen.text.includes("add-domain")]).toEqual([true, false]);
    expect((await act(asAdmin, id, { act: "remove-domain", domain: "page.example" })).status).toBe(422);
    expect((await act(visitor, id, { act: "remove-domain", domain: "page.example" })).status).toBe(303);
    expect(await claimed()).toEqual([]);
  });

  it("Q2: shows and does what the person's rights allow, whatever the form says", async () => {
    const service = current();
    const { send, newVisitor, newOrganization, url, act } = await having(service);
    const { userId: owner, visitor: asOwner } = await newVisitor();
    const { userId: member, visitor: asMember } = await newVisitor();
    const { userId: admin, visitor: asAdmin } = await newVisitor();
    const { visitor: asStranger } = await newVisitor();
    const organization = await newOrganization({ owner });
    const { id, path, rolesOf } = organization;
    await send("PUT", `${path}/members/${member}`, { roles: ["member"] });
    await send("PUT", `${path}/members/${admin}`, { roles: ["admin"] });
    expect((await asStranger.get(url(id))).status).toBe(404);
    const plain = (await asMember.get(url(id))).text;
    for (const hidden of ['value="invite"', 'value="name"', 'value="delete"', 'value="roles"'])
      expect([hidden, plain.includes(hidden)]).toEqual([hidden, false]);
    const forbidden: ({ act: string } & Record<string, string>)[] = [
      { act: "name", name: "Mine" },
      { act: "slug", slug: "mine" },
      { act: "policy", secondFactor: "required" },
      { act: "roles", user: member, "role.owner": "on" },
      { act: "remove", user: owner },
      { act: "invite", addresses: newEmail(), "role.member": "on" },
      { act: "delete" },
    ];
    for (const fields of forbidden) {
      expect([fields.act, (await act(asMember, id, fields)).status]).toEqual([fields.act, 422]);
      expect([fields.act, (await act(asStranger, id, fields)).status]).toEqual([fields.act, 404]);
    }
    for (const fields of [forbidden[1], forbidden[2], forbidden[3], forbidden[4], forbidden[6]])
      expect([fields?.act, (await act(asAdmin, id, fields ?? { act: "" })).status]).toEqual([fields?.act, 422]);
    expect((await act(asAdmin, id, { act: "roles", user: member, "role.billing": "on" })).status).toBe(303);
    expect(await rolesOf(member)).toEqual(["billing"]);
    expect((await act(asAdmin, id, { act: "name", name: "Ours" })).status).toBe(303);
    expect((await act(asOwner, id, { act: "slug", slug: "ours" })).status).toBe(303);
    expect((await send("GET", path)).body).toMatchObject({ name: "Ours", slug: "ours", owners: 1, members: 3 });
    // The last owner stays; others leave.
    expect((await act(asOwner, id, { act: "leave" })).status).toBe(422);
    expect((await act(asMember, id, { act: "leave" })).status).toBe(303);
    expect(await rolesOf(member)).toBeUndefined();
    // Without the form's token, nothing happens.
    expect((await asOwner.post(url(id), { act: "delete" })).status).toBe(403);
  });

  it("deletes with a week to keep it, from the mail", async () => {
    const service = current();
    const { send, newVisitor, newOrganization, url, act } = await having(service);
    const { userId: owner, email, visitor } = await newVisitor();
    const { id, path } = await newOrganization({ owner });
    expect((await act(visitor, id, { act: "delete" })).status).toBe(303);
    expect((await send("GET", path)).body).toMatchObject({ deletesAt: expect.any(String) });
    const told = () => mailServer.to(email).filter(({ subject }) => subject.includes("deleted"));
    await until(() => told().length === 1);
    const link = /https?:\/\/\S*\/organization\?\S*/u.exec(told()[0]?.text ?? "")?.[0] ?? "";
    const page = await visitor.get(link);
    expect(page.text).toContain("Keep the organization");
    expect(page.text).not.toContain('value="invite"');
    expect((await act(visitor, id, { act: "name", name: "Still mine" })).status).toBe(422);
    expect((await act(visitor, id, { act: "restore" })).status).toBe(303);
    expect((await send("GET", path)).body).toMatchObject({ deletesAt: null, disabledAt: null });
    expect((await visitor.get(url(id))).text).toContain('value="invite"');
  });

  it("Q20: shows what happened to admins and owners, without networks, and operators' access to owners only", async () => {
    const service = current();
    const { send, newVisitor, newOrganization, url, act } = await having(service);
    const { userId: owner, visitor: asOwner } = await newVisitor();
    const { userId: admin, email: adminEmail, visitor: asAdmin } = await newVisitor();
    const { userId: member, visitor: asMember } = await newVisitor();
    const { id, path } = await newOrganization({ owner });
    await send("PUT", `${path}/members/${admin}`, { roles: ["admin"] });
    await send("PUT", `${path}/members/${member}`, { roles: ["member"] });
    expect((await act(asAdmin, id, { act: "name", name: "Renamed" })).status).toBe(303);
    const { ctx } = service.server.app;
    await operatorTokens.mint(
      ctx,
      {
        userId: member,
        scopes: undefined,
        seconds: 60,
        organization: id,
        actor: { name: "Grace from support", reason: "ticket 4711" },
      },
      { dryRun: false },
      { kind: "cli", name: "test" },
    );
    const [seen, owned, plain] = [await asAdmin.get(url(id)), await asOwner.get(url(id)), await asMember.get(url(id))];
    const activity = (text: string): string => text.slice(text.indexOf('id="activity"'));
    expect(seen.text).toContain("Settings changed");
    expect(activity(seen.text)).toContain(`By ${adminEmail}`);
    expect(activity(seen.text)).not.toMatch(/127\.0\.0\.1|::1|support|4711/u);
    expect(activity(owned.text)).toContain("By Grace from support");
    expect(plain.text).not.toContain('id="activity"');
  });

  it("names the organizations that deleting the account leaves without an owner, and leads to their members", async () => {
    const service = current();
    const { send, app, newVisitor, newOrganization } = await having(service);
    const { userId: owner, visitor } = await newVisitor();
    const { userId: other } = await newVisitor();
    const alone = await newOrganization({ owner, name: "Alone" });
    const shared = await newOrganization({ owner, name: "Shared" });
    await send("PUT", `${shared.path}/members/${other}`, { roles: ["owner"] });
    const deleting = async () => (await openAccount(service, app, visitor, "/delete")).text;
    const before = await deleting();
    expect(before).toContain("Choose a new owner of Alone");
    expect(before).toContain(`organization=${alone.id}#members`);
    expect(before).not.toContain("Shared");
    // An owner who is disabled is none.
    await send("PATCH", `/users/${other}`, { disabled: true });
    expect(await deleting()).toContain("Choose a new owner of Shared");
    await send("PUT", `${alone.path}/members/${other}`, { roles: ["owner"] });
    await send("PATCH", `/users/${other}`, { disabled: false });
    expect(await deleting()).not.toContain("Choose a new owner");
  });

  it("does not say that an unknown act or choice was done, and gives a pasted list back", async () => {
    const { newVisitor, newOrganization, act } = await having(current());
    const { userId: owner, visitor } = await newVisitor();
    const { id } = await newOrganization({ owner });
    for (const unknown of ["", "nothing", "constructor", "__proto__", "__defineGetter__"])
      expect([unknown, (await act(visitor, id, { act: unknown })).status]).toEqual([unknown, 404]);
    await act(visitor, id, { act: "add-domain", domain: "choice.example" });
    expect((await act(visitor, id, { act: "policy", secondFactor: "always" })).status).toBe(422);
    expect((await act(visitor, id, { act: "join-domain", domain: "choice.example", join: "all" })).status).toBe(422);
    const pasted = Array.from({ length: 51 }, (_, at) => `many${at}@choice.example`);
    const many = await act(visitor, id, { act: "invite", addresses: pasted.join(", "), "role.member": "on" });
    expect([many.status, many.text]).toEqual([422, expect.stringContaining(`${pasted.join("\n")}</textarea>`)]);
    const some = await act(visitor, id, { act: "invite", addresses: `${newEmail()} wrong`, "role.member": "on" });
    expect([some.status, some.text]).toEqual([422, expect.stringContaining(">\nwrong</textarea>")]);
  });

  it("writes of an old form only what it changed", async () => {
    const { send, newVisitor, newOrganization, act } = await having(current(), {
      organizationRoles: ["billing", "dev"],
    });
    const { userId: owner, visitor } = await newVisitor();
    const { id, path, newMember, rolesOf } = await newOrganization({ owner, name: "Old" });
    const user = await newMember("member", "billing");
    // Meanwhile another owner takes a role and renames the organization.
    await send("PUT", `${path}/members/${user}`, { roles: ["member"] });
    await send("PATCH", path, { name: "New" });
    const shown = { act: "roles", user, was: "billing member", "role.billing": "on", "role.member": "on" };
    expect((await act(visitor, id, { ...shown, "role.dev": "on" })).status).toBe(303);
    expect(await rolesOf(user)).toEqual(["dev", "member"]);
    expect((await act(visitor, id, { act: "name", was: "Old", name: "Old" })).status).toBe(303);
    expect((await send("GET", path)).body).toMatchObject({ name: "New" });
  });

  it("refuses what somebody else changed as well, shows what is there, and keeps what was entered", async () => {
    const { send, newVisitor, newOrganization, act } = await having(current());
    const { userId: owner, visitor } = await newVisitor();
    const { userId: other, visitor: another } = await newVisitor();
    const { id, path } = await newOrganization({ owner, name: "Old", slug: "old-one" });
    await send("PUT", `${path}/members/${other}`, { roles: ["owner"] });
    const domain = "meanwhile.example";
    expect((await act(visitor, id, { act: "add-domain", domain })).status).toBe(303);
    type Case = { fields: Record<string, string>; theirs: Record<string, string>; is: string; words: string };
    const cases: Case[] = [
      { fields: { act: "name", was: "Old", name: "Mine" }, theirs: { name: "Theirs" }, is: "Theirs", words: "Theirs" },
      {
        fields: { act: "slug", was: "old-one", slug: "mine" },
        theirs: { slug: "theirs" },
        is: "theirs",
        words: "theirs",
      },
      {
        fields: { act: "policy", was: "off", secondFactor: "required" },
        theirs: { secondFactor: "optional" },
        is: "optional",
        words: "Optional",
      },
      {
        fields: { act: "join-domain", domain, was: "off", join: "on" },
        theirs: { join: "ask" },
        is: "ask",
        words: "People who press a button",
      },
    ];
    for (const { fields, theirs, is, words } of cases) {
      const [[name, value] = ["", ""]] = Object.entries(theirs);
      const mine = fields[name] ?? "";
      const stored = async () =>
        name === "join"
          ? ((await send("GET", `${path}/domains`)).body["domains"] as Record<string, unknown>[])[0]?.[name]
          : (await send("GET", path)).body[name];
      expect((await act(another, id, { ...fields, [name]: value })).status).toBe(303);
      const refused = await act(visitor, id, fields);
      expect([name, refused.status, await stored()]).toEqual([name, 422, is]);
      expect(refused.text).toContain(`Save again to replace what is there now: ${words}<`);
      const form = refused.text.split("<form").find((each) => each.includes(`value="${fields["act"] ?? ""}"`)) ?? "";
      // What was entered stays, and is sent again onto what is shown now.
      const entered = name === "secondFactor" || name === "join" ? new RegExp(`value="${mine}"\\s+checked`, "u") : mine;
      expect(form).toMatch(entered);
      expect(form).toContain(`name="was" value="${is}"`);
      expect((await act(visitor, id, { ...fields, was: is })).status).toBe(303);
      expect(await stored()).toBe(mine);
      // Both changed it alike.
      expect((await act(another, id, fields)).status).toBe(303);
    }
    // Compared where the row is locked: one of two at the same time.
    const race = (visitor: typeof another, name: string) => act(visitor, id, { act: "name", was: "Mine", name });
    const raced = await Promise.all([race(visitor, "First"), race(another, "Second")]);
    expect(raced.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 422]);
  });

  it("gives a refused name, short name and domain back with the reason at its field", async () => {
    const { newVisitor, newOrganization, act } = await having(current());
    const { userId: owner, visitor } = await newVisitor();
    const { id } = await newOrganization({ owner, slug: "mine" });
    await newOrganization({ owner, slug: "taken" });
    const cases = [
      ["name", "name", "contoso.com", "Enter a name of at most 64"],
      ["slug", "slug", "No Slug", "Use 2 to 48 of"],
      ["slug", "slug", "taken", "a name that is free"],
      ["add-domain", "domain", "gmail.com", "Enter a domain of your own"],
    ] as const;
    for (const [name, field, entered, reason] of cases) {
      const { status, text } = await act(visitor, id, { act: name, [field]: entered });
      expect([entered, status]).toEqual([entered, 422]);
      expect(text).toMatch(new RegExp(`id="${field}-problem"[^>]*>[^<]*${reason}`, "u"));
      expect(text).toMatch(new RegExp(`id="${field}"[^>]*aria-invalid="true"[^>]*value="${entered}"`, "u"));
      expect(text).not.toContain('class="summary"');
    }
  });

  it("says on the page when a domain was checked too often", async () => {
    const { newVisitor, newOrganization, act } = await having(current());
    const { userId: owner, visitor } = await newVisitor();
    const { id } = await newOrganization({ owner });
    await act(visitor, id, { act: "add-domain", domain: "often.example" });
    const check = async () => await act(visitor, id, { act: "check-domain", domain: "often.example" });
    let answer = await check();
    for (let at = 0; at < 21 && answer.status === 303; at++) answer = await check();
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, expect.stringMatching(/^\d+$/u)]);
    expect(answer.text).toMatch(/Too many attempts\. You can try again in \d+ (?:second|minute)/u);
    expect(answer.text).toContain('value="check-domain"');
  });
});
