import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { sinceFrom, wholeNumberFrom } from "../../input/values.ts";
import { deliveriesText } from "../../output/webhook-text.ts";

type Flags = { failed?: boolean; since?: number; limit: number };

export function addWebhookDeliveries(webhook: CliCommand, cli: Cli): void {
  webhook
    .command("deliveries")
    .description("show the deliveries of a webhook endpoint, newest first, with every attempt and its response")
    .asks("[ID]", "Webhook ID")
    .option("--failed", "only failed deliveries")
    .option("--since <when>", "only since this time: 24h, 7d, or a time such as 2026-11-20T10:00:00Z", sinceFrom)
    .option("--limit <number>", "maximum number to show", wholeNumberFrom(1, 10_000), 100)
    .examples(
      "authsvc webhook deliveries whe_shop --failed",
      "authsvc webhook deliveries whe_shop --since 24h --json | jq '.[] | {eventId, status}'",
    )
    .withApp(async (ctx, id: string, { failed, since, limit }: Flags) => {
      const deliveries = await import("../../../records/webhooks/deliveries.ts");
      const list = await deliveries.list(ctx, id, { status: failed ? "failed" : undefined, since, limit });
      await cli.result(list, deliveriesText(list, cli.screen()));
      if (list.length === 0) await cli.note("No matching deliveries.");
    });
}
