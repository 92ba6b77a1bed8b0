import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { askUnlessGiven } from "../input/ask.ts";
import { wholeNumberFrom } from "../input/values.ts";
import { askForGroup, groupText, memberTable } from "../output/group-text.ts";

type Flags = { app?: string; limit: number; after?: string };

const maxListed = 1000;

export function addGroupShow(group: Command, cli: Cli): void {
  const command = group
    .command("show")
    .description("show a group and its members, ordered by User ID")
    .argument("[GROUP]", "name")
    .option("--app <id>", "App ID")
    .option("--limit <number>", "maximum number of members to show", wholeNumberFrom(1, maxListed), 100)
    .option("--after <user>", "start after this User ID (the last one of the previous page)");
  examples(command, [
    "authsvc group show staff --app app_shop",
    "authsvc group show staff --app app_shop --json | jq -r '.members[].id'",
  ]).action(async (argument: string | undefined, flags: Flags) => {
    const name = await askForGroup(cli.io, argument);
    const appId = await askUnlessGiven(cli.io, flags.app, { flag: "--app", question: "App ID" });
    await cli.withApp(async (ctx) => {
      const groups = await import("../../users/groups/service.ts");
      const { members: count, ...found } = await groups.get(ctx, appId, name);
      const page = await groups.members(ctx, appId, name, { after: flags.after ?? "", limit: flags.limit });
      const table = page.members.length === 0 ? "" : `\n${memberTable(page.members, cli.screen())}`;
      await cli.result({ ...found, count, members: page.members }, groupText(found, cli.screen(), count) + table);
      if (page.nextCursor !== null) await cli.note(`There are more members. To continue: --after ${page.nextCursor}`);
    });
  });
}
