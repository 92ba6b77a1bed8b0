import type { Command } from "commander";
import { createCli } from "../../src/cli/cli.ts";
import type { Io } from "../../src/cli/io.ts";
import { buildProgram } from "../../src/cli/program.ts";
import { AppError } from "../../src/lib/errors.ts";

const silentIo = {
  env: {},
  stdin: {},
  stdout: { write: () => true },
  stderr: { write: () => true },
} as unknown as Io;

/**
 * The program of the command line, for any line or for one with these words; building it does
 * nothing.
 */
export function newProgram(words?: string[]): Command {
  return buildProgram(
    createCli(silentIo, () => ({})),
    words,
  );
}

/** Every command that the help shows, the program itself and its groups among them. */
export function allCommands(command: Command, path: string[] = []): { path: string[]; command: Command }[] {
  const below = command.createHelp().visibleCommands(command);
  return [
    { path, command },
    ...below.filter((sub) => sub.name() !== "help").flatMap((sub) => allCommands(sub, [...path, sub.name()])),
  ];
}

/**
 * Which commands a line of a shell would run: parsed like the real thing, so that an unknown flag
 * throws. What a person would be asked for may be missing.
 */
export async function commandsOf(line: string): Promise<string[]> {
  const seen: string[] = [];
  for (const { args } of parseLine(line)) {
    const program = newProgram();
    const all = allCommands(program);
    for (const { command } of all) if (command.commands.length === 0) command.action(() => {});
    // Before the command itself asks.
    program.hook("preAction", (_, asked) => {
      seen.push(all.find(({ command }) => command === asked)?.path.join(" ") ?? "");
    });
    await program.parseAsync(["node", "authsvc", ...args]).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error;
    });
  }
  return seen;
}

/** Each authsvc of a pipeline: its words as a shell would pass them, and the file that it reads. */
export function parseLine(line: string): { args: string[]; input: string | undefined }[] {
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
