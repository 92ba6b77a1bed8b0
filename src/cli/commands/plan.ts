import { commandActor, type Cli } from "../cli.ts";
import type { CliCommand } from "../command.ts";
import { sayAllTokensThatEnd } from "../ending-tokens.ts";
import { exitCodes } from "../exit-codes.ts";
import { namingLines, readState, secretsDirAbout, secretsToAbout } from "../input/state-input.ts";
import { listOf } from "../input/values.ts";
import { write } from "../io.ts";
import { changesText, referencesText, summaryText } from "../output/state-text.ts";
import { json } from "../output/text.ts";
import { notesOfChanges } from "../output/waiting-notes.ts";
import { startSigningAll } from "../signing-start.ts";

type Flags = {
  prune?: boolean;
  keepIdentities?: boolean;
  secretsDir?: string;
  secretsTo?: string[];
  detailedExitcode?: boolean;
  schema?: boolean;
};

export function addPlan(program: CliCommand, cli: Cli): void {
  program
    .command("plan")
    .description(
      "show what apply would change, given a YAML file of applications with their keys, providers and webhooks",
    )
    .argument("[FILE]", "the file, or - for standard input")
    .option("--prune", "also show what apply --prune would delete")
    .option("--keep-identities", "a provider's new endpoints serve the same accounts: existing links keep working")
    .option("--detailed-exitcode", "exit with code 5 if something would change")
    .option("--secrets-dir <folder>", secretsDirAbout)
    .option("--secrets-to <hosts>", secretsToAbout, listOf)
    .option("--schema", "print the JSON Schema of the file")
    .examples("authsvc plan applications.yaml --detailed-exitcode", "authsvc export | authsvc plan -")
    .action(async (file: string | undefined, flags: Flags) => {
      if (flags.schema) {
        const { stateJsonSchema } = await import("../../upkeep/desired-state/state-schema.ts");
        await write(cli.io.stdout, json(stateJsonSchema(), true));
        return;
      }
      const input = await readState(cli, file, flags);
      const { prune = false, keepIdentities = false } = flags;
      const options = { prune, keepIdentities, actor: commandActor() };
      await cli.withApp(async (ctx) => {
        const desiredStates = await import("../../upkeep/desired-state/service.ts");
        const changes = await namingLines(input, async () => {
          desiredStates.checkRecipients(input, flags.secretsTo ?? []);
          return await desiredStates.plan(ctx, input.state, options);
        });
        const signing = await startSigningAll(ctx, changes, { dryRun: true });
        const references = desiredStates.references(input);
        await cli.result({ changes, ...signing.result, references }, changesText(changes) + referencesText(references));
        if (!cli.isJson()) await cli.note(summaryText(changes));
        for (const note of [...signing.notes, ...(await notesOfChanges(ctx, changes))]) await cli.note(note);
        await sayAllTokensThatEnd(cli, ctx, changes, { dryRun: true });
        if (flags.detailedExitcode && changes.length > 0) cli.endWith(exitCodes.difference);
      });
    });
}
