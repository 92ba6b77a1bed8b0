import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { bold, table } from "../text.ts";

export function addKeyList(key: Command, cli: Cli): void {
  const command = key
    .command("list")
    .description("list API keys; the keys themselves cannot be shown again")
    .option("--app <id>", "App ID (else the keys of all applications)");
  examples(command, [
    "authsvc key list --app app_shop",
    `authsvc key list --json | jq -r '.[] | select(.state == "live") | .id'`,
  ]).action(async ({ app }: { app?: string }) => {
    await cli.withRegistry(async ({ applications }) => {
      const keys = await applications.listKeys(app);
      const rows = keys.map(({ id, appId, state, createdAt, expiresAt, revokedAt }) => [
        id,
        appId,
        state,
        createdAt,
        revokedAt ?? expiresAt ?? "-",
      ]);
      await cli.result(
        keys,
        keys.length === 0
          ? ""
          : table(["KEY ID", "APP ID", "STATE", "CREATED", "ENDS"], rows, bold(cli.io, cli.io.stdout)),
      );
      if (keys.length === 0) await cli.note("There is no API key. Create one: authsvc key create --app ID");
    });
  });
}
