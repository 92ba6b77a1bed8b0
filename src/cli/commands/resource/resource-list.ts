import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";

export function addResourceList(resource: CliCommand, cli: Cli): void {
  resource
    .command("list")
    .description("list resources, by identifier")
    .option("--app <id>", "App ID (default: all applications)")
    .examples("authsvc resource list --app app_shop", "authsvc resource list --json | jq -r '.[].identifier'")
    .withApp(async (ctx, { app }: { app?: string }) => {
      const resources = await import("../../../applications/resources/service.ts");
      await cli.list(
        await resources.list(ctx, app),
        {
          IDENTIFIER: ({ identifier }) => identifier,
          "APP ID": ({ appId }) => appId,
          NAME: ({ name }) => name,
          SCOPES: ({ scopes }) => scopes.map(({ name }) => name).join(" ") || "-",
        },
        "There is no resource yet. To create one: authsvc resource create --app ID --identifier URI",
      );
    });
}
