import { lstatSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { dirname, isAbsolute, join } from "node:path";

type Environment = Record<string, string | undefined>;

/**
 * Where native modules may be unpacked, best first. If the operator chose a folder, only that: the
 * error there is more useful than another folder. systemd sets CACHE_DIRECTORY for
 * `CacheDirectory=`.
 */
export function nativeFolders(env: Environment): string[] {
  const named = env["AUTHSVC_NATIVE_DIR"];
  if (named !== undefined && named !== "") return [named];
  const caches = [
    env["CACHE_DIRECTORY"]?.split(":")[0],
    env["XDG_CACHE_HOME"],
    env["LOCALAPPDATA"],
    env["HOME"] && join(env["HOME"], ".cache"),
  ];
  const folders = caches
    .filter((folder) => folder !== undefined && isAbsolute(folder))
    .map((folder) => join(folder ?? "", "authsvc", "native"));
  // The name is predictable: `claimFolder` refuses a folder that somebody else created first.
  return [...folders, join(tmpdir(), `authsvc-native-${process.getuid?.() ?? userInfo().username}`)];
}

/**
 * Creates the folder if necessary. Throws if another user could change its contents, or Node's
 * error if it cannot be created.
 */
export function claimFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stats = lstatSync(folder);
  if (!stats.isDirectory()) throw new Error("it is not a folder");
  if (!isOursAlone(stats)) throw new Error("another user may write to it");
  if (!isBelowOurs(dirname(realpathSync(folder)))) throw new Error("another user could replace it");
}

/** The id that a user namespace shows for unmapped users, who may own `/` there. */
const unknownUser = 65_534;

/**
 * Whether this folder and its parents belong to this user or root: another owner could replace the
 * contents between check and use. Modes are not checked, because container volumes are often open
 * to everyone.
 */
function isBelowOurs(folder: string): boolean {
  if (process.getuid === undefined) return true;
  const isOurs = [process.getuid(), 0, unknownUser].includes(statSync(folder).uid);
  const above = dirname(folder);
  return isOurs && (above === folder || isBelowOurs(above));
}

/**
 * Whether only this user or root controls a file or folder. Windows separates profiles by itself.
 */
export function isOursAlone({ uid, mode }: { uid: number; mode: number }): boolean {
  if (process.getuid === undefined) return true;
  return (uid === process.getuid() || uid === 0) && (mode & 0o022) === 0;
}
