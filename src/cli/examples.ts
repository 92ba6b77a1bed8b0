import type { Command } from "commander";

/** Adds example command lines to the end of a command's help. */
export function examples(command: Command, lines: string[]): Command {
  return command.addHelpText("after", `\nExamples:\n${lines.map((line) => `  $ ${line}\n`).join("")}`);
}
