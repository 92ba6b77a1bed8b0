import type { Command } from "commander";
import { commandActor, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { askUnlessGiven, demandYes } from "../input/ask.ts";

export function addUserDelete(user: Command, cli: Cli): void {
  const command = user
    .command("delete")
    .description("permanently delete a user and all their data; the audit log keeps only the ID")
    .argument("[ID]", "User ID")
    .option("--dry-run", "validate without deleting anything");
  examples(command, ["authsvc user delete usr_01k… --dry-run", "authsvc user delete usr_01k… --yes --json"]).action(
    async (argument: string | undefined, { dryRun = false }: { dryRun?: boolean }) => {
      const userId = await askUnlessGiven(cli.io, argument, { flag: "ID", question: "User ID" });
      await cli.withApp(async (ctx) => {
        const userAdministration = await import("../../users/administration.ts");
        const profiles = await import("../../users/profile.ts");
        const { appId, email } = await userAdministration.get(ctx, userId);
        if (!dryRun) {
          await demandYes(cli.io, cli.saidYes(), `Delete ${email ?? userId} from ${appId}?`);
          await profiles.remove(ctx, userId, { actor: commandActor() });
        }
        await cli.result(
          { id: userId, appId, deleted: !dryRun, ...(dryRun ? { dryRun } : {}) },
          `${userId} ${dryRun ? "would be" : "was"} deleted.\n`,
        );
        if (dryRun) await cli.note("Dry run: nothing was changed.");
      });
    },
  );
}
