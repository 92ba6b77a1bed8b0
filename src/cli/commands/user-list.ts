import type { Command } from "commander";
import { askUnlessGiven } from "../ask.ts";
import { namingFlags, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { bold } from "../text.ts";
import { userTable } from "../user-text.ts";
import { wholeNumberFrom } from "../values.ts";

type Flags = { app?: string; email?: string; limit: number; after?: string };

const mostListed = 1000;

export function addUserList(user: Command, cli: Cli): void {
  const command = user
    .command("list")
    .description("list the users of an application, in the order of their ids")
    .option("--app <id>", "App ID")
    .option("--email <address>", "only the user with this address")
    .option("--limit <number>", "at most so many", wholeNumberFrom(1, mostListed), 100)
    .option("--after <user>", "begin after this User ID: the last one of the list before");
  examples(command, [
    "authsvc user list --app app_shop --limit 20",
    "authsvc user list --app app_shop --email ada@example.com --json | jq -r '.[].id'",
  ]).action(async (flags: Flags) => {
    const appId = await askUnlessGiven(cli.io, flags.app, { flag: "--app", question: "App ID" });
    await cli.withApp(async ({ userAdministration }) => {
      const { users, more } = await namingFlags({ email: "--email" }, () => userAdministration.list(appId, flags));
      await cli.result(users, users.length === 0 ? "" : userTable(users, bold(cli.io, cli.io.stdout)));
      if (users.length === 0) await cli.note("No user fits.");
      if (more) await cli.note(`There are more: add --after ${users.at(-1)?.id ?? ""}`);
    });
  });
}
