import { statSync, type Stats } from "node:fs";

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
