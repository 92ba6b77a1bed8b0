import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { root } from "./target.ts";

type Locked = { version: string; integrity?: string };

/**
 * The folder of a locked package, installed or, for another platform, downloaded by npm now.
 * Undefined if the registry does not offer it.
 */
export function packageFolder(name: string): string | undefined {
  const installed = path.join(root, "node_modules", name);
  if (existsSync(path.join(installed, "package.json"))) return installed;
  const { version, integrity } = locked(name);
  const folder = path.join(root, "build", "packages", `${name.replaceAll("/", "-")}-${version}`);
  if (
    !existsSync(path.join(folder, "package", "package.json")) &&
    !fetchPackage(`${name}@${version}`, integrity, folder)
  )
    return undefined;
  return path.join(folder, "package");
}

export function locked(name: string): Locked {
  const lock = JSON.parse(readFileSync(path.join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, Locked | undefined>;
  };
  const entry = lock.packages[`node_modules/${name}`];
  if (entry === undefined) throw new Error(`${name} is not in package-lock.json`);
  return entry;
}

function fetchPackage(wanted: string, integrity: string | undefined, folder: string): boolean {
  mkdirSync(folder, { recursive: true });
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const { status, stdout } = spawnSync(
    npm,
    ["pack", wanted, "--json", "--loglevel=silent", "--pack-destination", folder],
    {
      encoding: "utf8",
      shell: process.platform === "win32",
    },
  );
  if (status !== 0) return false;
  const file = path.join(folder, readFileName(stdout));
  const found = `sha512-${createHash("sha512").update(readFileSync(file)).digest("base64")}`;
  // Missing if the registry did not have the package when it was locked (scripts/complete-lock.ts).
  if (integrity !== undefined && integrity !== found)
    throw new Error(`${wanted} is not what package-lock.json says: ${found}`);
  const unpacked = spawnSync("tar", ["-xzf", file, "-C", folder], { stdio: "inherit" });
  if (unpacked.status !== 0) throw new Error(`tar could not unpack ${file}`);
  return true;
}

/** npm 11 prints an array, npm 12 an object by package. */
function readFileName(stdout: string): string {
  const [packed] = Object.values(JSON.parse(stdout) as Record<string, { filename: string }>);
  if (packed === undefined) throw new Error("npm pack named no file");
  return packed.filename;
}
