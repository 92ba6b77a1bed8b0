import { join } from "node:path";
import { createApplications } from "./applications/service.ts";
import { createAudit } from "./audit/audit.ts";
import type { Config } from "./config/config.ts";
import { systemClock, type Clock } from "./lib/clock.ts";
import type { Log } from "./lib/log.ts";
import type { Meter } from "./lib/meter.ts";
import { systemRandom, type Random } from "./lib/random.ts";
import { silentLog } from "./lib/silent-log.ts";
import { isKnownProvider } from "./oauth/providers.ts";
import { meteredStorage } from "./storage/metered.ts";
import { openStorage } from "./storage/open.ts";
import type { Storage } from "./storage/storage.ts";

export type Registry = Awaited<ReturnType<typeof openRegistry>>;

/**
 * Opens storage at its newest schema, with what is registered in it: the applications with their keys, and the log of what happened. All else stands
 * on it (`app.ts`), and a command that only looks at these needs no more: loading every service takes longer than the rest of such a command.
 * Takes no master key. Throws UNUSABLE_STORAGE.
 */
export async function openRegistry(
  config: Config,
  {
    clock = systemClock,
    random = systemRandom,
    log = silentLog,
    meter,
  }: { clock?: Clock; random?: Random; log?: Log; meter?: Meter | undefined } = {},
) {
  const opened = await openStorage({ ...config.database, file: join(config.dataDir, "authsvc.db") }, clock(), (error) =>
    log.warn("a database connection was lost", { reason: error.message }),
  );
  const storage = meter ? meteredStorage(opened, meter) : opened;
  const audit = createAudit({ storage, clock, random });
  const applicationsOver = (over: Storage) =>
    createApplications({ storage: over, audit, clock, random, isKnownProvider });
  return {
    storage,
    audit,
    applications: applicationsOver(storage),
    /** The same applications within a transaction. */
    applicationsOver,
  };
}
