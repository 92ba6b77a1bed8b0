/** Limits what strangers can leave in the database for one client, from however many networks. */
import { AppError } from "../../lib/errors.ts";
import { rateLimits } from "../../rate-limits/service.ts";
import type { Context } from "../../runtime/context.ts";
import type { Application } from "../application.ts";
import { isDocumentUrl } from "../documents/document.ts";

/** How many networks may begin as much as one may, at the same time. */
const networks = { "sign-in": 100, "pushed request": 20, "device request": 20 };

/**
 * Counts what waits until it expires. Clients that nobody registered count together: anybody has
 * any number of them. Throws RATE_LIMITED.
 */
export async function countWaiting(
  ctx: Context,
  what: keyof typeof networks,
  { application, clientId }: { application: Pick<Application, "id" | "settings">; clientId: string },
): Promise<void> {
  const perNetwork = application.settings.rateLimits.authentication ?? ctx.config.rateLimits.authentication;
  const client = isDocumentUrl(clientId) ? `documents of ${application.id}` : clientId;
  const { limiter } = rateLimits(ctx);
  const counted = limiter.count(`${what} of ${client}`, networks[what] * perNetwork, "known");
  const { exceeded, retryAfterSeconds } = await counted;
  if (exceeded) throw new AppError("RATE_LIMITED", "Too many requests for this client.", { retryAfterSeconds });
}
