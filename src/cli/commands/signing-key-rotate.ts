import type { Command } from "commander";
import { commandActor, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { signingKeyTable } from "../output/signing-key-text.ts";

type Flags = { now?: boolean; dryRun?: boolean };

export function addSigningKeyRotate(signingKey: Command, cli: Cli): void {
  const command = signingKey
    .command("rotate")
    .description(
      "create the next signing key of every algorithm in use; it is published at once and signs a day later, so no token is rejected",
    )
    .option("--now", "let the new key sign at once; apps that cache the key set must fetch it again for an unknown key")
    .option("--dry-run", "show what would happen, without changing anything");
  examples(command, ["authsvc signing-key rotate", "authsvc signing-key rotate --now --json"]).action(
    async ({ now = false, dryRun = false }: Flags) => {
      await cli.withApp(async (ctx) => {
        const signingKeys = await import("../../tokens/signing-keys.ts");
        const keys = await signingKeys.rotateByCommand(ctx, { atOnce: now, dryRun }, commandActor());
        if (dryRun) {
          const planned = keys.map(({ algorithm, state, signsFrom }) => ({ algorithm, state, signsFrom, dryRun }));
          await cli.result(
            planned,
            planned.map(({ algorithm, signsFrom }) => `${algorithm}: a key that signs from ${signsFrom}\n`).join(""),
          );
          await cli.note("Dry run: nothing was changed.");
          return;
        }
        await cli.result(keys, signingKeyTable(keys, cli.screen()));
      });
    },
  );
}
