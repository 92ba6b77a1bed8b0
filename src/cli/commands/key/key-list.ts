import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { timeOr } from "../../output/screen.ts";

export function addKeyList(key: CliCommand, cli: Cli): void {
  key
    .command("list")
    .description("list API keys and when they were last used (within an hour); the keys themselves cannot be shown")
    .option("--app <id>", "App ID (default: all applications)")
    .examples(
      "authsvc key list --app app_shop",
      `authsvc key list --json | jq -r '.[] | select(.state == "live") | .id'`,
    )
    .withCore(async (ctx, { app }: { app?: string }) => {
      const apiKeys = await import("../../../applications/keys.ts");
      await cli.list(
        await apiKeys.listKeys(ctx, app),
        {
          "KEY ID": ({ id }) => id,
          "APP ID": ({ appId }) => appId,
          LABEL: ({ label }) => label ?? "-",
          STATE: ({ state }) => state,
          CREATED: ({ createdAt }, screen) => screen.time(createdAt),
          "LAST USED": ({ lastUsedAt }, screen) => timeOr("never", lastUsedAt, screen),
          ENDS: ({ revokedAt, expiresAt }, screen) => timeOr("-", revokedAt ?? expiresAt, screen),
        },
        "There is no API key. Create one: authsvc key create --app ID",
      );
    });
}
