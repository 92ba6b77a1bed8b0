import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { tableOf, type Columns } from "../../output/table.ts";

export function addProviderList(provider: CliCommand, cli: Cli): void {
  provider
    .command("list")
    .description("list the providers of an application")
    .asks("[ID]", "App ID")
    .examples("authsvc app provider list app_shop", "authsvc app provider list app_shop --json")
    .withApp(async (ctx, appId: string) => {
      const providers = await import("../../../applications/providers/provider-clients.ts");
      const list = await providers.list(ctx, appId);
      const columns: Columns<(typeof list)[number]> = {
        PROVIDER: ({ name }) => name,
        "CLIENT ID": ({ clientId }) => clientId,
        ENABLED: ({ enabled }) => (enabled ? "yes" : "no"),
        UPDATED: ({ updatedAt }, screen) => screen.time(updatedAt),
      };
      await cli.result(list, list.length === 0 ? "No providers yet.\n" : tableOf(list, columns, cli.screen()));
    });
}
