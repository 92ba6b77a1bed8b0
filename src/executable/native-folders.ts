import { lstatSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { dirname, isAbsolute, join } from "node:path";

type Environment = Record<string, string | undefined>;

/**
 * Where native modules may be unpacked, best first. What the operator names is the only choice: the reason why it will not do is worth more
 * than another folder. CACHE_DIRECTORY is what systemd calls the folder of `CacheDirectory=`.
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
  // The name is known to everybody: `claimFolder` refuses one that somebody else was first to make.
  return [...folders, join(tmpdir(), `authsvc-native-${process.getuid?.() ?? userInfo().username}`)];
}

/** Makes the folder when there is none. Throws when somebody else could change what lies in it, and Node's error when it cannot be made. */
export function claimFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  if (!found.isDirectory()) throw new Error("it is not a folder");
  if (!isOursAlone(found)) throw new Error("another user may write to it");
  if (!isBelowOurs(dirname(realpathSync(folder)))) throw new Error("another user could put another in its place");
}

/** Who everybody is that a user namespace does not know: there `/` may be theirs. */
const unknownUser = 65_534;

/**
 * Whether this folder and those above are this user's or root's: the owner of one may swap what lies in it between our look and our use. Modes are not
 * looked at: a volume of a container is often open to everybody who is not there.
 */
function isBelowOurs(folder: string): boolean {
  if (process.getuid === undefined) return true;
  const isOurs = [process.getuid(), 0, unknownUser].includes(statSync(folder).uid);
  const above = dirname(folder);
  return isOurs && (above === folder || isBelowOurs(above));
}

/** Whether only this user, or root, decides what is in a file or folder. Windows keeps profiles apart by itself. */
export function isOursAlone({ uid, mode }: { uid: number; mode: number }): boolean {
  if (process.getuid === undefined) return true;
  return (uid === process.getuid() || uid === 0) && (mode & 0o022) === 0;
}
