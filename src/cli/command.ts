import { Command, Option } from "commander";
import type { Context, CoreContext } from "../runtime/context.ts";
import type { Cli } from "./cli.ts";
import { askUnlessGiven } from "./input/ask.ts";

/** Commander's command, with what the commands of authsvc have in common. */
export class CliCommand extends Command {
  readonly #cli: Cli;

  constructor(cli: Cli, name?: string) {
    super(name);
    this.#cli = cli;
  }

  override createCommand(name?: string): CliCommand {
    return new CliCommand(this.#cli, name);
  }

  /**
   * Adds an argument (`[ID]`) or an option (`--app <id>`). If it is missing, a person at a
   * terminal is asked; elsewhere it is a usage error. The action always gets a value.
   */
  asks(flags: string, about: string, question = about.charAt(0).toUpperCase() + about.slice(1)): this {
    const { io } = this.#cli;
    if (flags.startsWith("--")) {
      const option = new Option(flags, about);
      const [name, flag = ""] = [option.attributeName(), option.long];
      return this.addOption(option).hook("preAction", async () => {
        this.setOptionValue(name, await askUnlessGiven(io, this.getOptionValue(name) as string, { flag, question }));
      });
    }
    this.argument(flags, about);
    const index = this.registeredArguments.length - 1;
    return this.hook("preAction", async ({ registeredArguments, processedArgs }) => {
      const { [index]: argument } = registeredArguments;
      const values = processedArgs as (string | string[] | undefined)[];
      const value = values[index];
      if (typeof value === "string" || value?.length) return;
      const answer = await askUnlessGiven(io, undefined, { flag: argument?.name() ?? "", question });
      values[index] = argument?.variadic ? [answer] : answer;
    });
  }

  /**
   * Adds `--dry-run`: `cli.isDryRun()` then tells the action to change nothing. The JSON result
   * says so, and a last note says what was not done (`undone`; null for no note).
   */
  dryRun(about: string, undone: string | null = "nothing was changed"): this {
    return this.option("--dry-run", about).hook("preAction", () => {
      if (this.getOptionValue("dryRun") === true) this.#cli.beginDryRun(undone);
    });
  }

  /** Example command lines, at the end of the help. */
  examples(...lines: string[]): this {
    return this.addHelpText("after", `\nExamples:\n${lines.map((line) => `  $ ${line}\n`).join("")}`);
  }

  /** An action with an open database. */
  withApp<Values extends unknown[]>(work: (ctx: Context, ...values: Values) => Promise<void>): this {
    return this.action(async (...values) => await this.#cli.withApp((ctx) => work(ctx, ...(values as Values))));
  }

  /** Like `withApp`, for what needs only applications, their keys and the audit log. */
  withCore<Values extends unknown[]>(work: (ctx: CoreContext, ...values: Values) => Promise<void>): this {
    return this.action(async (...values) => await this.#cli.withCore((ctx) => work(ctx, ...(values as Values))));
  }
}
