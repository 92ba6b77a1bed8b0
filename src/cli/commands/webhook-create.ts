import type { Command } from "commander";
import { askUnlessGiven } from "../ask.ts";
import { commandActor, namingFlags, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { addSecretFlags, neededSecret, type SecretFlags } from "../secret-flags.ts";
import { webhookFlagOfField, webhookText } from "../webhook-text.ts";
import { eventsFrom } from "../values.ts";

type Flags = SecretFlags & { app?: string; url?: string; events?: string[]; id?: string; dryRun?: boolean };

export function addWebhookCreate(webhook: Command, cli: Cli): void {
  const command = webhook
    .command("create")
    .description("tell an application's server of events, signed by Standard Webhooks")
    .option("--app <id>", "App ID")
    .option("--url <url>", "where events are sent: https on a public address")
    .option("--events <list>", "kinds, separated by commas: user.login, user.logout, user.created, …", eventsFrom)
    .option("--id <id>", "Webhook ID of your choice, so that a pipeline can know it beforehand");
  addSecretFlags(command).option("--dry-run", "check everything, create nothing");
  examples(command, [
    "authsvc webhook create --app app_shop --url https://shop.example.com/hooks --events user.login,user.created --secret-stdin < secret.txt",
    "authsvc webhook create --app app_shop --id whe_shop --url https://shop.example.com/hooks --events user.deleted --secret-file secret.txt --json",
  ]).action(async (flags: Flags) => create(cli, flags));
}

async function create(cli: Cli, flags: Flags): Promise<void> {
  const appId = await askUnlessGiven(cli.io, flags.app, { flag: "--app", question: "App ID" });
  const url = await askUnlessGiven(cli.io, flags.url, { flag: "--url", question: "URL" });
  const wanted = { flag: "--events", question: "Events, separated by commas" };
  const events = flags.events ?? eventsFrom(await askUnlessGiven(cli.io, undefined, wanted));
  const { secret, flag } = await neededSecret(cli.io, flags);
  const { id, dryRun = false } = flags;
  await cli.withApp(async ({ webhooks }) => {
    const created = await namingFlags({ ...webhookFlagOfField, secret: flag }, () =>
      webhooks.create(appId, { id, url, events, secret }, { actor: commandActor(), dryRun }),
    );
    await cli.result(dryRun ? { ...created, dryRun } : created, webhookText(created));
    if (dryRun) await cli.note("Nothing was created: this was a dry run.");
    else await cli.note(`Try it: authsvc webhook test ${created.id}`);
  });
}
