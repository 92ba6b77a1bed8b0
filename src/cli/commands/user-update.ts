import { Option, type Command } from "commander";
import { AppError } from "../../lib/errors.ts";
import { commandActor, namingFlags, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { askUnlessGiven } from "../input/ask.ts";
import { userText } from "../output/user-text.ts";

type Flags = {
  email?: string;
  verified?: boolean;
  unverified?: boolean;
  name?: string;
  picture?: string;
  dryRun?: boolean;
};

export function addUserUpdate(user: Command, cli: Cli): void {
  const command = user
    .command("update")
    .description("change a user's address, name or picture; the earlier address gets a mail, and logins stay")
    .argument("[ID]", "User ID")
    .option("--email <address>", "new email address, unverified unless --verified is given")
    .addOption(new Option("--verified", "mark the address as verified").conflicts("unverified"))
    .option("--unverified", "mark the address as not verified")
    .option("--name <name>", 'name of the user; "" for none')
    .option("--picture <url>", 'https URL of a picture; "" for none')
    .option("--dry-run", "validate without changing anything");
  examples(command, [
    "authsvc user update usr_01k… --email ada@example.org --verified",
    'authsvc user update usr_01k… --name "Ada Lovelace" --dry-run --json',
  ]).action(async (argument: string | undefined, flags: Flags) => update(cli, argument, flags));
}

async function update(cli: Cli, argument: string | undefined, flags: Flags): Promise<void> {
  const { email, verified, unverified, dryRun = false } = flags;
  const id = await askUnlessGiven(cli.io, argument, { flag: "ID", question: "User ID" });
  const emailVerified = verified === true ? true : unverified === true ? false : undefined;
  const change = { email, emailVerified, name: cleared(flags.name), picture: cleared(flags.picture) };
  if (Object.values(change).every((value) => value === undefined))
    throw new AppError(
      "INVALID_REQUEST",
      "Nothing to change: add --email, --verified, --unverified, --name or --picture.",
    );
  const flagOf = { email: "--email", emailVerified: "--verified", name: "--name", picture: "--picture" };
  await cli.withApp(async (ctx) => {
    const userAdministration = await import("../../users/administration.ts");
    const changed = await namingFlags(flagOf, () =>
      userAdministration.update(ctx, id, change, { dryRun }, { actor: commandActor() }),
    );
    await cli.result(
      dryRun ? { ...changed, dryRun } : changed,
      dryRun ? `${id} would be changed.\n` : userText(changed, cli.screen()),
    );
    if (dryRun) await cli.note("Dry run: nothing was changed.");
  });
}

function cleared(text: string | undefined): string | null | undefined {
  return text === "" ? null : text;
}
