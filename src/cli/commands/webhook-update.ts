import { Option, type Command } from "commander";
import { AppError } from "../../lib/errors.ts";
import { commandActor, namingFlags, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { askUnlessGiven } from "../input/ask.ts";
import { eventsFrom } from "../input/values.ts";
import { webhookFlagOfField, webhookText } from "../output/webhook-text.ts";

type Flags = { url?: string; events?: string[]; enabled?: "on" | "off"; dryRun?: boolean };

export function addWebhookUpdate(webhook: Command, cli: Cli): void {
  const command = webhook
    .command("update")
    .description("change the given settings of a webhook endpoint")
    .argument("[ID]", "Webhook ID")
    .option("--url <url>", "URL that receives events")
    .option("--events <list>", "send exactly these event types, separated by commas", eventsFrom)
    .addOption(
      new Option("--enabled <switch>", "off: events are neither sent nor stored for later").choices(["on", "off"]),
    )
    .option("--dry-run", "validate without changing anything");
  examples(command, [
    "authsvc webhook update whe_shop --events user.login,user.logout,user.created",
    "authsvc webhook update whe_shop --enabled on --json",
  ]).action(async (argument: string | undefined, flags: Flags) => update(cli, argument, flags));
}

async function update(cli: Cli, argument: string | undefined, flags: Flags): Promise<void> {
  const id = await askUnlessGiven(cli.io, argument, { flag: "ID", question: "Webhook ID" });
  const { url, events, dryRun = false } = flags;
  const enabled = flags.enabled === undefined ? undefined : flags.enabled === "on";
  if (url === undefined && events === undefined && enabled === undefined)
    throw new AppError("INVALID_REQUEST", "Nothing to change: give --url, --events or --enabled");
  await cli.withApp(async (ctx) => {
    const webhooks = await import("../../records/webhooks/service.ts");
    const changed = await namingFlags(webhookFlagOfField, () =>
      webhooks.update(ctx, id, { url, events, enabled }, { actor: commandActor(), dryRun }),
    );
    await cli.result(dryRun ? { ...changed, dryRun } : changed, webhookText(changed, cli.screen()));
    if (dryRun) await cli.note("Dry run: nothing was changed.");
  });
}
