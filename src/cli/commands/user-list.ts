import type { Command } from "commander";
import { namingFlags, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { askUnlessGiven } from "../input/ask.ts";
import { sinceFrom, wholeNumberFrom } from "../input/values.ts";
import { userTable } from "../output/user-text.ts";

type Flags = {
  app?: string;
  email?: string;
  name?: string;
  group?: string;
  state?: string;
  createdSince?: number;
  createdBefore?: number;
  lastLoginSince?: number;
  lastLoginBefore?: number;
  sort?: string;
  limit: number;
  after?: string;
};

const maxListed = 1000;
const flagOf = {
  email: "--email",
  name: "--name",
  group: "--group",
  state: "--state",
  createdBefore: "--created-before",
  lastLoginBefore: "--last-login-before",
  sort: "--sort",
};

export function addUserList(user: Command, cli: Cli): void {
  const command = user
    .command("list")
    .description("list the users of an application, oldest first")
    .option("--app <id>", "App ID")
    .option("--email <address>", "only the user with this email address")
    .option("--name <prefix>", "only users whose name begins with this; the case of A to Z does not matter")
    .option("--group <name>", "only members of this group, ordered by ID")
    .option("--state <state>", "only users who are active or disabled")
    .option(
      "--created-since <when>",
      "only users created since: 24h, 7d, or a time such as 2026-11-20T10:00:00Z",
      sinceFrom,
    )
    .option("--created-before <when>", "only users created before this time", sinceFrom)
    .option("--last-login-since <when>", "only users who have signed in since this time", sinceFrom)
    .option("--last-login-before <when>", "only users who have not signed in since this time", sinceFrom)
    .option("--sort <order>", "createdAt, name or lastLoginAt; a leading dash reverses the order")
    .option("--limit <number>", "maximum number to show", wholeNumberFrom(1, maxListed), 100)
    .option("--after <user>", "start after this User ID (the last one of the previous page)");
  examples(command, [
    "authsvc user list --app app_shop --name ada --sort -lastLoginAt",
    "authsvc user list --app app_shop --email ada@example.com --json | jq -r '.[].id'",
  ]).action(async ({ app, after, limit, ...query }: Flags) => {
    const appId = await askUnlessGiven(cli.io, app, { flag: "--app", question: "App ID" });
    await cli.withApp(async (ctx) => {
      const userListings = await import("../../users/listing.ts");
      const { users, more } = await namingFlags(flagOf, () => userListings.list(ctx, appId, query, { after, limit }));
      await cli.result(users, users.length === 0 ? "" : userTable(users, cli.screen()));
      if (users.length === 0) await cli.note("No matching users.");
      if (more) await cli.note(`There are more. To continue: --after ${users.at(-1)?.id ?? ""}`);
    });
  });
}
