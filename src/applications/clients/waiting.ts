/** Limits what strangers can leave in the database for one client, from however many networks. */
import { AppError } from "../../lib/errors.ts";
import { rateLimits } from "../../rate-limits/service.ts";
import type { Context } from "../../runtime/context.ts";
import { isDocumentUrl } from "../documents/document.ts";

/** How many networks may each begin as much as one may, at the same time. */
const networks = { "sign-in": 100, "pushed request": 20, "device request": 20 };

/**
 * Counts requests that wait until they expire. Unregistered clients share one count, because
 * anybody can have any number of them. Callers with a secret are not counted: they have their own
 * limits, and strangers must not block them. Throws RATE_LIMITED.
 */
export async function countWaiting(
  ctx: Context,
  what: keyof typeof networks,
  { appId, clientId }: { appId: string; clientId: string },
): Promise<void> {
  const client = isDocumentUrl(clientId) ? `documents of ${appId}` : clientId;
  const { limiter } = rateLimits(ctx);
  const most = networks[what] * ctx.config.rateLimits.authentication;
  const { exceeded, retryAfterSeconds } = await limiter.count(`${what} of ${client}`, most, "known");
  if (exceeded) throw new AppError("RATE_LIMITED", "Too many requests for this client.", { retryAfterSeconds });
}
