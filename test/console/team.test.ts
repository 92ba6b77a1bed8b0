import { eq } from "drizzle-orm";
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { beforeAll, describe, expect, test } from "vitest";
import { consoleAppId } from "../../src/applications/console-app.ts";
import * as operators from "../../src/operators/service.ts";
import { pathOf } from "../../src/console/route.ts";
import { consoleRoutes } from "../../src/console/routes.ts";
import * as audit from "../../src/records/audit/audit.ts";
import * as logins from "../../src/sessions/login-administration.ts";
import type { OperatorRole } from "../../src/storage/column-types.ts";
import * as userAdministration from "../../src/people/administration.ts";
import { freePort } from "../support/free-port.ts";
import { makeOperator, follow, signInTo, type TestOperator } from "../support/operators.ts";
import { Visitor, type Page } from "../support/person.ts";
import { describeSqliteFirst } from "../support/service.ts";

const minute = 60_000;
const by = { actor: { kind: "cli", name: "test" } } as const;
const port = await freePort();
const console = { host: "127.0.0.1", port, baseUrl: `http://127.0.0.1:${port}` };
const overview = `${console.baseUrl}/console/overview`;

describeSqliteFirst("a team's console", { console }, (service, { restart }) => {
  let owner: TestOperator;

  beforeAll(async () => {
    owner = await makeOperator(service(), "owner");
  });

  /** A browser in which this operator is signed in. */
  async function browserOf(operator: TestOperator): Promise<Visitor> {
    const visitor = new Visitor();
    const page = await signInTo(service(), await visitor.get(overview), operator, visitor);
    expect(page).toMatchObject({ status: 200, url: overview });
    return visitor;
  }

  const ctx = () => service().server.app.ctx;
  const now = { dryRun: false };

  async function liveLoginsOf({ id }: TestOperator): Promise<number> {
    return (await logins.list(ctx(), id, { all: false })).length;
  }

  async function isSignedIn(visitor: Visitor): Promise<boolean> {
    const { status } = await visitor.get(overview);
    return status === 200;
  }

  test.each<OperatorRole>(["viewer", "support", "owner"])("a %s signs in with a passkey", async (role) => {
    const operator = await makeOperator(service(), role);
    const page = await (await browserOf(operator)).get(overview);
    expect(page.text).toContain(operator.email);
    expect(page.text).toContain(role);
  });

  test("returns to the page that was asked for, and to no other address", async () => {
    const visitor = new Visitor();
    const asked = `${console.baseUrl}/console/overview?app=app_1`;
    const begun = await visitor.get(asked);
    const [name, value = ""] = [...visitor.cookies].find(([each]) => each.includes("sign-in")) ?? [""];
    const [state] = value.split(".");
    const elsewhere = Buffer.from("https://evil.example/").toString("base64url");
    visitor.cookies.set(name ?? "", `${state}.${elsewhere}`);
    expect((await signInTo(service(), begun, owner, visitor)).url).toBe(overview);
  });

  test.each([
    "/console/audit?actor=operator:usr_1&since=2026-11-29T10:40",
    "/console/people?q=a*",
    "/console/audit?zone=Europe/Berlin",
    "/console/people?q=(o,k)!@x",
  ])("returns to %s with all that its address says", async (asked) => {
    const visitor = new Visitor();
    const begun = await visitor.get(`${console.baseUrl}${asked}`);
    expect(await signInTo(service(), begun, owner, visitor)).toMatchObject({ url: `${console.baseUrl}${asked}` });
  });

  test("J5: a code that another browser brings lets nobody in", async () => {
    const visitor = new Visitor();
    const begun = await visitor.get(overview);
    // The victim opens the attacker's link, which carries the attacker's code.
    const page = await signInTo(service(), begun, owner, new Visitor());
    expect(page.status).toBe(403);
    expect(page.headers.getSetCookie()).toEqual([]);
  });

  describe("J7: a session ends", () => {
    test("with a sign-out", async () => {
      const visitor = await browserOf(owner);
      const before = visitor.copy();
      expect((await visitor.submit(await visitor.get(overview), "/sign-out", {})).status).toBe(200);
      expect(await isSignedIn(before)).toBe(false);
    });

    test("with a sign-out, which ends the login of this browser and of no other", async () => {
      const [one, other] = [await browserOf(owner), await browserOf(owner)];
      const before = await liveLoginsOf(owner);
      await one.submit(await one.get(overview), "/sign-out", {});
      expect(await liveLoginsOf(owner)).toBe(before - 1);
      expect(await isSignedIn(other)).toBe(true);
    });

    test("with a new proof in its browser, and its login with it", async () => {
      const visitor = await browserOf(owner);
      const [before, live] = [visitor.copy(), await liveLoginsOf(owner)];
      service().clock.advance(10 * minute);
      const operatorsPage = await visitor.get(`${console.baseUrl}/console/operators`);
      const asked = await visitor.submit(operatorsPage, "/operators/networks", { networks: "127.0.0.1" });
      expect(asked.text).toContain("Confirm with your passkey");
      await signInTo(service(), await visitor.get(`${console.baseUrl}/console/sign-in`), owner, visitor);
      expect([await isSignedIn(before), await isSignedIn(visitor)]).toEqual([false, true]);
      expect(await liveLoginsOf(owner)).toBe(live);
    });

    test.each<[what: string, end: (operator: TestOperator) => Promise<unknown>]>([
      [
        "the operator's logins are revoked",
        async ({ id }) => await userAdministration.revokeLogins(ctx(), id, now, by),
      ],
      ["the operator is disabled", async ({ id }) => await userAdministration.disable(ctx(), id, now, by)],
      [
        "its login is ended",
        async ({ id }) => {
          for (const login of await logins.list(ctx(), id, { all: false }))
            await logins.end(ctx(), login.id, now, by.actor);
        },
      ],
    ])("at once when %s, in every browser of theirs and of nobody else", async (_what, end) => {
      const operator = await makeOperator(service(), "support");
      const [one, two, others] = [await browserOf(operator), await browserOf(operator), await browserOf(owner)];
      await end(operator);
      expect([await isSignedIn(one), await isSignedIn(two), await isSignedIn(others)]).toEqual([false, false, true]);
    });

    test("with the operator", async () => {
      const operator = await makeOperator(service(), "viewer");
      const visitor = await browserOf(operator);
      await operators.remove(service().server.app.ctx, operator.id, {}, by);
      expect(await isSignedIn(visitor)).toBe(false);
    });

    test("after an hour without a request", async () => {
      const visitor = await browserOf(owner);
      for (const since of [60 * minute - 1, 60 * minute - 1]) {
        service().clock.advance(since);
        expect(await isSignedIn(visitor)).toBe(true);
      }
      service().clock.advance(60 * minute);
      expect(await isSignedIn(visitor)).toBe(false);
    });

    test("an hour after its last request, however soon that followed the one before", async () => {
      const visitor = await browserOf(owner);
      service().clock.advance(59_000);
      expect(await isSignedIn(visitor)).toBe(true);
      service().clock.advance(60 * minute - 1);
      expect(await isSignedIn(visitor)).toBe(true);
    });

    test.each<Record<string, string>>([{ "sec-fetch-dest": "empty" }, { "x-console-live": "yes" }])(
      "after an hour in which only a live page asked by itself, with %j",
      async (headers) => {
        const visitor = await browserOf(owner);
        for (let minutes = 5; minutes < 60; minutes += 5) {
          service().clock.advance(5 * minute);
          expect((await visitor.get(overview, headers)).status).toBe(200);
        }
        service().clock.advance(5 * minute);
        const { status, headers: answered } = await visitor.get(overview, headers);
        // No sign-in begins, which would take the place of one in another tab.
        expect({ status, cookies: answered.getSetCookie() }).toEqual({ status: 401, cookies: [] });
        expect(await isSignedIn(visitor)).toBe(false);
      },
    );

    test("after twelve hours", async () => {
      const visitor = await browserOf(owner);
      for (let halves = 1; halves < 24; halves += 1) {
        service().clock.advance(30 * minute);
        expect(await isSignedIn(visitor)).toBe(true);
      }
      service().clock.advance(30 * minute - 1);
      expect(await isSignedIn(visitor)).toBe(true);
      service().clock.advance(1);
      expect(await isSignedIn(visitor)).toBe(false);
    });
  });

  test("J7: a role that was taken away has no effect from the next request on", async () => {
    const operator = await makeOperator(service(), "owner");
    const visitor = await browserOf(operator);
    const operatorsPage = `${console.baseUrl}/console/operators`;
    expect((await visitor.get(operatorsPage)).status).toBe(200);
    await operators.update(service().server.app.ctx, operator.id, { role: "support" }, {}, by);
    expect((await visitor.get(operatorsPage)).status).toBe(403);
  });

  test("J7: a session that ended does not continue without the passkey", async () => {
    const visitor = await browserOf(owner);
    service().clock.advance(61 * minute);
    const page = await follow(await visitor.get(overview), visitor);
    expect(page.text).toContain("Sign in with a passkey");
    expect(page.text).not.toContain("Continue as");
  });

  test("J7: a role that is taken away while a form arrives has no effect", async () => {
    const [operator, other] = [await makeOperator(service(), "owner"), await makeOperator(service(), "viewer")];
    const visitor = await browserOf(operator);
    const { token = "" } = (await visitor.get(overview)).form("/sign-out").fields;
    const body = new URLSearchParams({ token, role: "owner" }).toString();
    const headers = {
      cookie: [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
      "content-type": "application/x-www-form-urlencoded",
      "content-length": String(body.length),
      expect: "100-continue",
    };
    const posted = request(`${console.baseUrl}/console/operators/${other.id}/role`, { method: "POST", headers });
    const answered = once(posted, "response");
    posted.flushHeaders();
    await once(posted, "continue");
    // The session of a request that came later has been read.
    expect(await isSignedIn(visitor)).toBe(true);
    await operators.update(service().server.app.ctx, operator.id, { role: "viewer" }, {}, by);
    posted.end(body);
    const [response] = (await answered) as [IncomingMessage];
    expect(response.resume().statusCode).toBe(403);
    const listed = await operators.list(service().server.app.ctx);
    expect(listed.find(({ id }) => id === other.id)?.role).toBe("viewer");
  });

  test("J7: a user of the console's application without a role is let in nowhere", async () => {
    const operator = await makeOperator(service(), "viewer");
    const { storage } = service().server.app.ctx;
    await storage.write(async ({ db, tables }) => {
      await db.delete(tables.operators);
    });
    const visitor = new Visitor();
    const page = await signInTo(service(), await visitor.get(overview), operator, visitor);
    expect(page.status).toBe(403);
    expect(page.text).toContain("You are not an operator");
    owner = await makeOperator(service(), "owner");
  });

  test("J8: answers only the networks that operators may come from", async () => {
    const visitor = await browserOf(owner);
    const { ctx } = service().server.app;
    await operators.setNetworks(ctx, ["192.0.2.0/24"], {}, by);
    expect((await visitor.get(overview)).status).toBe(403);
    expect((await new Visitor().get(`${console.baseUrl}/console/signed-in`)).status).toBe(404);
    await operators.setNetworks(ctx, ["127.0.0.1"], {}, by);
    expect((await visitor.get(overview)).status).toBe(200);
    await operators.setNetworks(ctx, [], {}, by);
  });

  const asking = consoleRoutes.filter((route) => route.method === "POST" && route.asksFor === "passkey");

  describe("J9: ten minutes after the passkey", () => {
    let visitor: Visitor;
    const entries = async () => (await audit.list(ctx(), { limit: 1000 })).length;

    beforeAll(async () => {
      visitor = await browserOf(owner);
      service().clock.advance(10 * minute);
    });

    async function post({ path }: { path: string }): Promise<Page> {
      const { token = "" } = (await visitor.get(overview)).form("/sign-out").fields;
      const parameters = Object.fromEntries([...path.matchAll(/:(\w+)/gu)].map(([, name = ""]) => [name, "x"]));
      const address = `${console.baseUrl}${pathOf({ path }, parameters)}`;
      return await visitor.post(address, { token, page: "/console/overview" });
    }

    test.each(asking.map((route) => [route.path, route] as const))(
      "%s asks for it again, and does nothing before",
      async (_path, route) => {
        const before = await entries();
        const asked = await post(route);
        expect(asked).toMatchObject({ status: 403 });
        expect(asked.text).toContain("Confirm with your passkey");
        expect(await entries()).toBe(before);
      },
    );

    test("what asks leads to the passkey in another tab, and back to its page", async () => {
      const { text } = await post({ path: "/console/people/create" });
      expect(text).toContain('href="/console/sign-in" target="_blank" rel="noopener"');
      expect(text).toContain('href="/console/overview"');
    });
  });

  test("J9: a session that somebody left open makes nobody an owner", async () => {
    const other = await makeOperator(service(), "support");
    const visitor = await browserOf(owner);
    service().clock.advance(10 * minute);
    const page = `${console.baseUrl}/console/operators/${other.id}`;
    await visitor.submit(await visitor.get(page), "/role", { role: "owner" });
    expect(await operators.get(service().server.app.ctx, other.id)).toMatchObject({ role: "support" });
  });

  test("J9: a clock that was set back makes no proof recent", async () => {
    const other = await makeOperator(service(), "support");
    const visitor = await browserOf(owner);
    service().clock.advance(-5 * minute);
    const page = `${console.baseUrl}/console/operators/${other.id}`;
    await visitor.submit(await visitor.get(page), "/role", { role: "owner" });
    expect(await operators.get(service().server.app.ctx, other.id)).toMatchObject({ role: "support" });
  });

  test("operators return to the address that the configuration names after a restart", async () => {
    const { storage } = service().server.app.ctx;
    const before = ["http://127.0.0.1:1/console/signed-in"];
    await storage.write(async ({ db, tables: { applications } }) => {
      await db.update(applications).set({ redirectUris: before }).where(eq(applications.id, consoleAppId));
    });
    await restart();
    await browserOf(owner);
  });

  test("cancelling the sign-in says so, with a way to begin again", async () => {
    const visitor = new Visitor();
    const signIn = await follow(await visitor.get(overview), visitor);
    const cancelled = await follow(await visitor.get(`${signIn.url}/cancel`), visitor);
    expect(cancelled.status).toBe(403);
    expect(cancelled.text).toContain("/console");
  });

  test("J8: only an owner sees in the audit log what operators do to sign in", async () => {
    const [support, visitor] = [await browserOf(await makeOperator(service(), "support")), await browserOf(owner)];
    const log = `${console.baseUrl}/console/audit?action=user.login`;
    expect((await support.get(log)).text).not.toContain("data-open=");
    expect((await visitor.get(log)).text).toContain(`/console/operators/${owner.id}`);
  });

  test("J8: everybody sees the names of operators in the audit log, and only owners their addresses", async () => {
    const { ctx } = service().server.app;
    const by = { actor: { kind: "cli", name: "test" } } as const;
    for (const [email, name] of [
      ["named@ops.example", "Grace Hopper"],
      ["nameless@ops.example", null],
    ] as const) {
      const { id } = await operators.invite(ctx, { email, role: "owner", name }, { link: true }, by);
      const event = { actor: { kind: "operator", name: id ?? "" }, action: "test.named", result: "success" } as const;
      await ctx.storage.write((tx) => audit.record(ctx, tx, event, ctx.clock()));
    }
    const [support, visitor] = [await browserOf(await makeOperator(service(), "support")), await browserOf(owner)];
    const log = `${console.baseUrl}/console/audit?action=test.named`;
    const [seen, all] = [(await support.get(log)).text, (await visitor.get(log)).text];
    expect(seen).toMatch(/Grace Hopper.*an operator \(…\w{6}\)|an operator \(…\w{6}\).*Grace Hopper/su);
    expect(seen).not.toContain("ops.example");
    expect(all).toContain("Grace Hopper");
    expect(all).toContain("nameless@ops.example");
  });

  test("keeps the keys of its browsers as digests only", async () => {
    const visitor = await browserOf(owner);
    const [key = ""] = [...visitor.cookies].flatMap(([name, value]) => (name.endsWith(`console-${port}`) ? value : []));
    expect(key).toHaveLength(43);
    expect(await service().databaseText()).not.toContain(key);
  });
});
