import path from "node:path";
import { circlesOf } from "./circles.ts";
import type { ImportLine, Module } from "./read-module.ts";
import { timeAndChanceOutOfPlace } from "./time-and-chance.ts";

/**
 * The folders of src/, from the bottom up; "src" stands for the files directly in it. A folder
 * imports from those before it, types included.
 */
const order = [
  "lib",
  "config",
  "storage",
  "secrets",
  "runtime",
  "http",
  "rate-limits",
  "metrics",
  "live",
  "look",
  "records",
  "pictures",
  "applications",
  "users",
  "factors",
  "organizations",
  "credentials",
  "companies",
  "tokens",
  "sessions",
  "sign-in",
  "openid",
  "people",
  "pages",
  "api",
  "forward-auth",
  "operators",
  "upkeep",
  "console",
  "src",
  "dev",
  "process",
  "cli",
  "executable",
  "bin",
];

/** What a folder imports from above: how many imports, and why. The numbers only get smaller. */
export const upward: Record<string, [imports: number, reason: string]> = {
  "runtime > credentials": [1, "the context holds the password estimate, which runs in a thread of its own"],
  "records > applications": [3, "a worker reads the application that it delivers for"],
  "records > tokens": [1, "a logout token is signed for each attempt"],
  "applications > users": [1, "a client names groups of the application"],
  "applications > credentials": [
    7,
    "a provider's registration moves its identities, and reads its discovery document; a shorter maximum ends personal access tokens",
  ],
  "applications > sessions": [1, "deleting a client ends its logins"],
  "users > tokens": [1, "groups become claims, which must not be too large"],
  "organizations > companies": [1, "an imported organization brings its provider"],
  "factors > credentials": [
    3,
    "a mail says that a second factor changed; a passkey is one, too; personal access tokens end with one",
  ],
  "factors > organizations": [1, "an organization lets its members set up a factor, or requires it"],
  "factors > sessions": [1, "a removed factor ends what a stranger may have begun"],
  "credentials > sessions": [7, "a new password or a removed method ends what a stranger may have begun"],
  "tokens > sessions": [4, "a token is valid while its login lives"],
  "sessions > sign-in": [1, "ending access cancels codes that are not redeemed"],
  "sign-in > openid": [1, "a finished sign-in ends its pushed request"],
  "upkeep > process": [4, "a benchmark runs the whole service; a new master key opens the database"],
};

/** Folders that know no domain, and the only folders from which they import. */
const closed: Record<string, string[]> = {
  lib: [],
  config: ["lib"],
  storage: ["lib", "config"],
  executable: ["lib", "cli"],
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

/**
 * One query decides which memberships count, and one function reads which organization a call is
 * about: a second one of either would forget a condition (docs/decisions/0093).
 */
const oneUser: Record<string, { only: RegExp; say: string }> = {
  organization_members: {
    only: /^src\/(organizations\/membership-store\.ts$|storage\/|look\/|pages\/)/,
    say: "memberships are read in src/organizations/membership-store.ts",
  },
  orgId: {
    only: /^src\/(?:api\/organization-guards|console\/scope)\.ts$/,
    say: "a guard reads the id and hands over the row",
  },
};

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
  "tldts",
];

/**
 * Settings are read in src/config. The other two files set variables that libuv and SQLite read.
 */
const environmentReaders =
  /^((src\/config|src\/executable|bin)\/|src\/(credentials\/passwords\/thread-pool|storage\/sqlite\/temporary-files)\.ts$)/;

/**
 * Checks the files of src/ and bin/ against the house rules. Each violation is one line: `file:line
 * what is wrong`.
 */
export function findViolations(modules: Module[]): string[] {
  const circles = circlesOf(modules).map((circle) => `a circle of files: ${circle}`);
  return [
    ...modules.flatMap(violationsOf),
    ...importersTooMany(modules),
    ...upwardTooMany(modules),
    ...timeAndChanceOutOfPlace(modules),
    ...circles,
  ].toSorted();
}

function violationsOf(module: Module): string[] {
  const at = (line: number, problem: string): string => `${module.path}:${line}  ${problem}`;
  const found = module.imports.flatMap((imported) =>
    problemsOfImport(module.path, imported).map((problem) => at(imported.line, problem)),
  );
  if (!order.includes(placeOf(module.path)))
    found.push(at(1, "this folder is not known to scripts/import-rules/rules.ts"));
  if (path.posix.basename(module.path) === "index.ts")
    found.push(at(1, "no barrels: name the file after what it holds"));
  if (!environmentReaders.test(module.path)) {
    found.push(...module.environmentReads.map((line) => at(line, "process.env is read in src/config only")));
  }
  for (const { what, line } of module.memberships)
    if (oneUser[what]?.only.test(module.path) === false) found.push(at(line, `${what}: ${oneUser[what].say}`));
  return found;
}

function problemsOfImport(file: string, imported: ImportLine): string[] {
  if (!imported.from.startsWith(".")) return problemsOfLibrary(file, imported);
  const target = path.posix.join(path.posix.dirname(file), imported.from);
  if (!/\.(ts|json)$/.test(target)) return [`"${imported.from}" lacks the ending .ts`];
  const [from, to] = [placeOf(file), placeOf(target)];
  if (from === to || to === "outside" || !order.includes(from)) return [];
  if (closed[from] && !closed[from].includes(to)) return [`${from} imports nothing from ${to} (${target})`];
  return isUpward(from, to) && !(`${from} > ${to}` in upward) ? [`${from} lies below ${to} (${target})`] : [];
}

function problemsOfLibrary(file: string, { from }: ImportLine): string[] {
  const home = homes.find(({ library }) => library.test(from));
  return home === undefined || home.only.test(file) ? [] : [`${from}: ${home.say}`];
}

function isUpward(from: string, to: string): boolean {
  return order.indexOf(to) > order.indexOf(from);
}

/** The listed imports from above, if there are more than the list says, or fewer. */
function upwardTooMany(modules: Module[]): string[] {
  const found = new Map<string, string[]>();
  for (const { path: file, imports } of modules)
    for (const { from: specifier, line } of imports) {
      if (!specifier.startsWith(".")) continue;
      const target = path.posix.join(path.posix.dirname(file), specifier);
      const [from, to] = [placeOf(file), placeOf(target)];
      if (from === to || to === "outside" || !isUpward(from, to)) continue;
      found.set(`${from} > ${to}`, [...(found.get(`${from} > ${to}`) ?? []), `${file}:${line}`]);
    }
  return Object.entries(upward).flatMap(([pair, [allowed]]) => {
    const places = found.get(pair) ?? [];
    if (places.length === 0 || places.length === allowed) return [];
    if (places.length < allowed) return [`${pair}: ${places.length} imports, and the list allows ${allowed}: lower it`];
    return [`${pair}: ${places.length} imports, and the list allows ${allowed}: ${places.join(" ")}`];
  });
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
