import path from "node:path";
import type { ImportLine, Module } from "./read-module.ts";

const domains = [
  "account",
  "applications",
  "audit",
  "clients",
  "desired-state",
  "doctor",
  "email-tokens",
  "groups",
  "mail",
  "methods",
  "metrics",
  "oauth",
  "openid",
  "passkeys",
  "passwords",
  "rate-limits",
  "revocations",
  "secrets",
  "sign-in",
  "tokens",
  "users",
  "webhooks",
];

/**
 * From the bottom up. Types may come from any layer that is not above. "src" stands for the files
 * directly in it.
 */
const layers: string[][] = [
  ["lib"],
  ["config"],
  ["storage"],
  ["http"],
  ["pages"],
  ["hosted", ...domains],
  ["openapi"],
  ["src", "database", "dev"],
  ["cli", "benchmark", "executable"],
  ["bin"],
];

/** The composition sees everything. */
const composition = layers.slice(0, 8).flat();

/** The other folders from which a folder may import values. */
const mayUse: Record<string, string[]> = {
  lib: [],
  config: ["lib"],
  storage: ["lib", "config"],
  http: ["lib", "config"],
  pages: ["lib"],
  hosted: ["lib", "config", "http", "pages"],
  ...Object.fromEntries(domains.map((domain) => [domain, ["lib", "config", "storage", "http", "pages", "hosted"]])),
  // It describes the schemas with which handlers read bodies.
  openapi: ["lib", "config", "storage", "http", "pages", ...domains],
  src: composition,
  database: composition,
  dev: ["lib", "config", "http", "pages"],
  cli: ["lib", "config", "openapi", "database", "benchmark", "src"],
  benchmark: ["lib", "config", "passwords", "src"],
  executable: ["lib"],
  bin: ["lib", "config", "cli"],
};

/**
 * Where a library may be imported. The first matching pattern's `only` counts; types count like
 * values.
 */
const homes: { library: RegExp; only: RegExp; say: string }[] = [
  {
    library: /^(better-sqlite3|pg|pg-.*|node:sqlite)$/,
    only: /^src\/storage\//,
    say: "a driver belongs in src/storage",
  },
  { library: /^drizzle-orm\/./, only: /^src\/storage\//, say: "drizzle's dialects and drivers belong in src/storage" },
  {
    library: /^drizzle-orm$/,
    only: /^src\/(storage\/.*|[a-z-]+\/([a-z-]+\/)?([a-z-]+-)?store\.ts$)/,
    say: "queries belong in a store.ts",
  },
  { library: /^(commander|@inquirer\/.*)$/, only: /^src\/cli\//, say: "belongs in src/cli" },
  { library: /^@simplewebauthn\/browser$/, only: /^src\/pages\/client\//, say: "belongs in src/pages/client" },
];

/** Libraries with exactly one importer, which wraps their errors and uses our terms. */
const oneImporter = [
  "jose",
  "@simplewebauthn/server",
  "@node-rs/argon2",
  "bcryptjs",
  "@zxcvbn-ts/core",
  "@zxcvbn-ts/language-common",
  "arctic",
  "nodemailer",
  "yaml",
  "pino",
  "prom-client",
];

/**
 * Settings are read in src/config. The other two files set variables that libuv and SQLite read.
 */
const environmentReaders =
  /^((src\/config|src\/executable|bin)\/|src\/(passwords\/thread-pool|storage\/sqlite\/temporary-files)\.ts$)/;

/**
 * Checks the files of src/ and bin/ against the house rules. Each violation is one line: `file:line
 * what is wrong`.
 */
export function findViolations(modules: Module[]): string[] {
  return [...modules.flatMap(violationsOf), ...importersTooMany(modules)].toSorted();
}

function violationsOf(module: Module): string[] {
  const at = (line: number, problem: string): string => `${module.path}:${line}  ${problem}`;
  const found = module.imports.flatMap((imported) =>
    problemsOfImport(module.path, imported).map((problem) => at(imported.line, problem)),
  );
  if (!(placeOf(module.path) in mayUse)) found.push(at(1, "this folder is not known to scripts/import-rules/rules.ts"));
  if (path.posix.basename(module.path) === "index.ts")
    found.push(at(1, "no barrels: name the file after what it holds"));
  if (!environmentReaders.test(module.path)) {
    found.push(...module.environmentReads.map((line) => at(line, "process.env is read in src/config only")));
  }
  return found;
}

function problemsOfImport(file: string, imported: ImportLine): string[] {
  if (!imported.from.startsWith(".")) return problemsOfLibrary(file, imported);
  const target = path.posix.join(path.posix.dirname(file), imported.from);
  if (!/\.(ts|json)$/.test(target)) return [`"${imported.from}" lacks the ending .ts`];
  return isAllowed(file, target, imported.isType) ? [] : [describeRefusal(file, target)];
}

function problemsOfLibrary(file: string, { from }: ImportLine): string[] {
  const home = homes.find(({ library }) => library.test(from));
  return home === undefined || home.only.test(file) ? [] : [`${from}: ${home.say}`];
}

function isAllowed(file: string, target: string, isType: boolean): boolean {
  const [from, to] = [placeOf(file), placeOf(target)];
  if (from === to || to === "outside") return true;
  if (mayUse[from]?.includes(to) ?? true) return true;
  return isType && layerOf(to) <= layerOf(from);
}

function layerOf(place: string): number {
  return layers.findIndex((folders) => folders.includes(place));
}

function describeRefusal(file: string, target: string): string {
  const [from, to] = [placeOf(file), placeOf(target)];
  return layerOf(to) <= layerOf(from)
    ? `${from} imports only types from ${to} (${target})`
    : `${from} lies below ${to} and imports nothing from it (${target})`;
}

/**
 * The folder of src/ that a file belongs to; "bin", "src" for files directly in src/, "outside" for
 * package.json and the like.
 */
function placeOf(file: string): string {
  const [top = "", folder = "", ...rest] = file.split("/");
  if (top === "bin") return "bin";
  if (top !== "src") return "outside";
  return rest.length === 0 ? "src" : folder;
}

function importersTooMany(modules: Module[]): string[] {
  return oneImporter.flatMap((library) => {
    const importers = modules.flatMap(({ path: file, imports }) =>
      imports
        .filter(({ from, isType }) => !isType && (from === library || from.startsWith(`${library}/`)))
        .map(({ line }) => ({ file, line })),
    );
    const files = [...new Set(importers.map(({ file }) => file))];
    if (files.length <= 1) return [];
    return importers.map(
      ({ file, line }) => `${file}:${line}  ${library} has ${files.length} importers; one file should wrap it`,
    );
  });
}
