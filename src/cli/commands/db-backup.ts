import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { AppError } from "../../lib/errors.ts";
import { askUnlessGiven, demandYes } from "../ask.ts";
import { commandActor, type Cli } from "../cli.ts";
import { longWork, rowsText, sizeText, surroundings } from "../database-work.ts";
import { examples } from "../examples.ts";

export function addDbBackup(db: Command, cli: Cli): void {
  const command = db
    .command("backup")
    .description(
      "write the whole database, as it is at one moment, to one file, while the service runs or not; the master key is not in it",
    )
    .argument("[FILE]", "where to; it appears when it is whole and checked");
  examples(command, [
    "authsvc db backup /var/backups/authsvc.backup --yes",
    'authsvc db backup "authsvc-$(date +%F).backup" --json',
  ]).action(async (given: string | undefined) => {
    const { config } = await cli.configure();
    const typed = await askUnlessGiven(cli.io, given, { flag: "FILE", question: "File to write" });
    const file = resolve(cli.io.cwd(), typed);
    if (!existsSync(resolve(file, "..")))
      throw new AppError("INVALID_REQUEST", `FILE: the folder of ${typed} does not exist`);
    if (existsSync(file)) await demandYes(cli.io, cli.saidYes(), `Replace ${typed}?`);
    const { backUpDatabase } = await import("../../maintenance.ts");
    const backup = await longWork(cli, config.database.url === undefined ? "pages" : "rows", async (onProgress) =>
      backUpDatabase(config, file, commandActor(), { ...surroundings, onProgress }),
    );
    if (!backup) return;
    await cli.result(
      { file, ...backup },
      `${typed}: ${sizeText(backup.bytes)}, ${rowsText(backup.tables)}, schema ${backup.schema}\n`,
    );
    await cli.note(
      config.masterKey === undefined
        ? `The master key is not in it: keep ${resolve(config.dataDir, "master.key")} as well, in another place.`
        : "The master key of the configuration is not in it: keep it as well, in another place.",
    );
  });
}
