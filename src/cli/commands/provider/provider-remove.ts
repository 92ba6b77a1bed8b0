import { commandActor, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";

export function addProviderRemove(provider: CliCommand, cli: Cli): void {
  provider
    .command("remove")
    .description("remove a provider and its secret; users can no longer sign in with it")
    .asks("[ID]", "App ID")
    .asks("[PROVIDER]", "provider")
    .dryRun("validate without changing anything")
    .examples(
      "authsvc app provider remove app_shop facebook",
      "authsvc app provider remove app_shop facebook --yes --json",
    )
    .withApp(async (ctx, appId: string, name: string) => {
      const providers = await import("../../../applications/providers/provider-clients.ts");
      // Do not ask about a provider that does not exist.
      await providers.remove(ctx, appId, name, commandActor(), { dryRun: true });
      await cli.demandYes(`Users who can sign in only with ${name} will be locked out. Remove it?`);
      if (!cli.isDryRun()) await providers.remove(ctx, appId, name, commandActor());
      await cli.gone("removed", name, { appId, provider: name.toLowerCase() });
    });
}
