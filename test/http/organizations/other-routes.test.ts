import { expect, it } from "vitest";
import { routes } from "../../../src/routes.ts";
import { openAccount } from "../../support/account.ts";
import { companyConfig, storeProvider, useCompanyProvider } from "../../support/company-provider.ts";
import { linkIn, mailTo } from "../../support/mail-flows.ts";
import { useMailServer } from "../../support/mail.ts";
import { withOrganizationPages } from "../../support/organizations.ts";
import { call, goodPassword, initiate, newEmail, redeem, signIn, Visitor, type Page } from "../../support/person.ts";
import { until } from "../../support/receiver.ts";
import { describeSqliteFirst, type TestService } from "../../support/service.ts";

const [mailServer, company] = [await useMailServer(), await useCompanyProvider()];

/** Words of an organization that only its members and its server see. */
const name = "Hidden Treasures";
const slug = "hidden-treasures";

async function having(service: TestService) {
  const here = await withOrganizationPages(service, { companySignIn: "on" });
  const there = await withOrganizationPages(service);
  const { send } = here;
  const a = await here.newOrganization({ name, slug });
  const b = await here.newOrganization({ name: "B" });
  const foreign = await there.newOrganization({ name: "C" });
  const email = newEmail();
  // Without an account, the link would make one for whoever reads the mail.
  await here.newPerson(email);
  const invited = await send("POST", `${a.path}/invitations`, { invitations: [{ email, roles: ["member"] }] });
  const [result] = invited.body["results"] as { invitation: { id: string } }[];
  expect(await until(() => mailServer.to(email).length)).toBe(1);
  const link = /https?:\/\/\S*\/organization\/invitation\/\S+/u.exec(mailServer.to(email)[0]?.text ?? "")?.[0] ?? "";

  const administrator = newEmail();
  await send("POST", `${a.path}/setup-links`, { email: administrator });
  const setupLink = linkIn(await mailTo(mailServer, administrator));

  /** Somebody with a browser, and a token of before `then`. */
  async function caller(own: typeof here, paths: string[] = [], then?: (userId: string) => Promise<unknown>) {
    const { userId, email, visitor } = await own.newVisitor();
    for (const path of paths) await own.send("PUT", `${path}/members/${userId}`, { roles: ["owner"] });
    const extra = paths.length === 1 ? { organization: paths[0]?.split("/").at(-1) } : {};
    const { accessToken } = await redeem(
      service,
      own.app,
      await signIn(service, own.app, { email }, { organization: "none", ...extra }),
    );
    const { text } = await openAccount(service, own.app, visitor);
    const token = /name="token" value="([^"]+)"/u.exec(text)?.[1] ?? "";
    await then?.(userId);
    return { own, userId, email, visitor, token, accessToken };
  }
  const callers = {
    stranger: await caller(here),
    former: await caller(here, [a.path], (id) => send("DELETE", `${a.path}/members/${id}`)),
    disabled: await caller(here, [a.path], (id) => send("PATCH", `/users/${id}`, { disabled: true })),
    "owner of others": await caller(here, [b.path, (await here.newOrganization({ name: "D" })).path]),
    "owner in another application": await caller(there, [foreign.path]),
  };
  // From now on, who names the organization is led there.
  await storeProvider(service, a, company);
  return { service, here, a, b, callers, invitationId: result?.invitation.id ?? "", link, setupLink };
}

type World = Awaited<ReturnType<typeof having>>;
type Caller = World["callers"]["stranger"];
type Answer = Pick<Page, "status" | "text">;

const withToken = async (
  { service, here }: World,
  { accessToken }: Caller,
  method: string,
  path: string,
  body?: unknown,
) => {
  const headers = { authorization: `Bearer ${accessToken}`, "x-service-app-id": here.app.id };
  const answer = await call(service, method, path, headers, body);
  return { status: answer.status, text: JSON.stringify(answer.body) };
};

/** In the caller's own application, as its pages would, and in that of the organization. */
const both = async ({ here, a }: World, { own }: Caller, send: (query: string) => Promise<Page>): Promise<Answer> => {
  const pages: Page[] = [];
  for (const { id } of new Set([own.app, here.app])) pages.push(await send(`?app_id=${id}&organization=${a.id}`));
  return { status: Math.max(...pages.map(({ status }) => status)), text: pages.map(({ text }) => text).join("\n") };
};

const acts =
  "name slug policy roles remove add-domain check-domain join-domain remove-domain leave withdraw invite delete restore setup-link end-setup-link confirm-domain";

