import type { Cli } from "../cli.ts";
import type { CliCommand } from "../command.ts";
import { timeOr } from "../output/screen.ts";

export function addClientList(client: CliCommand, cli: Cli): void {
  client
    .command("list")
    .description("list clients and when they were last used (within an hour)")
    .option("--app <id>", "App ID (default: all applications)")
    .examples(
      "authsvc client list --app app_shop",
      `authsvc client list --json | jq -r '.[] | select(.lastUsedAt == null) | .id'`,
    )
    .withApp(async (ctx, { app }: { app?: string }) => {
      const clients = await import("../../applications/clients/service.ts");
      await cli.list(
        await clients.list(ctx, app),
        {
          "CLIENT ID": ({ id }) => id,
          "APP ID": ({ appId }) => appId,
          NAME: ({ name }) => name,
          KIND: ({ kind }) => kind,
          "LAST USED": ({ lastUsedAt }, screen) => timeOr("never", lastUsedAt, screen),
          STATE: ({ disabledAt }) => (disabledAt === null ? "on" : "off"),
        },
        "There is no client yet. To create one: authsvc client create --app ID --name NAME",
      );
    });
}
