import { second } from "../../lib/clock.ts";
import { part, type Context } from "../../runtime/context.ts";
import type { Handle } from "../../storage/storage.ts";

/** How long the answer is used: the metadata is public, and read often. */
const knownFor = second;

/** Makes a function that tells whether such clients exist. If storage fails: the last answer. */
export function knownExistence(
  what: string,
  exists: (handle: Handle) => Promise<boolean>,
): (ctx: Context) => Promise<boolean> {
  const known = part(() => ({ areThere: false, readAt: Number.NEGATIVE_INFINITY }));
  return async (ctx) => {
    const now = ctx.clock();
    const last = known(ctx);
    if (Math.abs(now - last.readAt) < knownFor) return last.areThere;
    try {
      last.areThere = await exists(ctx.storage.reader);
      last.readAt = now;
    } catch (error) {
      ctx.log.warn(`whether there are ${what} could not be read`, { error: String(error) });
    }
    return last.areThere;
  };
}
