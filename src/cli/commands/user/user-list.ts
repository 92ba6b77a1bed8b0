import { namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { askUnlessGiven } from "../../input/ask.ts";
import { sinceFrom, wholeNumberFrom } from "../../input/values.ts";
import { listPeople } from "../../output/people.ts";

type Flags = {
  app?: string;
  search?: string;
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
  search: "--search",
  email: "--email",
  name: "--name",
  group: "--group",
  state: "--state",
  createdSince: "--created-since",
  createdBefore: "--created-before",
  lastLoginSince: "--last-login-since",
  lastLoginBefore: "--last-login-before",
  sort: "--sort",
};

export function addUserList(user: CliCommand, cli: Cli): void {
  user
    .command("list")
    .description("list the users of an application, oldest first")
    .option("--app <id>", "App ID; optional with --search")
    .option("--search <text>", "only users with these parts in their address or name, newest first")
    .option("--email <address>", "only the user with this email address")
    .option("--name <prefix>", "only users whose name begins with this; the case of A to Z does not matter")
    .option("--group <name>", "only members of this group, ordered by ID")
    .option("--state <state>", "only users who are active, disabled or pending")
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
    .option("--after <user>", "start after this User ID (the last one of the previous page)")
    .examples(
      "authsvc user list --app app_shop --name ada --sort -lastLoginAt",
      "authsvc user list --app app_shop --email ada@example.com --json | jq -r '.[].id'",
    )
    .action(async ({ app, search: text, after, limit, ...query }: Flags) => {
      const wanted = { flag: "--app", question: "App ID" };
      const appId = text === undefined ? await askUnlessGiven(cli.io, app, wanted) : app;
      await cli.withApp(async (ctx) => {
        const userListings = await import("../../../users/listing.ts");
        const peopleSearch = await import("../../../people/search.ts");
        const found = await namingFlags(flagOf, async () => {
          if (text === undefined) return await userListings.list(ctx, appId ?? "", query, { after, limit });
          peopleSearch.refuseBesideSearch(query);
          return await peopleSearch.searchAll(ctx, { text, appId, ...query }, { after, limit });
        });
        await listPeople(cli, found, appId === undefined);
      });
    });
}
