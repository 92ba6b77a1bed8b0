import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import * as factorFailures from "../../../src/companies/factor-failures.ts";
import { insertIdentity } from "../../../src/organizations/provider/identity-store.ts";
import * as relinks from "../../../src/companies/relinks.ts";
import * as companyVisits from "../../../src/companies/visits.ts";
import { joinByDomain, offerFor } from "../../../src/organizations/domains/joining.ts";
import * as domains from "../../../src/organizations/domains/service.ts";
import * as organizations from "../../../src/organizations/service.ts";
import { findOrganization } from "../../../src/organizations/store.ts";
import { findUser, lockUser } from "../../../src/users/store.ts";
import { companyConfig, storeProvider, useCompanyProvider } from "../../support/company-provider.ts";
import { mailTo } from "../../support/mail-flows.ts";
import { useMailServer } from "../../support/mail.ts";
import { acceptNewest, source, withOrganizations } from "../../support/organizations.ts";
import { call, goodPassword, newEmail, redeem, signIn, Visitor } from "../../support/person.ts";
import { startReceiver, until, type Receiver } from "../../support/receiver.ts";
import { describeEachDatabase, describeSqliteFirst, type TestService } from "../../support/service.ts";
import { createEndpoint, localWebhooks } from "../../support/webhooks.ts";

const day = 86_400_000;
const [mailServer, company] = [await useMailServer(), await useCompanyProvider()];
const operator = { actor: { kind: "cli", name: "test" } } as const;

async function rowOf({ server }: TestService, id: string) {
  const row = await findOrganization(server.app.ctx.storage.reader, id);
  if (!row) throw new Error("no organization");
  return row;
}

const mail = { mail: mailServer.mail };
describeEachDatabase("rows of organizations", { ...mail, ...companyConfig }, (current) => {
  it("Q1: belong to one application: no statement makes them of two (15)", async () => {
    const service = current();
    const { ctx } = service.server.app;
    const here = await withOrganizations(service, { companySignIn: "on" });
    const there = await withOrganizations(service);
    const [own, foreign] = [await here.newOrganization(), await there.newOrganization()];
    const removed = await own.newMember("member");
    await here.send("DELETE", `${own.path}/members/${removed}`);
    const invited = { invitations: [{ email: newEmail(), roles: ["member"] }] };
    await here.send("POST", `${own.path}/invitations`, invited);
    await domains.add(ctx, await rowOf(service, own.id), { domain: "rows.example", isProved: true }, operator);
    const place = { organizationId: own.id, appId: here.app.id, userId: own.owner, issuer: company.issuer };
    const provider = await storeProvider(service, own, company);
    await here.send("POST", `${own.path}/setup-links`, { email: newEmail() });
    await relinks.openRelink(ctx, await rowOf(service, own.id), { userIds: [own.owner] }, operator);
    await factorFailures.countTry(ctx, place);
    const identity = { subject: "s-1", email: null, createdAt: 0, lastUsedAt: null };
    await ctx.storage.write(async (tx) => await insertIdentity(tx, { ...place, ...identity }));
    const visit = { purpose: "trial", sessionId: null, userId: own.owner, browserDigest: "browser" } as const;
    await companyVisits.start(ctx, provider, visit, { loginHint: null, asksLogin: false });
    const { tables } = ctx.storage.reader;
    const { organizationChanges: _ofNoApplication, organizations: _itself, ...others } = tables;
    const parts = Object.entries(others).filter(([name]) => name.startsWith("organization"));
    expect(parts.length).toBeGreaterThanOrEqual(12);
    for (const [name, table] of parts as [string, typeof tables.organizationMembers][]) {
      const change = async (values: object) =>
        await ctx.storage
          .write(async ({ db }) => await db.update(table).set(values).where(eq(table.organizationId, own.id)))
          .then(
            () => "mixed",
            () => "refused",
          );
      const { reader } = ctx.storage;
      const rows = await reader.db.select({ id: table.appId }).from(table).where(eq(table.organizationId, own.id));
      expect([name, rows.length > 0]).toEqual([name, true]);
      expect([name, await change({ appId: there.app.id })]).toEqual([name, "refused"]);
      expect([name, await change({ organizationId: foreign.id })]).toEqual([name, "refused"]);
      // Who is blocked may have no account any more.
      if ("userId" in table && name !== "organizationBlocks")
        expect([name, await change({ userId: foreign.owner })]).toEqual([name, "refused"]);
    }
  });
});

