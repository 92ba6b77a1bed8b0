import { describe, expect, it, test } from "vitest";
import { consoleAppId, consoleApplication } from "../../src/applications/console-app.ts";
import { insertApplication } from "../../src/applications/store.ts";
import * as newUsers from "../../src/people/new-users.ts";
import { answer } from "../cli/in-process.ts";
import { placeOf } from "../cli/service-place.ts";
import { commandsOn, openConsole, runShown } from "../support/console.ts";
import { disableUser, newUser } from "../support/mail-flows.ts";
import { newEmail, type Page } from "../support/person.ts";
import { describeSqliteFirst, serviceOfTest, type TestApp, type TestService } from "../support/service.ts";
import { mailAway } from "./somebody.ts";

const by = { actor: { kind: "cli", name: "test" } } as const;

async function named(service: TestService, app: TestApp, name: string): Promise<string> {
  const user = { appId: app.id, email: newEmail(), emailVerified: false, name, password: undefined };
  return (await newUsers.create(service.server.app.ctx, user, { dryRun: false }, by)).id;
}

function foundOn({ text }: Page): string[] {
  return [...text.matchAll(/href="\/console\/people\/(usr_\w+)"/gu)].map(([, id = ""]) => id);
}

const mailSettings = { AUTHSVC_MAIL__SMTP_URL: "smtp://127.0.0.1:9", AUTHSVC_MAIL__FROM: "auth@acme.example" };

describeSqliteFirst("finding people", mailAway, (current) => {
  it("leads from an address or a user ID to the person", async () => {
    const service = current();
    const app = await service.createApp();
    const { id, email } = await newUser(service, app);
    const console = await openConsole(service);
    for (const q of [id, email, ` ${email.toUpperCase()} `]) {
      const page = await console.get(`/people?q=${encodeURIComponent(q)}`);
      expect([page.status, page.location.pathname]).toEqual([303, `/console/people/${id}`]);
    }
  });

  it("shows each application's person with the same address", async () => {
    const service = current();
    const [one, other] = [await service.createApp(), await service.createApp()];
    const email = newEmail();
    const ids = [await newUser(service, one, { email }), await newUser(service, other, { email })].map(({ id }) => id);
    const console = await openConsole(service);
    const q = encodeURIComponent(email);
    expect(foundOn(await console.get(`/people?q=${q}`)).toSorted()).toEqual(ids.toSorted());
    const inOne = await console.get(`/people?q=${q}&app=${one.id}`);
    expect(inOne.location.pathname).toBe(`/console/people/${ids[0]}`);
  });

  it("finds by parts of a name, newest first, by the state and the group, in each order, page by page, as the command shown", async () => {
    const service = current();
    const app = await service.createApp();
    const console = await openConsole(service);
    const ids: string[] = [];
    for (let index = 0; index < 53; index += 1) {
      service.clock.advance(1000);
      ids.push(await named(service, app, `Ada ${String(index).padStart(2, "0")}`));
    }
    service.clock.advance(1000);
    await named(service, app, "Bob");
    await disableUser(service, ids[7] ?? "");
    const base = `/people?app=${app.id}`;
    const first = await console.get(`${base}&q=da+ad`);
    expect(foundOn(first)).toEqual(ids.toReversed().slice(0, 50));
    const next = /href="\/console(\/people\?[^"]*)">Next page/u.exec(first.text)?.[1]?.replaceAll("&amp;", "&");
    expect(foundOn(await console.get(next ?? ""))).toEqual(ids.toReversed().slice(50));
    expect(foundOn(await console.get(`${base}&state=disabled`))).toEqual([ids[7]]);
    expect(foundOn(await console.get(`${base}&sort=-name`))[0]).not.toBe(ids[52]);
    const newest = await console.get(base);
    expect(foundOn(newest).slice(1, 3)).toEqual([ids[52], ids[51]]);

    for (const query of ["&q=da+ad", "", "&state=disabled", "&sort=name"]) {
      const page = await console.get(base + query);
      const command = commandsOn(page).find((line) => line.includes("user list")) ?? "";
      const ran = await runShown(service, `${command} --json`);
      const listed = JSON.parse(ran.stdout) as { id: string }[];
      expect(foundOn(page)).toEqual(listed.map(({ id }) => id).slice(0, 50));
    }
  });

  it.each([
    ["state=gone", "state: one of active, invited, pending, disabled, blocked"],
    ["method=magic", "method: passkey, password, none, or a provider"],
    ["factor=two", "factor: none, or nothing"],
    ["sort=name&method=none", "sort: it cannot be combined with method or factor"],
    ["sort=name&state=invited", "state: one of active, disabled, pending"],
    ["group=nobody", "group: the application has no such group"],
    ["group=staff&sort=name", "sort: it cannot be combined with group"],
    ["after=x", "after: a link of the previous page"],
    ["sort=name&cursor=x", "cursor: "],
    ["sort=size", "sort: one of"],
    [`q=${"x".repeat(300)}`, "search: 1 to 256 characters"],
    ["q=%E2%80%AE", "search: 1 to 256 characters"],
  ])("names what is wrong: %s", async (query, problem) => {
    const service = current();
    const app = await service.createApp();
    const page = await (await openConsole(service)).get(`/people?app=${app.id}&${query}`);
    expect([page.status, page.text]).toEqual([400, expect.stringContaining(problem)]);
    expect(foundOn(page)).toEqual([]);
  });

  it.each(["%' OR 1=1 --", "a%b_c", "<script>alert(1)</script>", "\\", "'; DROP TABLE users", "\u{1F600}", "usr_'"])(
    "finds nobody by %s, and shows it as text",
    async (q) => {
      const service = current();
      const app = await service.createApp();
      await named(service, app, "Ada");
      const page = await (await openConsole(service)).get(`/people?app=${app.id}&q=${encodeURIComponent(q)}`);
      expect(page.status).toBe(200);
      expect(foundOn(page)).toEqual([]);
      expect(page.text).not.toContain("<script>alert");
    },
  );

  it("never finds the console's own operators", async () => {
    const service = current();
    const { ctx } = service.server.app;
    await service.createApp();
    const application = consoleApplication("https://console.example", service.clock.now);
    await ctx.storage.write((tx) => insertApplication(tx, application));
    const operator = await newUser(service, { id: consoleAppId } as TestApp);
    const console = await openConsole(service);
    expect((await console.get(`/people/${operator.id}`)).status).toBe(404);
    for (const q of [operator.id, operator.email]) {
      const page = await console.get(`/people?q=${encodeURIComponent(q)}`);
      expect([page.status === 303, foundOn(page)]).toEqual([false, []]);
    }
    expect((await console.get(`/people?app=${consoleAppId}`)).status).toBe(404);
    expect((await console.get("/people")).text).not.toContain(consoleAppId);
  });

  it("finds parts of names and addresses in every application", async () => {
    const service = current();
    const [one, other] = [await service.createApp(), await service.createApp()];
    const word = newEmail().split("@")[0]?.slice(-12) ?? "";
    const ids = [await named(service, one, `Zoë ${word}`), await named(service, other, `${word} O'Brien`)];
    const console = await openConsole(service);
    expect(foundOn(await console.get(`/people?q=${word.slice(2)}`)).toSorted()).toEqual(ids.toSorted());
    expect(foundOn(await console.get(`/people?q=zoe+${word}`))).toEqual([ids[0]]);
    // An order and a group are an application's.
    for (const query of ["sort=name", "group=staff"]) expect((await console.get(`/people?${query}`)).status).toBe(400);
  });
});

