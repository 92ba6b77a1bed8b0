import type { Command } from "commander";
import { commandActor, namingFlags, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { addApiKeyFlags, chosenApiKey, createdKeyText, type ApiKeyFlags } from "../input/api-key-flags.ts";
import { askUnlessGiven } from "../input/ask.ts";
import { facts } from "../output/text.ts";

type Flags = ApiKeyFlags & { app?: string; label?: string; dryRun?: boolean };

export function addKeyCreate(key: Command, cli: Cli): void {
  const command = key
    .command("create")
    .description("create another API key of an application; it is shown once")
    .option("--app <id>", "App ID")
    .option("--label <text>", "what the key is for, at most 64 characters; key list shows it");
  addApiKeyFlags(command).option("--dry-run", "validate without creating anything");
  examples(command, [
    'authsvc key create --app app_shop --label "web server"',
    "authsvc key create --app app_shop --api-key-file /run/secrets/key --json",
  ]).action(async (flags: Flags) => create(cli, flags));
}

async function create(cli: Cli, flags: Flags): Promise<void> {
  const appId = await askUnlessGiven(cli.io, flags.app, { flag: "--app", question: "App ID" });
  const { apiKey, flag } = await chosenApiKey(cli.io, flags);
  const { label } = flags;
  await cli.withApp(async (ctx) => {
    const apiKeys = await import("../../applications/keys.ts");
    const applications = await import("../../applications/service.ts");
    if (flags.dryRun) {
      const application = await applications.get(ctx, appId);
      await cli.result({ appId: application.id, dryRun: true }, facts([["App ID", application.id]]));
      await cli.note("Dry run: nothing was created.");
      return;
    }
    const created = await namingFlags({ appId: "--app", apiKey: flag, label: "--label" }, () =>
      apiKeys.createKey(ctx, { appId, apiKey, label }, commandActor()),
    );
    await cli.result(created, createdKeyText(created));
    if (!cli.isJson()) await cli.note("The API key is shown only once. Store it where your server reads its secrets.");
  });
}
