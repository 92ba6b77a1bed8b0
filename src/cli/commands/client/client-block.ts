import { commandActor, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";

export function addClientBlock(client: CliCommand, cli: Cli): void {
  client
    .command("block")
    .description("block a client that nobody registered, in every application, and end its logins")
    .asks("[URL]", "URL of its document, which is its client ID")
    .dryRun("validate without changing anything")
    .examples(
      "authsvc client block https://agent.example/client.json --dry-run",
      "authsvc client block https://agent.example/client.json --yes --json",
    )
    .withApp(async (ctx, url: string) => {
      const clients = await import("../../../applications/clients/service.ts");
      await cli.demandYes(`Block ${url} in every application, and end the logins it began?`);
      await clients.block(ctx, url, { actor: commandActor(), dryRun: cli.isDryRun() });
      await cli.gone("blocked", url, { id: url });
    });
}
