import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { timeOr } from "../../output/screen.ts";

export function addClientSecretList(secret: CliCommand, cli: Cli): void {
  secret
    .command("list")
    .description("list the secrets of a client; the secrets themselves cannot be shown")
    .argument("[ID]", "client ID (default: all clients)")
    .examples(
      "authsvc client secret list grafana",
      `authsvc client secret list --json | jq -r '.[] | select(.expiresAt) | .clientId'`,
    )
    .withApp(async (ctx, id: string | undefined) => {
      const clientSecrets = await import("../../../applications/clients/secrets.ts");
      await cli.list(
        await clientSecrets.listSecrets(ctx, id),
        {
          "SECRET ID": ({ id }) => id,
          "CLIENT ID": ({ clientId }) => clientId,
          STATE: ({ state }) => state,
          CREATED: ({ createdAt }, screen) => screen.time(createdAt),
          ENDS: ({ revokedAt, expiresAt }, screen) => timeOr("-", revokedAt ?? expiresAt, screen),
        },
        "There is no client secret.",
      );
    });
}
