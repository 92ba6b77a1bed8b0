import { commandActor, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { signingKeyColumns } from "../../output/signing-key-text.ts";
import { tableOf } from "../../output/table.ts";

type Flags = { now?: boolean };

export function addSigningKeyRotate(signingKey: CliCommand, cli: Cli): void {
  signingKey
    .command("rotate")
    .description(
      "create the next signing key of every algorithm in use; it is published at once and signs a day later, so no token is rejected",
    )
    .option("--now", "let the new key sign at once; apps that cache the key set must fetch it again for an unknown key")
    .dryRun("show what would happen, without changing anything")
    .examples("authsvc signing-key rotate", "authsvc signing-key rotate --now --json")
    .withApp(async (ctx, { now = false }: Flags) => {
      const signingKeys = await import("../../../tokens/signing-keys.ts");
      const keys = await signingKeys.rotateByCommand(
        ctx,
        { atOnce: now, dryRun: cli.isDryRun() },
        { actor: commandActor() },
      );
      if (cli.isDryRun()) {
        const planned = keys.map(({ algorithm, state, signsFrom }) => ({ algorithm, state, signsFrom }));
        return await cli.result(
          planned,
          planned.map(({ algorithm, signsFrom }) => `${algorithm}: a key that signs from ${signsFrom}\n`).join(""),
        );
      }
      await cli.result(keys, tableOf(keys, signingKeyColumns, cli.screen()));
    });
}
