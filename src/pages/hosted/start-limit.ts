import { addressKey, limitKey } from "../../http/addresses.ts";
import { AppError } from "../../lib/errors.ts";
import { rateLimits } from "../../rate-limits/service.ts";
import type { Context } from "../../runtime/context.ts";

/** Limits visits that write and contact a provider. Throws RATE_LIMITED. */
export async function countStart(ctx: Context, ipAddress: string): Promise<void> {
  const key = limitKey("authentication", addressKey(ipAddress));
  const { limiter } = rateLimits(ctx);
  const { exceeded, retryAfterSeconds } = await limiter.count(key, ctx.config.rateLimits.authentication, "stranger");
  if (exceeded) throw new AppError("RATE_LIMITED", "Too many requests.", { retryAfterSeconds });
}
