import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { beforeAll, describe, expect, test } from "vitest";
import { createCli } from "../../src/cli/cli.ts";
import type { Io } from "../../src/cli/io.ts";
import { buildProgram } from "../../src/cli/program.ts";
import { emptyFolder } from "./command.ts";
import { answer, authsvc } from "./in-process.ts";

/** Commands whose examples are run here, too. Those of the others need a server, the network or a terminal, and have tests of their own. */
const executed = ["app", "key", "user", "token", "signing-key", "audit", "config", "completion", "version"];
const executedElsewhere = ["user import", "user export"];

const silentIo = { env: {}, stdout: { write: () => true }, stderr: { write: () => true } } as unknown as Io;
const commands = allCommands(buildProgram(createCli(silentIo, () => ({}))), []);

type Example = { path: string; line: string };

function allCommands(command: Command, path: string[]): { path: string[]; command: Command }[] {
  const below = command.createHelp().visibleCommands(command);
  return [
    { path, command },
    ...below.filter((sub) => sub.name() !== "help").flatMap((sub) => allCommands(sub, [...path, sub.name()])),
  ];
}

function examplesOf({ path, command }: { path: string[]; command: Command }): Example[] {
  let text = "";
  command.configureOutput({ writeOut: (more) => (text += more) }).outputHelp();
  return [...text.matchAll(/^ {2}\$ (.*)$/gmu)].map(([, line = ""]) => ({ path: path.join(" "), line }));
}

/** Each authsvc of a pipeline: its words as a shell would pass them, and the file that it reads. */
function parse(line: string): { args: string[]; input: string | undefined }[] {
  const words = [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/gu)].map(([, single, double, bare]) => ({
    text: single ?? double ?? bare ?? "",
    isOperator: ["|", "<", ">"].includes(bare ?? ""),
  }));
  const commandLines: (typeof words)[] = [[]];
  for (const word of words) {
    if (word.isOperator && word.text === "|") commandLines.push([]);
    else commandLines.at(-1)?.push(word);
  }
  return commandLines
    .filter(([name]) => name?.text === "authsvc")
    .map((own) => {
      const end = own.findIndex(({ isOperator }) => isOperator);
      const reads = own.findIndex(({ text, isOperator }) => isOperator && text === "<");
      return {
        args: own.slice(1, end === -1 ? undefined : end).map(({ text }) => text),
        input: reads === -1 ? undefined : own[reads + 1]?.text,
      };
    });
}

const examples = commands.flatMap(examplesOf);

describe("the examples in the help", () => {
  test.each(commands.map(({ path, command }) => [path.join(" "), command] as const))(
    "'%s' has a description and two of them",
    (path, command) => {
      expect(command.description()).not.toBe("");
      expect(examples.filter((example) => example.path === path)).toHaveLength(2);
    },
  );

  test("are those of the command that they stand with, and know its flags and arguments", async () => {
    for (const { path, line } of examples) {
      const seen: string[] = [];
      for (const { args } of parse(line)) {
        const program = buildProgram(createCli(silentIo, () => ({})));
        for (const { path: at, command } of allCommands(program, [])) {
          if (command.commands.length === 0) command.action(() => void seen.push(at.join(" ")));
        }
        await program.parseAsync(["node", "authsvc", ...args]);
      }
      expect(
        seen.some((at) => `${at} `.startsWith(path === "" ? "" : `${path} `)),
        line,
      ).toBe(true);
    }
  });
});

describe("every example does what it says", () => {
  const prepared = emptyFolder();
  const files = {
    key: `pipeline-key.${"0123456789".repeat(3)}`,
    secret: "hush-hush",
    password: "correct horse battery",
  };
  const placeholders: Record<string, string> = {
    "/run/secrets/key": "key.txt",
    "/etc/authsvc/config.yaml": "config.yaml",
  };

  beforeAll(async () => {
    const json = async (...args: string[]) => (await answer(args, { cwd: prepared })) as Record<string, string>;
    await json("app", "create", "--name", "Shop", "--id", "app_shop");
    const user = await json("user", "create", "--app", "app_shop", "--email", "grace@example.com");
    const key = await json("key", "create", "--app", "app_shop");
    const minted = await json("token", "mint", "--user", user["id"] ?? "");
    writeFileSync(join(prepared, "token.txt"), minted["accessToken"] ?? "");
    for (const [name, text] of Object.entries(files)) writeFileSync(join(prepared, `${name}.txt`), text);
    writeFileSync(join(prepared, "google.txt"), files.secret);
    writeFileSync(join(prepared, "config.yaml"), "log:\n  level: info\n");
    await authsvc(
      ["app", "provider", "set", "app_shop", "facebook", "--client-id", "x", "--client-secret-file", "secret.txt"],
      { cwd: prepared },
    );
    Object.assign(placeholders, {
      "usr_01k…": user["id"],
      "key_01k…": key["id"],
      "lgn_01k…": minted["loginId"],
      "eyJhbGciOi…": minted["accessToken"],
    });
  });

  const known = examples.filter(
    ({ path, line }) =>
      executed.includes(path.split(" ")[0] ?? "") &&
      !executedElsewhere.includes(path) &&
      // A provider of one's own is asked for its endpoints.
      !line.includes("--issuer"),
  );

  test.each(known.map(({ line }) => line))("%s", async (line) => {
    const cwd = emptyFolder();
    cpSync(prepared, cwd, { recursive: true });
    const [{ args, input } = { args: [], input: undefined }] = parse(line);
    const text = input === undefined ? "" : readFileSync(join(cwd, input), "utf8");
    const words = args.map((word) => placeholders[word] ?? word);
    // A person would be asked.
    const yes = /\b(delete|remove)\b/u.test(line) && !/--dry-run|--yes/u.test(line) ? ["--yes"] : [];
    const finished = await authsvc([...words, ...yes], { cwd, input: text });
    expect(finished).toMatchObject({ code: 0 });
    expect(finished.stderr).not.toContain("authsvc:");
    if (args.includes("--json")) expect(() => JSON.parse(finished.stdout) as unknown).not.toThrow();
  });
});
