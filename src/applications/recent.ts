import { second } from "../lib/clock.ts";
import type { RateLimits } from "../lib/rate-limits.ts";
import { part, type CoreContext } from "../runtime/context.ts";
import type { ApplicationClaim } from "../storage/column-types.ts";
import { findApplication } from "./store.ts";

/** How long an application is cached for calls of its users. Its own calls use the current one. */
const knownFor = second;

/** What a call of a user needs of its application. */
type Known = { limits: RateLimits; claims: ApplicationClaim[] | null };

const known = part(() => new Map<string, Known & { readAt: number }>());

async function read(ctx: CoreContext, appId: string): Promise<Known> {
  const readAt = ctx.clock();
  const application = await findApplication(ctx.storage.reader, appId);
  const found = { limits: application?.settings.rateLimits ?? {}, claims: application?.claims ?? null };
  known(ctx).set(appId, { ...found, readAt });
  return found;
}

function find(ctx: CoreContext, appId: string): Known | Promise<Known> {
  const found = known(ctx).get(appId);
  return found && Math.abs(ctx.clock() - found.readAt) < knownFor ? found : read(ctx, appId);
}

/** The application's own limits. */
export async function rateLimits(ctx: CoreContext, appId: string): Promise<RateLimits> {
  return (await find(ctx, appId)).limits;
}

/** The claims that the application adds to its tokens. */
export function claims(
  ctx: CoreContext,
  appId: string,
): ApplicationClaim[] | null | Promise<ApplicationClaim[] | null> {
  const found = find(ctx, appId);
  return found instanceof Promise ? found.then(({ claims }) => claims) : found.claims;
}
