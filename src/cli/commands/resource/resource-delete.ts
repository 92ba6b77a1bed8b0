import { commandActor, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";

export function addResourceDelete(resource: CliCommand, cli: Cli): void {
  resource
    .command("delete")
    .description("delete a resource that no client may ask for: its tokens are no longer refreshed or introspected")
    .asks("[IDENTIFIER]", "identifier", "Identifier")
    .dryRun("validate without deleting anything")
    .examples(
      "authsvc resource delete https://api.example.com --dry-run",
      "authsvc resource delete https://api.example.com --yes --json",
    )
    .withApp(async (ctx, identifier: string) => {
      const resources = await import("../../../applications/resources/service.ts");
      const { appId, name } = await resources.get(ctx, identifier);
      await cli.demandYes(`Delete the resource ${name} (${identifier})?`);
      await resources.remove(ctx, identifier, { actor: commandActor(), dryRun: cli.isDryRun() });
      await cli.gone("deleted", identifier, { identifier, appId });
    });
}
