import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { signingKeyColumns } from "../../output/signing-key-text.ts";

export function addSigningKeyList(signingKey: CliCommand, cli: Cli): void {
  signingKey
    .command("list")
    .description("list the keys that sign access tokens, oldest first")
    .examples("authsvc signing-key list", `authsvc signing-key list --json | jq '.[] | select(.state == "signing")'`)
    .withApp(async (ctx) => {
      const signingKeys = await import("../../../tokens/signing-keys.ts");
      await cli.list(
        await signingKeys.list(ctx),
        signingKeyColumns,
        "There are no signing keys yet. The service creates the first one.",
      );
    });
}
