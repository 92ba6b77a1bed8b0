import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { signingKeyTable } from "../output/signing-key-text.ts";

export function addSigningKeyList(signingKey: Command, cli: Cli): void {
  const command = signingKey.command("list").description("list the keys that sign access tokens, oldest first");
  examples(command, [
    "authsvc signing-key list",
    `authsvc signing-key list --json | jq '.[] | select(.state == "signing")'`,
  ]).action(async () => {
    await cli.withApp(async (ctx) => {
      const signingKeys = await import("../../tokens/signing-keys.ts");
      const keys = await signingKeys.list(ctx);
      await cli.result(keys, keys.length === 0 ? "" : signingKeyTable(keys, cli.screen()));
      if (keys.length === 0) await cli.note("There are no signing keys yet. The service creates the first one.");
    });
  });
}
