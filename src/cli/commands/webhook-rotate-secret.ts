import { Option, type Command } from "commander";
import { day } from "../../lib/clock.ts";
import { commandActor, namingFlags, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { askUnlessGiven } from "../input/ask.ts";
import { addSecretFlags, neededSecret, type SecretFlags } from "../input/secret-flags.ts";
import { durationFrom } from "../input/values.ts";
import { webhookFlagOfField, webhookText } from "../output/webhook-text.ts";

type Flags = SecretFlags & { overlap: number; dryRun?: boolean };

export function addWebhookRotateSecret(webhook: Command, cli: Cli): void {
  const command = webhook
    .command("rotate-secret")
    .description("sign with a new secret, and with the previous one for an overlap period")
    .argument("[ID]", "Webhook ID")
    .addOption(
      new Option("--overlap <duration>", "how long the old secret also signs; 0s if it leaked")
        .argParser(durationFrom)
        .default(day, "24h"),
    );
  addSecretFlags(command).option("--dry-run", "validate without changing anything");
  examples(command, [
    "authsvc webhook rotate-secret whe_shop --secret-stdin < secret.txt",
    "authsvc webhook rotate-secret whe_shop --overlap 7d --secret-file secret.txt --json",
  ]).action(async (argument: string | undefined, flags: Flags) => {
    const id = await askUnlessGiven(cli.io, argument, { flag: "ID", question: "Webhook ID" });
    const { secret, flag } = await neededSecret(cli.io, flags);
    const { overlap: secretOverlap, dryRun = false } = flags;
    await cli.withApp(async (ctx) => {
      const webhooks = await import("../../records/webhooks/service.ts");
      const changed = await namingFlags({ ...webhookFlagOfField, secret: flag }, () =>
        webhooks.update(ctx, id, { secret, secretOverlap }, { actor: commandActor(), dryRun }),
      );
      await cli.result(dryRun ? { ...changed, dryRun } : changed, webhookText(changed, cli.screen()));
      if (dryRun) await cli.note("Dry run: nothing was changed.");
    });
  });
}
