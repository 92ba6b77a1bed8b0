import { commandActor, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";

export function addWebhookDelete(webhook: CliCommand, cli: Cli): void {
  webhook
    .command("delete")
    .description("delete a webhook endpoint and its waiting deliveries")
    .asks("[ID]", "Webhook ID")
    .dryRun("validate without deleting anything")
    .examples("authsvc webhook delete whe_shop --dry-run", "authsvc webhook delete whe_shop --yes --json")
    .withApp(async (ctx, id: string) => {
      const webhooks = await import("../../../records/webhooks/service.ts");
      const { appId, url } = await webhooks.get(ctx, id);
      await cli.demandYes(`Delete ${id} of ${appId}, and tell ${url} nothing more?`);
      await webhooks.remove(ctx, id, { actor: commandActor(), dryRun: cli.isDryRun() });
      await cli.gone("deleted", id, { id, appId });
    });
}
