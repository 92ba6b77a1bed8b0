import type { Command } from "commander";
import { askUnlessGiven } from "../ask.ts";
import { namingFlags, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { userTable } from "../user-text.ts";
import { wholeNumberFrom } from "../values.ts";

type Flags = { app?: string; email?: string; limit: number; after?: string };

const maxListed = 1000;

export function addUserList(user: Command, cli: Cli): void {
  const command = user
    .command("list")
    .description("list the users of an application, ordered by ID")
    .option("--app <id>", "App ID")
    .option("--email <address>", "only the user with this email address")
    .option("--limit <number>", "maximum number to show", wholeNumberFrom(1, maxListed), 100)
    .option("--after <user>", "start after this User ID (the last one of the previous page)");
  examples(command, [
    "authsvc user list --app app_shop --limit 20",
    "authsvc user list --app app_shop --email ada@example.com --json | jq -r '.[].id'",
  ]).action(async (flags: Flags) => {
    const appId = await askUnlessGiven(cli.io, flags.app, { flag: "--app", question: "App ID" });
    await cli.withApp(async ({ userAdministration }) => {
      const { users, more } = await namingFlags({ email: "--email" }, () => userAdministration.list(appId, flags));
      await cli.result(users, users.length === 0 ? "" : userTable(users, cli.screen()));
      if (users.length === 0) await cli.note("No matching users.");
      if (more) await cli.note(`There are more. To continue: --after ${users.at(-1)?.id ?? ""}`);
    });
  });
}
