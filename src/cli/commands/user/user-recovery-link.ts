import { hour } from "../../../lib/clock.ts";
import { commandActor, namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { durationFrom } from "../../input/values.ts";

export function addUserRecoveryLink(user: CliCommand, cli: Cli): void {
  user
    .command("recovery-link")
    .description(
      "print a link for a user who lost their second factor: it works once, after their first factor, and removes the lost one; a new link replaces it, and the user is told by mail",
    )
    .asksUser()
    .option("--expires <duration>", "how long it works: at most 24h (default: 1h)", durationFrom)
    .dryRun("validate without creating a link", "no link was created")
    .examples(
      "authsvc user recovery-link usr_01k… --expires 4h",
      "authsvc user recovery-link usr_01k… --json | jq -r .link",
    )
    .withApp(async (ctx, userId: string, { expires: lasts = hour }: { expires?: number }) => {
      const recoveryLinks = await import("../../../credentials/mailed/recovery-links.ts");
      const made = await namingFlags({ expires: "--expires" }, () =>
        recoveryLinks.linkFor(ctx, userId, { lasts, dryRun: cli.isDryRun() }, commandActor()),
      );
      if (cli.isDryRun()) return await cli.result(made, "");
      await cli.result(made, `${made.link}\n`);
      if (!cli.isJson())
        await cli.note(`It works once, until ${made.expiresAt}, together with the user's password or provider.`);
    });
}
