import { describe, expect, test } from "vitest";
import * as members from "../../src/organizations/members.ts";
import * as organizations from "../../src/organizations/service.ts";
import { findOrganization } from "../../src/organizations/store.ts";
import { listLoginsOfUser } from "../../src/sessions/login-list-store.ts";
import { useService } from "../support/one-service.ts";
import { goodPassword, signedUp, Visitor } from "../support/person.ts";
import { updateApp, type TestApp } from "../support/service.ts";
import { cookieSecret } from "./app-server.ts";
import { usePython, webSignInCalls } from "./python.ts";

const current = useService();
const by = { actor: { kind: "cli", name: "test" } } as const;

const python = usePython(webSignInCalls);

type Reply = { status: number; headers: [string, string][]; body: string };
type User = { id: string; organization: { id: string; slug: string; name: string; roles: string[] } | null };
type Guarded = [user: User | null, headers: [string, string][], reply: Reply | null];

async function ask<Answer>(app: TestApp, call: string, args: unknown[], named: object = {}): Promise<Answer> {
  const client = [current().url, app.id, app.apiKey];
  const now = current().clock.now / 1000;
  const given = { client, redirectUri: app.redirectUri, secret: cookieSecret, now, call, arguments: args, named };
  return await python<Answer>(given);
}

/** What a browser sends after these headers. */
function cookiesOf(headers: [string, string][]): string {
  const lines = headers.filter(([name, value]) => name === "Set-Cookie" && !value.includes("Max-Age=0"));
  return lines.map(([, value]) => value.split(";", 1)[0]).join("; ");
}

const locationOf = ({ headers }: Reply): string => headers.find(([name]) => name === "Location")?.[1] ?? "";

/** Somebody signed in by the package, an owner of two organizations, of which none is open. */
async function inTwo() {
  const app = await current().createApp();
  await updateApp(current(), app, { settings: { organizations: "on" } });
  const { email, user } = await signedUp(current(), app);
  const userId = String(user["id"]);
  const started = await ask<Reply>(app, "start", ["/"]);
  const visitor = new Visitor();
  const page = await visitor.get(locationOf(started));
  const back = (await visitor.submit(page, "/password", { email, password: goodPassword })).location;
  const finished = await ask<Reply>(app, "finish", [Object.fromEntries(back.searchParams), cookiesOf(started.headers)]);
  const found = async (name: string) =>
    (await organizations.create(current().server.app.ctx, app, { name, owner: userId }, by)).id;
  const [a, b] = [await found("Acme"), await found("Bolt")];
  const origin = new URL(app.redirectUri).origin;
  const open = async (cookie: string, organization: string, from = origin) =>
    await ask<Reply>(app, "switch_organization", [cookie, from, organization]);
  const userOf = async (cookie: string) => await ask<[User | null, [string, string][]]>(app, "user", [cookie]);
  return { app, userId, a, b, cookie: cookiesOf(finished.headers), open, userOf };
}

