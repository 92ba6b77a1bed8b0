import { commandActor, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";

export function addAppDelete(app: CliCommand, cli: Cli): void {
  app
    .command("delete")
    .description(
      "permanently delete an application with its keys, users and all their data; its App ID cannot be reused",
    )
    .asks("[ID]", "App ID")
    .dryRun("show how many users would be deleted, without deleting anything")
    .examples("authsvc app delete app_shop --dry-run", "authsvc app delete app_shop --yes --json")
    .withApp(async (ctx, appId: string) => {
      const applications = await import("../../../applications/service.ts");
      const { name, stats } = await applications.get(ctx, appId);
      const users = `${stats.totalUsers} ${stats.totalUsers === 1 ? "user" : "users"}`;
      await cli.demandYes(`Delete ${name} (${appId}) and its ${users}?`);
      const dryRun = cli.isDryRun();
      if (!dryRun) await applications.remove(ctx, appId, commandActor());
      await cli.result(
        { id: appId, users: stats.totalUsers, deleted: !dryRun },
        `${appId} and its ${users} ${dryRun ? "would be" : "were"} deleted.\n`,
      );
    });
}
