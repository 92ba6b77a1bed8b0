import type { Command } from "commander";
import { commandActor, namingFlags, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { askUnlessGiven } from "../input/ask.ts";
import { askForGroup } from "../output/group-text.ts";

type Flags = { app?: string; dryRun?: boolean };

export function addGroupAdd(group: Command, cli: Cli): void {
  addChange(group, cli, "add", "add users to a group: either all of them or none");
}

export function addGroupRemove(group: Command, cli: Cli): void {
  addChange(group, cli, "remove", "remove users from a group: either all of them or none");
}

function addChange(group: Command, cli: Cli, name: "add" | "remove", description: string): void {
  const command = group
    .command(name)
    .description(description)
    .argument("[GROUP]", "name")
    .argument("[USER...]", "User IDs")
    .option("--app <id>", "App ID")
    .option("--dry-run", "validate without changing anything");
  examples(command, [
    `authsvc group ${name} staff usr_01k… --app app_shop`,
    `authsvc group ${name} staff usr_01k… usr_01m… --app app_shop --json`,
  ]).action(async (argument: string | undefined, users: string[], flags: Flags) => {
    const groupName = await askForGroup(cli.io, argument);
    const ask = async () => [await askUnlessGiven(cli.io, undefined, { flag: "USER", question: "User ID" })];
    const userIds = users.length > 0 ? users : await ask();
    const appId = await askUnlessGiven(cli.io, flags.app, { flag: "--app", question: "App ID" });
    const { dryRun = false } = flags;
    await cli.withApp(async (ctx) => {
      const groups = await import("../../users/groups/service.ts");
      const changed = await namingFlags({ userId: "USER" }, () =>
        (name === "add" ? groups.add : groups.remove)(ctx, appId, groupName, userIds, {
          actor: commandActor(),
          dryRun,
        }),
      );
      const key = name === "add" ? "added" : "removed";
      const done = { name: groupName, appId, [key]: changed, ...(dryRun ? { dryRun } : {}) };
      const verb = `${dryRun ? "would be" : changed === 1 ? "was" : "were"} ${key}`;
      await cli.result(done, `${changed} ${changed === 1 ? "user" : "users"} ${verb}.\n`);
      if (dryRun) await cli.note("Dry run: nothing was changed.");
    });
  });
}
