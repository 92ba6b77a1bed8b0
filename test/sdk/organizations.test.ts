import { describe, expect, test } from "vitest";
import { createHandler, type OrganizationNeeds } from "../../packages/sdk/src/handler.ts";
import { organizationProblem } from "../../packages/sdk/src/organizations.ts";
import * as members from "../../src/organizations/members.ts";
import * as organizations from "../../src/organizations/service.ts";
import { findOrganization } from "../../src/organizations/store.ts";
import { listLoginsOfUser } from "../../src/sessions/login-list-store.ts";
import { useService } from "../support/one-service.ts";
import { signedUp, Visitor } from "../support/person.ts";
import { updateApp, type TestApp } from "../support/service.ts";
import { appServers, signIn as signInAtApp, userOf, type AppServer } from "./app-server.ts";
import { verifiers } from "./verifiers.ts";

const current = useService();
const start = appServers(current);
const { clientOf, listeningClient } = verifiers(current);
const by = { actor: { kind: "cli", name: "test" } } as const;
const invalid = { code: "INVALID_TOKEN" };

async function organization(app: TestApp, owner: string, name: string): Promise<string> {
  return (await organizations.create(current().server.app.ctx, app, { name, owner }, by)).id;
}

async function remove(organizationId: string, userId: string): Promise<void> {
  const { ctx } = current().server.app;
  const row = await findOrganization(ctx.storage.reader, organizationId);
  if (!row) throw new Error("no organization");
  await members.remove(ctx, row, userId, by);
}

describe("a guard", () => {
  const organization = { id: "org_a", slug: "a", name: "A", roles: ["billing", "member"] };
  const cases: [string, typeof organization | null, OrganizationNeeds, string | undefined][] = [
    ["any", organization, {}, undefined],
    ["its id", organization, { id: "org_a" }, undefined],
    ["one of the roles", organization, { roles: ["admin", "billing"] }, undefined],
    ["none", null, {}, "none"],
    ["none, and no id either", null, { id: undefined }, "none"],
    ["another", organization, { id: "org_b" }, "another"],
    ["an id that is missing", organization, { id: undefined }, "another"],
    ["an id that is null", organization, { id: null }, "another"],
    ["an empty id", organization, { id: "" }, "another"],
    ["its slug for its id", organization, { id: "a" }, "another"],
    ["a list with its id", organization, { id: ["org_a"] }, "another"],
    ["no role at all", organization, { roles: [] }, "role"],
    ["another role", organization, { roles: ["owner"] }, "role"],
    ["part of a role", organization, { roles: ["bill"] }, "role"],
    ["its id and another role", organization, { id: "org_a", roles: ["owner"] }, "role"],
    ["roles that the token lacks", { ...organization, roles: [] }, { roles: ["member"] }, "role"],
  ];

  test.each(cases)("Q18: for %s: what is missing denies (34)", (_title, opened, needs, problem) => {
    expect(organizationProblem(opened, needs)).toBe(problem);
  });
});

/** Somebody with a session at an application of the package, in two organizations: A is open. */
async function inTwo() {
  const server = await start();
  await updateApp(current(), server.app, { settings: { organizations: "on" } });
  const visitor = new Visitor();
  const { email } = await signInAtApp(server, visitor);
  const before = userOf(await visitor.get(`${server.url}/me`));
  expect(before?.organization).toBeNull();
  const userId = before?.id ?? "";
  const [a, b] = [await organization(server.app, userId, "Acme"), await organization(server.app, userId, "Bolt")];
  return { server, visitor, email, userId, a, b };
}

async function post({ url }: AppServer, visitor: Visitor, path: string, origin = url) {
  return await visitor.post(`${url}${path}`, {}, { origin, "sec-fetch-site": "cross-site" });
}

async function me(server: AppServer, visitor: Visitor) {
  return userOf(await visitor.get(`${server.url}/me`))?.organization;
}

