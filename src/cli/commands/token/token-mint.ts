import { Option } from "commander";
import { minute } from "../../../lib/clock.ts";
import { AppError } from "../../../lib/errors.ts";
import { commandActor, namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { askUnlessGiven } from "../../input/ask.ts";
import { durationFrom, wordsOf } from "../../input/values.ts";
import { userIdOf } from "../../input/users.ts";

type Flags = {
  user?: string;
  scopes?: ("profile" | "email" | "groups")[];
  ttl: number;
  organization?: string;
  actor?: string;
  reason?: string;
};

export function addTokenMint(token: CliCommand, cli: Cli): void {
  token
    .command("mint")
    .description(
      "issue an access token for a user without a sign-in; it is marked (amr: operator), cannot be refreshed, and is recorded in the audit log",
    )
    .option("--user <id>", "User ID or email address")
    .option(
      "--scopes <list>",
      "profile, email, groups (default: all of the application)",
      wordsOf(["profile", "email", "groups"]),
    )
    .addOption(
      new Option("--ttl <duration>", "lifetime, at most 24h").argParser(durationFrom).default(15 * minute, "15m"),
    )
    .option("--organization <id>", "organization that the token names, by id or slug (default: none)")
    .option(
      "--actor <name>",
      "person who acts as the user, shown on the account page; the token cannot change the account",
    )
    .option("--reason <text>", "reason, required with --actor")
    .dryRun("validate without issuing a token", "nothing was issued")
    .examples(
      "authsvc token mint --user usr_01k… --ttl 5m",
      'authsvc token mint --user usr_01k… --actor "Grace (support)" --reason "ticket 4711"',
    )
    .action(async ({ user, scopes, ttl, organization, actor: name, reason }: Flags) => {
      if (name === undefined && reason !== undefined)
        throw new AppError("INVALID_CONFIG", "--reason is only for --actor");
      if (name !== undefined && reason === undefined)
        throw new AppError("INVALID_CONFIG", "--actor needs --reason: it is shown to the user");
      const actor = name === undefined || reason === undefined ? {} : { actor: { name, reason } };
      const given = await askUnlessGiven(cli.io, user, { flag: "--user", question: "User ID" });
      await cli.withApp(async (ctx) => {
        const userId = await userIdOf(ctx, given, "--user");
        const operatorTokens = await import("../../../sessions/operator-tokens.ts");
        const minted = await namingFlags(
          {
            seconds: "--ttl",
            scopes: "--scopes",
            organization: "--organization",
            actor: "--actor",
            reason: "--reason",
          },
          () =>
            operatorTokens.mint(
              ctx,
              { userId, scopes, organization, seconds: Math.floor(ttl / 1000), ...actor },
              { dryRun: cli.isDryRun() },
              commandActor(),
            ),
        );
        if (cli.isDryRun()) {
          const { accessToken: _, loginId: __, ...planned } = minted;
          return await cli.result(planned, "");
        }
        await cli.result(minted, `${minted.accessToken}\n`);
        if (!cli.isJson())
          await cli.note(
            `It is valid until ${minted.expiresAt}. To end it: authsvc token revoke --login ${minted.loginId}`,
          );
      });
    });
}
