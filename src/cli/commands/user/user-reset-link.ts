import { commandActor, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";

export function addUserResetLink(user: CliCommand, cli: Cli): void {
  user
    .command("reset-link")
    .description(
      "print a link for a user to choose a new password; it works once, for 30 minutes, and replaces the previous one",
    )
    .asksUser()
    .option("--send", "mail it to the user instead of printing it")
    .dryRun("validate without creating a link", "no link was created")
    .examples("authsvc user reset-link usr_01k…", "authsvc user reset-link usr_01k… --json | jq -r .link")
    .withApp(async (ctx, userId: string, { send = false }: { send?: boolean }) => {
      const resetLinks = await import("../../../credentials/mailed/reset-links.ts");
      const made = await resetLinks.linkFor(ctx, userId, { send, dryRun: cli.isDryRun() }, commandActor());
      if (cli.isDryRun()) return await cli.result(made, "");
      await cli.result(
        made,
        made.link === null ? `A link to ${made.email} waits to be mailed by the running service.\n` : `${made.link}\n`,
      );
      if (!cli.isJson())
        await cli.note(`It works once, until ${made.expiresAt}. Anybody who has it can set the password.`);
    });
}
