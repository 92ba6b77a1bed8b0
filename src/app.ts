import { join } from "node:path";
import type { Config } from "./config/config.ts";
import { systemClock, type Clock } from "./lib/clock.ts";
import type { Log } from "./lib/log.ts";
import { silentMeter, type Meter } from "./lib/meter.ts";
import { systemRandom, type Random } from "./lib/random.ts";
import { silentLog } from "./lib/silent-log.ts";
import { openRegistry } from "./registry.ts";
import { findFact, replaceFact } from "./secrets/store.ts";
import { openKeyring } from "./secrets/open-keyring.ts";
import { sweepAll } from "./storage/sweep.ts";
import { createServices } from "./services.ts";

/** What is not ours to decide in a test. */
export type Surroundings = {
  clock?: Clock;
  random?: Random;
  fetch?: typeof globalThis.fetch;
  log?: Log;
  meter?: Meter | undefined;
};

const baseUrlFact = "base-url";

export type App = Awaited<ReturnType<typeof openApp>>;

/**
 * Opens storage at its newest schema (`registry.ts`) and puts the services together (`services.ts`, the composition root).
 * `baseUrl` (no trailing slash) is the issuer and the origin of every address that the service gives out; a command that is not told takes the
 * one under which the service last ran.
 * Throws UNUSABLE_STORAGE, INVALID_CONFIG.
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
  }: Surroundings & { baseUrl?: string | undefined },
) {
  const registry = await openRegistry(config, { clock, random, log, meter });
  const { storage } = registry;
  try {
    const keyring = await openKeyring(
      storage,
      { masterKey: config.masterKey, file: join(config.dataDir, "master.key") },
      random,
    );
    const baseUrl = given ?? (await findFact(storage.reader, baseUrlFact)) ?? `http://localhost:${config.listen.port}`;
    const { services, keepers, closeConnections, ...working } = createServices({
      ...registry,
      config,
      keyring,
      baseUrl,
      clock,
      random,
      fetch,
      log,
      meter: meter ?? silentMeter,
    });

    let closing = false;
    let sweeping = Promise.resolve();
    const sweepOnce = async (): Promise<void> => {
      for (const keeper of keepers) {
        await sweepAll(
          () => keeper.sweep(),
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
      keyring,
      /**
       * `mailDelivery` sends what the outbox holds and `webhookWorker` what apps are told, once started: by the serving process, not by commands.
       * `mailbox` is where mail goes in development mode without a mail server.
       */
      ...working,
      services,

      /** For commands, which may not know on which port the service was started. */
      async rememberBaseUrl(): Promise<void> {
        await storage.write((tx) => replaceFact(tx, baseUrlFact, baseUrl));
      },

      /**
       * Removes what has expired, and prepares the next signing keys. Meant to be called now and then: one sweep after the other here,
       * while several nodes may do it at once.
       */
      async sweep(): Promise<void> {
        const swept = sweeping.then(sweepOnce);
        sweeping = swept.catch(() => {});
        await swept;
      },

      /** Waits for writes under way, and for a sweep to end after the batch that it is at. */
      async close(): Promise<void> {
        closing = true;
        await sweeping;
        await services.audit.tally
          .flush()
          .catch((error: unknown) => log.error("refusals could not be written to the audit log", error));
        await closeConnections();
        await storage.close();
      },
    };
  } catch (error) {
    await storage.close();
    throw error;
  }
}
