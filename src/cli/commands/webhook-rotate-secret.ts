import { Option } from "commander";
import { day } from "../../lib/clock.ts";
import { commandActor, namingFlags, type Cli } from "../cli.ts";
import type { CliCommand } from "../command.ts";
import { addSecretFlags, neededSecret, type SecretFlags } from "../input/secret-flags.ts";
import { durationFrom } from "../input/values.ts";
import { webhookFlagOfField, webhookText } from "../output/webhook-text.ts";

type Flags = SecretFlags & { overlap: number };

export function addWebhookRotateSecret(webhook: CliCommand, cli: Cli): void {
  const command = webhook
    .command("rotate-secret")
    .description("sign with a new secret, and with the previous one for an overlap period")
    .asks("[ID]", "Webhook ID")
    .addOption(
      new Option("--overlap <duration>", "how long the old secret also signs; 0s if it leaked")
        .argParser(durationFrom)
        .default(day, "24h"),
    );
  addSecretFlags(command)
    .dryRun("validate without changing anything")
    .examples(
      "authsvc webhook rotate-secret whe_shop --secret-stdin < secret.txt",
      "authsvc webhook rotate-secret whe_shop --overlap 7d --secret-file secret.txt --json",
    )
    .action(async (id: string, flags: Flags) => {
      const { secret, flag } = await neededSecret(cli.io, flags);
      const { overlap: secretOverlap } = flags;
      await cli.withApp(async (ctx) => {
        const webhooks = await import("../../records/webhooks/service.ts");
        const changed = await namingFlags({ ...webhookFlagOfField, secret: flag }, () =>
          webhooks.update(ctx, id, { secret, secretOverlap }, { actor: commandActor(), dryRun: cli.isDryRun() }),
        );
        await cli.result(changed, webhookText(changed, cli.screen()));
      });
    });
}
