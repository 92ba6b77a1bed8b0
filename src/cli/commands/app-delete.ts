import type { Command } from "commander";
import { commandActor, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { askUnlessGiven, demandYes } from "../input/ask.ts";

export function addAppDelete(app: Command, cli: Cli): void {
  const command = app
    .command("delete")
    .description(
      "permanently delete an application with its keys, users and all their data; its App ID cannot be reused",
    )
    .argument("[ID]", "App ID")
    .option("--dry-run", "show how many users would be deleted, without deleting anything");
  examples(command, ["authsvc app delete app_shop --dry-run", "authsvc app delete app_shop --yes --json"]).action(
    async (argument: string | undefined, { dryRun = false }: { dryRun?: boolean }) => {
      const appId = await askUnlessGiven(cli.io, argument, { flag: "ID", question: "App ID" });
      await cli.withApp(async (ctx) => {
        const applications = await import("../../applications/service.ts");
        const { name, stats } = await applications.get(ctx, appId);
        const users = `${stats.totalUsers} ${stats.totalUsers === 1 ? "user" : "users"}`;
        if (!dryRun) {
          await demandYes(cli.io, cli.saidYes(), `Delete ${name} (${appId}) and its ${users}?`);
          await applications.remove(ctx, appId, commandActor());
        }
        await cli.result(
          { id: appId, users: stats.totalUsers, deleted: !dryRun, ...(dryRun ? { dryRun } : {}) },
          `${appId} and its ${users} ${dryRun ? "would be" : "were"} deleted.\n`,
        );
        if (dryRun) await cli.note("Dry run: nothing was changed.");
      });
    },
  );
}
