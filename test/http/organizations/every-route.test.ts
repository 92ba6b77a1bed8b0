import { afterAll, beforeAll, expect, it } from "vitest";
import { apiRoutes } from "../../../src/api/routes.ts";
import { companyConfig, storeProvider, useCompanyProvider } from "../../support/company-provider.ts";
import { useMailServer } from "../../support/mail.ts";
import { startNameServer, type NameServer } from "../../support/name-server.ts";
import { basic, post } from "../../support/openid-tokens.ts";
import { withOrganizations, type TestOrganization, type WithOrganizations } from "../../support/organizations.ts";
import { call, goodPassword, newEmail, redeem, signIn } from "../../support/person.ts";
import { newMachine } from "../../support/resources.ts";
import { describeSqliteFirst, type TestService } from "../../support/service.ts";

const base = "/applications/:appId/organizations/:orgId";

type Needed = "member" | "admin" | "server";
/** What a member in `by` has to be, and a body that is taken. */
const calls: Record<string, [least: Needed, body?: () => object]> = {
  "GET ": ["member"],
  "PATCH ": ["admin", () => ({ name: "Renamed" })],
  "DELETE ": ["server"],
  "GET /members": ["admin"],
  "PUT /members/:userId": ["admin", () => ({ roles: ["member", "billing"] })],
  "PATCH /members/:userId": ["admin", () => ({ roles: ["billing"] })],
  "DELETE /members/:userId": ["admin"],
  "GET /invitations": ["admin"],
  "POST /invitations": ["admin", () => ({ invitations: [{ email: newEmail(), roles: ["member"] }] })],
  "DELETE /invitations/:invitationId": ["admin"],
  "GET /domains": ["admin"],
  "POST /domains": ["server", () => ({ domain: newDomain() })],
  "PATCH /domains/:domain": ["server", () => ({ join: "ask" })],
  "DELETE /domains/:domain": ["server"],
  "POST /domains/:domain/check": ["server"],
  "GET /provider": ["server"],
  // Of the one that waits: the next call takes its place.
  "POST /provider/confirm": ["server", () => ({ issuer: company.issuer })],
  "PUT /provider": [
    "server",
    () => ({ issuer: company.issuer, clientId: company.clientId, clientSecret: company.secret }),
  ],
  "POST /provider/test": ["server"],
  "DELETE /provider": ["server"],
  "POST /setup-links": ["server", () => ({ email: newEmail() })],
};
const ranks: Needed[] = ["member", "admin", "server"];

let made = 0;
const newDomain = (): string => `route${(made += 1)}.example`;

const [mailServer, company] = [await useMailServer(), await useCompanyProvider()];
/** Filled before the service starts. */
const servers: string[] = [];
let names: NameServer;
beforeAll(async () => {
  names = await startNameServer();
  servers.push(names.address);
});
afterAll(() => names.close());

/** Every row about organizations. */
async function rowsOf({ server }: TestService): Promise<string> {
  const { db, tables } = server.app.ctx.storage.reader;
  const own = Object.entries(tables).filter(([name]) => name.startsWith("organization"));
  return JSON.stringify(await Promise.all(own.map(async ([, table]) => await db.select().from(table))));
}

/** A member, an invitation and a domain, for the parameters of a path. */
async function newParts({ send }: WithOrganizations, { path, newMember }: TestOrganization) {
  const userId = await newMember("member");
  const invited = await send("POST", `${path}/invitations`, {
    invitations: [{ email: newEmail(), roles: ["member"] }],
  });
  const [result] = invited.body["results"] as { invitation: { id: string } | null }[];
  const domain = newDomain();
  await send("POST", `${path}/domains`, { domain });
  return { userId, invitationId: result?.invitation?.id ?? "none", domain };
}
type Parts = Awaited<ReturnType<typeof newParts>>;

const fill = (path: string, orgId: string, parts: Parts): string =>
  `/organizations/${orgId}${path.replaceAll(/:(\w+)/gu, (_match, name: string) => parts[name as keyof Parts])}`;

