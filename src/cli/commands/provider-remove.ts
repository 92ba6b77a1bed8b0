import type { Command } from "commander";
import { commandActor, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { askUnlessGiven, demandYes } from "../input/ask.ts";

export function addProviderRemove(provider: Command, cli: Cli): void {
  const command = provider
    .command("remove")
    .description("remove a provider and its secret; users can no longer sign in with it")
    .argument("[ID]", "App ID")
    .argument("[PROVIDER]", "provider")
    .option("--dry-run", "validate without changing anything");
  examples(command, [
    "authsvc app provider remove app_shop facebook",
    "authsvc app provider remove app_shop facebook --yes --json",
  ]).action(
    async (givenId: string | undefined, givenName: string | undefined, { dryRun = false }: { dryRun?: boolean }) => {
      const appId = await askUnlessGiven(cli.io, givenId, { flag: "ID", question: "App ID" });
      const name = await askUnlessGiven(cli.io, givenName, { flag: "PROVIDER", question: "Provider" });
      await cli.withApp(async (ctx) => {
        const providers = await import("../../applications/providers/provider-clients.ts");
        // Do not ask about a provider that does not exist.
        await providers.remove(ctx, appId, name, commandActor(), { dryRun: true });
        if (!dryRun) {
          const question = `Users who can sign in only with ${name} will be locked out. Remove it?`;
          await demandYes(cli.io, cli.saidYes(), question);
          await providers.remove(ctx, appId, name, commandActor());
        }
        await cli.result(
          { appId, provider: name.toLowerCase(), removed: !dryRun, ...(dryRun ? { dryRun } : {}) },
          `${name} ${dryRun ? "would be" : "was"} removed.\n`,
        );
        if (dryRun) await cli.note("Dry run: nothing was changed.");
      });
    },
  );
}
