import { Option } from "commander";
import { AppError } from "../../../lib/errors.ts";
import { commandActor, namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { userText } from "../../output/user-text.ts";
import { userIdOf } from "../../input/users.ts";

type Flags = {
  email?: string;
  verified?: boolean;
  unverified?: boolean;
  name?: string;
  picture?: string;
};

export function addUserUpdate(user: CliCommand, cli: Cli): void {
  user
    .command("update")
    .description("change a user's address, name or picture; the earlier address gets a mail, and logins stay")
    .asksUser()
    .option("--email <address>", "new email address, unverified unless --verified is given")
    .addOption(new Option("--verified", "mark the address as verified").conflicts("unverified"))
    .option("--unverified", "mark the address as not verified")
    .option("--name <name>", 'name of the user; "" for none')
    .option("--picture <url>", 'https URL of a picture; "" for none')
    .dryRun("validate without changing anything")
    .examples(
      "authsvc user update usr_01k… --email ada@example.org --verified",
      'authsvc user update usr_01k… --name "Ada Lovelace" --dry-run --json',
    )
    .action(async (given: string, flags: Flags) => {
      const { email, verified, unverified } = flags;
      const emailVerified = verified === true ? true : unverified === true ? false : undefined;
      const change = { email, emailVerified, name: cleared(flags.name), picture: cleared(flags.picture) };
      if (Object.values(change).every((value) => value === undefined))
        throw new AppError(
          "INVALID_REQUEST",
          "Nothing to change: add --email, --verified, --unverified, --name or --picture.",
        );
      const flagOf = { email: "--email", emailVerified: "--verified", name: "--name", picture: "--picture" };
      await cli.withApp(async (ctx) => {
        const id = await userIdOf(ctx, given);
        const userAdministration = await import("../../../people/administration.ts");
        const changed = await namingFlags(flagOf, () =>
          userAdministration.update(ctx, id, change, { dryRun: cli.isDryRun() }, { actor: commandActor() }),
        );
        await cli.result(changed, cli.isDryRun() ? `${id} would be changed.\n` : userText(changed, cli.screen()));
      });
    });
}

function cleared(text: string | undefined): string | null | undefined {
  return text === "" ? null : text;
}
