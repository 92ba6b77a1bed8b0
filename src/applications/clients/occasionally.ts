import { second } from "../../lib/clock.ts";
import { part, type Context } from "../../runtime/context.ts";
import type { Handle } from "../../storage/storage.ts";

/** How long an answer is used: the metadata is public, and read often. */
const knownFor = second;

/** A yes or no that the metadata says, asked at most once a second. If storage fails: the last. */
export function occasionally(
  what: string,
  read: (handle: Handle) => Promise<boolean>,
): (ctx: Context) => Promise<boolean> {
  const known = part(() => ({ answer: false, readAt: Number.NEGATIVE_INFINITY }));
  return async (ctx) => {
    const now = ctx.clock();
    const last = known(ctx);
    if (Math.abs(now - last.readAt) < knownFor) return last.answer;
    try {
      last.answer = await read(ctx.storage.reader);
      last.readAt = now;
    } catch (error) {
      ctx.log.warn(`${what} could not be read`, { error: String(error) });
    }
    return last.answer;
  };
}
