import { join } from "node:path";
import { masterKeyOf, type Config } from "./config/config.ts";
import { createStrength, type StrengthOf } from "./credentials/passwords/strength.ts";
import { systemClock, type Clock } from "./lib/clock.ts";
import type { Log } from "./lib/log.ts";
import { silentMeter, type Meter } from "./lib/meter.ts";
import { systemRandom, type Random } from "./lib/random.ts";
import { silentLog } from "./lib/silent-log.ts";
import { closeParts, newContext, type Context, type CoreContext } from "./runtime/context.ts";
import { openKeyring } from "./secrets/open-keyring.ts";
import { findMetadata, replaceMetadata } from "./secrets/store.ts";
import { watchWrites } from "./storage/errors/writability.ts";
import { meteredStorage } from "./storage/metered.ts";
import { openStorage, refuseForeignWriters } from "./storage/open.ts";
import type { Handle } from "./storage/storage.ts";

/** What tests replace. */
export type Surroundings = {
  clock?: Clock;
  random?: Random;
  fetch?: typeof globalThis.fetch;
  log?: Log;
  meter?: Meter | undefined;
  strengthOf?: StrengthOf;
};

const baseUrlMetadata = "base-url";
const modeMetadata = "mode";

/**
 * Opens storage at its newest schema. Commands that need only applications, their keys and the
 * audit log use this context alone: it needs no master key. `serves`: it answers requests, so
 * leftovers of development mode are disabled without that mode. Throws UNUSABLE_STORAGE.
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
): Promise<CoreContext> {
  const file = join(config.dataDir, "authsvc.db");
  if (config.database.url === undefined) refuseForeignWriters(file);
  const opened = await openStorage({ ...config.database, file }, clock(), (error) =>
    log.warn("a database connection was lost", { reason: error.message }),
  );
  const { storage, writability } = watchWrites(meter ? meteredStorage(opened, meter) : opened, log);
  const leftoversAct = config.dev || !serves;
  return newContext<CoreContext>({
    config,
    storage,
    writability,
    leftoversAct,
    clock,
    random,
    log,
    meter: meter ?? silentMeter,
  });
}

/**
 * The whole context of a process: with the keyring and the base URL, by default the one of the last
 * service run. Throws UNUSABLE_STORAGE, INVALID_CONFIG.
 */
export async function openContext(
  config: Config,
  {
    baseUrl: given,
    fetch = globalThis.fetch,
    strengthOf = createStrength(),
    serves = false,
    ...surroundings
  }: Surroundings & { baseUrl?: string | undefined; serves?: boolean },
): Promise<Context> {
  const core = await openCore(config, { ...surroundings, serves });
  const { storage, clock, random } = core;
  try {
    const keyring = await openKeyring(storage, masterKeyOf(config), { random, now: clock() });
    const last = await lastService(storage.reader);
    const baseUrl = given ?? last.baseUrl ?? `http://localhost:${config.listen.port}`;
    const isDevelopment = serves ? config.dev : last.isDevelopment;
    return newContext<Context>({ ...core, keyring, baseUrl, isDevelopment, fetch, strengthOf });
  } catch (error) {
    await storage.close();
    throw error;
  }
}

/** Waits for running writes. */
export async function closeContext(ctx: CoreContext): Promise<void> {
  await closeParts(ctx);
  await ctx.storage.close();
}

async function lastService(handle: Handle): Promise<{ baseUrl: string | undefined; isDevelopment: boolean }> {
  const isDevelopment = (await findMetadata(handle, modeMetadata)) === "development";
  return { baseUrl: await findMetadata(handle, baseUrlMetadata), isDevelopment };
}

/** For commands, which may not know the service's port and mode. */
export async function rememberService({ storage, baseUrl, isDevelopment }: Context): Promise<void> {
  const last = await lastService(storage.reader);
  // Starting on a temporarily read-only database must not write.
  if (baseUrl === last.baseUrl && isDevelopment === last.isDevelopment) return;
  await storage.write(async (tx) => {
    await replaceMetadata(tx, baseUrlMetadata, baseUrl);
    await replaceMetadata(tx, modeMetadata, isDevelopment ? "development" : "production");
  });
}
