import { minute, second, type Clock } from "../lib/clock.ts";
import type { Storage } from "../storage/storage.ts";
import type { Application } from "./application.ts";
import { originsOf } from "./redirect-uris.ts";
import { listRedirectUris } from "./store.ts";

/** A known origin may be this out of date: it only lets a browser ask, and the answer is for the application's origins of that moment. */
const knownFor = minute;
/** An unknown one is looked for again, but a flood of made-up origins costs one read of the table in this time. */
const unknownFor = second;

export type BrowserOrigins = ReturnType<typeof createBrowserOrigins>;

/** The origins whose pages belong to applications. A preflight asks about all applications at once: answered from memory, read when needed. */
export function createBrowserOrigins({ storage, clock }: { storage: Storage; clock: Clock }) {
  let registered = new Set<string>();
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    const now = clock();
    registered = new Set((await listRedirectUris(storage.reader)).flatMap(originsOf));
    readAt = now;
  }

  return {
    /** Whether this is an origin of this application, as it is now. */
    isOf(application: Application, origin: string): boolean {
      return originsOf(application.redirectUris).includes(origin);
    },

    /** Whether any application has this origin; a new one is known after a second at most. */
    async isRegistered(origin: string): Promise<boolean> {
      const age = Math.abs(clock() - readAt);
      if (age >= (registered.has(origin) ? knownFor : unknownFor)) {
        reading ??= read().finally(() => {
          reading = undefined;
        });
        await reading;
      }
      return registered.has(origin);
    },
  };
}
