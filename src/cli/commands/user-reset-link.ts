import type { Command } from "commander";
import { askUnlessGiven } from "../ask.ts";
import { commandActor, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";

type Flags = { send?: boolean; dryRun?: boolean };

export function addUserResetLink(user: Command, cli: Cli): void {
  const command = user
    .command("reset-link")
    .description(
      "print a link with which a user chooses a new password; it works once, for 30 minutes, and ends the one before",
    )
    .argument("[ID]", "User ID")
    .option("--send", "mail it to the user instead of printing it")
    .option("--dry-run", "check everything, make no link");
  examples(command, [
    "authsvc user reset-link usr_01k…",
    "authsvc user reset-link usr_01k… --json | jq -r .link",
  ]).action(async (given: string | undefined, flags: Flags) => resetLink(cli, given, flags));
}

async function resetLink(cli: Cli, given: string | undefined, { send = false, dryRun = false }: Flags): Promise<void> {
  const userId = await askUnlessGiven(cli.io, given, { flag: "ID", question: "User ID" });
  await cli.withApp(async ({ passwordReset }) => {
    const made = await passwordReset.linkFor(userId, { send, dryRun }, commandActor());
    if (dryRun) {
      await cli.result({ ...made, dryRun }, "");
      await cli.note("No link was made: this was a dry run.");
      return;
    }
    await cli.result(made, made.link === null ? `A link is on its way to ${made.email}.\n` : `${made.link}\n`);
    if (!cli.isJson())
      await cli.note(`It works once, until ${made.expiresAt}. Whoever has it can choose the password.`);
  });
}
