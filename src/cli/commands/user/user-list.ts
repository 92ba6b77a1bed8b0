import { namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { sinceFrom, wholeNumberFrom } from "../../input/values.ts";
import { timeOr } from "../../output/screen.ts";
import { userMethodsText } from "../../output/user-text.ts";

type Flags = {
  app: string;
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

export function addUserList(user: CliCommand, cli: Cli): void {
  user
    .command("list")
    .description("list the users of an application, oldest first")
    .asks("--app <id>", "App ID")
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
    .option("--after <user>", "start after this User ID (the last one of the previous page)")
    .examples(
      "authsvc user list --app app_shop --name ada --sort -lastLoginAt",
      "authsvc user list --app app_shop --email ada@example.com --json | jq -r '.[].id'",
    )
    .withApp(async (ctx, { app: appId, after, limit, ...query }: Flags) => {
      const userListings = await import("../../../users/listing.ts");
      const { users, more } = await namingFlags(flagOf, () => userListings.list(ctx, appId, query, { after, limit }));
      await cli.list(
        users,
        {
          "USER ID": ({ id }) => id,
          EMAIL: ({ email }) => email ?? "-",
          NAME: ({ name }) => name ?? "-",
          METHODS: ({ authMethods }) => userMethodsText(authMethods),
          "LAST SIGN-IN": ({ lastLoginAt }, screen) => timeOr("never", lastLoginAt, screen),
          STATE: ({ disabledAt }) => (disabledAt === null ? "active" : "disabled"),
        },
        "No matching users.",
      );
      if (more) await cli.note(`There are more. To continue: --after ${users.at(-1)?.id ?? ""}`);
    });
}
