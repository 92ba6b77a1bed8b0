import { resolve } from "node:path";
import type { Reencrypted } from "../../upkeep/database/switched-master-key.ts";
import { commandActor, type Cli } from "../cli.ts";
import type { CliCommand } from "../command.ts";
import { surroundings } from "../database-work.ts";
import { readSecretFile } from "../input/ask.ts";

type Flags = { newKeyFile?: string };

export function addMasterKeyRotate(masterKey: CliCommand, cli: Cli): void {
  masterKey
    .command("rotate")
    .description(
      "re-encrypt everything with a new master key while the service runs; an interrupted run continues at the next one",
    )
    .option("--new-key-file <file>", "file with the new key, readable only by its owner (default: a generated key)")
    .dryRun("show what would happen, without changing anything")
    .examples("authsvc master-key rotate --dry-run", "authsvc master-key rotate --yes --json")
    .action(async ({ newKeyFile }: Flags) => {
      const { config } = await cli.configure();
      const { planRotation, refuseOpenKeyFile, rotateMasterKey } =
        await import("../../upkeep/database/master-key-rotation.ts");
      if (newKeyFile !== undefined) refuseOpenKeyFile(resolve(cli.io.cwd(), newKeyFile), "--new-key-file");
      const newKey = newKeyFile === undefined ? undefined : await readSecretFile(cli.io, newKeyFile, "--new-key-file");
      if (cli.isDryRun()) {
        const plan = await planRotation(config, newKey, surroundings);
        await cli.result(
          plan,
          `${valuesText(plan.values)} would be re-encrypted with ${plan.makesKey ? "a" : "the"} new key.\n`,
        );
        await warnUnreadable(cli, plan.unreadable);
        return;
      }
      const rotation = await rotateMasterKey(config, { newKey, confirm: cli.demandYes }, commandActor(), surroundings);
      const { reencrypted, unreadable, retiredKey } = rotation;
      await cli.result(
        rotation,
        `${valuesText(sumOf(reencrypted))} re-encrypted with the new key. Nothing uses the old key any more.\n`,
      );
      await warnUnreadable(cli, unreadable);
      await cli.note(
        retiredKey === null
          ? "Remove the old key from the configuration of every node, and keep it with the backups that need it."
          : `The old key is in ${retiredKey}. Move it to where you keep keys: older backups need it.`,
      );
    });
}

async function warnUnreadable(cli: Cli, unreadable: number): Promise<void> {
  if (unreadable > 0) await cli.note(`No key here decrypts ${valuesText(unreadable)}. See: authsvc db check`);
}

function sumOf(tables: Reencrypted[]): number {
  return tables.reduce((sum, { rows }) => sum + rows, 0);
}

function valuesText(values: number): string {
  return `${values.toLocaleString("en")} ${values === 1 ? "value" : "values"}`;
}
