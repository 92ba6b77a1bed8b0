import type { Command } from "commander";
import { commandActor, namingFlags, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { askUnlessGiven } from "../input/ask.ts";
import { addSecretFlags, givenSecret, type SecretFlags } from "../input/secret-flags.ts";
import { newSecretText, secretIsShownOnce } from "../output/client-text.ts";

type Flags = SecretFlags & { dryRun?: boolean };

export function addClientSecretCreate(secret: Command, cli: Cli): void {
  const command = secret
    .command("create")
    .description("create another secret of a client; it is shown once")
    .argument("[ID]", "client ID");
  addSecretFlags(command, "client secret").option("--dry-run", "validate without creating anything");
  examples(command, [
    "authsvc client secret create grafana",
    "authsvc client secret create grafana --secret-file /run/secrets/key --json",
  ]).action(async (argument: string | undefined, flags: Flags) => create(cli, argument, flags));
}

async function create(cli: Cli, argument: string | undefined, flags: Flags): Promise<void> {
  const clientId = await askUnlessGiven(cli.io, argument, { flag: "ID", question: "Client ID" });
  const { secret, flag } = await givenSecret(cli.io, flags);
  await cli.withApp(async (ctx) => {
    const clientSecrets = await import("../../applications/clients/secrets.ts");
    const clients = await import("../../applications/clients/service.ts");
    if (flags.dryRun) {
      const { id } = await clients.get(ctx, clientId);
      await cli.result({ clientId: id, dryRun: true }, "");
      await cli.note("Dry run: nothing was created.");
      return;
    }
    const created = await namingFlags({ secret: flag }, () =>
      clientSecrets.createSecret(ctx, { clientId, secret }, commandActor()),
    );
    await cli.result(created, newSecretText(created));
    if (!cli.isJson()) await cli.note(secretIsShownOnce);
  });
}
