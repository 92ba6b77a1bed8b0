import { second } from "../lib/clock.ts";
import type { RateLimits } from "../lib/rate-limits.ts";
import { part, type CoreContext } from "../runtime/context.ts";
import type { ApplicationClaim } from "../storage/column-types.ts";
import { hasOrganizations } from "./application.ts";
import { fieldsOfServer } from "./profile-fields.ts";
import { findApplication } from "./store.ts";

/** How long an application is cached for calls of its users. Its own calls use the current one. */
const knownFor = second;

/** The fields of an application that a user's call needs. */
type ApplicationFacts = {
  limits: RateLimits;
  claims: ApplicationClaim[] | null;
  organizationsAreOn: boolean;
  asksFactor: boolean;
  serverFields: ReadonlySet<string>;
};

const recentApplications = part(() => new Map<string, ApplicationFacts & { readAt: number }>());

async function read(ctx: CoreContext, appId: string): Promise<ApplicationFacts> {
  const readAt = ctx.clock();
  const application = await findApplication(ctx.storage.reader, appId);
  const facts = {
    limits: application?.settings.rateLimits ?? {},
    claims: application?.claims ?? null,
    organizationsAreOn: application !== undefined && hasOrganizations(application),
    asksFactor: application?.settings.secondFactor === "required",
    serverFields: new Set(fieldsOfServer(application?.settings.profileFields)),
  };
  recentApplications(ctx).set(appId, { ...facts, readAt });
  return facts;
}

function find(ctx: CoreContext, appId: string): ApplicationFacts | Promise<ApplicationFacts> {
  const facts = recentApplications(ctx).get(appId);
  return facts && Math.abs(ctx.clock() - facts.readAt) < knownFor ? facts : read(ctx, appId);
}

/** The application's own limits. */
export async function rateLimits(ctx: CoreContext, appId: string): Promise<RateLimits> {
  return (await find(ctx, appId)).limits;
}

export function organizationsAreOn(ctx: CoreContext, appId: string): boolean | Promise<boolean> {
  const facts = find(ctx, appId);
  return facts instanceof Promise ? facts.then(({ organizationsAreOn: isOn }) => isOn) : facts.organizationsAreOn;
}

/** Whether the application requires a second factor of everybody. */
export async function asksFactor(ctx: CoreContext, appId: string): Promise<boolean> {
  return (await find(ctx, appId)).asksFactor;
}

/** The profile fields that only the application's server writes. */
export async function serverFields(ctx: CoreContext, appId: string): Promise<ReadonlySet<string>> {
  return (await find(ctx, appId)).serverFields;
}

/** The claims that the application adds to its tokens. */
export function claims(
  ctx: CoreContext,
  appId: string,
): ApplicationClaim[] | null | Promise<ApplicationClaim[] | null> {
  const facts = find(ctx, appId);
  return facts instanceof Promise ? facts.then(({ claims }) => claims) : facts.claims;
}
