import { second } from "../../lib/clock.ts";
import { part, type Context } from "../../runtime/context.ts";
import { hasMachine } from "./store.ts";

/** How long the answer is used: the metadata is public, and read often. */
const knownFor = second;

const known = part(() => ({ areThere: false, readAt: Number.NEGATIVE_INFINITY }));

/** Whether there is an enabled client of kind `machine`. If storage fails: the last answer. */
export async function areThere(ctx: Context): Promise<boolean> {
  const now = ctx.clock();
  const last = known(ctx);
  if (Math.abs(now - last.readAt) < knownFor) return last.areThere;
  try {
    last.areThere = await hasMachine(ctx.storage.reader);
    last.readAt = now;
  } catch (error) {
    ctx.log.warn("whether there are machines could not be read", { error: String(error) });
  }
  return last.areThere;
}