describeSqliteFirst("the link of an invitation", mail, (current) => {
  async function having() {
    const service = current();
    const own = await withOrganizations(service);
    const [a, b] = [await own.newOrganization(), await own.newOrganization()];
    async function linkFor(email: string, headers: Record<string, string> = {}): Promise<string> {
      const path = `/applications/${own.app.id}${a.path}/invitations`;
      const body = { invitations: [{ email, roles: ["member"] }] };
      await call(service, "POST", path, { ...own.app.headers, ...headers }, body);
      const { text } = await mailTo(mailServer, email);
      return /https?:\/\/\S*\/organization\/invitation\/\S+/u.exec(text)?.[0] ?? "";
    }
    const membersOf = async ({ path }: typeof a) => (await own.send("GET", path)).body["members"];
    return { ...own, service, a, b, linkFor, membersOf };
  }

  it("Q5: gives what its row says to whom its row says, whatever is added to it (16, 17)", async () => {
    const { app, send, a, b, linkFor, membersOf } = await having();
    const [email, other] = [newEmail(), newEmail()];
    const link = await linkFor(email);
    const secret = new URL(link).pathname.split("/").at(-1) ?? "";
    expect(Buffer.from(secret, "base64url")).toHaveLength(32);
    const flipped = (secret.startsWith("A") ? "B" : "A") + secret.slice(1);
    const { body: listed } = await send("GET", `${a.path}/invitations`);
    const [{ id } = { id: "" }] = listed["invitations"] as { id: string }[];
    for (const wrong of [flipped, secret.slice(0, -1), `${secret}A`, secret.toUpperCase(), id, `${secret}.${email}`])
      expect([wrong, (await new Visitor().get(link.replace(secret, wrong))).status]).toEqual([wrong, 410]);
    const visitor = new Visitor();
    const named = `${link}&organization=${b.id}&email=${encodeURIComponent(other)}&roles=owner`;
    const page = await visitor.get(named);
    expect([page.text.includes(email), page.text.includes(other)]).toEqual([true, false]);
    const added = { email: other, roles: "owner", organization: b.id };
    const posted = await visitor.submit(page, new URL(link).pathname, added);
    expect(posted.status).toBe(303);
    const found = async (address: string) => {
      const { body } = await send("GET", `/users?email=${encodeURIComponent(address)}`);
      return (body["users"] as { id: string }[]).map((user) => user.id);
    };
    const [joined = ""] = await found(email);
    expect([await a.rolesOf(joined), await found(other)]).toEqual([["member"], []]);
    expect([await membersOf(a), await membersOf(b)]).toEqual([2, 1]);
    expect(app.id).toBe(new URL(link).searchParams.get("app_id"));
  });

  it("leads to this service, whatever host the call names, and ends after seven days (24)", async () => {
    const { service, newPerson, app, linkFor } = await having();
    const forged = { "x-forwarded-host": "evil.example", "x-forwarded-proto": "http", forwarded: "host=evil.example" };
    const email = newEmail();
    const link = await linkFor(email, forged);
    expect(new URL(link).origin).toBe(service.url);
    const userId = await newPerson(email);
    expect((await new Visitor().get(link)).status).toBe(200);
    service.clock.advance(7 * day);
    expect((await new Visitor().get(link)).status).toBe(410);
    await expect(acceptNewest(service, app, userId)).rejects.toMatchObject({ code: "ORGANIZATION_NOT_FOUND" });
  });

  it("is sent alike to strangers, members of another organization and users of another application (66)", async () => {
    const { service, send, a, b, newPerson } = await having();
    const there = await withOrganizations(service);
    const [stranger, ofB, elsewhere, ofNone] = [newEmail(), newEmail(), newEmail(), newEmail()];
    await send("PUT", `${b.path}/members/${await newPerson(ofB)}`, { roles: ["owner"] });
    await there.newPerson(elsewhere);
    await newPerson(ofNone);
    const admin = await a.newMember("admin");
    const answers: string[] = [];
    for (const email of [stranger, ofB, elsewhere, ofNone]) {
      const invitations = [{ email, roles: ["member"] }];
      const { status, body } = await send("POST", `${a.path}/invitations?by=${admin}`, { invitations });
      answers.push(
        JSON.stringify([status, body])
          .replaceAll(email, "…")
          .replaceAll(/inv_\w+|\d{4}-[\d:.TZ-]+/gu, "…"),
      );
    }
    expect(new Set(answers).size).toBe(1);
    // Nor does adding somebody tell whether another application has the user.
    const foreign = await there.newPerson();
    const put = async (id: string) => {
      const { status, body } = await send("PUT", `${a.path}/members/${id}`, { roles: ["member"] });
      return [status, body.error?.code, body.error?.message, body.error?.details];
    };
    expect(await put(foreign)).toEqual(await put("usr_unknown"));
  });
});

