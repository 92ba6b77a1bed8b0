import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { askUnlessGiven } from "../input/ask.ts";
import { sinceFrom, wholeNumberFrom } from "../input/values.ts";
import { deliveriesText } from "../output/webhook-text.ts";

type Flags = { failed?: boolean; since?: number; limit: number };

export function addWebhookDeliveries(webhook: Command, cli: Cli): void {
  const command = webhook
    .command("deliveries")
    .description("show the deliveries of a webhook endpoint, newest first, with every attempt and its response")
    .argument("[ID]", "Webhook ID")
    .option("--failed", "only failed deliveries")
    .option("--since <when>", "only since this time: 24h, 7d, or a time such as 2026-11-20T10:00:00Z", sinceFrom)
    .option("--limit <number>", "maximum number to show", wholeNumberFrom(1, 10_000), 100);
  examples(command, [
    "authsvc webhook deliveries whe_shop --failed",
    "authsvc webhook deliveries whe_shop --since 24h --json | jq '.[] | {eventId, status}'",
  ]).action(async (argument: string | undefined, { failed, since, limit }: Flags) => {
    const id = await askUnlessGiven(cli.io, argument, { flag: "ID", question: "Webhook ID" });
    await cli.withApp(async (ctx) => {
      const deliveries = await import("../../records/webhooks/deliveries.ts");
      const list = await deliveries.list(ctx, id, { status: failed ? "failed" : undefined, since, limit });
      await cli.result(list, deliveriesText(list, cli.screen()));
      if (list.length === 0) await cli.note("No matching deliveries.");
    });
  });
}