describe("a session in a cookie", () => {
  test("opens another organization by a form of its own site, and none by another's", async () => {
    const { server, visitor, a, b } = await inTwo();
    const opened = await post(server, visitor, `/switch-organization?organization=${a}&returnTo=/me`);
    expect([opened.status, opened.location.href]).toEqual([303, `${server.url}/me`]);
    expect(await me(server, visitor)).toEqual({ id: a, slug: "acme", name: "Acme", roles: ["owner"] });
    expect((await post(server, visitor, `/switch-organization?organization=${b}`, "https://evil.example")).status).toBe(
      403,
    );
    expect((await visitor.get(`${server.url}/switch-organization?organization=${b}`)).status).not.toBe(303);
    expect(await me(server, visitor)).toMatchObject({ id: a });
    await post(server, visitor, "/switch-organization?organization=bolt");
    expect(await me(server, visitor)).toMatchObject({ id: b, name: "Bolt" });
    await post(server, visitor, "/switch-organization?organization=none");
    expect(await me(server, visitor)).toBeNull();
  });

  test("changes nothing if the switch is refused", async () => {
    const { server, visitor, a } = await inTwo();
    await post(server, visitor, `/switch-organization?organization=${a}`);
    const { userId: stranger } = await inTwo();
    const foreign = await organization(server.app, String((await signedUp(current(), server.app)).user["id"]), "Other");
    expect(stranger).toMatch(/^usr_/u);
    for (const wanted of [foreign, "unknown", "org_00000000000000000000000000"]) {
      const refused = await post(server, visitor, `/switch-organization?organization=${wanted}`);
      expect([refused.status, refused.text]).toEqual([
        403,
        expect.stringContaining("You cannot open this organization"),
      ]);
      expect(await me(server, visitor)).toMatchObject({ id: a });
    }
    expect((await post(server, visitor, "/switch-organization")).status).toBe(400);
    expect(await me(server, visitor)).toMatchObject({ id: a });
  });

  test("Q17: keeps its organization through refreshes, although the login named another one (81)", async () => {
    const { server, visitor, a, b } = await inTwo();
    await post(server, visitor, `/switch-organization?organization=${a}`);
    // The same session, kept elsewhere, opens B, and stays there.
    const other = visitor.copy();
    await post(server, other, `/switch-organization?organization=${b}`);
    expect(await me(server, other)).toMatchObject({ id: b });
    // The old token gets the same successor within the grace.
    current().clock.advance(14.5 * 60_000 - 60_000);
    expect(await me(server, other)).toMatchObject({ id: b });
    current().clock.advance(14 * 60_000);
    expect(await me(server, other)).toMatchObject({ id: b });
  });

  test("Q17: without an organization stays without one, although the login names one by now", async () => {
    const { server, visitor, a } = await inTwo();
    const without = visitor.copy();
    await post(server, visitor, `/switch-organization?organization=${a}`);
    expect(await me(server, visitor)).toMatchObject({ id: a });
    // The cookie and the refresh token of before, which the service answers within the grace.
    const handler = createHandler({ ...server.options, now: () => current().clock.now + 14.5 * 60_000 });
    const cookie = `${server.cookie}=${without.cookies.get(server.cookie)}`;
    const user = await handler.getUser(new Request(server.url, { headers: { cookie } }));
    handler.authsvc.close();
    expect(user?.organization).toBeNull();
  });

  test("ends with a membership, and says so by signing out", async () => {
    const { server, visitor, a, userId } = await inTwo();
    await post(server, visitor, `/switch-organization?organization=${a}`);
    await remove(a, userId);
    current().clock.advance(15 * 60_000);
    expect(userOf(await visitor.get(`${server.url}/`))).toBeNull();
  });

  test("Q17: repeats a write in no other organization, although the login names another one by now", async () => {
    const { server, visitor, a, b, userId } = await inTwo();
    await post(server, visitor, `/switch-organization?organization=${a}`);
    const other = visitor.copy();
    await post(server, other, `/switch-organization?organization=${b}`);
    await remove(a, userId);
    // Within the grace, in which the old refresh token still works.
    expect(await me(server, visitor)).toBeUndefined();
    expect(userOf(await visitor.get(`${server.url}/`))).toBeNull();
    expect(await me(server, other)).toMatchObject({ id: b });
  });

  test.each([
    ["with a live token", 0],
    ["with an expired one", 16 * 60_000],
  ])("Q8: signing out after a removal ends the login, %s", async (_title, passed) => {
    const { server, visitor, a, userId } = await inTwo();
    await post(server, visitor, `/switch-organization?organization=${a}`);
    const thief = visitor.copy();
    await remove(a, userId);
    current().clock.advance(passed);
    expect((await post(server, visitor, "/sign-out")).status).toBe(303);
    const { reader } = current().server.app.ctx.storage;
    expect(await listLoginsOfUser(reader, userId, { all: false, now: current().clock.now })).toEqual([]);
    expect(userOf(await thief.get(`${server.url}/`))).toBeNull();
  });

  test("Q8: signing out with an expired token ends the login where every token names an organization", async () => {
    const { server, visitor, a, userId } = await inTwo();
    await post(server, visitor, `/switch-organization?organization=${a}`);
    await updateApp(current(), server.app, { settings: { organizations: "required" } });
    current().clock.advance(16 * 60_000);
    expect((await post(server, visitor, "/sign-out")).status).toBe(303);
    const { reader } = current().server.app.ctx.storage;
    expect(await listLoginsOfUser(reader, userId, { all: false, now: current().clock.now })).toEqual([]);
  });

  test("signing out works where nobody may use the login any more", async () => {
    const { server, visitor, a, userId } = await inTwo();
    await post(server, visitor, `/switch-organization?organization=${a}`);
    await updateApp(current(), server.app, { settings: { organizations: "required" } });
    await remove(a, userId);
    current().clock.advance(16 * 60_000);
    expect((await post(server, visitor, "/sign-out")).status).toBe(303);
    expect(userOf(await visitor.get(`${server.url}/`))).toBeNull();
  });

  test("continues without one when the application has none any more", async () => {
    const { server, visitor, a } = await inTwo();
    await post(server, visitor, `/switch-organization?organization=${a}`);
    expect(await me(server, visitor)).toMatchObject({ id: a });
    await updateApp(current(), server.app, { settings: { organizations: "off" } });
    current().clock.advance(15 * 60_000);
    expect(await me(server, visitor)).toBeNull();
    expect(userOf(await visitor.get(`${server.url}/`))).not.toBeNull();
    const expired = visitor.copy();
    await post(server, visitor, "/sign-out");
    expect(userOf(await expired.get(`${server.url}/`))).toBeNull();
  });

  test("does not mistake a claim of the application for one", async () => {
    const server = await start();
    await updateApp(current(), server.app, {
      claims: [{ claim: "org_id", from: "value", value: "theirs", in: ["access"] }],
    });
    const visitor = new Visitor();
    await signInAtApp(server, visitor);
    current().clock.advance(15 * 60_000);
    expect(await me(server, visitor)).toBeNull();
    expect(userOf(await visitor.get(`${server.url}/`))).not.toBeNull();
  });

  test("is refused with 401, 403 and 409, told apart", async () => {
    const { server, visitor, a, b } = await inTwo();
    const handler = createHandler(server.options);
    const ask = async (
      needs?: OrganizationNeeds,
      cookie = `${server.cookie}=${visitor.cookies.get(server.cookie)}`,
    ) => {
      const answer = await handler.requireOrganization(new Request(server.url, { headers: { cookie } }), needs);
      return answer instanceof Response ? answer.status : answer.organization?.id;
    };
    expect([await ask({}, "a=b"), await ask()]).toEqual([401, 403]);
    await post(server, visitor, `/switch-organization?organization=${a}`);
    expect([await ask(), await ask({ id: a }), await ask({ id: b }), await ask({ id: undefined })]).toEqual([
      a,
      a,
      409,
      409,
    ]);
    expect([await ask({ roles: ["billing", "owner"] }), await ask({ roles: ["billing"] })]).toEqual([a, 403]);
    const page = await handler.requireRole(
      new Request(server.url, {
        headers: { cookie: `${server.cookie}=${visitor.cookies.get(server.cookie)}`, accept: "text/html" },
      }),
      "billing",
    );
    expect(page instanceof Response && [page.status, page.headers.get("content-type")]).toEqual([
      403,
      "text/html; charset=utf-8",
    ]);
    handler.authsvc.close();
  });
});