describeSqliteFirst("an address", (current) => {
  async function having() {
    const service = current();
    const { ctx } = service.server.app;
    const own = await withOrganizations(service, { organizationCreation: "people" });
    const offered = async (userId: string) => {
      const user = await findUser(ctx.storage.reader, userId);
      return user && (await offerFor(ctx, ctx.storage.reader, user))?.organizationId;
    };
    const joins = async (userId: string, organizationId: string) =>
      await ctx.storage.write(async (tx) => {
        const user = await lockUser(tx, userId);
        return user && (await joinByDomain(ctx, tx, user, { organizationId, agreed: true }, operator));
      });
    return { ...own, service, ctx, offered, joins };
  }

  it("of its founder gives an organization no domain, and nobody else a place in it (43)", async () => {
    const { app, service, ctx, newPerson, send, offered, joins } = await having();
    for (const domain of ["founder.example", "gmail.com"]) {
      const founder = await newPerson(`founder@${domain}`);
      service.clock.advance(day);
      const by = { actor: { kind: "user", name: founder }, source } as const;
      const { id } = await organizations.createByPerson(ctx, { id: founder, appId: app.id }, { name: "Acme" }, by);
      expect((await send("GET", `/organizations/${id}/domains`)).body).toEqual({ domains: [] });
      const colleague = await newPerson(`colleague@${domain}`);
      expect([await offered(colleague), await joins(colleague, id)]).toEqual([undefined, false]);
    }
  });

  it("joins by a domain only if both are proved (48)", async () => {
    const { service, ctx, newOrganization, newPerson, send, offered, joins } = await having();
    const organization = await newOrganization();
    const row = await rowOf(service, organization.id);
    await domains.add(ctx, row, { domain: "both.example", join: "on" }, operator);
    service.clock.advance(1);
    const proved = await newPerson("proved@both.example");
    const { body } = await send("POST", "/users", { email: "unproved@both.example" });
    const unproved = String(body["id"]);
    for (const userId of [proved, unproved])
      expect([await offered(userId), await joins(userId, row.id)]).toEqual([undefined, false]);
    await domains.remove(ctx, row, "both.example", operator);
    await domains.add(ctx, row, { domain: "both.example", join: "on", isProved: true }, operator);
    expect([await offered(unproved), await joins(unproved, row.id)]).toEqual([undefined, false]);
    expect([await offered(proved), await joins(proved, row.id)]).toEqual([row.id, true]);
  });

  it("of somebody without an organization opens none, and no list of all (68)", async () => {
    const { app, service, send, newOrganization } = await having();
    const { id } = await newOrganization();
    const email = newEmail();
    const { body } = await send("POST", "/users", { email, emailVerified: true, password: goodPassword });
    const tokens = await redeem(service, app, await signIn(service, app, { email }));
    const headers = { authorization: `Bearer ${tokens.accessToken}`, "x-service-app-id": app.id };
    const own = await call(service, "GET", "/users/organizations", headers);
    expect(own).toMatchObject({ status: 200, body: { organizations: [] } });
    const listed = await send("GET", `/users/${String(body["id"])}/organizations`);
    expect(listed.body).toEqual({ organizations: [] });
    for (const path of ["/users/organizations/", `/users/organizations/${id}`, "/users/organizations/none"])
      expect([path, (await call(service, "DELETE", path, headers)).status]).toEqual([path, 404]);
    for (const path of ["/organizations//members", "/organizations//domains", "/users//organizations"])
      expect([path, (await send("GET", path)).status]).toEqual([path, 404]);
  });
});

