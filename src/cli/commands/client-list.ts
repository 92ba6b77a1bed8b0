import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { clientTable } from "../output/client-text.ts";

export function addClientList(client: Command, cli: Cli): void {
  const command = client
    .command("list")
    .description("list clients and when they were last used (within an hour)")
    .option("--app <id>", "App ID (default: all applications)");
  examples(command, [
    "authsvc client list --app app_shop",
    `authsvc client list --json | jq -r '.[] | select(.lastUsedAt == null) | .id'`,
  ]).action(async ({ app }: { app?: string }) => {
    await cli.withApp(async (ctx) => {
      const clients = await import("../../applications/clients/service.ts");
      const all = await clients.list(ctx, app);
      await cli.result(all, all.length === 0 ? "" : clientTable(all, cli.screen()));
      if (all.length === 0)
        await cli.note("There is no client yet. To create one: authsvc client create --app ID --name NAME");
    });
  });
}