describe("verify", () => {
  /**
   * Tokens of one login for two organizations, and a client that has listened long enough. `tell`:
   * the feed has this entry from now on.
   */
  async function tokensOfTwo() {
    const app = await current().createApp();
    await updateApp(current(), app, { settings: { organizations: "on" } });
    const entries: object[] = [];
    const made = await listeningClient(app, {
      feed: "on-demand",
      intercept: async (path, response) => {
        if (path !== "/auth/revocations" || entries.length === 0 || !response.ok) return response;
        const body = (await response.json()) as { revoked: object[] };
        return Response.json({ ...body, revoked: [...body.revoked, ...entries.splice(0)] });
      },
    });
    const { user, refreshToken } = await signedUp(current(), app);
    const userId = String(user["id"]);
    const [a, b] = [await organization(app, userId, "Acme"), await organization(app, userId, "Bolt")];
    const inA = await made.client.refresh(refreshToken, a);
    const inB = await made.client.refresh(inA.refreshToken, b);
    const tell = (entry: object): void => {
      entries.push({ before: new Date(current().clock.now).toISOString(), ...entry });
      current().clock.advance(6000);
    };
    return { ...made, app, userId, a, b, inA: inA.accessToken, inB: inB.accessToken, tell };
  }

  test("tells the service that it knows entries about organizations", async () => {
    const app = await current().createApp();
    const urls: string[] = [];
    const { client } = clientOf(app, {
      feed: "on-demand",
      fetch: async (url, init) => {
        urls.push(url);
        return await fetch(url, init);
      },
    });
    await client.verify((await signedUp(current(), app)).accessToken);
    const polls = urls.filter((url) => url.includes("/auth/revocations"));
    expect(polls.length).toBeGreaterThan(0);
    expect(polls.every((url) => url.includes("kinds=organization"))).toBe(true);
  });

  test("asks once for each token of a changed organization, and for no other", async () => {
    const { client, asked, inA, inB, a, tell } = await tokensOfTwo();
    for (const token of [inA, inB]) await client.verify(token);
    const before = asked();
    tell({ organization: a });
    for (let time = 0; time < 3; time += 1) {
      await client.verify(inB);
      await client.verify(inA);
    }
    expect(asked()).toBe(before + 1);
  });

  test("Q18: a live token for one organization does not clear one of the same login for another (10)", async () => {
    const { client, asked, inA, inB, a, userId, tell } = await tokensOfTwo();
    for (const token of [inA, inB]) await client.verify(token);
    await remove(a, userId);
    tell({ organization: a, user: userId });
    expect((await client.verify(inB))["org_id"]).toBeDefined();
    await expect(client.verify(inA)).rejects.toMatchObject(invalid);
    const before = asked();
    await expect(client.verify(inA)).rejects.toMatchObject(invalid);
    await client.verify(inB);
    expect(asked()).toBe(before);
  });

  test("a change of another member, or before the token, asks nothing", async () => {
    const { client, asked, inA, a, tell } = await tokensOfTwo();
    await client.verify(inA);
    const before = asked();
    tell({ organization: a, user: "usr_other" });
    await client.verify(inA);
    tell({ organization: a, before: new Date(current().clock.now - 600_000).toISOString() });
    await client.verify(inA);
    tell({ organization: "org_other" });
    await client.verify(inA);
    expect(asked()).toBe(before);
  });

  test("Q18: after a start, a token of one organization does not answer for one of another", async () => {
    const { app, inA, inB, a, userId } = await tokensOfTwo();
    await remove(a, userId);
    // Began to listen after the removal: every token is in doubt.
    const { client } = clientOf(app, { feed: "on-demand" });
    await client.verify(inB);
    await expect(client.verify(inA)).rejects.toMatchObject(invalid);
  });

  test("an entry of an unknown kind makes it ask each time, as before", async () => {
    const { client, asked, inA, tell } = await tokensOfTwo();
    await client.verify(inA);
    const before = asked();
    tell({ tenant: "t_1" });
    await client.verify(inA);
    await client.verify(inA);
    expect(asked()).toBe(before + 2);
  });
});
