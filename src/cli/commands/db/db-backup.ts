import { randomBytes } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Config } from "../../../config/config.ts";
import { AppError } from "../../../lib/errors.ts";
import { sizeText } from "../../../lib/sizes.ts";
import { commandActor, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { longWork, rowsText, surroundings } from "../../database-work.ts";
import { askUnlessGiven } from "../../input/ask.ts";
import { outputFile, refuseOwnFile } from "../../input/output-file.ts";
import { reasonOf } from "../../report.ts";

export function addDbBackup(db: CliCommand, cli: Cli): void {
  db.command("backup")
    .description(
      "write a consistent backup of the whole database to one file, with the service running or stopped; it does not contain the master key",
    )
    .argument("[FILE]", "the backup, created once it is complete and verified; - sends it to standard output")
    .examples("authsvc db backup /var/backups/authsvc.backup --yes", "authsvc db backup - | gzip > authsvc.backup.gz")
    .action(async (argument: string | undefined) => {
      const { config } = await cli.configure();
      const typed = await askUnlessGiven(cli.io, argument, { flag: "FILE", question: "File to write" });
      const isStreamed = typed === "-";
      const file = isStreamed ? unnamedFile(cli, config) : outputFile(cli.io, typed, "FILE");
      if (!isStreamed) await refuseOwnFile(cli, file, "FILE");
      if (existsSync(file)) await cli.demandYes(`Replace ${typed}?`);
      const { backUpDatabase } = await import("../../../upkeep/database/maintenance.ts");
      const done = await longWork(cli, config.database.url === undefined ? "pages" : "rows", async (onProgress) =>
        backUpDatabase(config, file, commandActor(), { ...surroundings, onProgress }),
      );
      if (!done) return;
      const { backup, unrecorded } = done;
      if (unrecorded !== undefined)
        await cli.complain(`authsvc: warning: this backup is not in the audit log: ${await reasonOf(unrecorded)}\n`);
      const text = `${isStreamed ? "standard output" : typed}: ${sizeText(backup.bytes)}, ${rowsText(backup.tables)}, schema ${backup.schema}\n`;
      if (isStreamed) {
        await streamed(cli, file);
        await cli.note(text.trimEnd());
      } else await cli.result({ file, ...backup }, text);
      await cli.note(
        config.masterKey === undefined
          ? `It does not contain the master key: keep ${resolve(config.dataDir, "master.key")} as well, in a different place.`
          : "It does not contain the master key of the configuration: keep that as well, in a different place.",
      );
    });
}

/** Beside the database, where there is room for a copy, until it is complete and can be sent. */
function unnamedFile(cli: Cli, { dataDir, database }: Config): string {
  if (cli.isJson()) throw new AppError("INVALID_REQUEST", "--json: with -, standard output is the backup");
  if (cli.io.stdout.isTTY)
    throw new AppError(
      "INVALID_REQUEST",
      "FILE: - is standard output, which is a terminal: redirect it to a file or pipe",
    );
  const folder = database.url === undefined && existsSync(dataDir) ? dataDir : tmpdir();
  return join(folder, `authsvc-${randomBytes(6).toString("hex")}.backup`);
}

/** Sends the file to standard output. Its name is removed first, so that nothing is left behind. */
async function streamed(cli: Cli, file: string): Promise<void> {
  const handle = await open(file);
  if (process.platform !== "win32") rmSync(file);
  try {
    for await (const part of handle.createReadStream({ autoClose: false, highWaterMark: 1_048_576 }))
      await sent(cli.io.stdout, part as Buffer);
  } catch (cause) {
    throw new AppError("SERVER_ERROR", "The backup could not be written to standard output.", { cause });
  } finally {
    await handle.close();
    rmSync(file, { force: true });
  }
}

async function sent(stream: NodeJS.WriteStream, part: Buffer): Promise<void> {
  await new Promise<void>((done, fail) => stream.write(part, (error) => (error ? fail(error) : done())));
}
