import { commandActor, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";

export function addGroupDelete(group: CliCommand, cli: Cli): void {
  group
    .command("delete")
    .description("delete a group; its members stay users")
    .asks("[GROUP]", "name", "Name of the group")
    .asks("--app <id>", "App ID")
    .dryRun("validate without deleting anything")
    .examples(
      "authsvc group delete staff --app app_shop --dry-run",
      "authsvc group delete staff --app app_shop --yes --json",
    )
    .withApp(async (ctx, name: string, { app: appId }: { app: string }) => {
      const groupDeletion = await import("../../../users/groups/deletion.ts");
      const groups = await import("../../../users/groups/service.ts");
      const { members } = await groups.get(ctx, appId, name);
      await cli.demandYes(`Delete the group ${name}, and remove its ${members} members from it?`);
      const dryRun = cli.isDryRun();
      await groupDeletion.remove(ctx, appId, name, { actor: commandActor(), dryRun });
      await cli.result(
        { name, appId, members, deleted: !dryRun },
        `${name} ${dryRun ? "would be" : "was"} deleted. Members: ${members}.\n`,
      );
    });
}
