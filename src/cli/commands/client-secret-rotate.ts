import { Option, type Command } from "commander";
import { day } from "../../lib/clock.ts";
import { commandActor, namingFlags, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { askUnlessGiven } from "../input/ask.ts";
import { addSecretFlags, givenSecret, type SecretFlags } from "../input/secret-flags.ts";
import { durationFrom } from "../input/values.ts";
import { newSecretText, secretIsShownOnce } from "../output/client-text.ts";

type Flags = SecretFlags & { overlap: number; dryRun?: boolean };

export function addClientSecretRotate(secret: Command, cli: Cli): void {
  const command = secret
    .command("rotate")
    .description("create a new secret, shown once, and end the existing ones after an overlap period")
    .argument("[ID]", "client ID")
    .addOption(
      new Option("--overlap <duration>", "how long the older secrets keep working; 0s ends them now")
        .argParser(durationFrom)
        .default(day, "24h"),
    );
  addSecretFlags(command, "client secret").option(
    "--dry-run",
    "show which secrets would end, without changing anything",
  );
  examples(command, [
    "authsvc client secret rotate grafana --overlap 7d",
    "authsvc client secret rotate grafana --secret-file /run/secrets/key --json",
  ]).action(async (argument: string | undefined, flags: Flags) => rotate(cli, argument, flags));
}

async function rotate(cli: Cli, argument: string | undefined, flags: Flags): Promise<void> {
  const clientId = await askUnlessGiven(cli.io, argument, { flag: "ID", question: "Client ID" });
  const { secret, flag } = await givenSecret(cli.io, flags);
  const { overlap } = flags;
  await cli.withApp(async (ctx) => {
    const clientSecrets = await import("../../applications/clients/secrets.ts");
    if (flags.dryRun) {
      const ending = (await clientSecrets.listSecrets(ctx, clientId)).filter(({ state }) => state === "live");
      await cli.result({ clientId, ending, dryRun: true }, ending.map(({ id }) => `${id} would end.\n`).join(""));
      await cli.note("Dry run: nothing was changed.");
      return;
    }
    const created = await namingFlags({ secret: flag, overlap: "--overlap" }, () =>
      clientSecrets.rotateSecret(ctx, { clientId, secret, overlap }, commandActor()),
    );
    await cli.result(created, newSecretText(created));
    if (cli.isJson()) return;
    await cli.note(secretIsShownOnce);
    for (const { id, expiresAt } of created.ending) await cli.note(`${id} ends at ${expiresAt ?? "once"}.`);
  });
}
