import { Option } from "commander";
import { day } from "../../../lib/clock.ts";
import { commandActor, namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { addSecretFlags, givenSecret, type SecretFlags } from "../../input/secret-flags.ts";
import { durationFrom } from "../../input/values.ts";
import { newSecretText, secretIsShownOnce } from "../../output/client-text.ts";

type Flags = SecretFlags & { overlap: number };

export function addClientSecretRotate(secret: CliCommand, cli: Cli): void {
  const command = secret
    .command("rotate")
    .description("create a new secret, shown once, and end the existing ones after an overlap period")
    .asks("[ID]", "client ID")
    .addOption(
      new Option("--overlap <duration>", "how long the older secrets keep working; 0s ends them now")
        .argParser(durationFrom)
        .default(day, "24h"),
    );
  addSecretFlags(command, "client secret")
    .dryRun("show which secrets would end, without changing anything")
    .examples(
      "authsvc client secret rotate grafana --overlap 7d",
      "authsvc client secret rotate grafana --secret-file /run/secrets/key --json",
    )
    .action(async (clientId: string, flags: Flags) => {
      const { secret, flag } = await givenSecret(cli.io, flags);
      const { overlap } = flags;
      await cli.withApp(async (ctx) => {
        const clientSecrets = await import("../../../applications/clients/secrets.ts");
        if (cli.isDryRun()) {
          const ending = (await clientSecrets.listSecrets(ctx, clientId)).filter(({ state }) => state === "live");
          return await cli.result({ clientId, ending }, ending.map(({ id }) => `${id} would end.\n`).join(""));
        }
        const created = await namingFlags({ secret: flag, overlap: "--overlap" }, () =>
          clientSecrets.rotateSecret(ctx, { clientId, secret, overlap }, commandActor()),
        );
        await cli.result(created, newSecretText(created));
        if (cli.isJson()) return;
        await cli.note(secretIsShownOnce);
        for (const { id, expiresAt } of created.ending) await cli.note(`${id} ends at ${expiresAt ?? "once"}.`);
      });
    });
}
