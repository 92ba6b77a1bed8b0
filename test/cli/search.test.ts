import { beforeAll, expect, test } from "vitest";
import type { Cli } from "../../src/cli/cli.ts";
import { listPeople } from "../../src/cli/output/people.ts";
import { describeEachPlace } from "./databases.ts";
import { answer, authsvc } from "./in-process.ts";

test.each([
  [620, "620 users cannot be found yet"],
  [10_000, "10000 users cannot be found yet"],
  [10_001, "More than 10,000 users of all applications cannot be found yet"],
])("says of %i users that they wait to be folded", async (notSearchable, says) => {
  const notes: string[] = [];
  const cli = { list: () => {}, note: (text: string) => void notes.push(text) } as unknown as Cli;
  await listPeople(cli, { users: [], more: false, notSearchable }, false);
  expect(notes).toEqual([`${says}: a running service prepares them for the search.`]);
});

type User = { kind?: string; id: string; appId: string; email: string; name: string | null };

describeEachPlace("search", (place) => {
  const json = async (args: string[]) => (await answer(args, place)) as User[];
  const run = async (args: string[]) => await authsvc(args, place);
  const emails = async (args: string[]): Promise<string[]> =>
    (await json(args)).filter(({ kind }) => kind === undefined || kind === "person").map(({ email }) => email);
  const ids = new Map<string, string>();

  beforeAll(async () => {
    for (const [app, ...people] of [
      ["app_shop", "Ada Lovelace", "José Ñandú"],
      ["app_bank", "Ada Byron"],
    ] as const) {
      await answer(["app", "create", "--name", app, "--id", app], place);
      for (const name of people) {
        const email = `${name.slice(0, 3).toLowerCase().replace("é", "e")}@${app.slice(4)}.example`;
        const made = ["user", "create", "--app", app, "--email", email, "--name", name];
        ids.set(email, ((await answer(made, place)) as User).id);
      }
    }
  });

  test("search finds people of all applications by parts of address and name, with no service running", async () => {
    expect(await emails(["search", "ADA"])).toEqual(["ada@bank.example", "ada@shop.example"]);
    expect(await emails(["search", "nandu jos"])).toEqual(["jos@shop.example"]);
    expect(await emails(["search", "a", "--app", "app_bank"])).toEqual(["ada@bank.example"]);
    expect(await emails(["search", ids.get("ada@shop.example") ?? ""])).toEqual(["ada@shop.example"]);
    const { code, stdout, stderr } = await run(["search", "ada", "--limit", "1"]);
    const [heading, line] = stdout.split("\n");
    expect([code, heading?.split(/ {2,}/u).slice(0, 4)]).toEqual([0, ["USER ID", "EMAIL", "NAME", "APP ID"]]);
    expect(line).toMatch(/^usr_\S+ +ada@bank\.example +Ada Byron +app_bank /u);
    const last = ids.get("ada@bank.example") ?? "";
    expect(stderr).toBe(`There are more. To continue: --after ${last}\n`);
    expect(await emails(["search", "ada", "--after", last])).toEqual(["ada@shop.example"]);
    expect(await run(["search", "nobody"])).toMatchObject({ code: 0, stdout: "", stderr: "Nothing found.\n" });
  });

  test("user list --search needs no application, and goes with state, group and --after alone", async () => {
    expect(await emails(["user", "list", "--search", "example ada"])).toHaveLength(2);
    expect(await emails(["user", "list", "--app", "app_shop", "--search", "ada"])).toEqual(["ada@shop.example"]);
    await answer(["user", "disable", ids.get("ada@bank.example") ?? "", "--yes"], place);
    expect(await emails(["user", "list", "--search", "ada", "--state", "active"])).toEqual(["ada@shop.example"]);
    await answer(["group", "create", "staff", "--app", "app_shop"], place);
    await answer(["group", "add", "staff", ids.get("jos@shop.example") ?? "", "--app", "app_shop"], place);
    const members = ["user", "list", "--app", "app_shop", "--search", "shop", "--group", "staff"];
    expect(await emails(members)).toEqual(["jos@shop.example"]);
  });

  test.each([
    [["search", "x".repeat(300)], 2, "TEXT must be 1 to 256 characters"],
    [["search", "ada", "--app", "app_none"], 3, "application"],
    [["search", "ada", "--after", "usr_none"], 3, "user"],
    [["user", "list", "--search", "ada", "--sort", "name"], 2, "--sort is refused: it cannot be combined with search"],
    [
      ["user", "list", "--search", "ada", "--created-since", "7d"],
      2,
      "--created-since is refused: it cannot be combined with search",
    ],
    [["user", "list", "--search", "ada", "--group", "staff"], 2, "--group"],
    [["user", "list"], 2, "--app"],
    [["search"], 2, "TEXT"],
  ])("%j is refused with exit code %i", async (args, code, says) => {
    const refused = await run(args);
    expect([refused.code, refused.stderr]).toEqual([code, expect.stringContaining(says)]);
  });
});
