import { expect, it, test } from "vitest";
import * as audit from "../../src/records/audit/audit.ts";
import * as profiles from "../../src/people/profile.ts";
import * as users from "../../src/users/service.ts";
import { commandsOn, openConsole, runShown, type Console } from "../support/console.ts";
import { disableUser, newUser, said } from "../support/mail-flows.ts";
import { useService } from "../support/one-service.ts";
import { goodPassword, redeem, signIn, validate, type Page } from "../support/person.ts";
import { describeEachDatabase, type TestApp, type TestService } from "../support/service.ts";
import { runSql } from "../cli/sql.ts";

const by = { actor: { kind: "cli", name: "test" } } as const;

async function people(service: TestService, app: TestApp, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) ids.push((await newUser(service, app)).id);
  return ids;
}

/** As the list's form asks, with these rows ticked or all. */
async function ask(console: Console, act: string, about: Record<string, string>, ids: string[] = []): Promise<Page> {
  const ticked = Object.fromEntries(ids.map((id) => [`id.${id}`, ""]));
  return await console.get(`/bulk?${new URLSearchParams({ act, ...about, ...ticked }).toString()}`);
}

async function isDisabled({ server }: TestService, id: string): Promise<boolean> {
  return (await users.find(server.app.ctx.storage.reader, id))?.disabledAt !== null;
}

async function entriesOf({ server }: TestService, action: string, ids: string[]): Promise<string[]> {
  const events = await audit.list(server.app.ctx, { action, limit: 1000 });
  return events.map(({ userId }) => userId ?? "").filter((id) => ids.includes(id));
}

describeEachDatabase("one act on many people", (current) => {
  it("disables those chosen, says by name what was done and what not, and harms nothing when repeated", async () => {
    const service = current();
    const app = await service.createApp();
    const ids = await people(service, app, 3);
    const [one = "", two = "", three = ""] = ids;
    const other = await people(service, app, 1);
    await disableUser(service, two);
    const console = await openConsole(service, { role: "support" });
    const list = await console.get(`/people?app=${app.id}&state=active`);
    for (const id of [one, three]) expect(list.text).toContain(`name="id.${id}"`);
    const asking = await ask(console, "disable", { app: app.id, state: "active" }, ids);
    expect([asking.status, said(asking)]).toEqual([200, expect.stringContaining("Disable 3 people")]);
    expect(asking.text).toContain(`href="/console/people?app=${app.id}&amp;state=active"`);
    expect(await isDisabled(service, one)).toBe(false);
    await profiles.remove(service.server.app.ctx, three, by);
    const result = await console.submit(asking, "/bulk/disable");
    expect(result.status).toBe(200);
    expect(said(result)).toContain("1 of 2 people disabled");
    expect(said(result)).toMatch(
      new RegExp(`${two}[^]*Was disabled already\\.[^]*${one}[^]*Disabled, and signed out everywhere\\.`, "u"),
    );
    expect(said(result)).toContain("1 person of those chosen is not there any more.");
    expect([await isDisabled(service, one), await isDisabled(service, other[0] ?? "")]).toEqual([true, false]);
    expect(await entriesOf(service, "user.disable", [one])).toEqual([one]);

    const again = await console.submit(asking, "/bulk/disable");
    expect(said(again)).toContain("Nobody disabled");
    expect(await entriesOf(service, "user.disable", [one])).toEqual([one]);
  });

  it("ends the logins of all who match, and enables all who are disabled, each with an audit entry", async () => {
    const service = current();
    const app = await service.createApp();
    const { id, email } = await newUser(service, app, { password: goodPassword });
    const tokens = await redeem(service, app, await signIn(service, app, { email }));
    const others = await people(service, app, 2);
    const console = await openConsole(service, { role: "support" });
    const ending = await ask(console, "revokeLogins", { all: "yes", app: app.id });
    expect(said(ending)).toContain("End logins of 3 people");
    const ended = await console.submit(ending, "/bulk/end-logins");
    expect(said(ended)).toContain("3 people signed out");
    expect((await validate(service, app, tokens.accessToken)).status).toBe(401);
    expect((await entriesOf(service, "user.revoke-logins", [id, ...others])).toSorted()).toEqual(
      [id, ...others].toSorted(),
    );

    for (const each of others) await disableUser(service, each);
    const enabling = await ask(console, "enable", { all: "yes", app: app.id, state: "disabled" });
    const [command = ""] = commandsOn(enabling).filter((line) => line.includes("user enable"));
    expect(said(await console.submit(enabling, "/bulk/enable"))).toContain("2 people enabled");
    for (const each of others) {
      expect(await isDisabled(service, each)).toBe(false);
      await disableUser(service, each);
    }
    // The command that is shown does the same.
    expect((await runShown(service, command)).code).toBe(0);
    for (const each of others) expect(await isDisabled(service, each)).toBe(false);
  });

  it("requires new passwords, as its command does, and says who has none or had to before", async () => {
    const service = current();
    const app = await service.createApp();
    const ids: string[] = [];
    for (let n = 0; n < 2; n += 1) ids.push((await newUser(service, app, { password: goodPassword })).id);
    const [without = ""] = await people(service, app, 1);
    const console = await openConsole(service, { role: "support" });
    const asking = await ask(console, "requireNewPassword", { app: app.id }, [...ids, without]);
    expect(said(asking)).toContain("Require a new password of 3 people");
    const [command = ""] = commandsOn(asking).filter((line) => line.includes("user require-new-password"));
    const result = await console.submit(asking, "/bulk/require-new-password");
    expect(said(result)).toContain("2 of 3 people marked for a new password");
    expect(said(result)).toContain("The user has no password.");
    const marked = async () => (await entriesOf(service, "user.require-new-password", ids)).toSorted();
    expect(await marked()).toEqual(ids.toSorted());
    const again = await console.submit(asking, "/bulk/require-new-password");
    expect(said(again)).toContain("The password had to change already.");
    const ran = await runShown(service, command);
    expect([ran.code, ran.stdout.match(/had to change already/gu)?.length]).toEqual([4, 2]);
    expect(await marked()).toEqual(ids.toSorted());
  });

  it("counts again when it is confirmed, and asks again with the new number", async () => {
    const service = current();
    const app = await service.createApp();
    const ids = await people(service, app, 2);
    const console = await openConsole(service);
    const asking = await ask(console, "disable", { all: "yes", app: app.id });
    const [newcomer = ""] = await people(service, app, 1);
    const refused = await console.submit(asking, "/bulk/disable");
    expect([refused.status, said(refused)]).toEqual([
      409,
      expect.stringContaining("Now 3 people match, and it was 2."),
    ]);
    for (const id of [...ids, newcomer]) expect(await isDisabled(service, id)).toBe(false);
    expect(said(await console.submit(refused, "/bulk/disable"))).toContain("3 people disabled");
  });

  it("asks again when as many match, but not the same ones", async () => {
    const service = current();
    const app = await service.createApp();
    const [leaves = "", stays = ""] = await people(service, app, 2);
    const console = await openConsole(service);
    const asking = await ask(console, "disable", { all: "yes", app: app.id });
    await profiles.remove(service.server.app.ctx, leaves, by);
    const [enters = ""] = await people(service, app, 1);
    const refused = await console.submit(asking, "/bulk/disable");
    expect([refused.status, said(refused)]).toEqual([409, expect.stringContaining("Not the same 2 people match")]);
    for (const id of [stays, enters]) expect(await isDisabled(service, id)).toBe(false);
    expect(said(await console.submit(refused, "/bulk/disable"))).toContain("2 people disabled");
  });

  it("takes at most 1,000 people, and says to narrow the filter", async () => {
    const service = current();
    const app = await service.createApp();
    const series =
      service.dialect === "sqlite"
        ? "WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 1001)"
        : "WITH s AS (SELECT generate_series(1, 1001) AS n)";
    await runSql(
      service,
      `${series} INSERT INTO users (id, app_id, email_verified, handle, created_at, updated_at, login_count)
        SELECT '${app.id}-' || n, '${app.id}', ${service.dialect === "sqlite" ? "0" : "false"}, '${app.id}' || n, n, 0, 0 FROM s`,
    );
    const console = await openConsole(service);
    const page = await ask(console, "disable", { all: "yes", app: app.id });
    expect([page.status, said(page)]).toEqual([
      400,
      expect.stringContaining("people match. Go back, and narrow the filter."),
    ]);
    expect(page.text).not.toContain('action="/console/bulk/disable"');
    const { token = "" } = page.form("/sign-out").fields;
    const posted = await console.visitor.post(`${console.url}/console/bulk/disable`, {
      token,
      all: "yes",
      app: app.id,
      count: "1001",
    });
    expect(posted.status).toBe(400);
    await profiles.remove(service.server.app.ctx, `${app.id}-1`, by);
    const result = await console.submit(await ask(console, "disable", { all: "yes", app: app.id }), "/bulk/disable");
    expect(said(result)).toContain("1\u202F000 people disabled");
  }, 60_000);
});

