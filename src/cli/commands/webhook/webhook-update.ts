import { Option } from "commander";
import { AppError } from "../../../lib/errors.ts";
import { commandActor, namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { eventsFrom } from "../../input/values.ts";
import { webhookFlagOfField, webhookText } from "../../output/webhook-text.ts";

type Flags = { url?: string; events?: string[]; enabled?: "on" | "off" };

export function addWebhookUpdate(webhook: CliCommand, cli: Cli): void {
  webhook
    .command("update")
    .description("change the given settings of a webhook endpoint")
    .asks("[ID]", "Webhook ID")
    .option("--url <url>", "URL that receives events")
    .option("--events <list>", "send exactly these event types, separated by commas", eventsFrom)
    .addOption(
      new Option("--enabled <switch>", "off: events are neither sent nor stored for later").choices(["on", "off"]),
    )
    .dryRun("validate without changing anything")
    .examples(
      "authsvc webhook update whe_shop --events user.login,user.logout,user.created",
      "authsvc webhook update whe_shop --enabled on --json",
    )
    .action(async (id: string, flags: Flags) => {
      const { url, events } = flags;
      const enabled = flags.enabled === undefined ? undefined : flags.enabled === "on";
      if (url === undefined && events === undefined && enabled === undefined)
        throw new AppError("INVALID_REQUEST", "Nothing to change: give --url, --events or --enabled");
      await cli.withApp(async (ctx) => {
        const webhooks = await import("../../../records/webhooks/service.ts");
        const changed = await namingFlags(webhookFlagOfField, () =>
          webhooks.update(ctx, id, { url, events, enabled }, { actor: commandActor(), dryRun: cli.isDryRun() }),
        );
        await cli.result(changed, webhookText(changed, cli.screen()));
      });
    });
}