/** Each route that is not below an organization of the API, asked by one who has no part in it. */
const others: Record<string, (world: World, caller: Caller) => Promise<Answer>> = {
  "GET /users/organizations": (world, caller) => withToken(world, caller, "GET", "/users/organizations"),
  "DELETE /users/organizations/:orgId": (world, caller) =>
    withToken(world, caller, "DELETE", `/users/organizations/${world.a.id}`),
  "GET /applications/:appId/organizations": (world, caller) =>
    withToken(world, caller, "GET", `/applications/${world.here.app.id}/organizations`),
  "POST /applications/:appId/organizations": (world, caller) =>
    withToken(world, caller, "POST", `/applications/${world.here.app.id}/organizations`, {
      name,
      owner: caller.userId,
    }),
  "GET /applications/:appId/users/:userId/organizations": (world, caller) =>
    withToken(world, caller, "GET", `/applications/${world.here.app.id}/users/${world.a.owner}/organizations`),
  async "POST /sign-in/:sessionId/step/organization"({ service, a }, { own, email }) {
    const visitor = new Visitor();
    const session = await initiate(service, own.app);
    const page = await visitor.get(session.authUrl);
    const next = await visitor.submit(page, "/password", { email, password: goodPassword });
    const step = next.text.includes("/step/organization");
    const { action, fields } = step ? next.form("/step/organization") : page.form("/password");
    const url = new URL(action.replace("/password", "/step/organization"), page.url).href;
    return await visitor.post(url, { ...fields, organization: a.id });
  },
  "GET /organization": (world, caller) =>
    both(world, caller, (query) => caller.visitor.get(`${world.service.url}/organization${query}`)),
  async "POST /organization"(world, caller) {
    const { a, service, invitationId } = world;
    const fields = { user: a.owner, name: "Mine", slug: "mine", secondFactor: "required", invitation: invitationId };
    const more = {
      domain: "mine.example",
      email: newEmail(),
      join: "on",
      addresses: newEmail(),
      "role.owner": "on",
      token: caller.token,
    };
    const answers: Answer[] = [];
    for (const act of acts.split(" "))
      answers.push(
        await both(world, caller, (query) =>
          caller.visitor.post(`${service.url}/organization${query}`, { act, ...fields, ...more }),
        ),
      );
    return answers.find(({ text }) => text.includes(name)) ?? { status: 404, text: "" };
  },
  "GET /organization/provider": (world, caller) =>
    both(world, caller, (query) => caller.visitor.get(`${world.service.url}/organization/provider${query}`)),
  async "POST /organization/provider"(world, caller) {
    const { a, service } = world;
    const { issuer, clientId, secret } = company;
    const fields = {
      token: caller.token,
      user: a.owner,
      issuer,
      clientId,
      clientSecret: secret,
      addresses: newEmail(),
    };
    const answers: Answer[] = [];
    for (const act of "set try confirm agree require withdraw remove relink agree-relink".split(" "))
      answers.push(
        await both(world, caller, (query) =>
          caller.visitor.post(`${service.url}/organization/provider${query}`, { act, required: "on", ...fields }),
        ),
      );
    return answers.find(({ text }) => text.includes(name)) ?? { status: 404, text: "" };
  },
  // Who has the link sees whose it is, and opens nothing without the code that is mailed.
  async "GET /organization/setup/:token"({ setupLink }, { visitor }) {
    const { status, text } = await visitor.get(setupLink);
    return { status, text: text.includes('value="provider"') ? name : "" };
  },
  async "POST /organization/setup/:token"({ setupLink }, { visitor, token }) {
    const { issuer, clientId, secret } = company;
    const provider = { act: "provider", issuer, clientId, clientSecret: secret };
    // Without a code, one is mailed to the administrator, and nothing else happens.
    for (const fields of [provider, { act: "add-domain", domain: "mine.example" }])
      await visitor.post(setupLink, { token, ...fields, code: "12345678" });
    const { status } = await visitor.get(setupLink);
    return { status, text: "" };
  },
  // Who has the link sees whom it is for, and takes no place by it.
  async "GET /organization/invitation/:token"({ link }, { visitor }) {
    const page = await visitor.get(link);
    return { status: page.status, text: "" };
  },
  async "POST /organization/invitation/:token"({ link }, { visitor, token }) {
    return await visitor.post(link, { token });
  },
  "GET /organization/invitations/:id": (world, caller) =>
    both(world, caller, (query) =>
      caller.visitor.get(`${world.service.url}/organization/invitations/${world.invitationId}${query}`),
    ),
  "POST /organization/invitations/:id": (world, caller) =>
    both(world, caller, (query) => {
      const url = `${world.service.url}/organization/invitations/${world.invitationId}${query}`;
      return caller.visitor.post(url, { token: caller.token, answer: "yes" });
    }),
};

const below = "/applications/:appId/organizations/:orgId";

describeSqliteFirst("each other route about organizations", { mail: mailServer.mail, ...companyConfig }, (current) => {
  it("is in the table of this test", () => {
    const named = routes.filter(({ path }) => path.includes("organization") && !path.startsWith(below));
    expect(named.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(Object.keys(others).toSorted());
  });

  it("Q1: shows nothing of an organization to those who have no part in it, and writes nothing (2, 5, 9)", async () => {
    const world = await having(current());
    const { db, tables } = current().server.app.ctx.storage.reader;
    const rows = async () => {
      const own = Object.entries(tables).filter(([table]) => table.startsWith("organization"));
      return JSON.stringify(await Promise.all(own.map(async ([, table]) => await db.select().from(table))));
    };
    const before = await rows();
    for (const [route, tries] of Object.entries(others)) {
      for (const [who, caller] of Object.entries(world.callers)) {
        const { status, text } = await tries(world, caller);
        const cell = `${route}, ${who}: ${status}`;
        expect([cell, status < 500]).toEqual([cell, true]);
        expect([cell, text.includes(name) || text.includes(slug)]).toEqual([cell, false]);
        expect([cell, (await rows()) === before]).toEqual([cell, true]);
      }
    }
  });
});
