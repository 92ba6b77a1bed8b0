import { commandActor, namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";

export function addGroupAdd(group: CliCommand, cli: Cli): void {
  addChange(group, cli, "add", "add users to a group: either all of them or none");
}

export function addGroupRemove(group: CliCommand, cli: Cli): void {
  addChange(group, cli, "remove", "remove users from a group: either all of them or none");
}

function addChange(group: CliCommand, cli: Cli, name: "add" | "remove", description: string): void {
  group
    .command(name)
    .description(description)
    .asks("[GROUP]", "name", "Name of the group")
    .asksUser("[USER...]")
    .asks("--app <id>", "App ID")
    .dryRun("validate without changing anything")
    .examples(
      `authsvc group ${name} staff usr_01k… --app app_shop`,
      `authsvc group ${name} staff usr_01k… usr_01m… --app app_shop --json`,
    )
    .withApp(async (ctx, groupName: string, userIds: string[], { app: appId }: { app: string }) => {
      const groups = await import("../../../users/groups/service.ts");
      const call = { actor: commandActor(), dryRun: cli.isDryRun() };
      const changed = await namingFlags({ userId: "USER" }, () =>
        (name === "add" ? groups.add : groups.remove)(ctx, appId, groupName, userIds, call),
      );
      const key = name === "add" ? "added" : "removed";
      const done = { name: groupName, appId, [key]: changed };
      const verb = `${call.dryRun ? "would be" : changed === 1 ? "was" : "were"} ${key}`;
      await cli.result(done, `${changed} ${changed === 1 ? "user" : "users"} ${verb}.\n`);
    });
}
