import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { secretTable } from "../output/client-text.ts";

export function addClientSecretList(secret: Command, cli: Cli): void {
  const command = secret
    .command("list")
    .description("list the secrets of a client; the secrets themselves cannot be shown")
    .argument("[ID]", "client ID (default: all clients)");
  examples(command, [
    "authsvc client secret list grafana",
    `authsvc client secret list --json | jq -r '.[] | select(.expiresAt) | .clientId'`,
  ]).action(async (id: string | undefined) => {
    await cli.withApp(async (ctx) => {
      const clientSecrets = await import("../../applications/clients/secrets.ts");
      const secrets = await clientSecrets.listSecrets(ctx, id);
      await cli.result(secrets, secrets.length === 0 ? "" : secretTable(secrets, cli.screen()));
      if (secrets.length === 0) await cli.note("There is no client secret.");
    });
  });
}
