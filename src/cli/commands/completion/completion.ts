import { Argument, type Command } from "commander";
import { AppError } from "../../../lib/errors.ts";
import { askUnlessGiven } from "../../input/ask.ts";
import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";

const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];

/** `everyCommand` makes the complete program. */
export function addCompletion(program: CliCommand, cli: Cli, everyCommand: () => Command): void {
  program
    .command("completion")
    .description("print a script that completes commands, options, App IDs and users")
    .addArgument(new Argument("[SHELL]", "bash, zsh or fish").choices(shells))
    .examples(
      "authsvc completion bash > /etc/bash_completion.d/authsvc",
      "authsvc completion fish > ~/.config/fish/completions/authsvc.fish",
    )
    .action(async (given: Shell | undefined) => {
      const shell = await askUnlessGiven(cli.io, given, { flag: "SHELL", question: "Shell (bash, zsh, fish)" });
      const script = await scriptFor(shell, everyCommand());
      await cli.file({ shell, script }, script);
    });
}

async function scriptFor(shell: string, program: Command): Promise<string> {
  const { completableCommands } = await import("../../completion/tree.ts");
  const commands = completableCommands(program);
  if (shell === "bash") return (await import("../../completion/bash.ts")).bashCompletion(commands);
  if (shell === "zsh") return (await import("../../completion/zsh.ts")).zshCompletion(commands);
  if (shell === "fish") return (await import("../../completion/fish.ts")).fishCompletion(commands);
  throw new AppError("INVALID_REQUEST", `SHELL: use one of ${shells.join(", ")}`);
}