const given = { mail: mailServer.mail, dns: { servers }, ...companyConfig };
describeSqliteFirst("each call below an organization", given, (current) => {
  async function having() {
    const service = current();
    const here = await withOrganizations(service, { organizationRoles: ["billing"], companySignIn: "on" });
    const [a, b] = [await here.newOrganization(), await here.newOrganization()];
    for (const each of [a, b]) await storeProvider(service, each, company, { state: "waiting" });
    const there = await withOrganizations(service);
    const foreign = await there.newOrganization();
    const [own, others] = [await newParts(here, a), await newParts(here, b)];
    const routes = Object.entries(calls).map(([name, [least, body]]) => {
      const [method = "", path = ""] = name.split(" ");
      return { name, method, path, least, body };
    });
    /** The call is answered so, and writes nothing. */
    async function refuses(status: number, title: string, send: () => Promise<{ status: number }>) {
      const before = await rowsOf(service);
      expect([title, (await send()).status]).toEqual([title, status]);
      expect(await rowsOf(service)).toBe(before);
    }
    return { service, here, there, a, b, foreign, own, others, routes, refuses };
  }

  it("is in the table of this test", () => {
    const below = apiRoutes.filter(({ path }) => path === base || path.startsWith(`${base}/`));
    expect(below.map(({ method, path }) => `${method} ${path.slice(base.length)}`).toSorted()).toEqual(
      Object.keys(calls).toSorted(),
    );
  });

  it("Q1: opens no other organization, and no part of one (1, 3, 4, 12)", async () => {
    const { here, there, a, foreign, own, others, routes, refuses } = await having();
    const admin = await a.newMember("admin");
    for (const { name, method, path, body } of routes) {
      // Of another application, unknown, or named by its slug.
      for (const orgId of [foreign.id, "org_unknown", a.slug])
        await refuses(404, `${name} ${orgId}`, () => here.send(method, fill(path, orgId, own), body?.()));
      const ofB = fill(path, a.id, others);
      if (path.includes(":")) {
        const adds = method === "PUT";
        // The server adds any user; a member in `by` adds nobody.
        await refuses(adds ? 403 : 404, `${name} of B`, () =>
          here.send(method, ofB + (adds ? `?by=${admin}` : ""), body?.()),
        );
      }
      await refuses(401, `${name} of another application`, () =>
        call(current(), method, `/applications/${here.app.id}${fill(path, a.id, own)}`, there.app.headers, body?.()),
      );
    }
  });

  it("Q1: is nobody's but the server's, whatever the token (2, 5, 9)", async () => {
    const { service, here, a, own, routes, refuses } = await having();
    const email = newEmail();
    const { body: created } = await here.send("POST", "/users", { email, password: goodPassword });
    await here.send("PUT", `${a.path}/members/${String(created["id"])}`, { roles: ["owner"] });
    const person = await redeem(service, here.app, await signIn(service, here.app, { email }));
    const machine = await newMachine(service, {}, here.app);
    const ofA = await newMachine(service, { organizationId: a.id }, here.app);
    const tokenOf = async (one: typeof machine) => {
      const form = { grant_type: "client_credentials", resource: one.resource };
      return String((await post(service, "/oauth2/token", form, basic(one))).body["access_token"]);
    };
    const tokens = { owner: person.accessToken, machine: await tokenOf(machine), machineOfA: await tokenOf(ofA) };
    for (const { name, method, path, body } of routes) {
      const url = `/applications/${here.app.id}${fill(path, a.id, own)}`;
      for (const [who, token] of [...Object.entries(tokens), ["nobody", ""]]) {
        const headers = { authorization: `Bearer ${token}`, "x-service-app-id": here.app.id };
        await refuses(401, `${name} ${who}`, () => call(service, method, url, headers, body?.()));
      }
    }
    const manager = await newMachine(service, { resources: [service.server.app.ctx.baseUrl] }, here.app);
    const managing = await tokenOf({ ...manager, resource: service.server.app.ctx.baseUrl });
    const headers = { authorization: `Bearer ${managing}` };
    expect((await call(service, "GET", `/applications/${here.app.id}${a.path}`, headers)).status).toBe(200);
  });

  it("Q1: asks for the rights of the member in `by`, and never for the server's (2, 5, 14, 32)", async () => {
    const { service, here, a, b, foreign, own, routes, refuses } = await having();
    const live = { owner: a.owner, admin: await a.newMember("admin"), member: await a.newMember("member") };
    const dead = {
      stranger: await here.newPerson(),
      former: await a.newMember("owner"),
      disabled: await a.newMember("owner"),
      "owner of B": b.owner,
      "owner in another application": foreign.owner,
      nobody: "usr_unknown",
    };
    await here.send("DELETE", `${a.path}/members/${dead.former}`);
    await here.send("PATCH", `/users/${dead.disabled}`, { disabled: true });
    for (const { name, method, path, least, body } of routes) {
      const url = fill(path, a.id, own);
      for (const [who, id] of Object.entries(dead))
        await refuses(404, `${name} ${who}`, () => here.send(method, `${url}?by=${id}`, body?.()));
      for (const bad of ["", "%20", "a%00", `${a.owner}&by=${a.owner}`, "[]"])
        await refuses(400, `${name} ${bad}`, () => here.send(method, `${url}?by=${bad}`, body?.()));
      for (const slip of ["By", "by_", "user", "b%79_"])
        await refuses(400, `${name} ${slip}`, () => here.send(method, `${url}?${slip}=${live.member}`, body?.()));
      for (const [who, id] of Object.entries(live)) {
        const rank = who === "member" ? "member" : "admin";
        if (ranks.indexOf(rank) < ranks.indexOf(least)) {
          await refuses(403, `${name} ${who}`, () => here.send(method, `${url}?by=${id}`, body?.()));
          continue;
        }
        const fresh = path.includes(":") ? await newParts(here, a) : own;
        const { status } = await here.send(method, `${fill(path, a.id, fresh)}?by=${id}`, body?.());
        expect([name, who, status]).toEqual([name, who, 200]);
      }
    }
    // Everything that is left is the server's.
    for (const { name, method, path, body } of routes.filter(({ name }) => name !== "DELETE ")) {
      const fresh = path.includes(":") ? await newParts(here, b) : own;
      const { status } = await here.send(method, fill(path, b.id, fresh), body?.());
      expect([name, status]).toEqual([name, name === "POST /domains" ? 201 : 200]);
    }
    // `by` is nowhere else, so that it never means the server.
    for (const path of ["/organizations", "/users", "/groups", `/users/${a.owner}/organizations`])
      await refuses(400, path, () => here.send("GET", `${path}?by=${a.owner}`));
    expect(
      (await call(service, "GET", `/applications/${here.app.id}/organizations//members`, here.app.headers)).status,
    ).toBe(404);
  });

  it("Q1: takes no organization from a body, and no empty list (3, 6, 8)", async () => {
    const { here, a, b, own, routes, refuses } = await having();
    for (const { name, method, path, body } of routes.filter((route) => route.body)) {
      const url = fill(path, a.id, own);
      const tried = [null, [], { ...body?.(), organizationId: b.id }, { ...body?.(), organization: b.id }];
      for (const wrong of tried)
        await refuses(400, `${name} ${JSON.stringify(wrong)}`, () => here.send(method, url, wrong));
    }
    for (const wrong of [{ invitations: [] }, { invitations: null }, {}])
      await refuses(400, JSON.stringify(wrong), () => here.send("POST", `${a.path}/invitations`, wrong));
    for (const wrong of [{ roles: [] }, { roles: null }, {}])
      await refuses(400, JSON.stringify(wrong), () => here.send("PUT", `${a.path}/members/${own.userId}`, wrong));
    const headers = { ...here.app.headers, "x-organization-id": b.id, "x-organization": b.slug, "x-tenant-id": b.id };
    const read = await call(current(), "GET", `/applications/${here.app.id}${a.path}`, headers);
    expect(read).toMatchObject({ status: 200, body: { id: a.id } });
  });
});
