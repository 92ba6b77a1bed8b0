import { writeFileSync } from "node:fs";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { isBuilt } from "../support/program.ts";
import { emptyFolder } from "./command.ts";
import { answer, authsvc } from "./in-process.ts";
import { allCommands, newProgram } from "./program-commands.ts";
import { aboutSources, leftOut } from "../support/left-out.ts";

const columns = 80;
const tooWide = (text: string) =>
  stripVTControlCharacters(text)
    .split("\n")
    .filter((line) => line.length > columns);

test("the help of every command fits into 80 columns, but for examples to copy", () => {
  for (const { path: words, command } of allCommands(newProgram())) {
    let text = "";
    command.configureOutput({ writeOut: (more) => (text += more), getOutHelpWidth: () => columns }).outputHelp();
    expect([words, tooWide(text).filter((line) => !/^ {2}\$ /u.test(line))]).toEqual([words, []]);
  }
});

// The executable is a process of its own, whose output is no terminal.
describe.skipIf(isBuilt)(
  `long names and addresses on a terminal of 80 columns${leftOut(isBuilt ? aboutSources : undefined)}`,
  () => {
    const cwd = emptyFolder();
    const groups = Array.from(
      { length: 4 },
      (_, n) => `department-of-difference-engines-and-their-computations.london${n}`,
    );
    const emails = Array.from({ length: 20 }, (_, n) => `ada.king.of.lovelace.${n}@analytical-engines.example.com`);
    const shown = async (...args: string[]) => {
      const { code, stdout, stderr } = await authsvc(args, { cwd, columns });
      expect([args, code, stderr]).toEqual([args, 0, expect.not.stringContaining("authsvc:")]);
      return stripVTControlCharacters(stdout);
    };
    let users: string[] = [];

    beforeAll(async () => {
      const name = "The Analytical Engine Company of Great Britain and Ireland";
      await answer(["app", "create", "--name", name, "--id", "app_shop", "--redirect-uri", "https://a.example/cb"], {
        cwd,
      });
      const line = (email: string) => JSON.stringify({ email, name: "Augusta Ada King, Countess of Lovelace" });
      writeFileSync(path.join(cwd, "users.jsonl"), emails.map(line).join("\n"));
      await answer(["user", "import", "--app", "app_shop", "users.jsonl"], { cwd });
      users = ((await answer(["user", "list", "--app", "app_shop"], { cwd })) as { id: string }[]).map(({ id }) => id);
      for (const group of groups) {
        await answer(["group", "create", group, "--app", "app_shop"], { cwd });
        await answer(["group", "add", group, ...users, "--app", "app_shop"], { cwd });
      }
      const allowed = groups.join(",");
      const client = ["--id", "dashboard-of-all-analytical-engines", "--name", "Dashboard of every analytical engine"];
      const redirects = ["--redirect-uri", "https://grafana.example.com/login/generic_oauth"];
      await answer(["client", "create", "--app", "app_shop", ...client, ...redirects, "--allowed-groups", allowed], {
        cwd,
      });
      const acting = [
        "--actor",
        "Grace Hopper (support, second level)",
        "--reason",
        "ticket 4711: no order of last month",
      ];
      await answer(["token", "mint", "--user", users[0] ?? "", ...acting], { cwd });
      await answer(["token", "mint", "--user", users[1] ?? ""], { cwd });
      await answer(["user", "revoke-logins", users[1] ?? "", "--yes"], { cwd });
      const app = ["--app", "app_shop"];
      await answer(["app", "update", "app_shop", "--organizations", "on"], { cwd });
      await answer(["organization", "create", "Engines", "--owner", users[0] ?? "", ...app], { cwd });
      const domain = "difference-engines.analytical-engines.example.com";
      await answer(["organization", "domain", "add", "engines", domain, "--join", "ask", ...app], { cwd });
      const env = { AUTHSVC_MAIL__SMTP_URL: "smtp://127.0.0.1:1", AUTHSVC_MAIL__FROM: "shop@example.com" };
      const invite = ["organization", "invite", "engines", `countess.of.lovelace@${domain}`, "--roles", "owner,admin"];
      await answer([...invite, ...app], { cwd, env });
    });

    test("no table is wider", async () => {
      const [user = ""] = users;
      const [group = ""] = groups;
      for (const args of [
        ["user", "list", "--app", "app_shop"],
        ["user", "logins", user],
        ["group", "list", "--app", "app_shop"],
        ["group", "show", group, "--app", "app_shop"],
        ["client", "list"],
        ["organization", "show", "engines", "--app", "app_shop"],
        ["revocation", "list", "--app", "app_shop"],
        ["audit", "list"],
        ["app", "list"],
      ])
        expect([args, tooWide(await shown(...args))]).toEqual([args, []]);
    });

    test("an address is shown whole, over several lines if need be", async () => {
      const [heading = "", ...lines] = (await shown("user", "list", "--app", "app_shop")).split("\n");
      const [from, to] = [heading.indexOf("EMAIL"), heading.indexOf("NAME")];
      const column = lines.map((line) => line.slice(from, to).trim()).join("");
      for (const email of emails) expect(column).toContain(email);
    });

    test("of one thing at a time, only a value that cannot be broken is wider", async () => {
      for (const args of [
        ["user", "show", users[0] ?? ""],
        ["client", "show", "dashboard-of-all-analytical-engines"],
        ["app", "show", "app_shop"],
      ])
        for (const line of tooWide(await shown(...args))) expect(line).toMatch(/^(?:\S+(?: \S+)*)?\s{2,}\S+$/u);
    });
  },
);
