import type { Command } from "commander";
import { commandActor, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { askUnlessGiven } from "../input/ask.ts";

type Flags = { send?: boolean; dryRun?: boolean };

export function addUserResetLink(user: Command, cli: Cli): void {
  const command = user
    .command("reset-link")
    .description(
      "print a link for a user to choose a new password; it works once, for 30 minutes, and replaces the previous one",
    )
    .argument("[ID]", "User ID")
    .option("--send", "mail it to the user instead of printing it")
    .option("--dry-run", "validate without creating a link");
  examples(command, [
    "authsvc user reset-link usr_01k…",
    "authsvc user reset-link usr_01k… --json | jq -r .link",
  ]).action(async (argument: string | undefined, flags: Flags) => resetLink(cli, argument, flags));
}

async function resetLink(
  cli: Cli,
  argument: string | undefined,
  { send = false, dryRun = false }: Flags,
): Promise<void> {
  const userId = await askUnlessGiven(cli.io, argument, { flag: "ID", question: "User ID" });
  await cli.withApp(async (ctx) => {
    const resetLinks = await import("../../credentials/mailed/reset-links.ts");
    const made = await resetLinks.linkFor(ctx, userId, { send, dryRun }, commandActor());
    if (dryRun) {
      await cli.result({ ...made, dryRun }, "");
      await cli.note("Dry run: no link was created.");
      return;
    }
    await cli.result(made, made.link === null ? `A link was sent to ${made.email}.\n` : `${made.link}\n`);
    if (!cli.isJson())
      await cli.note(`It works once, until ${made.expiresAt}. Anybody who has it can set the password.`);
  });
}
