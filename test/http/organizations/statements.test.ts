import Database from "better-sqlite3";
import { expect, it, vi } from "vitest";
import { newId } from "../../../src/lib/random.ts";
import * as domains from "../../../src/organizations/domains/service.ts";
import { insertInvitation } from "../../../src/organizations/invitation-store.ts";
import * as organizations from "../../../src/organizations/service.ts";
import { openConsole } from "../../support/console.ts";
import { withOrganizationPages } from "../../support/organizations.ts";
import { newEmail } from "../../support/person.ts";
import { describeOnSqlite } from "../../support/service.ts";

/** All that any connection of this process runs. */
const statement = Object.getPrototypeOf(new Database(":memory:").prepare("SELECT 1")) as Database.Statement;

/** How often the same query runs during `work`, at most: for each row of a page, or once. */
async function repetitions(work: () => Promise<unknown>): Promise<number> {
  const spies = (["all", "get"] as const).map((method) => vi.spyOn(statement, method));
  try {
    await work();
    const queries = spies.flatMap(({ mock }) => mock.contexts.map((each) => (each as Database.Statement).source));
    return Math.max(...[...Map.groupBy(queries, (query) => query).values()].map(({ length }) => length));
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

const by = { actor: { kind: "cli", name: "test" } } as const;

describeOnSqlite("pages of organizations", (current) => {
  it("ask no query for each row", async () => {
    const service = current();
    const { ctx } = service.server.app;
    const { app, send, newOrganization, newVisitor, url } = await withOrganizationPages(service);
    const { visitor, userId, email } = await newVisitor();
    const acme = await newOrganization({ owner: userId });
    const row = await organizations.named(ctx.storage.reader, app.id, acme.id);
    const console = await openConsole(service);
    const inConsole = `/applications/${app.id}/organizations`;

    /** Without a mail, which would be sent meanwhile. */
    async function invite(organizationId: string, to: string, inviterId: string): Promise<void> {
      const now = ctx.clock();
      const [id, ends] = [newId("inv", now, ctx.random), { offeredAt: null, endedAt: null, end: null }];
      const about = { id, organizationId, appId: app.id, digest: id, email: to, roles: ["member"], inviterId };
      const invitation = {
        ...about,
        ...ends,
        redirectUri: null,
        providerExempt: false,
        createdAt: now,
        expiresAt: now + 1000,
      };
      await ctx.storage.write(async (tx) => await insertInvitation(tx, invitation));
    }
    async function add(n: number): Promise<void> {
      const memberId = await acme.newMember("member", "admin");
      await invite(acme.id, newEmail(), memberId);
      const mine = await newOrganization({ name: `Mine ${n}` });
      expect((await send("PUT", `${mine.path}/members/${userId}`, { roles: ["owner"] })).status).toBe(200);
      await invite((await newOrganization({ name: `Other ${n}` })).id, email, memberId);
      if (n < 10) await domains.add(ctx, row, { domain: `page-${n}.example`, isProved: true }, by);
    }

    const pages: Record<string, () => Promise<{ status: number }>> = {
      organizations: async () => await send("GET", "/organizations"),
      members: async () => await send("GET", `${acme.path}/members`),
      invitations: async () => await send("GET", `${acme.path}/invitations`),
      domains: async () => await send("GET", `${acme.path}/domains`),
      "those of a person": async () => await send("GET", `/users/${userId}/organizations`),
      "a person's page": async () => await visitor.get(url()),
      "an organization's page": async () => await visitor.get(url(acme.id)),
      account: async () => await visitor.get(`${service.url}/account?app_id=${app.id}`),
      "the console's list": async () => await console.get(inConsole),
      "the console's page": async () => await console.get(`${inConsole}/${acme.id}`),
      "a person in the console": async () => await console.get(`/people/${userId}`),
    };
    for (let n = 0; n < 20; n += 1) await add(n);
    for (const [name, page] of Object.entries(pages)) {
      let status = 0;
      const most = await repetitions(async () => ({ status } = await page()));
      expect([name, status, most >= 1 && most < 10], `${most} times`).toEqual([name, 200, true]);
    }
  });
});
