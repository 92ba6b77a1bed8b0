import { newCredential } from "../../../lib/credentials.ts";
import { systemRandom } from "../../../lib/random.ts";
import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";

/** For keys that must exist before the application, such as in a pipeline. Stores nothing. */
export function addKeyGenerate(key: CliCommand, cli: Cli): void {
  key
    .command("generate")
    .description(
      "print a new API key for a secret store; it does not work until app create, key create or apply has stored it",
    )
    .examples("authsvc key generate > key.txt", "authsvc key generate --json | jq -r .apiKey")
    .action(async () => {
      const apiKey = newCredential("ak", systemRandom);
      await cli.result({ apiKey }, `${apiKey}\n`);
    });
}
