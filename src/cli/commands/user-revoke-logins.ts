import type { Command } from "commander";
import { commandActor, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { askUnlessGiven } from "../input/ask.ts";

export function addUserRevokeLogins(user: Command, cli: Cli): void {
  const command = user
    .command("revoke-logins")
    .description("sign a user out everywhere: all their tokens are rejected from the next call on")
    .argument("[ID]", "User ID")
    .option("--dry-run", "show how many logins would end, without ending any");
  examples(command, [
    "authsvc user revoke-logins usr_01k…",
    "authsvc user revoke-logins usr_01k… --dry-run --json",
  ]).action(async (argument: string | undefined, { dryRun = false }: { dryRun?: boolean }) => {
    const userId = await askUnlessGiven(cli.io, argument, { flag: "ID", question: "User ID" });
    await cli.withApp(async (ctx) => {
      const userAdministration = await import("../../users/administration.ts");
      const { ended } = await userAdministration.revokeLogins(ctx, userId, { dryRun }, { actor: commandActor() });
      await cli.result(
        { id: userId, ended, ...(dryRun ? { dryRun } : {}) },
        `${ended} ${ended === 1 ? "login" : "logins"} ${dryRun ? "would end" : "ended"}.\n`,
      );
      if (dryRun) await cli.note("Dry run: nothing was changed.");
    });
  });
}
