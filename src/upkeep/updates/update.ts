import type { KeyObject } from "node:crypto";
import { statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { AppError } from "../../lib/errors.ts";
import { filesAt, filesInFolder, type Download, type ReleaseFiles } from "./release-files.ts";
import { announcedVersion, verifiedArchive, verifiedRelease, type Release } from "./release.ts";
import { replaceExecutable } from "./replace.ts";
import { fileInTarGz } from "./tar-gz.ts";
import { compareVersions } from "./versions.ts";

/** The executable that runs. */
export type Installed = { file: string; version: string; platform: string };

/** `from`: a file or folder; otherwise `url` is asked. `to`: a version, by default the newest. */
export type Place = { from: string | undefined; url: string | undefined; to: string | undefined };

/** A signed release, newer than the installed one, and the place of its files. */
export type Update = { release: Release; files: ReleaseFiles };

/**
 * The available update; undefined if that version is installed. Throws CONFLICT for an older one,
 * INVALID_CONFIG, SERVER_ERROR.
 */
export async function findUpdate(
  installed: Installed,
  { from, url, to }: Place,
  key: KeyObject,
  download: Download,
): Promise<Update | undefined> {
  const files = from === undefined ? await filesOf(url, to, download) : filesInFolder(folderOf(from));
  const release = await verifiedRelease(files, installed.platform, key);
  if (to !== undefined && release.version !== to)
    throw new AppError("CONFLICT", `The archive contains version ${release.version}, not ${to}. Nothing was changed.`);
  if (from !== undefined && folderOf(from) !== from && basename(from) !== release.archive)
    throw new AppError(
      "CONFLICT",
      `${basename(from)} is not ${release.archive}, the archive for this platform. Nothing was changed.`,
    );
  const order = compareVersions(release.version, installed.version);
  if (order < 0) throw older(release, installed);
  return order === 0 ? undefined : { release, files };
}

async function filesOf(url: string | undefined, to: string | undefined, download: Download): Promise<ReleaseFiles> {
  if (url === undefined)
    throw new AppError(
      "INVALID_CONFIG",
      "There is nowhere to look for releases: set updates.url, or name a file or folder with --from.",
    );
  const base = url.replace(/\/$/u, "");
  const version = to ?? (await announcedVersion(filesAt(`${base}/latest/download`, download)));
  return filesAt(`${base}/download/v${version}`, download);
}

/** The folder of a release: `from`, or that of an archive. */
function folderOf(from: string): string {
  const stats = statSync(from, { throwIfNoEntry: false });
  if (!stats) throw new AppError("INVALID_REQUEST", `--from: ${from} does not exist`);
  return stats.isDirectory() ? from : dirname(from);
}

function older({ version }: Release, installed: Installed): AppError {
  return new AppError(
    "CONFLICT",
    `${version} is older than ${installed.version}, and refuses a database that a newer version has migrated. Nothing was changed. ` +
      "To go back: stop the service, put the older executable in place " +
      `(${installed.file}.previous is the one before the last update), restore the backup of that time ` +
      "(authsvc db restore FILE --yes), and start the service.",
  );
}

/** Puts the update in place of the installed executable; returns where the old one is kept. */
export async function installUpdate({ file }: Installed, { release, files }: Update): Promise<string> {
  const archive = await verifiedArchive(files, release);
  return await replaceExecutable(file, fileInTarGz(archive, "authsvc"), release.version);
}