describe("new people", () => {
  test("an invitation is mailed or shown, and its command does the same", async () => {
    const service = await serviceOfTest("sqlite", mailAway);
    const app = await service.createApp();
    const console = await openConsole(service, { role: "support" });
    const people = await console.get("/people");
    const email = newEmail();
    const mailed = await console.submit(people, "/people/invite", { email, name: "Ada" });
    expect([mailed.status, mailed.text]).toEqual([200, expect.stringContaining("Invited.")]);
    const shown = await console.submit(people, "/people/invite", { email: newEmail(), link: "on" });
    expect(shown.text).toMatch(/<code>http[^<]*\/invitation[^<]*<\/code>|<code>http[^<]+<\/code>/u);

    const command = commandsOn(people).find((line) => line.includes("user invite")) ?? "";
    const other = newEmail();
    const ran = await runShown(service, command.replace("EMAIL", other).replace("NAME", "Ada"), mailSettings);
    expect(ran).toMatchObject({ code: 0 });
    type Listed = { email: string; name: string; id: string }[];
    const users = (await answer(["user", "list", "--app", app.id], placeOf(service))) as Listed;
    const [one, two] = [email, other].map((address) => users.find((user) => user.email === address));
    expect([one?.name, two?.name]).toEqual(["Ada", "Ada"]);
    const log = async (id = "") =>
      ((await answer(["audit", "list", "--user", id], placeOf(service))) as { action: string; details: object }[]).map(
        ({ action, details }) => ({ action, details }),
      );
    expect(await log(one?.id)).toEqual(await log(two?.id));
  });

  test("an owner creates a user, and refused input stays in its form", async () => {
    const service = await serviceOfTest("sqlite");
    const app = await service.createApp();
    const console = await openConsole(service);
    const people = await console.get("/people");
    const email = newEmail();
    const created = await console.submit(people, "/people/create", { email, name: "Ada", verified: "on" });
    expect(created.text).toContain("Created.");
    const taken = await console.submit(people, "/people/create", { email, name: "Eve" });
    expect([taken.status, taken.text]).toEqual([409, expect.stringContaining('value="Eve"')]);
    const wrong = await console.submit(people, "/people/invite", { email: "nobody", name: "Eve" });
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining("email: ")]);

    const command = commandsOn(people).find((line) => line.includes("user create")) ?? "";
    const ran = await runShown(service, command.replace("EMAIL", newEmail()).replace("NAME", "Ada"));
    expect(ran).toMatchObject({ code: 0 });
    const users = (await answer(["user", "list", "--app", app.id], placeOf(service))) as { emailVerified: boolean }[];
    expect(new Set(users.map(({ emailVerified }) => emailVerified))).toEqual(new Set([true, false]));
  });
});
