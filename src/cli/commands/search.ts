import { namingFlags, type Cli } from "../cli.ts";
import type { CliCommand } from "../command.ts";
import { wholeNumberFrom } from "../input/values.ts";
import { listPeople } from "../output/people.ts";

type Flags = { app?: string; limit: number; after?: string };

export function addSearch(program: CliCommand, cli: Cli): void {
  program
    .command("search")
    .description("find people in all applications by parts of their address or name, newest first")
    .asks("[TEXT]", "parts of an address or name, or a user ID")
    .option("--app <id>", "only users of this application")
    .option("--limit <number>", "maximum number to show", wholeNumberFrom(1, 1000), 50)
    .option("--after <user>", "start after this User ID (the last one of the previous page)")
    .examples('authsvc search "lovelace shop.example"', "authsvc search ada --app app_shop --json | jq -r '.[].id'")
    .withApp(async (ctx, text: string, { app: appId, ...page }: Flags) => {
      const { searchAll } = await import("../../people/search.ts");
      const found = await namingFlags({ search: "TEXT" }, () => searchAll(ctx, { text, appId }, page));
      await listPeople(cli, found, true);
    });
}
