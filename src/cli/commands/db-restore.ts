import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { AppError } from "../../lib/errors.ts";
import { askUnlessGiven, demandYes } from "../ask.ts";
import { commandActor, type Cli } from "../cli.ts";
import { longWork, rowsText, surroundings } from "../database-work.ts";
import { examples } from "../examples.ts";

export function addDbRestore(db: Command, cli: Cli): void {
  const command = db
    .command("restore")
    .description(
      "make the database what a backup holds, all of it or nothing; the service must be stopped, and the master key of the backup in place",
    )
    .argument("[FILE]", "what db backup has written")
    .option("--dry-run", "check the backup and the key, change nothing");
  examples(command, [
    "authsvc db restore /var/backups/authsvc.backup --dry-run",
    "authsvc db restore /var/backups/authsvc.backup --yes",
  ]).action(async (given: string | undefined, { dryRun = false }: { dryRun?: boolean }) => {
    const { config } = await cli.configure();
    const typed = await askUnlessGiven(cli.io, given, { flag: "FILE", question: "Backup to restore" });
    const file = resolve(cli.io.cwd(), typed);
    if (!existsSync(file)) throw new AppError("INVALID_REQUEST", `FILE: the file ${typed} does not exist`);
    const { restoreDatabase } = await import("../../transfers.ts");
    const confirm = async (present: string): Promise<void> =>
      demandYes(cli.io, cli.saidYes(), `Replace what is in the database (${present}) by ${typed}?`);
    const restored = await longWork(cli, config.database.url === undefined ? "pages" : "rows", async (onProgress) =>
      restoreDatabase(config, file, { dryRun, confirm }, commandActor(), { ...surroundings, onProgress }),
    );
    if (!restored) return;
    const { tables, keptAs, replaced } = restored;
    await cli.result(
      { ...restored, ...(dryRun ? { dryRun } : {}) },
      `${rowsText(tables)} ${dryRun ? "would be" : "were"} restored${replaced ? ` in place of what ${dryRun ? "is" : "was"} there` : ""}.\n`,
    );
    if (dryRun) await cli.note("Nothing was changed: this was a dry run.");
    if (keptAs !== null) await cli.note(`What was there before is kept as ${keptAs}: remove it when you are content.`);
  });
}
