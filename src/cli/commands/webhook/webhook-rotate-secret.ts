import { Option } from "commander";
import { day } from "../../../lib/clock.ts";
import { commandActor, namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { addSecretFlags, chosenSecret, type SecretFlags } from "../../input/secret-flags.ts";
import { durationFrom } from "../../input/values.ts";
import { facts } from "../../output/text.ts";
import { webhookFlagOfField, webhookText } from "../../output/webhook-text.ts";

type Flags = SecretFlags & { overlap: number };

export function addWebhookRotateSecret(webhook: CliCommand, cli: Cli): void {
  const command = webhook
    .command("rotate-secret")
    .description(
      "sign with a new secret, and with the previous one for an overlap period; without a given secret, a new one is generated and shown once",
    )
    .asks("[ID]", "Webhook ID")
    .addOption(
      new Option("--overlap <duration>", "how long the old secret also signs; 0s if it leaked")
        .argParser(durationFrom)
        .default(day, "24h"),
    );
  addSecretFlags(command)
    .dryRun("validate without changing anything")
    .examples(
      "authsvc webhook rotate-secret whe_shop",
      "authsvc webhook rotate-secret whe_shop --overlap 7d --secret-file secret.txt --json",
    )
    .action(async (id: string, flags: Flags) => {
      const { secret, flag, isNew } = await chosenSecret(cli.io, flags);
      const { overlap: secretOverlap } = flags;
      await cli.withApp(async (ctx) => {
        const webhooks = await import("../../../records/webhooks/service.ts");
        const changed = await namingFlags({ ...webhookFlagOfField, secret: flag }, () =>
          webhooks.update(ctx, id, { secret, secretOverlap }, { actor: commandActor(), dryRun: cli.isDryRun() }),
        );
        const shown = webhookText(changed, cli.screen());
        if (!isNew || cli.isDryRun()) return await cli.result(changed, shown);
        await cli.result({ ...changed, secret }, shown + facts([["Secret", secret]]));
        await cli.note("The secret is shown only once. Your server needs it to verify signatures.");
      });
    });
}
