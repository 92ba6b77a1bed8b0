import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { AppError } from "../../../lib/errors.ts";
import type { EndedAccess } from "../../../storage/backup/restored-access.ts";
import { commandActor, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { longWork, rowsText, surroundings } from "../../database-work.ts";
import { askUnlessGiven } from "../../input/ask.ts";

export function addDbRestore(db: CliCommand, cli: Cli): void {
  db.command("restore")
    .description(
      "replace the database with a backup, completely or not at all; stop the service first, and put the master key of the backup in place",
    )
    .argument("[FILE]", "file written by db backup")
    .option(
      "--keep-logins",
      "keep logins, codes and mailed links as they are in the backup, even if they have ended since",
    )
    .dryRun("check the backup and the key, without changing anything", null)
    .examples(
      "authsvc db restore /var/backups/authsvc.backup --dry-run",
      "authsvc db restore /var/backups/authsvc.backup --yes",
    )
    .action(async (argument: string | undefined, { keepLogins = false }: { keepLogins?: boolean }) => {
      const dryRun = cli.isDryRun();
      const { config } = await cli.configure();
      const typed = await askUnlessGiven(cli.io, argument, { flag: "FILE", question: "Backup to restore" });
      const file = resolve(cli.io.cwd(), typed);
      if (!existsSync(file)) throw new AppError("INVALID_REQUEST", `FILE: the file ${typed} does not exist`);
      const { restoreDatabase } = await import("../../../upkeep/database/transfers.ts");
      const confirm = async (present: string): Promise<void> =>
        cli.demandYes(`Replace the contents of the database (${present}) with ${typed}?`);
      const announce = async (ended: EndedAccess | null): Promise<void> => await cli.note(effectText(ended, dryRun));
      const wish = { dryRun, keepLogins, announce, confirm };
      const restored = await longWork(cli, config.database.url === undefined ? "pages" : "rows", async (onProgress) =>
        restoreDatabase(config, file, wish, commandActor(), { ...surroundings, onProgress }),
      );
      if (!restored) return;
      const { tables, keptAs, replaced } = restored;
      await cli.result(
        restored,
        `${rowsText(tables)} ${dryRun ? "would be" : "were"} restored${replaced ? `, replacing the ${dryRun ? "current" : "previous"} contents` : ""}.\n`,
      );
      // Before the other notes, unlike in other commands: those describe the real restore.
      if (dryRun) await cli.note("Dry run: nothing was changed.");
      await cli.note(
        "API keys, client secrets and signing keys that were revoked since the backup are active again. Check authsvc key list, authsvc client secret list and authsvc signing-key list.",
      );
      if (keptAs !== null)
        await cli.note(`The previous database is kept as ${keptAs}. Remove it when you no longer need it.`);
    });
}

function effectText(ended: EndedAccess | null, dryRun: boolean): string {
  if (ended === null)
    return "Logins, codes and mailed links stay as they were in the backup: those that have ended or were used since then work again.";
  const { logins, accountPages } = ended;
  return `The restore ${dryRun ? "would end" : "ends"} every login of the backup (${logins}) and account page (${accountPages}), and voids codes, mailed links and refresh tokens: everybody signs in again. --keep-logins keeps them.`;
}