const service = useService();

test.each([
  ["disable", "/bulk/disable"],
  ["enable", "/bulk/enable"],
  ["revokeLogins", "/bulk/end-logins"],
  ["requireNewPassword", "/bulk/require-new-password"],
])("J3: a viewer sees no box to tick and is refused by %s, also of all who match", async (act, path) => {
  const app = await service.createApp();
  const [id = ""] = await people(service, app, 1);
  const console = await openConsole(service, { role: "viewer" });
  const list = await console.get(`/people?app=${app.id}`);
  expect(list.text).not.toContain('type="checkbox"');
  expect((await ask(console, act, { app: app.id }, [id])).status).toBe(403);
  const { token = "" } = list.form("/sign-out").fields;
  const posts: Record<string, string>[] = [{ ids: id }, { all: "yes", count: "1", app: app.id }];
  for (const about of posts) {
    const posted = await console.visitor.post(`${console.url}/console${path}`, { token, ...about });
    expect([posted.status, await isDisabled(service, id)]).toEqual([403, false]);
  }
});

test("J8: an operator of one application acts on nobody of another one", async () => {
  const [own, foreign] = [await service.createApp(), await service.createApp()];
  const [[mine = ""], [theirs = ""]] = [await people(service, own, 1), await people(service, foreign, 1)];
  const console = await openConsole(service, { appId: own.id });
  const page = await ask(console, "disable", {}, [mine, theirs]);
  expect(page.text).toContain(mine);
  expect(page.text).not.toContain(`/console/people/${theirs}`);
  const { token = "" } = page.form("/sign-out").fields;
  const post = async (about: Record<string, string>): Promise<Page> =>
    await console.visitor.post(`${console.url}/console/bulk/disable`, { token, ...about });
  expect(said(await post({ ids: `${mine},${theirs}` }))).toContain("1 person disabled");
  expect((await post({ all: "yes", count: "1", app: foreign.id })).status).toBe(404);
  await post({ all: "yes", count: "1" });
  expect([await isDisabled(service, mine), await isDisabled(service, theirs)]).toEqual([true, false]);
});

test("says that nobody is chosen, and refuses an act that there is not", async () => {
  const console = await openConsole(service);
  expect(said(await ask(console, "disable", {}))).toContain("Nobody is chosen.");
  expect((await ask(console, "delete", {})).status).toBe(400);
  expect(said(await console.get("/bulk"))).toContain("Nobody is chosen.");
});
