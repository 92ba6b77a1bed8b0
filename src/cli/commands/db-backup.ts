import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { AppError } from "../../lib/errors.ts";
import { sizeText } from "../../lib/sizes.ts";
import { commandActor, type Cli } from "../cli.ts";
import type { CliCommand } from "../command.ts";
import { longWork, rowsText, surroundings } from "../database-work.ts";
import { askUnlessGiven } from "../input/ask.ts";
import { reasonOf } from "../report.ts";

export function addDbBackup(db: CliCommand, cli: Cli): void {
  db.command("backup")
    .description(
      "write a consistent backup of the whole database to one file, with the service running or stopped; it does not contain the master key",
    )
    .argument("[FILE]", "the backup; created once it is complete and verified")
    .examples(
      "authsvc db backup /var/backups/authsvc.backup --yes",
      'authsvc db backup "authsvc-$(date +%F).backup" --json',
    )
    .action(async (argument: string | undefined) => {
      const { config } = await cli.configure();
      const typed = await askUnlessGiven(cli.io, argument, { flag: "FILE", question: "File to write" });
      const file = resolve(cli.io.cwd(), typed);
      if (!existsSync(resolve(file, "..")))
        throw new AppError("INVALID_REQUEST", `FILE: the folder of ${typed} does not exist`);
      if (existsSync(file)) await cli.demandYes(`Replace ${typed}?`);
      const { backUpDatabase } = await import("../../operator/database/maintenance.ts");
      const done = await longWork(cli, config.database.url === undefined ? "pages" : "rows", async (onProgress) =>
        backUpDatabase(config, file, commandActor(), { ...surroundings, onProgress }),
      );
      if (!done) return;
      const { backup, unrecorded } = done;
      if (unrecorded !== undefined)
        await cli.complain(`authsvc: warning: this backup is not in the audit log: ${await reasonOf(unrecorded)}\n`);
      await cli.result(
        { file, ...backup },
        `${typed}: ${sizeText(backup.bytes)}, ${rowsText(backup.tables)}, schema ${backup.schema}\n`,
      );
      await cli.note(
        config.masterKey === undefined
          ? `It does not contain the master key: keep ${resolve(config.dataDir, "master.key")} as well, in a different place.`
          : "It does not contain the master key of the configuration: keep that as well, in a different place.",
      );
    });
}
