import { Command, Option } from "commander";
import { capitalized } from "../lib/text.ts";
import type { Context, CoreContext } from "../runtime/context.ts";
import type { Cli } from "./cli.ts";
import { askUnlessGiven } from "./input/ask.ts";

/** Commander's command, with the options and help that all commands of authsvc share. */
export class CliCommand extends Command {
  readonly #cli: Cli;
  /** The places of arguments that name users. */
  readonly #users: number[] = [];

  constructor(cli: Cli, name?: string) {
    super(name);
    this.#cli = cli;
  }

  override createCommand(name?: string): CliCommand {
    return new CliCommand(this.#cli, name);
  }

  /**
   * Adds an argument (`[ID]`) or an option (`--app <id>`). If it is missing, a person at a
   * terminal is asked; elsewhere it is a usage error. The action always gets a value, except beside
   * the option `unless`.
   */
  asks(flags: string, about: string, question = capitalized(about), unless?: string): this {
    const { io } = this.#cli;
    if (flags.startsWith("--")) {
      const option = new Option(flags, about);
      const [name, flag = ""] = [option.attributeName(), option.long];
      return this.addOption(option).hook("preAction", async () => {
        if (unless !== undefined && this.getOptionValue(unless) !== undefined) return;
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
   * Adds an argument that names a user, or several. The action of `withApp` gets User IDs, or with
   * `asNamed` what was typed.
   */
  asksUser(flags = "[ID]", { asNamed = false } = {}): this {
    if (!asNamed) this.#users.push(this.registeredArguments.length);
    return this.asks(
      flags,
      flags.includes("...") ? "User IDs or email addresses" : "User ID or email address",
      "User ID",
    );
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
    return this.action(
      async (...values: unknown[]) =>
        await this.#cli.withApp(async (ctx) => await work(ctx, ...((await this.#withUserIds(ctx, values)) as Values))),
    );
  }

  async #withUserIds(ctx: Context, values: unknown[]): Promise<unknown[]> {
    if (this.#users.length === 0) return values;
    const { userIdOf } = await import("./input/users.ts");
    const appId = this.getOptionValue("app") as string | undefined;
    return await Promise.all(
      values.map(async (value, at) => {
        if (!this.#users.includes(at)) return value;
        const flag = this.registeredArguments[at]?.name() ?? "";
        const idOf = async (given: string) => await userIdOf(ctx, given, flag, appId);
        return Array.isArray(value) ? await Promise.all(value.map(idOf)) : await idOf(value as string);
      }),
    );
  }

  /** Like `withApp`, for actions that need only applications, their keys and the audit log. */
  withCore<Values extends unknown[]>(work: (ctx: CoreContext, ...values: Values) => Promise<void>): this {
    return this.action(async (...values) => await this.#cli.withCore((ctx) => work(ctx, ...(values as Values))));
  }
}
