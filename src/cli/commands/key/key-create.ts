import { commandActor, namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { addApiKeyFlags, chosenApiKey, createdKeyText, type ApiKeyFlags } from "../../input/api-key-flags.ts";
import { facts } from "../../output/text.ts";

type Flags = ApiKeyFlags & { app: string; label?: string };

export function addKeyCreate(key: CliCommand, cli: Cli): void {
  const command = key
    .command("create")
    .description("create another API key of an application; it is shown once")
    .asks("--app <id>", "App ID")
    .option("--label <text>", "what the key is for, at most 64 characters; key list shows it");
  addApiKeyFlags(command)
    .dryRun("validate without creating anything", "nothing was created")
    .examples(
      'authsvc key create --app app_shop --label "web server"',
      "authsvc key create --app app_shop --api-key-file /run/secrets/key --json",
    )
    .action(async (flags: Flags) => {
      const { apiKey, flag } = await chosenApiKey(cli.io, flags);
      const { app: appId, label } = flags;
      await cli.withApp(async (ctx) => {
        const apiKeys = await import("../../../applications/keys.ts");
        const applications = await import("../../../applications/service.ts");
        if (cli.isDryRun()) {
          const application = await applications.get(ctx, appId);
          return await cli.result({ appId: application.id }, facts([["App ID", application.id]]));
        }
        const created = await namingFlags({ appId: "--app", apiKey: flag, label: "--label" }, () =>
          apiKeys.createKey(ctx, { appId, apiKey, label }, commandActor()),
        );
        await cli.result(created, createdKeyText(created));
        if (!cli.isJson())
          await cli.note("The API key is shown only once. Store it where your server reads its secrets.");
      });
    });
}
