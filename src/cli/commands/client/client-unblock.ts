import { commandActor, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";

export function addClientUnblock(client: CliCommand, cli: Cli): void {
  client
    .command("unblock")
    .description("let a blocked client sign people in again; everybody is asked for consent anew")
    .asks("[URL]", "URL of its document, which is its client ID")
    .dryRun("validate without changing anything")
    .examples(
      "authsvc client unblock https://agent.example/client.json --dry-run",
      "authsvc client unblock https://agent.example/client.json --json",
    )
    .withApp(async (ctx, url: string) => {
      const clients = await import("../../../applications/clients/service.ts");
      await clients.unblock(ctx, url, { actor: commandActor(), dryRun: cli.isDryRun() });
      await cli.gone("unblocked", url, { id: url });
    });
}
