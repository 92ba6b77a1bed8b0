import { minute, second } from "../lib/clock.ts";
import { originsOf } from "../lib/redirect-uris.ts";
import { part, type CoreContext } from "../runtime/context.ts";
import { listRedirectUris } from "./store.ts";

/**
 * How long a known origin is cached. It only allows a preflight; the answer to the call uses the
 * application's current origins.
 */
const knownFor = minute;
/** Unknown origins trigger at most one read of the table in this time, even in a flood. */
const unknownFor = second;

/**
 * The origins of all applications' and clients' pages. A preflight does not name its application,
 * so it is answered from memory.
 */
export const browserOrigins = part(openBrowserOrigins);

function openBrowserOrigins(ctx: CoreContext) {
  let registered = new Set<string>();
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    const now = ctx.clock();
    registered = new Set((await listRedirectUris(ctx.storage.reader)).flatMap(originsOf));
    readAt = now;
  }

  return {
    /** Whether this is currently an origin of this application or client. */
    isOf({ redirectUris }: { redirectUris: string[] }, origin: string): boolean {
      return originsOf(redirectUris).includes(origin);
    },

    /** Whether any application or client has this origin. A new one is known within a second. */
    async isRegistered(origin: string): Promise<boolean> {
      const age = Math.abs(ctx.clock() - readAt);
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
