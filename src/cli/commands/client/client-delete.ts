import { commandActor, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";

export function addClientDelete(client: CliCommand, cli: Cli): void {
  client
    .command("delete")
    .description("permanently delete a client, and end the logins that it began; its ID cannot be reused")
    .asks("[ID]", "client ID")
    .dryRun("validate without deleting anything")
    .examples("authsvc client delete grafana --dry-run", "authsvc client delete grafana --yes --json")
    .withApp(async (ctx, id: string) => {
      const clients = await import("../../../applications/clients/service.ts");
      const { appId, name } = await clients.get(ctx, id);
      await cli.demandYes(`Delete ${name} (${id}), and end the logins it began?`);
      await clients.remove(ctx, id, { actor: commandActor(), dryRun: cli.isDryRun() });
      await cli.gone("deleted", id, { id, appId });
    });
}
