import { Option } from "commander";
import { day } from "../../../lib/clock.ts";
import { commandActor, namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { addApiKeyFlags, chosenApiKey, createdKeyText, type ApiKeyFlags } from "../../input/api-key-flags.ts";
import { durationFrom } from "../../input/values.ts";

type Flags = ApiKeyFlags & { app: string; label?: string; overlap: number };

export function addKeyRotate(key: CliCommand, cli: Cli): void {
  const command = key
    .command("rotate")
    .description("create a new API key, shown once, and end the existing keys after an overlap period")
    .asks("--app <id>", "App ID")
    .option("--label <text>", "what the new key is for, at most 64 characters; key list shows it")
    .addOption(
      new Option("--overlap <duration>", "how long the older keys keep working; 0s ends them now")
        .argParser(durationFrom)
        .default(day, "24h"),
    );
  addApiKeyFlags(command)
    .dryRun("show which keys would end, without changing anything")
    .examples(
      "authsvc key rotate --app app_shop --overlap 7d",
      "authsvc key rotate --app app_shop --api-key-file /run/secrets/key --json",
    )
    .action(async (flags: Flags) => {
      const { apiKey, flag } = await chosenApiKey(cli.io, flags);
      const { app: appId, label, overlap } = flags;
      await cli.withApp(async (ctx) => {
        const apiKeys = await import("../../../applications/keys.ts");
        if (cli.isDryRun()) {
          const ending = (await apiKeys.listKeys(ctx, appId)).filter(({ state }) => state === "live");
          return await cli.result({ appId, ending }, endText(ending, "would end"));
        }
        const created = await namingFlags(
          { appId: "--app", apiKey: flag, overlap: "--overlap", label: "--label" },
          () => apiKeys.rotateKey(ctx, { appId, apiKey, overlap, label }, commandActor()),
        );
        await cli.result(created, createdKeyText(created));
        if (cli.isJson()) return;
        await cli.note("The API key is shown only once. Store it where your server reads its secrets.");
        for (const { id, expiresAt } of created.ending) await cli.note(`${id} ends at ${expiresAt ?? "once"}.`);
      });
    });
}

function endText(keys: { id: string }[], verb: string): string {
  return keys.map(({ id }) => `${id} ${verb}.\n`).join("");
}
