import { AppError } from "../../../lib/errors.ts";
import { commandActor, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { sinceFrom } from "../../input/values.ts";

type Flags = { failed?: boolean; since?: number };

export function addWebhookRedeliver(webhook: CliCommand, cli: Cli): void {
  webhook
    .command("redeliver")
    .description("send again: one event, all failed events, or all events since a time")
    .asks("[ID]", "Webhook ID")
    .argument("[EVENT]", "event ID, sent to the receiver as webhook-id")
    .option("--failed", "events that failed or wait for a retry")
    .option("--since <when>", "only since this time: 24h, 7d, or a time such as 2026-11-20T10:00:00Z", sinceFrom)
    .examples(
      "authsvc webhook redeliver whe_shop evt_01k…",
      "authsvc webhook redeliver whe_shop --failed --since 7d --json",
    )
    .action(async (id: string, eventId: string | undefined, flags: Flags) => {
      const { failed = false, since } = flags;
      if (eventId === undefined && !failed && since === undefined)
        throw new AppError("INVALID_REQUEST", "Nothing to send: give EVENT, --failed or --since");
      if (eventId !== undefined && (failed || since !== undefined))
        throw new AppError("INVALID_REQUEST", "EVENT cannot be combined with --failed or --since");
      await cli.withApp(async (ctx) => {
        const deliveries = await import("../../../records/webhooks/deliveries.ts");
        const wanted = { eventId, status: failed ? ("failed" as const) : undefined, since };
        const redelivered = await deliveries.redeliver(ctx, id, wanted, { actor: commandActor() });
        if (eventId !== undefined && redelivered === 0)
          throw new AppError(
            "WEBHOOK_NOT_FOUND",
            "This endpoint has no such event, or it is being delivered right now.",
            { details: `To see them: authsvc webhook deliveries ${id}` },
          );
        await cli.result(
          { id, redelivered },
          `${redelivered} ${redelivered === 1 ? "event" : "events"} to send again.\n`,
        );
        if (redelivered > 0) await cli.note("The running service sends them. To watch: authsvc webhook deliveries");
      });
    });
}
