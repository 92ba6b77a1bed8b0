import { setTimeout as pause } from "node:timers/promises";
import { Argument } from "commander";
import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { exitCodes } from "../../exit-codes.ts";
import { write } from "../../io.ts";
import { visible } from "../../output/text.ts";

const kinds = ["apps", "clients", "groups", "users", "emails"] as const;
const maxShown = 50;
/** The longest wait for a completion. */
const patienceMilliseconds = 1500;

/**
 * Prints names from the database for shell completion, with their descriptions. Silent on any
 * error.
 */
export function addCompletionValues(program: CliCommand, cli: Cli): void {
  program
    .command("completion-values", { hidden: true })
    .addArgument(new Argument("<kind>").choices(kinds))
    .argument("[prefix]")
    .action(async (kind: (typeof kinds)[number], prefix = "") => {
      const candidates = find(cli, kind, String(prefix)).catch(() => []);
      const names = await Promise.race([candidates, pause(patienceMilliseconds, undefined, { ref: false })]);
      const rows = (names ?? []).map(({ value, about }) => [value, about].map(visible).join("\t"));
      await write(cli.io.stdout, rows.map((row) => `${row}\n`).join(""));
      // A database that does not answer must not keep the process alive.
      if (names === undefined) cli.io.exit(exitCodes.done);
    });
}

async function find(
  cli: Cli,
  kind: (typeof kinds)[number],
  prefix: string,
): Promise<{ value: string; about: string }[]> {
  const { config } = await cli.configure();
  const { readNames } = await import("../../../upkeep/names.ts");
  return await readNames(config, kind, prefix, maxShown);
}
