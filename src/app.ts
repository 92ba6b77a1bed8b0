import { masterKeyOf, type Config } from "./config/config.ts";
import { createClockWatch } from "./doctor/clock.ts";
import { systemClock, type Clock } from "./lib/clock.ts";
import type { Log } from "./lib/log.ts";
import { silentMeter, type Meter } from "./lib/meter.ts";
import { systemRandom, type Random } from "./lib/random.ts";
import { silentLog } from "./lib/silent-log.ts";
import { openCore } from "./core.ts";
import { createStrength, type StrengthOf } from "./passwords/strength.ts";
import { findMetadata, replaceMetadata } from "./secrets/store.ts";
import { openKeyring } from "./secrets/open-keyring.ts";
import { sweepAll } from "./storage/queries/sweep.ts";
import { createServices } from "./services.ts";

/** Dependencies that tests replace. */
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

export type App = Awaited<ReturnType<typeof openApp>>;

/**
 * Opens storage at its newest schema (`core.ts`) and assembles the services (`services.ts`, the
 * composition root). `baseUrl` (no trailing slash) is the issuer and the origin of every URL; by
 * default, commands use the one of the last service run. `serves`: as in `core.ts`. Throws
 * UNUSABLE_STORAGE, INVALID_CONFIG.
 */
export async function openApp(
  config: Config,
  {
    baseUrl: given,
    clock = systemClock,
    random = systemRandom,
    fetch = globalThis.fetch,
    log = silentLog,
    meter,
    strengthOf = createStrength(),
    serves = false,
  }: Surroundings & { baseUrl?: string | undefined; serves?: boolean },
) {
  const core = await openCore(config, { clock, random, log, meter, serves });
  const { storage, writability } = core;
  try {
    const keyring = await openKeyring(storage, masterKeyOf(config), { random, now: clock() });
    const rememberedBaseUrl = await findMetadata(storage.reader, baseUrlMetadata);
    const baseUrl = given ?? rememberedBaseUrl ?? `http://localhost:${config.listen.port}`;
    const wasDevelopment = (await findMetadata(storage.reader, modeMetadata)) === "development";
    const { services, sweepers, closeConnections, ...working } = createServices({
      ...core,
      config,
      keyring,
      baseUrl,
      isDevelopment: serves ? config.dev : wasDevelopment,
      clock,
      random,
      fetch,
      log,
      meter: meter ?? silentMeter,
      strengthOf,
    });

    // In development, tests move the clock.
    const watchClock = config.dev ? async (): Promise<void> => {} : createClockWatch({ storage, clock, log });
    let closing = false;
    let sweeping = Promise.resolve();
    const sweepOnce = async (): Promise<void> => {
      await watchClock();
      for (const sweeper of sweepers) {
        await sweepAll(
          () => sweeper.sweep(),
          () => closing,
        );
      }
      if (!closing) await services.signingKeys.rotate();
      if (!closing) await storage.forgetDeleted();
    };

    return {
      baseUrl,
      clock,
      random,
      log,
      storage,
      writability,
      keyring,
      /**
       * The serving process starts `mailDelivery` and `webhookWorker`, which send the outboxes;
       * commands do not. `mailbox` receives the mail of development mode without a mail server.
       */
      ...working,
      services,
      watchClock,

      /** For commands, which may not know the service's port and mode. */
      async rememberService(): Promise<void> {
        // Starting on a temporarily read-only database must not write.
        if (baseUrl === rememberedBaseUrl && config.dev === wasDevelopment) return;
        await storage.write(async (tx) => {
          await replaceMetadata(tx, baseUrlMetadata, baseUrl);
          await replaceMetadata(tx, modeMetadata, config.dev ? "development" : "production");
        });
      },

      /**
       * Removes expired rows and prepares the next signing keys. Called periodically, one sweep at
       * a time per process; several nodes may sweep at once.
       */
      async sweep(): Promise<void> {
        const swept = sweeping.then(sweepOnce);
        sweeping = swept.catch(() => {});
        await swept;
      },

      /** Waits for running writes, and for a sweep to finish its current batch. */
      async close(): Promise<void> {
        closing = true;
        await sweeping;
        await services.audit.aggregatedEvents
          .flush()
          .catch((error: unknown) => log.error("writing refusals to the audit log failed", error));
        await services.applications.keyUses
          .flush()
          .catch((error: unknown) => log.error("writing the last use of API keys failed", error));
        await services.clients.uses
          .flush()
          .catch((error: unknown) => log.error("writing the last use of clients failed", error));
        await closeConnections();
        await storage.close();
      },
    };
  } catch (error) {
    await storage.close();
    throw error;
  }
}
