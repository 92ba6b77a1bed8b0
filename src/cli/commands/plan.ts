import type { Command } from "commander";
import { commandActor, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { exitCodes } from "../exit-codes.ts";
import { write } from "../io.ts";
import { namingLines, readState } from "../state-input.ts";
import { changesText, summaryText } from "../state-text.ts";
import { json } from "../text.ts";

type Flags = { prune?: boolean; detailedExitcode?: boolean; schema?: boolean };

export function addPlan(program: Command, cli: Cli): void {
  const command = program
    .command("plan")
    .description(
      "show what apply would change: applications with their keys, providers and webhooks, from one YAML file",
    )
    .argument("[FILE]", "the file, or - for standard input")
    .option("--prune", "also show what apply --prune would delete")
    .option("--detailed-exitcode", "end with 5 when something would change")
    .option("--schema", "print the JSON Schema of the file");
  examples(command, ["authsvc plan applications.yaml --detailed-exitcode", "authsvc export | authsvc plan -"]).action(
    async (file: string | undefined, flags: Flags) => plan(cli, file, flags),
  );
}

async function plan(cli: Cli, file: string | undefined, flags: Flags): Promise<void> {
  if (flags.schema) {
    const { stateJsonSchema } = await import("../../config/state-schema.ts");
    await write(cli.io.stdout, json(stateJsonSchema(), true));
    return;
  }
  const input = await readState(cli.io, file);
  const prune = flags.prune ?? false;
  await cli.withApp(async ({ desiredStates }) => {
    const changes = await namingLines(input, () => desiredStates.plan(input.state, { prune, actor: commandActor() }));
    await cli.result({ changes }, changesText(changes));
    if (!cli.isJson()) await cli.note(summaryText(changes));
    if (flags.detailedExitcode && changes.length > 0) cli.endWith(exitCodes.difference);
  });
}
