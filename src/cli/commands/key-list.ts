import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import type { Screen } from "../output/screen.ts";
import { table } from "../output/table.ts";

export function addKeyList(key: Command, cli: Cli): void {
  const command = key
    .command("list")
    .description("list API keys and when they were last used (within an hour); the keys themselves cannot be shown")
    .option("--app <id>", "App ID (default: all applications)");
  examples(command, [
    "authsvc key list --app app_shop",
    `authsvc key list --json | jq -r '.[] | select(.state == "live") | .id'`,
  ]).action(async ({ app }: { app?: string }) => {
    await cli.withCore(async (ctx) => {
      const apiKeys = await import("../../applications/keys.ts");
      const screen = cli.screen();
      const keys = await apiKeys.listKeys(ctx, app);
      const rows = keys.map(({ id, appId, label, state, createdAt, lastUsedAt, expiresAt, revokedAt }) => [
        id,
        appId,
        label ?? "-",
        state,
        screen.time(createdAt),
        lastUsedAt === null ? "never" : screen.time(lastUsedAt),
        endOf(revokedAt ?? expiresAt, screen),
      ]);
      await cli.result(
        keys,
        keys.length === 0
          ? ""
          : table(["KEY ID", "APP ID", "LABEL", "STATE", "CREATED", "LAST USED", "ENDS"], rows, screen),
      );
      if (keys.length === 0) await cli.note("There is no API key. Create one: authsvc key create --app ID");
    });
  });
}

function endOf(instant: string | null, screen: Screen): string {
  return instant === null ? "-" : screen.time(instant);
}
