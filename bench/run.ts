// `npm run bench [-- PART … OPTION …]`: runs all measurements on this machine and prints ratios and
// absolute values. Goals, results and options: docs/performance.md.
import { cpus, release, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { loadConfig } from "../src/config/load.ts";
import { openSqliteConnection } from "../src/storage/sqlite/sqlite.ts";
import type { Context } from "./context.ts";
import { withPostgres } from "./databases.ts";
import { measureExecutable } from "./executable.ts";
import { measureLive } from "./live.ts";
import { startLoadThread } from "./load.ts";
import { measureMillion } from "./million.ts";
import { measureOpenId } from "./openid.ts";
import { measureOverload } from "./overload.ts";
import { chosenProgram, inFolder, sources, versionOf } from "./program.ts";
import { createReport, table } from "./report.ts";
import { measureSearch } from "./search.ts";
import { measureSdk } from "./sdk.ts";
import { measureSignIns } from "./sign-ins.ts";
import { measureThreads } from "./threads.ts";
import { measureManyUsers, measureTokens, onPostgres, onSqlite } from "./tokens.ts";
import { measureWebhooks } from "./webhooks.ts";

const parts: Record<string, (context: Context) => Promise<void>> = {
  validate: async (context) => await measureTokens(context, onSqlite),
  "sign-ins": async (context) => await measureSignIns(context, "SQLite"),
  openid: async (context) => await measureOpenId(context, onSqlite),
  overload: measureOverload,
  million: async (context) => await measureMillion(context, "SQLite", async () => undefined),
  webhooks: async (context) => await measureWebhooks(context, "SQLite"),
  executable: measureExecutable,
  sdk: measureSdk,
  search: async (context) => await measureSearch(context, "SQLite", async () => undefined),
  live: measureLive,
  threads: measureThreads,
  postgres: async (context) =>
    await withPostgres(async ({ facts, environment }) => {
      context.report.note("PostgreSQL on the same machine", facts);
      await measureTokens(context, onPostgres(await environment()));
      await measureManyUsers(context, onPostgres(await environment()));
      await measureSignIns(context, "PostgreSQL", await environment());
      await measureOpenId(context, onPostgres(await environment()));
      await measureWebhooks(context, "PostgreSQL", await environment());
    }),
  "postgres-search": async (context) =>
    await withPostgres(async ({ environment }) => await measureSearch(context, "PostgreSQL", environment)),
  "postgres-million": async (context) =>
    await withPostgres(async ({ environment }) => await measureMillion(context, "PostgreSQL", environment)),
};

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "3" },
    /** Users of the large database, in thousands. */
    thousands: { type: "string", default: "1000" },
    /** HTTP threads of the part `threads`. */
    threads: { type: "string", default: "2" },
    /** Measure the sources even if there is an executable. */
    sources: { type: "boolean", default: false },
  },
});
const unknown = positionals.filter((part) => !(part in parts));
if (unknown.length > 0) throw new Error(`there is no part ${unknown.join(", ")}: ${Object.keys(parts).join(", ")}`);

const program = values.sources ? sources : chosenProgram();
const { config } = loadConfig({ flags: {}, env: {}, cwd: tmpdir() });
const { memoryKiB, iterations, parallelism } = config.passwords;
const head = [
  `${versionOf(program)}, from ${program.name}; Linux ${release()}, ${new Date().toISOString()}`,
  `${cpus().length} × ${cpus()[0]?.model}, load from the same machine; ${values.rounds} rounds of ${values.seconds} s, medians`,
  `argon2id m=${memoryKiB} KiB t=${iterations} p=${parallelism}; ${await inFolder(sqliteFacts)}`,
];
console.log(head.join("\n"));
const report = createReport((line) => console.log(line));
using thread = startLoadThread();
const context: Context = {
  program,
  report,
  load: thread.load,
  seconds: Number(values.seconds),
  rounds: Number(values.rounds),
  thousands: Number(values.thousands),
  threads: Number(values.threads),
};
for (const part of positionals.length > 0 ? positionals : Object.keys(parts)) {
  console.log(`\n${part}`);
  await parts[part]?.(context);
}
console.log(`\n${head.join("\n")}\n\n${table(report.rows)}`);

/** Opens the database like the service. */
async function sqliteFacts(folder: string): Promise<string> {
  const connection = openSqliteConnection(join(folder, "authsvc.db"));
  const version = String(connection.prepare("SELECT sqlite_version()").pluck().get());
  const journal = String(connection.pragma("journal_mode", { simple: true }));
  const synchronous = ["OFF", "NORMAL", "FULL", "EXTRA"][Number(connection.pragma("synchronous", { simple: true }))];
  connection.close();
  return `SQLite ${version}, journal_mode=${journal}, synchronous=${synchronous}`;
}
