// `npm run lock [-- --check]`: adds other platforms' optional packages, which the registry may not
// offer, to package-lock.json. Without them, `npm ci` refuses it.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

interface LockEntry {
  version?: string;
  dev?: boolean;
  cpu?: string[];
  os?: string[];
  libc?: string[];
  optional?: boolean;
  optionalDependencies?: Record<string, string>;
}

const file = path.resolve(import.meta.dirname, "../package-lock.json");
const lock = JSON.parse(readFileSync(file, "utf8")) as { packages: Record<string, LockEntry> };
const added = addMissing(lock.packages);

if (process.argv.includes("--check")) {
  if (added.length > 0) console.error(`package-lock.json lacks ${added.join(", ")}\nComplete it with: npm run lock`);
  process.exitCode = added.length > 0 ? 1 : 0;
} else if (added.length > 0) {
  lock.packages = Object.fromEntries(Object.entries(lock.packages).toSorted(([a], [b]) => a.localeCompare(b, "en")));
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`added ${added.length} packages to package-lock.json`);
}

function addMissing(packages: Record<string, LockEntry>): string[] {
  const names: string[] = [];
  for (const [dependent, entry] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const found = findFor(packages, dependent, name);
      const isExact = /^\d+\.\d+\.\d+[\w.-]*$/.test(version);
      if (found !== undefined && (!isExact || found.version === version)) continue;
      if (!isExact) throw new Error(`${dependent} wants ${name}@${version}; which version is that?`);
      const folder = found === undefined ? "" : `${dependent}/`;
      const dev = entry.dev === true ? { dev: true } : {};
      packages[`${folder}node_modules/${name}`] = { version, ...dev, ...platformOf(name), optional: true };
      names.push(`${name}@${version}`);
    }
  }
  return names;
}

/** Looks where Node would: below the dependent, then in each node_modules above it. */
function findFor(packages: Record<string, LockEntry>, dependent: string, name: string): LockEntry | undefined {
  for (
    let folder = dependent;
    folder !== "";
    folder = folder.slice(0, Math.max(folder.lastIndexOf("/node_modules/"), 0))
  ) {
    const entry = packages[`${folder}/node_modules/${name}`];
    if (entry !== undefined) return entry;
  }
  return packages[`node_modules/${name}`];
}

/**
 * Packages with native code contain the platform in their name: `binding-linux-x64-musl`,
 * `darwin-arm64`.
 */
function platformOf(name: string): Pick<LockEntry, "cpu" | "os" | "libc"> {
  if (name.endsWith("wasm32-wasi")) return { cpu: ["wasm32"] };
  const [, os, cpu, abi] =
    /(android|darwin|freebsd|linux|openharmony|openbsd|netbsd|sunos|aix|win32)-([a-z0-9]+)(?:-([a-z]+))?$/.exec(name) ??
    [];
  if (os === undefined || cpu === undefined) throw new Error(`The name ${name} does not tell its platform.`);
  const libc = abi === undefined || os !== "linux" ? undefined : abi.startsWith("musl") ? "musl" : "glibc";
  return { cpu: [cpu], os: [os], ...(libc !== undefined && { libc: [libc] }) };
}
