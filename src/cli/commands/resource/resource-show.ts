import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { resourceText } from "../../output/resource-text.ts";

export function addResourceShow(resource: CliCommand, cli: Cli): void {
  resource
    .command("show")
    .description("show one resource")
    .asks("[IDENTIFIER]", "identifier", "Identifier")
    .examples(
      "authsvc resource show https://api.example.com",
      "authsvc resource show https://api.example.com --json | jq .scopes",
    )
    .withApp(async (ctx, identifier: string) => {
      const resources = await import("../../../applications/resources/service.ts");
      const shown = await resources.get(ctx, identifier);
      await cli.result(shown, resourceText(shown, cli.screen()));
    });
}
