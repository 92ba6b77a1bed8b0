import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { askUnlessGiven } from "../input/ask.ts";
import { groupTable } from "../output/group-text.ts";

export function addGroupList(group: Command, cli: Cli): void {
  const command = group
    .command("list")
    .description("list the groups of an application, by name")
    .option("--app <id>", "App ID");
  examples(command, [
    "authsvc group list --app app_shop",
    "authsvc group list --app app_shop --json | jq -r '.[].name'",
  ]).action(async (flags: { app?: string }) => {
    const appId = await askUnlessGiven(cli.io, flags.app, { flag: "--app", question: "App ID" });
    await cli.withApp(async (ctx) => {
      const groups = await import("../../users/groups/service.ts");
      const list = await groups.list(ctx, appId);
      await cli.result(list, list.length === 0 ? "" : groupTable(list, cli.screen()));
      if (list.length === 0) await cli.note("There are no groups yet.");
    });
  });
}
