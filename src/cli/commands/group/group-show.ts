import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { wholeNumberFrom } from "../../input/values.ts";
import { groupText, memberColumns } from "../../output/group-text.ts";
import { tableOf } from "../../output/table.ts";

type Flags = { app: string; limit: number; after?: string };

const maxListed = 1000;

export function addGroupShow(group: CliCommand, cli: Cli): void {
  group
    .command("show")
    .description("show a group and its members, ordered by User ID")
    .asks("[GROUP]", "name", "Name of the group")
    .asks("--app <id>", "App ID")
    .option("--limit <number>", "maximum number of members to show", wholeNumberFrom(1, maxListed), 100)
    .option("--after <user>", "start after this User ID (the last one of the previous page)")
    .examples(
      "authsvc group show staff --app app_shop",
      "authsvc group show staff --app app_shop --json | jq -r '.members[].id'",
    )
    .withApp(async (ctx, name: string, { app: appId, limit, after = "" }: Flags) => {
      const groups = await import("../../../users/groups/service.ts");
      const { members: count, ...found } = await groups.get(ctx, appId, name);
      const page = await groups.members(ctx, appId, name, { after, limit });
      const table = page.members.length === 0 ? "" : `\n${tableOf(page.members, memberColumns, cli.screen())}`;
      await cli.result({ ...found, count, members: page.members }, groupText(found, cli.screen(), count) + table);
      if (page.nextCursor !== null) await cli.note(`There are more members. To continue: --after ${page.nextCursor}`);
    });
}