describe("packages/python", () => {
  test("opens an organization by a form of its own site, and shows it", async () => {
    const { a, cookie, open, userOf } = await inTwo();
    expect((await userOf(cookie))[0]?.organization).toBeNull();
    const opened = await open(cookie, a);
    expect(opened.status).toBe(303);
    const [user] = await userOf(cookiesOf(opened.headers));
    expect(user?.organization).toEqual({ id: a, slug: "acme", name: "Acme", roles: ["owner"] });
    expect((await open(cookie, a, "https://evil.example")).status).toBe(403);
    expect([(await open(cookie, "")).status, (await open("", a)).status]).toEqual([400, 401]);
  });

  test("changes nothing if the switch is refused", async () => {
    const { a, app, cookie, open, userOf } = await inTwo();
    const inA = cookiesOf((await open(cookie, a)).headers);
    const { user: other } = await signedUp(current(), app);
    const { ctx } = current().server.app;
    const foreign = await organizations.create(ctx, app, { name: "Foreign", owner: String(other["id"]) }, by);
    const refused = await open(inA, foreign.id);
    expect([refused.status, cookiesOf(refused.headers)]).toEqual([403, ""]);
    expect((await userOf(inA))[0]?.organization).toMatchObject({ id: a });
  });

  test("Q17: a renewal stays in the organization of the token before, or in none", async () => {
    const { a, b, cookie, open, userOf } = await inTwo();
    const inA = cookiesOf((await open(cookie, a)).headers);
    // The login names B by now: whoever still has the cookie of A gets A, within the grace.
    const inB = cookiesOf((await open(inA, b)).headers);
    current().clock.advance(15 * 60_000);
    const [user, headers] = await userOf(inB);
    expect(user?.organization).toMatchObject({ id: b, name: "Bolt" });
    expect((await userOf(cookiesOf(headers)))[0]?.organization).toMatchObject({ id: b });
    const without = cookiesOf((await open(cookiesOf(headers), "none")).headers);
    await open(without, a);
    current().clock.advance(1000);
    expect((await userOf(without))[0]?.organization).toBeNull();
  });

  test("signs out when the membership is over", async () => {
    const { a, userId, cookie, open, userOf } = await inTwo();
    const inA = cookiesOf((await open(cookie, a)).headers);
    const { ctx } = current().server.app;
    const row = await findOrganization(ctx.storage.reader, a);
    if (!row) throw new Error("no organization");
    await members.remove(ctx, row, userId, by);
    current().clock.advance(15 * 60_000);
    const [user, headers] = await userOf(inA);
    expect([user, headers.some(([, value]) => value.includes("Max-Age=0"))]).toEqual([null, true]);
  });

  test("Q17: repeats a write in no other organization, although the login names another one by now", async () => {
    const { a, b, userId, cookie, open, userOf } = await inTwo();
    const inA = cookiesOf((await open(cookie, a)).headers);
    const inB = cookiesOf((await open(inA, b)).headers);
    const { ctx } = current().server.app;
    const row = await findOrganization(ctx.storage.reader, a);
    if (!row) throw new Error("no organization");
    await members.remove(ctx, row, userId, by);
    // The feed is read every few seconds. Until then, the token of A is one of A.
    current().clock.advance(6000);
    expect((await userOf(inA))[0]).toBeNull();
    expect((await userOf(inB))[0]?.organization).toMatchObject({ id: b });
  });

  test.each([
    ["with a live token", 0],
    ["with an expired one", 16 * 60_000],
  ])("Q8: signing out after a removal ends the login, %s", async (_title, passed) => {
    const { app, a, userId, cookie, open } = await inTwo();
    const inA = cookiesOf((await open(cookie, a)).headers);
    const { ctx } = current().server.app;
    const row = await findOrganization(ctx.storage.reader, a);
    if (!row) throw new Error("no organization");
    await members.remove(ctx, row, userId, by);
    current().clock.advance(passed);
    expect((await ask<Reply>(app, "logout", [inA, new URL(app.redirectUri).origin])).status).toBe(303);
    const logins = await listLoginsOfUser(ctx.storage.reader, userId, { all: false, now: current().clock.now });
    // That of the sign-up.
    expect(logins).toHaveLength(1);
  });

  test("Q8: signing out with an expired token ends the login where every token names an organization", async () => {
    const { app, a, userId, cookie, open } = await inTwo();
    const inA = cookiesOf((await open(cookie, a)).headers);
    await updateApp(current(), app, { settings: { organizations: "required" } });
    current().clock.advance(16 * 60_000);
    expect((await ask<Reply>(app, "logout", [inA, new URL(app.redirectUri).origin])).status).toBe(303);
    const { reader } = current().server.app.ctx.storage;
    const logins = await listLoginsOfUser(reader, userId, { all: false, now: current().clock.now });
    // That of the sign-up.
    expect(logins).toHaveLength(1);
  });

  test("continues without one when the application has none any more, and takes no claim for one", async () => {
    const { app, a, cookie, open, userOf } = await inTwo();
    const inA = cookiesOf((await open(cookie, a)).headers);
    await updateApp(current(), app, { settings: { organizations: "off" } });
    await updateApp(current(), app, { claims: [{ claim: "org_id", from: "value", value: "theirs", in: ["access"] }] });
    current().clock.advance(15 * 60_000);
    const [user, headers] = await userOf(inA);
    expect([user?.id === undefined, user?.organization]).toEqual([false, null]);
    current().clock.advance(15 * 60_000);
    expect((await userOf(cookiesOf(headers)))[0]?.organization).toBeNull();
  });

  test("Q18: tells 401, 403 and 409 apart, and whatever is missing denies", async () => {
    const { app, a, b, cookie, open } = await inTwo();
    const inA = cookiesOf((await open(cookie, a)).headers);
    const status = async (cookies: string, named: object = {}) => {
      const [user, , reply] = await ask<Guarded>(app, "require_organization", [cookies], named);
      return reply?.status ?? user?.organization?.id;
    };
    expect([await status(""), await status(cookie), await status(inA)]).toEqual([401, 403, a]);
    expect([await status(inA, { organization: a }), await status(inA, { organization: b })]).toEqual([a, 409]);
    expect([await status(inA, { organization: null }), await status(inA, { organization: "" })]).toEqual([409, 409]);
    expect([await status(inA, { roles: ["billing", "owner"] }), await status(inA, { roles: ["own"] })]).toEqual([
      a,
      403,
    ]);
    for (const roles of [[], "owner"])
      expect(await ask(app, "require_organization", [inA], { roles })).toMatch(/^roles: must be a list/u);
  });
});
