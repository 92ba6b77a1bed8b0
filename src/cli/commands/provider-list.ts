import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { askUnlessGiven } from "../input/ask.ts";
import { table } from "../output/table.ts";

export function addProviderList(provider: Command, cli: Cli): void {
  const command = provider
    .command("list")
    .description("list the providers of an application")
    .argument("[ID]", "App ID");
  examples(command, ["authsvc app provider list app_shop", "authsvc app provider list app_shop --json"]).action(
    async (argument: string | undefined) => {
      const appId = await askUnlessGiven(cli.io, argument, { flag: "ID", question: "App ID" });
      await cli.withApp(async (ctx) => {
        const providers = await import("../../applications/providers/provider-clients.ts");
        const screen = cli.screen();
        const list = await providers.list(ctx, appId);
        const rows = list.map(({ name, clientId, enabled, updatedAt }) => [
          name,
          clientId,
          enabled ? "yes" : "no",
          screen.time(updatedAt),
        ]);
        await cli.result(
          list,
          list.length === 0
            ? "No providers yet.\n"
            : table(["PROVIDER", "CLIENT ID", "ENABLED", "UPDATED"], rows, screen),
        );
      });
    },
  );
}
