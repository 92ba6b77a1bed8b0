import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { askUnlessGiven } from "../input/ask.ts";
import { webhookText } from "../output/webhook-text.ts";

export function addWebhookShow(webhook: Command, cli: Cli): void {
  const command = webhook
    .command("show")
    .description("show a webhook endpoint; its secret is never shown")
    .argument("[ID]", "Webhook ID");
  examples(command, [
    "authsvc webhook show whe_shop",
    "authsvc webhook show whe_shop --json | jq .failingSince",
  ]).action(async (argument: string | undefined) => {
    const id = await askUnlessGiven(cli.io, argument, { flag: "ID", question: "Webhook ID" });
    await cli.withApp(async (ctx) => {
      const webhooks = await import("../../records/webhooks/service.ts");
      const endpoint = await webhooks.get(ctx, id);
      await cli.result(endpoint, webhookText(endpoint, cli.screen()));
    });
  });
}
