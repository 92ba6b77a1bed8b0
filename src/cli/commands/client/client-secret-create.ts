import { commandActor, namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { addSecretFlags, givenSecret, type SecretFlags } from "../../input/secret-flags.ts";
import { newSecretText, secretIsShownOnce } from "../../output/client-text.ts";

export function addClientSecretCreate(secret: CliCommand, cli: Cli): void {
  const command = secret
    .command("create")
    .description("create another secret of a client; it is shown once")
    .asks("[ID]", "client ID");
  addSecretFlags(command, "client secret")
    .dryRun("validate without creating anything", "nothing was created")
    .examples(
      "authsvc client secret create grafana",
      "authsvc client secret create grafana --secret-file /run/secrets/key --json",
    )
    .action(async (clientId: string, flags: SecretFlags) => {
      const { secret, flag } = await givenSecret(cli.io, flags);
      await cli.withApp(async (ctx) => {
        const clientSecrets = await import("../../../applications/clients/secrets.ts");
        const clients = await import("../../../applications/clients/service.ts");
        if (cli.isDryRun()) {
          const { id } = await clients.get(ctx, clientId);
          return await cli.result({ clientId: id }, "");
        }
        const created = await namingFlags({ secret: flag }, () =>
          clientSecrets.createSecret(ctx, { clientId, secret }, commandActor()),
        );
        await cli.result(created, newSecretText(created));
        if (!cli.isJson()) await cli.note(secretIsShownOnce);
      });
    });
}
