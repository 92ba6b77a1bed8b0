import type { Command } from "commander";
import { commandActor, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { askUnlessGiven, demandYes } from "../input/ask.ts";
import { askForGroup } from "../output/group-text.ts";

type Flags = { app?: string; dryRun?: boolean };

export function addGroupDelete(group: Command, cli: Cli): void {
  const command = group
    .command("delete")
    .description("delete a group; its members stay users")
    .argument("[GROUP]", "name")
    .option("--app <id>", "App ID")
    .option("--dry-run", "validate without deleting anything");
  examples(command, [
    "authsvc group delete staff --app app_shop --dry-run",
    "authsvc group delete staff --app app_shop --yes --json",
  ]).action(async (argument: string | undefined, flags: Flags) => {
    const name = await askForGroup(cli.io, argument);
    const appId = await askUnlessGiven(cli.io, flags.app, { flag: "--app", question: "App ID" });
    const { dryRun = false } = flags;
    await cli.withApp(async (ctx) => {
      const groupDeletion = await import("../../users/groups/deletion.ts");
      const groups = await import("../../users/groups/service.ts");
      const { members } = await groups.get(ctx, appId, name);
      const question = `Delete the group ${name}, and remove its ${members} members from it?`;
      if (!dryRun) await demandYes(cli.io, cli.saidYes(), question);
      await groupDeletion.remove(ctx, appId, name, { actor: commandActor(), dryRun });
      const done = { name, appId, members, deleted: !dryRun, ...(dryRun ? { dryRun } : {}) };
      await cli.result(done, `${name} ${dryRun ? "would be" : "was"} deleted. Members: ${members}.\n`);
      if (dryRun) await cli.note("Dry run: nothing was changed.");
    });
  });
}
