import type { Command } from "commander";
import type { Change } from "../../desired-state/difference.ts";
import { demandYes } from "../ask.ts";
import { commandActor, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { namingLines, readState } from "../state-input.ts";
import { changesText, summaryText, usersText } from "../state-text.ts";

type Flags = { prune?: boolean; dryRun?: boolean };

export function addApply(program: Command, cli: Cli): void {
  const command = program
    .command("apply")
    .description(
      "make applications with their keys, providers and webhooks what one YAML file says: all of it or nothing",
    )
    .argument("[FILE]", "the file, or - for standard input")
    .option("--prune", "delete applications, providers and webhooks that the file does not name")
    .option("--dry-run", "as plan: show what would change");
  examples(command, ["authsvc apply applications.yaml", "authsvc apply applications.yaml --prune --yes --json"]).action(
    async (file: string | undefined, flags: Flags) => apply(cli, file, flags),
  );
}

async function apply(cli: Cli, file: string | undefined, flags: Flags): Promise<void> {
  const input = await readState(cli.io, file);
  const options = { prune: flags.prune ?? false, actor: commandActor() };
  const dryRun = flags.dryRun ?? false;
  await cli.withApp(async ({ desiredStates }) => {
    const planned = await namingLines(input, () => desiredStates.plan(input.state, options));
    if (dryRun || planned.length === 0) {
      await cli.result({ changes: planned, dryRun }, changesText(planned));
      if (!cli.isJson()) await cli.note(summaryText(planned));
      return;
    }
    const question = deletionQuestion(planned);
    if (question !== undefined) await demandYes(cli.io, cli.saidYes(), question);
    const changes = await namingLines(input, () => desiredStates.apply(input.state, { ...options, planned }));
    await cli.result({ changes, dryRun }, changesText(changes));
    if (!cli.isJson()) await cli.note("Done.");
  });
}

/** What is lost, for the one who must agree; undefined when nothing is. */
function deletionQuestion(changes: Change[]): string | undefined {
  const deleted = changes.filter(({ action }) => action === "delete");
  if (deleted.length === 0) return undefined;
  const gone = deleted.filter(({ kind }) => kind === "application");
  const users = gone.reduce((sum, change) => sum + (change.users ?? 0), 0);
  const names = gone.map(({ application }) => application).join(", ");
  const lost = gone.length === 0 ? "" : ` (applications: ${names}, with ${usersText(users)})`;
  return `Delete ${deleted.length} of what is there${lost}? This cannot be undone.`;
}
