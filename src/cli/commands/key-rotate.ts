import { Option, type Command } from "commander";
import { day } from "../../lib/clock.ts";
import { commandActor, namingFlags, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { addApiKeyFlags, chosenApiKey, createdKeyText, type ApiKeyFlags } from "../input/api-key-flags.ts";
import { askUnlessGiven } from "../input/ask.ts";
import { durationFrom } from "../input/values.ts";

type Flags = ApiKeyFlags & { app?: string; label?: string; overlap: number; dryRun?: boolean };

export function addKeyRotate(key: Command, cli: Cli): void {
  const command = key
    .command("rotate")
    .description("create a new API key, shown once, and end the existing keys after an overlap period")
    .option("--app <id>", "App ID")
    .option("--label <text>", "what the new key is for, at most 64 characters; key list shows it")
    .addOption(
      new Option("--overlap <duration>", "how long the older keys keep working; 0s ends them now")
        .argParser(durationFrom)
        .default(day, "24h"),
    );
  addApiKeyFlags(command).option("--dry-run", "show which keys would end, without changing anything");
  examples(command, [
    "authsvc key rotate --app app_shop --overlap 7d",
    "authsvc key rotate --app app_shop --api-key-file /run/secrets/key --json",
  ]).action(async (flags: Flags) => rotate(cli, flags));
}

async function rotate(cli: Cli, flags: Flags): Promise<void> {
  const appId = await askUnlessGiven(cli.io, flags.app, { flag: "--app", question: "App ID" });
  const { apiKey, flag } = await chosenApiKey(cli.io, flags);
  const { label, overlap } = flags;
  await cli.withApp(async (ctx) => {
    const apiKeys = await import("../../applications/keys.ts");
    if (flags.dryRun) {
      const ending = (await apiKeys.listKeys(ctx, appId)).filter(({ state }) => state === "live");
      await cli.result({ appId, ending, dryRun: true }, endText(ending, "would end"));
      await cli.note("Dry run: nothing was changed.");
      return;
    }
    const created = await namingFlags({ appId: "--app", apiKey: flag, overlap: "--overlap", label: "--label" }, () =>
      apiKeys.rotateKey(ctx, { appId, apiKey, overlap, label }, commandActor()),
    );
    await cli.result(created, createdKeyText(created));
    if (cli.isJson()) return;
    await cli.note("The API key is shown only once. Store it where your server reads its secrets.");
    for (const { id, expiresAt } of created.ending) await cli.note(`${id} ends at ${expiresAt ?? "once"}.`);
  });
}

function endText(keys: { id: string }[], verb: string): string {
  return keys.map(({ id }) => `${id} ${verb}.\n`).join("");
}
