import { commandActor, namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { askUnlessGiven } from "../../input/ask.ts";
import { addSecretFlags, chosenSecret, type SecretFlags } from "../../input/secret-flags.ts";
import { eventsFrom } from "../../input/values.ts";
import { facts } from "../../output/text.ts";
import { webhookFlagOfField, webhookText } from "../../output/webhook-text.ts";

type Flags = SecretFlags & { app: string; url: string; events?: string[]; id?: string };

export function addWebhookCreate(webhook: CliCommand, cli: Cli): void {
  const command = webhook
    .command("create")
    .description(
      "send signed events (Standard Webhooks) to an application's server; without a given secret, a new one is generated and shown once",
    )
    .asks("--app <id>", "App ID")
    .asks("--url <url>", "URL that receives events: https on a public address", "URL")
    .option("--events <list>", "event types, separated by commas: user.login, user.logout, user.created, …", eventsFrom)
    .option("--id <id>", "Webhook ID to use, so that a pipeline knows it in advance (default: a generated one)");
  addSecretFlags(command)
    .dryRun("validate without creating anything", "nothing was created")
    .examples(
      "authsvc webhook create --app app_shop --url https://shop.example.com/hooks --events user.login,user.created",
      "authsvc webhook create --app app_shop --id whe_shop --url https://shop.example.com/hooks --events user.deleted --secret-file secret.txt --json",
    )
    .action(async (flags: Flags) => {
      const wanted = { flag: "--events", question: "Events, separated by commas" };
      const events = flags.events ?? eventsFrom(await askUnlessGiven(cli.io, undefined, wanted));
      const { secret, flag, isNew } = await chosenSecret(cli.io, flags);
      const { app: appId, url, id } = flags;
      await cli.withApp(async (ctx) => {
        const webhooks = await import("../../../records/webhooks/service.ts");
        const created = await namingFlags({ ...webhookFlagOfField, secret: flag }, () =>
          webhooks.create(ctx, appId, { id, url, events, secret }, { actor: commandActor(), dryRun: cli.isDryRun() }),
        );
        const shown = webhookText(created, cli.screen());
        if (cli.isDryRun()) return await cli.result(created, shown);
        if (isNew) await cli.result({ ...created, secret }, shown + facts([["Secret", secret]]));
        else await cli.result(created, shown);
        if (isNew) await cli.note("The secret is shown only once. Your server needs it to verify signatures.");
        await cli.note(`Try it: authsvc webhook test ${created.id}`);
      });
    });
}
