import { join } from "node:path";
import { createApplications } from "./applications/service.ts";
import { createAudit } from "./audit/audit.ts";
import type { Config } from "./config/config.ts";
import { demoAppId, isDemoApp } from "./dev/left.ts";
import { systemClock, type Clock } from "./lib/clock.ts";
import type { Log } from "./lib/log.ts";
import type { Meter } from "./lib/meter.ts";
import { systemRandom, type Random } from "./lib/random.ts";
import { silentLog } from "./lib/silent-log.ts";
import { isKnownProvider } from "./oauth/providers.ts";
import { createRevocationRecords } from "./revocations/records.ts";
import type { Keyring } from "./secrets/keyring.ts";
import { meteredStorage } from "./storage/metered.ts";
import { openStorage, refuseForeignWriters } from "./storage/open.ts";
import type { Storage } from "./storage/storage.ts";
import { watchWrites } from "./storage/errors/writability.ts";

export type Core = Awaited<ReturnType<typeof openCore>>;

/** What the services are built on. */
export type Foundation = Core & {
  config: Config;
  keyring: Keyring;
  /** No trailing slash. */
  baseUrl: string;
  /** Whether the service is in development mode; for commands, whether the last one run was. */
  isDevelopment: boolean;
  clock: Clock;
  random: Random;
  fetch: typeof globalThis.fetch;
  log: Log;
  meter: Meter;
};

/**
 * Opens storage at its newest schema with its applications, their keys and the audit log. `app.ts`
 * builds on it. Commands that need no more use it alone, because loading all services takes longer
 * than the command itself. Needs no master key. `serves`: it answers requests, so leftovers of
 * development mode are disabled without that mode. Throws UNUSABLE_STORAGE.
 */
export async function openCore(
  config: Config,
  {
    clock = systemClock,
    random = systemRandom,
    log = silentLog,
    meter,
    serves = false,
  }: { clock?: Clock; random?: Random; log?: Log; meter?: Meter | undefined; serves?: boolean } = {},
) {
  const file = join(config.dataDir, "authsvc.db");
  if (config.database.url === undefined) refuseForeignWriters(file);
  const opened = await openStorage({ ...config.database, file }, clock(), (error) =>
    log.warn("a database connection was lost", { reason: error.message }),
  );
  const { storage, writability } = watchWrites(meter ? meteredStorage(opened, meter) : opened, log);
  const audit = createAudit({ storage, clock, random });
  const revocationRecords = createRevocationRecords();
  const leftoversAct = config.dev || !serves;
  const demoApp = { id: demoAppId, isIt: isDemoApp };
  const common = {
    revocations: revocationRecords,
    audit,
    clock,
    random,
    isKnownProvider,
    demoApp,
    demoAppActs: leftoversAct,
  };
  const applicationsOver = (over: Storage) => createApplications({ storage: over, ...common });
  return {
    storage,
    /** Whether it can be written. */
    writability,
    /** Whether leftovers of development mode in the database may be used. */
    leftoversAct,
    audit,
    revocationRecords,
    applications: applicationsOver(storage),
    /** The same applications within a transaction. */
    applicationsOver,
  };
}
