import Database from "better-sqlite3";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { emptyFolder } from "./command.ts";
import { answer, authsvc } from "./in-process.ts";
import { hasTerminal, noTerminal, programOnTerminal } from "./terminal.ts";
import { leftOut, noProgram } from "../support/left-out.ts";

// Addresses that were stored before such characters were refused. `own` is a program on the PATH
// that leaves a file.
const hostileAddresses = [
  "a`own`x@example.com",
  "b|own&x@example.com",
  "c!own'$home{own}x@example.com",
  "d&own&@example.com",
  "e=~^#*?own@example.com",
  "f$_own|own|%'own@example.com",
];
/** What somebody with an API key may put where a shell shows it beside a value. */
const hostileText = "$(own) `own` ';own;' %1$(own)";

type Shell = { start: string[]; setUp: string; load: string };

const prompt = "PS1='rea''dy> '; PROMPT='rea''dy> '; HISTFILE=/dev/null\r";
const shells: Record<string, Shell> = {
  bash: { start: ["bash", "--norc", "--noprofile", "-i"], setUp: prompt, load: "source ./completion.bash\r" },
  zsh: {
    start: ["zsh", "-f", "-i"],
    setUp: prompt,
    load: "autoload -Uz compinit && compinit -u -D && source ./completion.zsh\r",
  },
  fish: {
    start: ["fish", "--no-config", "-i"],
    setUp: "function fish_prompt; echo -n 'rea''dy> '; end\r",
    load: "source ./completion.fish\r",
  },
};

describe.each(Object.entries(shells))("in a real %s", (name, shell) => {
  const missing = hasTerminal ? noProgram(name) : noTerminal;

  describe.skipIf(missing !== undefined)(`on a terminal${leftOut(missing)}`, () => {
    const cwd = emptyFolder();
    const ids: string[] = [];

    beforeAll(async () => {
      await answer(["app", "create", "--name", hostileText, "--id", "app_shop"], { cwd });
      const database = new Database(join(cwd, "data/authsvc.db"));
      for (const [index, address] of hostileAddresses.entries()) {
        const email = `user${index}@example.com`;
        const { id } = (await answer(["user", "create", "--app", "app_shop", "--email", email], { cwd })) as {
          id: string;
        };
        ids.push(id);
        database.prepare("UPDATE users SET email = ? WHERE id = ?").run(address, id);
      }
      database.close();
      writeFileSync(join(cwd, `completion.${name}`), (await authsvc(["completion", name], { cwd })).stdout);
      for (const kind of ["apps", "users", "emails"])
        writeFileSync(join(cwd, kind), (await authsvc(["completion-values", kind], { cwd })).stdout);
      mkdirSync(join(cwd, "bin"));
      const programs = {
        // What the real command printed, faster than it starts; and of any other command, the words
        // that reached it.
        authsvc: `case $1 in completion-values) awk -v p="$3" 'index($0, p) == 1 || index($0, "\t" p)' "$2" ;; *) printf '<%s>' "$@" ;; esac`,
        own: `touch '${cwd}/owned'`,
      };
      for (const [program, line] of Object.entries(programs)) {
        writeFileSync(join(cwd, "bin", program), `#!/bin/sh\n${line}\n`);
        chmodSync(join(cwd, "bin", program), 0o755);
      }
    });

    type Completion = { typed: string; shown: string };

    /**
     * Types the beginning of each command line, lets the shell complete it (`shown` appears then),
     * and runs it.
     */
    async function complete(...completions: Completion[]): Promise<string[]> {
      const env = { PATH: `${join(cwd, "bin")}:${process.env["PATH"] ?? ""}`, TERM: "xterm" };
      const steps = completions.flatMap(({ typed, shown }, index): [string, string][] => [
        [index === 0 ? "ready> " : `finished ${index - 1}.`, `${typed}\t`],
        [shown, `; echo fini''shed ${index}.\r`],
      ]);
      const { screen } = await programOnTerminal(
        shell.start,
        [["", shell.setUp], ["ready> ", shell.load], ...steps, [`finished ${completions.length - 1}.`, "exit\r"]],
        { cwd, env, columns: 200 },
      );
      return screen.split(/finished \d+\./u).slice(0, -1);
    }

    test("an address with characters of the shell is completed as one word and runs nothing", async () => {
      const typed = hostileAddresses.map((address) => `authsvc user list --email ${address[0]}`);
      const screens = await complete(...typed.map((line) => ({ typed: line, shown: "example.com" })));
      expect(existsSync(join(cwd, "owned"))).toBe(false);
      for (const [index, address] of hostileAddresses.entries())
        expect(screens[index]).toContain(`<--email><${address}>`);
    });

    test("a user is found by the beginning of such an address, and inserted as an id", async () => {
      const [screen] = await complete({ typed: "authsvc user show b", shown: ids[1] ?? "" });
      expect(screen).toContain(`<show><${ids[1]}>`);
      expect(existsSync(join(cwd, "owned"))).toBe(false);
    });

    test("a hostile name beside an App ID is only shown", async () => {
      const [screen] = await complete({ typed: "authsvc app show app_sh", shown: "app_shop" });
      expect(screen).toContain("<show><app_shop>");
      expect(existsSync(join(cwd, "owned"))).toBe(false);
    });
  });
});
