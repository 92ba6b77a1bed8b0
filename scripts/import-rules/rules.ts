import path from "node:path";
import type { ImportLine, Module } from "./read-module.ts";

const domains = [
  "account",
  "applications",
  "audit",
  "desired-state",
  "doctor",
  "email-tokens",
  "mail",
  "methods",
  "metrics",
  "oauth",
  "passkeys",
  "passwords",
  "rate-limits",
  "secrets",
  "sign-in",
  "tokens",
  "users",
  "webhooks",
];

/**
 * From which other folders of src/ a folder may import values; "src" stands for the files that lie directly in it.
 * `import type` is free, except in lib, which imports nothing of ours at all.
 */
const mayUse: Record<string, string[]> = {
  lib: [],
  config: ["lib"],
  storage: ["lib", "config"],
  http: ["lib", "config"],
  pages: ["lib"],
  cli: ["lib", "config", "openapi", "benchmark", "src"],
  benchmark: ["lib", "config", "passwords", "src"],
  bin: ["lib", "config", "cli"],
  executable: ["lib"],
  dev: ["lib", "config", "http", "pages"],
  hosted: ["lib", "config", "http", "pages"],
  // The bodies that handlers read requests with are what it describes.
  openapi: ["lib", "config", "http", "pages", ...domains],
  src: ["lib", "config", "http", "pages", "hosted", "dev", "openapi", "src"],
  ...Object.fromEntries(domains.map((domain) => [domain, ["lib", "config", "storage", "http", "pages", "hosted"]])),
};

/** The composition root sees everything; the table of routes sees the handlers. Other files beside them: of one domain at most. */
const exceptions: { file: string; to: RegExp }[] = [
  { file: "src/app.ts", to: /^src\// },
  { file: "src/services.ts", to: /^src\// },
  { file: "src/hosted-pages.ts", to: /^src\/[a-z-]+\/([a-z-]+-pages|visits)\.ts$/ },
  { file: "src/encrypted-columns.ts", to: /^src\// },
  { file: "src/maintenance.ts", to: /^src\// },
  { file: "src/transfers.ts", to: /^src\/(storage|secrets)\// },
  {
    file: "src/registry.ts",
    to: /^src\/(storage\/(open|metered)|applications\/service|audit\/audit|oauth\/providers)\.ts$/,
  },
  { file: "src/names.ts", to: /^src\/(storage\/open|[a-z]+\/([a-z-]+-)?store)\.ts$/ },
  { file: "src/operator-services.ts", to: /^src\/[a-z-]+\/[a-z-]+\.ts$/ },
  { file: "src/routes.ts", to: /^src\/[a-z-]+\/([a-z-]+-)?routes\.ts$/ },
];

/** Where a library may be imported. `only` of the first pattern that fits counts; types are judged like values. */
const homes: { library: RegExp; only: RegExp; say: string }[] = [
  {
    library: /^(better-sqlite3|pg|pg-.*|node:sqlite)$/,
    only: /^src\/storage\//,
    say: "a driver belongs in src/storage",
  },
  { library: /^drizzle-orm\/./, only: /^src\/storage\//, say: "drizzle's dialects and drivers belong in src/storage" },
  {
    library: /^drizzle-orm$/,
    only: /^src\/(storage\/.*|[a-z-]+\/([a-z-]+-)?store\.ts$)/,
    say: "queries belong in a store.ts",
  },
  { library: /^(commander|@inquirer\/.*)$/, only: /^src\/cli\//, say: "belongs in src/cli" },
  { library: /^@simplewebauthn\/browser$/, only: /^src\/pages\/client\//, say: "belongs in src/pages/client" },
];

/** Libraries with exactly one importer, which wraps their errors and speaks our words. */
const oneImporter = [
  "jose",
  "@simplewebauthn/server",
  "@node-rs/argon2",
  "@node-rs/bcrypt",
  "arctic",
  "nodemailer",
  "yaml",
  "pino",
  "prom-client",
];

const environmentReaders = /^(src\/config|src\/executable|bin)\//;
const mostLines = 300;

/** Checks the files of src/ and bin/ against the rules of the house. Each violation is one line: `file:line  what is wrong`. */
export function findViolations(modules: Module[]): string[] {
  return [
    ...modules.flatMap(violationsOf),
    ...modules.flatMap(domainsTooMany),
    ...importersTooMany(modules),
  ].toSorted();
}

function violationsOf(module: Module): string[] {
  const at = (line: number, problem: string): string => `${module.path}:${line}  ${problem}`;
  const found = module.imports.flatMap((imported) =>
    problemsOfImport(module.path, imported).map((problem) => at(imported.line, problem)),
  );
  if (!(placeOf(module.path) in mayUse)) found.push(at(1, "this folder is not known to scripts/import-rules/rules.ts"));
  if (path.posix.basename(module.path) === "index.ts")
    found.push(at(1, "no barrels: name the file after what it holds"));
  if (module.path.startsWith("src/") && module.lineCount > mostLines) {
    found.push(at(module.lineCount, `${module.lineCount} lines; split what is over ${mostLines}`));
  }
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
  if (isType && from !== "lib") return true;
  if (from === "src" && domains.includes(to)) return true; // counted by domainsTooMany
  if (exceptions.some((exception) => exception.file === file && exception.to.test(target))) return true;
  return mayUse[from]?.includes(to) ?? true;
}

function describeRefusal(file: string, target: string): string {
  const from = placeOf(file);
  return from === "lib"
    ? `lib imports nothing of ours (${target})`
    : `${from} imports only types from ${placeOf(target)} (${target})`;
}

/** The folder of src/ that a file belongs to; "bin", "src" for the files directly in src/, "outside" for package.json and the like. */
function placeOf(file: string): string {
  const [top = "", folder = "", ...rest] = file.split("/");
  if (top === "bin") return "bin";
  if (top !== "src") return "outside";
  return rest.length === 0 ? "src" : folder;
}

function domainsTooMany({ path: file, imports }: Module): string[] {
  if (placeOf(file) !== "src") return [];
  const targets = imports
    .filter(({ from, isType }) => from.startsWith(".") && !isType)
    .map(({ from, line }) => ({ target: path.posix.join(path.posix.dirname(file), from), line }))
    .filter(({ target }) => domains.includes(placeOf(target)))
    .filter(({ target }) => !exceptions.some((exception) => exception.file === file && exception.to.test(target)));
  if (new Set(targets.map(({ target }) => placeOf(target))).size <= 1) return [];
  return targets.map(({ target, line }) => `${file}:${line}  only src/app.ts composes several domains (${target})`);
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
