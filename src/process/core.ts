import { join } from "node:path";
import type { Config } from "../config/config.ts";
import type { StrengthOf } from "../credentials/passwords/strength.ts";
import { systemClock, type Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { silentMeter, type Meter } from "../lib/meter.ts";
import { systemRandom, type Random } from "../lib/random.ts";
import type { LimitMemory } from "../lib/rate-limits.ts";
import { silentLog } from "../lib/silent-log.ts";
import { recordMigrations } from "./lifecycle.ts";
import { closeParts, newContext, type CoreContext } from "../runtime/context.ts";
import { watchWrites } from "../storage/errors/writability.ts";
import { meteredStorage } from "../storage/metered.ts";
import { openReadingStorage, openStorage, refuseForeignWriters } from "../storage/open.ts";
import type { Storage } from "../storage/storage.ts";

/** Parts that tests replace. */
export type Surroundings = {
  clock?: Clock;
  random?: Random;
  fetch?: typeof globalThis.fetch;
  log?: Log;
  meter?: Meter | undefined;
  strengthOf?: StrengthOf;
  limitMemory?: LimitMemory | undefined;
  /** Stands between the process and its database. */
  storageAround?: (storage: Storage) => Storage;
};

/**
 * `serves`: it answers requests, so leftovers of development mode are disabled without that mode.
 * `readsOnly`: it is a thread of a process that has opened the database, SQLite's, to write.
 */
export type Use = { serves?: boolean; readsOnly?: boolean };

/**
 * Opens storage at its newest schema. Commands that need only applications, their keys and the
 * audit log use this context alone: it needs no master key. Throws UNUSABLE_STORAGE.
 */
export async function openCore(
  config: Config,
  {
    clock = systemClock,
    random = systemRandom,
    log = silentLog,
    meter,
    serves = false,
    readsOnly = false,
    limitMemory,
    storageAround = (storage) => storage,
  }: Pick<Surroundings, "clock" | "random" | "log" | "meter" | "limitMemory" | "storageAround"> & Use = {},
): Promise<CoreContext> {
  const file = join(config.dataDir, "authsvc.db");
  if (config.database.url === undefined) refuseForeignWriters(file);
  const opened = storageAround(
    readsOnly
      ? openReadingStorage(file)
      : await openStorage(
          { ...config.database, file },
          clock(),
          (error) => log.warn("a database connection was lost", { reason: error.message }),
          random,
        ),
  );
  const { storage, writability } = watchWrites(meter ? meteredStorage(opened, meter) : opened, log);
  const usesLeftovers = config.dev || !serves;
  const ctx = newContext<CoreContext>({
    config,
    storage,
    writability,
    usesLeftovers,
    clock,
    random,
    log,
    meter: meter ?? silentMeter,
    limitMemory,
  });
  const { migrated = [] } = opened;
  if (migrated.length > 0) await recordMigrations(ctx, migrated);
  return ctx;
}

/** Writes what parts have in memory, and waits for running writes. */
export async function closeContext(ctx: CoreContext): Promise<void> {
  await closeParts(ctx);
  await ctx.storage.close();
}
