import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { webhookText } from "../../output/webhook-text.ts";

export function addWebhookShow(webhook: CliCommand, cli: Cli): void {
  webhook
    .command("show")
    .description("show a webhook endpoint; its secret is never shown")
    .asks("[ID]", "Webhook ID")
    .examples("authsvc webhook show whe_shop", "authsvc webhook show whe_shop --json | jq .failingSince")
    .withApp(async (ctx, id: string) => {
      const webhooks = await import("../../../records/webhooks/service.ts");
      const endpoint = await webhooks.get(ctx, id);
      await cli.result(endpoint, webhookText(endpoint, cli.screen()));
    });
}
