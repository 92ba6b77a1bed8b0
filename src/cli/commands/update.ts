import { execFile } from "node:child_process";
import { existsSync, realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { Config } from "../../config/config.ts";
import { AppError } from "../../lib/errors.ts";
import type { Cli } from "../cli.ts";
import type { CliCommand } from "../command.ts";
import { longWork } from "../database-work.ts";
import { version } from "../version.ts";

type Flags = { from?: string; to?: string; publicKey?: string };

export function addUpdate(program: CliCommand, cli: Cli): void {
  program
    .command("update")
    .description(
      "replace this executable with a newer version, after verifying its signature and backing up a SQLite database; does not restart the service",
    )
    .option("--from <path>", "an archive, or the folder of a release, instead of updates.url")
    .option("--to <version>", "version to install (default: the newest)")
    .option("--public-key <file>", "Ed25519 public key (PEM) to use instead of the built-in one")
    .dryRun("show what would be installed, without changing anything")
    .examples("authsvc update --dry-run", "authsvc update --from /media/usb/release --yes")
    .action(async (flags: Flags) => update(cli, flags));
}

async function update(cli: Cli, { from, to, publicKey }: Flags): Promise<void> {
  const { config } = await cli.configure();
  const { demandOwnFile, demandReplaceable } = await import("../../upkeep/updates/owner.ts");
  const { findUpdate, installUpdate } = await import("../../upkeep/updates/update.ts");
  const installed = { file: ownFile(), version, platform: `${process.platform}-${process.arch}` };
  await demandOwnFile(installed.file, { container: cli.io.env["container"] });
  if (!cli.isDryRun()) demandReplaceable(installed.file);

  const inCwd = (path: string): string => resolve(cli.io.cwd(), path);
  const { releaseKey } = await import("../../upkeep/updates/release.ts");
  const key = releaseKey(publicKey === undefined ? undefined : inCwd(publicKey));
  const place = { from: from === undefined ? undefined : inCwd(from), url: config.updates?.url, to };
  await longWork(cli, "bytes", async (onProgress, signal) => {
    const found = await findUpdate(installed, place, key, { fetch, signal, onProgress });
    const newest = found?.release.version ?? version;
    const outcome = { current: version, version: newest, updated: false, file: installed.file };
    if (!found) {
      await cli.result(outcome, `authsvc ${version} is already installed.\n`);
      return;
    }
    if (cli.isDryRun()) {
      await cli.result(outcome, `authsvc ${version} would be replaced by ${newest}.\n`);
      return;
    }
    const backup = await backUp(cli, config, newest);
    const previous = await installUpdate(installed, found);
    await cli.result(
      { ...outcome, updated: true, previous, backup },
      `authsvc ${version} was replaced by ${newest}. The old one is ${previous}.\n`,
    );
    await cli.note(
      `A running service is still ${version}. Next, with its --config and --data: authsvc config check, authsvc db migrate --dry-run. Then restart it.`,
    );
  });
}

/** The file to replace. Throws CONFLICT if there is none. */
function ownFile(): string {
  if (!process.getBuiltinModule("node:sea").isSea())
    throw new AppError("CONFLICT", "authsvc runs from its sources here: update them with git pull.");
  if (process.platform === "win32")
    throw new AppError("CONFLICT", "Windows does not let a running program replace itself: replace the file manually.");
  return realpathSync(process.execPath);
}

/** Asks if no backup can be made here. Returns the backup's file, if one was made. */
async function backUp(cli: Cli, config: Config, next: string): Promise<string | null> {
  if (config.database.url !== undefined) {
    await cli.demandYes(
      "Do you have a recent backup of the PostgreSQL database (authsvc db backup FILE, or pg_dump)? Update now?",
    );
    return null;
  }
  if (!existsSync(join(config.dataDir, "authsvc.db"))) {
    await cli.demandYes(
      `No database found in ${config.dataDir}, so nothing is backed up (use --data or --config for another location). Update anyway?`,
    );
    return null;
  }
  const file = join(config.dataDir, `before-${next}.backup`);
  await backUpAsOwner(config.dataDir, file);
  await cli.note(`The database was backed up to ${file}.`);
  return file;
}

/**
 * As the owner of the data, who must read the backup, and who could otherwise make root write
 * elsewhere.
 */
async function backUpAsOwner(dataDir: string, file: string): Promise<void> {
  const { uid, gid } = statSync(dataDir);
  const owner = process.getuid?.() === 0 ? { uid, gid } : {};
  // An earlier update may have failed after its backup.
  const args = ["db", "backup", file, "--data", dataDir, "--quiet", "--yes"];
  try {
    await promisify(execFile)(process.execPath, args, { ...owner, cwd: "/", env: {} });
  } catch (cause) {
    const { reasonOf } = await import("../../upkeep/updates/replace.ts");
    throw new AppError("CONFLICT", `The database cannot be backed up: ${reasonOf(cause)}. Nothing was changed.`, {
      cause,
    });
  }
}