describeEachDatabase(
  "what an organization tells the application's server",
  { ...mail, ...localWebhooks },
  (current) => {
    let receiver: Receiver;
    beforeAll(async () => void (receiver = await startReceiver()));
    afterAll(async () => await receiver.stop());

    it("has the six keys, the organization and the roles, and no address of the invited", async () => {
      const service = current();
      const { app, send, newOrganization, newPerson } = await withOrganizations(service);
      const { ctx } = service.server.app;
      const kinds = ["created", "updated", "deleted", "ownerless", "member.added", "member.updated", "member.removed"];
      const events = [...kinds, "domain.proved", "domain.lost"].map((kind) => `organization.${kind}` as const);
      await createEndpoint(service, app, { url: receiver.url, events });
      const [ownersEmail, invited] = [newEmail(), newEmail()];
      const owner = await newPerson(ownersEmail);
      const { id, path, newMember } = await newOrganization({ owner });
      const invitations = [{ email: invited, roles: ["member"] }];
      await send("POST", `${path}/invitations?by=${owner}`, { invitations });
      const member = await newMember("member");
      await send("PATCH", `${path}/members/${member}`, { roles: ["admin", "member"] });
      await send("DELETE", `${path}/members/${member}`);
      await send("PATCH", path, { name: "Renamed" });
      await domains.add(ctx, await rowOf(service, id), { domain: "told.example", isProved: true }, operator);
      await domains.remove(ctx, await rowOf(service, id), "told.example", operator);
      await send("PATCH", `/users/${owner}`, { disabled: true });
      await send("DELETE", path);
      await until(() => receiver.of("organization.deleted").length === 1);
      await until(() => events.every((event) => receiver.of(event).length > 0), JSON.stringify(events));
      const keys = ["userId", "email", "authMethod", "ipAddress", "userAgent", "sessionId", "organizationId", "roles"];
      for (const { body, text } of receiver.received) {
        expect(Object.keys(body.data).toSorted()).toEqual(keys.toSorted());
        expect(body.data).toMatchObject({ organizationId: id, sessionId: null });
        expect(text).not.toContain(invited);
      }
      const told = (event: string) => receiver.of(`organization.${event}`).map(({ body }) => body.data);
      const added = told("member.added");
      expect(added.find(({ userId }) => userId === owner)).toMatchObject({ email: ownersEmail, roles: ["owner"] });
      expect(told("member.updated")).toMatchObject([{ userId: member, roles: ["admin", "member"] }]);
      expect(told("member.removed")).toMatchObject([{ userId: member, roles: null }]);
      for (const event of ["created", "ownerless", "deleted"])
        expect([event, told(event)]).toMatchObject([event, [{ userId: null, email: null, roles: null }]]);
    });
  },
);
