import type { Module } from "./read-module.ts";

/**
 * Who reads the time or draws by itself, and why. Everything else uses `clock` and `random` of the
 * context, which tests and the simulation decide (docs/decisions/0091).
 */
const allowed: { what: string; reason: string; files: string[] }[] = [
  { what: "Date.now", reason: "it is the clock of the context", files: ["src/lib/clock.ts"] },
  { what: "randomFillSync", reason: "it is the random of the context", files: ["src/lib/random.ts"] },
  {
    what: "performance.now",
    reason: "a deadline or an interval, which a clock that jumps must not change (docs/decisions/0040)",
    files: [
      "src/companies/connections.ts",
      "src/console/parts/kept.ts",
      "src/http/connections.ts",
      "src/people/search-steps.ts",
      "src/rate-limits/shared.ts",
      "src/records/revocations/service.ts",
      "src/storage/errors/writability.ts",
      "src/storage/postgres/deadline.ts",
      "src/storage/postgres/hosts.ts",
      "src/storage/postgres/ping.ts",
      "src/storage/postgres/pool.ts",
      "src/storage/postgres/postgres.ts",
      "src/storage/sqlite/write-queue.ts",
      "src/upkeep/desired-state/service.ts",
    ],
  },
  {
    what: "performance.now",
    reason: "it measures how long something takes, to report it",
    files: [
      "src/cli/output/progress.ts",
      "src/credentials/passwords/hasher.ts",
      "src/http/request.ts",
      "src/http/router.ts",
      "src/live/counts.ts",
      "src/live/live.ts",
      "src/metrics/metrics.ts",
      "src/records/webhooks/sender.ts",
      "src/storage/metered.ts",
      "src/upkeep/benchmark/load.ts",
    ],
  },
  {
    what: "Date.now",
    reason: "a command that has no context, or shows the time at a terminal",
    files: [
      "src/cli/commands/breached-passwords/breached-passwords-build.ts",
      "src/cli/commands/breached-passwords/breached-passwords-fetch.ts",
      "src/cli/commands/config/config-check.ts",
      "src/cli/commands/doctor.ts",
      "src/cli/commands/logs.ts",
      "src/cli/commands/token/token-inspect.ts",
      "src/cli/commands/top.ts",
      "src/cli/input/values.ts",
      "src/cli/output/screen.ts",
    ],
  },
  { what: "new Date()", reason: "the same", files: ["src/cli/commands/logs.ts"] },
  {
    what: "randomBytes",
    reason: "a name for a temporary file, which no other process may have",
    files: [
      "src/cli/commands/db/db-backup.ts",
      "src/credentials/passwords/breached/build.ts",
      "src/credentials/passwords/breached/file.ts",
      "src/executable/native-modules.ts",
      "src/lib/durable-files.ts",
      "src/upkeep/database/transfers.ts",
      "src/upkeep/updates/replace.ts",
    ],
  },
  { what: "randomBytes", reason: "a new master key, before there is a context", files: ["src/cli/init/answers.ts"] },
  { what: "randomUUID", reason: "the id of a request that could not be parsed", files: ["src/http/listener.ts"] },
  { what: "process.hrtime", reason: "the clock that systemd asks for", files: ["src/cli/systemd.ts"] },
];

/** They run in browsers. */
const inBrowsers = /^src\/(?:pages|dev)\/client\//u;

/** New sources of time and chance, and exceptions that nobody needs any more. */
export function timeAndChanceOutOfPlace(modules: Module[]): string[] {
  return modules.flatMap(({ path: file, timeAndChance }) => {
    if (inBrowsers.test(file)) return [];
    const mayUse = allowed.filter(({ files }) => files.includes(file)).map(({ what }) => what);
    const unknown = timeAndChance.filter(({ what }) => !mayUse.includes(what));
    const unused = mayUse.filter((what) => timeAndChance.every((use) => use.what !== what));
    return [
      ...unknown.map(({ what, line }) => `${file}:${line}  ${what}: use clock and random of the context`),
      ...unused.map((what) => `${file}:1  ${what} is not used: remove it from scripts/import-rules/time-and-chance.ts`),
    ];
  });
}
