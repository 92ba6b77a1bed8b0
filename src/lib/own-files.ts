import { accessSync, constants, statSync, type Stats } from "node:fs";
import { dirname } from "node:path";

/** The id that a user namespace shows for unmapped users ("nobody"). */
const unknownUser = 65_534;

/**
 * The command that repairs a file or folder that another user of this machine could change;
 * undefined if there is none or no need. The group counts as others, because its members are not
 * checked.
 */
export function repairOf(path: string): string | undefined {
  const stats = statusOf(path);
  // Windows has no owners and modes; Node invents the modes.
  if (stats === undefined || process.getuid === undefined) return undefined;
  // The content of a pipe cannot be replaced by name.
  if (!stats.isFile() && !stats.isDirectory()) return undefined;
  if ((stats.mode & 0o022) !== 0) return `chmod go-w ${quotedPath(path)}`;
  const user = process.getuid();
  // Any owner is fine for root, who also administers the files of the service's own user.
  if (user === 0 || [user, 0, unknownUser].includes(stats.uid)) return undefined;
  return `chown ${user} ${quotedPath(path)}`;
}

/**
 * Why this user may not use a file in their own folder: another user owns it, such as after a copy
 * by root. Names the owner and the command that repairs it.
 */
export function foreignOwner(file: string): string | undefined {
  const user = process.getuid?.();
  if (user === undefined || user === 0) return undefined;
  const folder = dirname(file);
  const foreign = [folder, file, `${file}-wal`, `${file}-shm`].find((path) => {
    const stats = statusOf(path);
    return stats !== undefined && stats.uid !== user && !isUsable(path);
  });
  if (foreign === undefined) return undefined;
  const owner = statusOf(foreign)?.uid;
  const chown = `chown -R ${user} ${quotedPath(folder)}`;
  // Another owner may be the service's user, who must keep the file.
  const repair = owner === 0 ? chown : `run this as that user; or, if it is no longer the service's: ${chown}`;
  return `${foreign} belongs to user ${owner}${owner === 0 ? " (root)" : ""}, and this is user ${user}: ${repair}`;
}

function isUsable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Errors are ignored: opening the file reports them. */
function statusOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** Quoted for a shell. */
export function quotedPath(path: string): string {
  return /^[\w./@:-]+$/u.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
