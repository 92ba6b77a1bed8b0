import type { Command } from "commander";
import { askUnlessGiven, demandYes } from "../ask.ts";
import { commandActor, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";

export function addProviderRemove(provider: Command, cli: Cli): void {
  const command = provider
    .command("remove")
    .description("stop letting people sign in with a provider, and forget its secret")
    .argument("[ID]", "App ID")
    .argument("[PROVIDER]", "provider")
    .option("--dry-run", "check everything, change nothing");
  examples(command, [
    "authsvc app provider remove app_shop facebook",
    "authsvc app provider remove app_shop facebook --yes --json",
  ]).action(
    async (givenId: string | undefined, givenName: string | undefined, { dryRun = false }: { dryRun?: boolean }) => {
      const appId = await askUnlessGiven(cli.io, givenId, { flag: "ID", question: "App ID" });
      const name = await askUnlessGiven(cli.io, givenName, { flag: "PROVIDER", question: "Provider" });
      if (!dryRun)
        await demandYes(cli.io, cli.saidYes(), `People who signed in with ${name} only will be locked out. Remove it?`);
      await cli.withApp(async ({ providers }) => {
        await providers.remove(appId, name, commandActor(), { dryRun });
        await cli.result(
          { appId, provider: name.toLowerCase(), removed: !dryRun },
          dryRun ? "" : `${name} was removed.\n`,
        );
        if (dryRun) await cli.note("Nothing was changed: this was a dry run.");
      });
    },
  );
}
