import type { Change } from "../../upkeep/desired-state/difference.ts";
import { commandActor, type Cli } from "../cli.ts";
import type { CliCommand } from "../command.ts";
import { sayAllTokensThatEnd } from "../ending-tokens.ts";
import { namingLines, readState, secretsDirAbout, secretsToAbout } from "../input/state-input.ts";
import { listOf } from "../input/values.ts";
import { changesText, referencesText, summaryText, usersText } from "../output/state-text.ts";
import { notesOfChanges } from "../output/waiting-notes.ts";
import { startSigningAll } from "../signing-start.ts";

type Flags = { prune?: boolean; keepIdentities?: boolean; secretsDir?: string; secretsTo?: string[] };

export function addApply(program: CliCommand, cli: Cli): void {
  program
    .command("apply")
    .description(
      "make applications, with their keys, providers and webhooks, match a YAML file; safe to run again after an interruption",
    )
    .argument("[FILE]", "the file, or - for standard input")
    .option("--prune", "delete applications, providers and webhooks that the file does not name")
    .option("--keep-identities", "a provider's new endpoints serve the same accounts: existing links keep working")
    .option("--secrets-dir <folder>", secretsDirAbout)
    .option("--secrets-to <hosts>", secretsToAbout, listOf)
    .dryRun("like plan: show what would change", null)
    .examples("authsvc apply applications.yaml", "authsvc apply applications.yaml --prune --yes --json")
    .action(async (file: string | undefined, flags: Flags) => {
      const input = await readState(cli, file, flags);
      const { prune = false, keepIdentities = false } = flags;
      const dryRun = cli.isDryRun();
      const options = { prune, keepIdentities, actor: commandActor() };
      await cli.withApp(async (ctx) => {
        const desiredStates = await import("../../upkeep/desired-state/service.ts");
        const planned = await namingLines(input, async () => {
          desiredStates.checkRecipients(input, flags.secretsTo ?? []);
          return await desiredStates.plan(ctx, input.state, options);
        });
        await sayAllTokensThatEnd(cli, ctx, planned, { dryRun });
        if (dryRun || planned.length === 0) {
          const signing = await startSigningAll(ctx, planned, { dryRun: true });
          const references = dryRun ? desiredStates.references(input) : [];
          await cli.result(
            { changes: planned, ...signing.result, dryRun, ...(dryRun ? { references } : {}) },
            changesText(planned) + referencesText(references),
          );
          if (!cli.isJson()) await cli.note(summaryText(planned));
          for (const note of [...signing.notes, ...(await notesOfChanges(ctx, planned))]) await cli.note(note);
          return;
        }
        const question = deletionQuestion(planned);
        if (question !== undefined) await cli.demandYes(question);
        const changes = await namingLines(input, () => desiredStates.apply(ctx, input.state, { ...options, planned }));
        const signing = await startSigningAll(ctx, changes, { dryRun });
        await cli.result({ changes, ...signing.result, dryRun }, changesText(changes));
        for (const note of [...signing.notes, ...(await notesOfChanges(ctx, changes))]) await cli.note(note);
        if (!cli.isJson()) await cli.note("Done.");
      });
    });
}

/** The question that names what will be lost; undefined if nothing is. */
function deletionQuestion(changes: Change[]): string | undefined {
  const deleted = changes.filter(({ action }) => action === "delete");
  if (deleted.length === 0) return undefined;
  const gone = deleted.filter(({ kind }) => kind === "application");
  const users = gone.reduce((sum, change) => sum + (change.users ?? 0), 0);
  const names = gone.map(({ application }) => application).join(", ");
  const lost = gone.length === 0 ? "" : ` (applications: ${names}, with ${usersText(users)})`;
  return `Delete ${deleted.length} of what exists${lost}? This cannot be undone.`;
}
