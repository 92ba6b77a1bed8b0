import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { signingKeyTable } from "../signing-key-text.ts";
import { bold } from "../text.ts";

export function addSigningKeyList(signingKey: Command, cli: Cli): void {
  const command = signingKey.command("list").description("list the keys that sign access tokens, oldest first");
  examples(command, [
    "authsvc signing-key list",
    `authsvc signing-key list --json | jq '.[] | select(.state == "signing")'`,
  ]).action(async () => {
    await cli.withApp(async ({ signingKeys }) => {
      const keys = await signingKeys.list();
      await cli.result(keys, keys.length === 0 ? "" : signingKeyTable(keys, bold(cli.io, cli.io.stdout)));
      if (keys.length === 0) await cli.note("There is no signing key yet: the service makes the first one.");
    });
  });
}
