/** Origins besides the service's that may use an application's passkeys (docs/decisions/0106). */
import { relyingPartyId } from "./relying-party.ts";
import { AppError, invalidRequest } from "../lib/errors.ts";
import { second } from "../lib/clock.ts";
import { nameBeforeSuffix } from "../lib/public-suffixes.ts";
import { ownAddress, part, type Context, type CoreContext } from "../runtime/context.ts";
import type { Handle } from "../storage/storage.ts";
import type { Application } from "./application.ts";
import { listApplications, listWithRelatedOrigins, lockId } from "./store.ts";

type Party = Pick<Application, "id" | "domain" | "settings">;

/** What browsers read at the host of the passkeys (WebAuthn §5.11). */
export type RelatedOrigins = { origins: string[] };

/** Browsers ignore the origins of further names (WebAuthn §5.11.1). */
export const maxNames = 5;

/** Differs from every application's id: those are locked by the same function. */
const lockName = "related origins";

export function relyingPartyOf(serviceHost: string, { domain, settings }: Omit<Party, "id">): string {
  return settings.relyingPartyId ?? relyingPartyId(serviceHost, domain);
}

function serviceHostOf(ctx: CoreContext): string {
  return new URL(ownAddress(ctx)).hostname;
}

/** The listed origins, if the domain is the RP ID now: `baseUrl` may have changed. */
export function relatedOriginsOf(serviceHost: string, application: Omit<Party, "id">): string[] {
  const isDomain = application.domain === relyingPartyOf(serviceHost, application);
  return isDomain ? (application.settings.relatedOrigins ?? []) : [];
}

/** The file at the host of the passkeys. Undefined without related origins. */
export function relatedOriginsFile(ctx: CoreContext, application: Omit<Party, "id">): RelatedOrigins | undefined {
  const { origin, hostname } = new URL(ownAddress(ctx));
  const listed = relatedOriginsOf(hostname, application);
  if (listed.length === 0) return undefined;
  // Browsers let the domain's own hosts use its passkeys without a file.
  const isBelow = relyingPartyId(hostname, application.domain) === application.domain;
  return { origins: [...new Set([...(isBelow ? [] : [origin]), ...listed])] };
}

/** Where another program must serve the file; undefined if the service does, or without a file. */
export function fileToServe(
  ctx: CoreContext,
  application: Omit<Party, "id">,
): { url: string; content: RelatedOrigins } | undefined {
  const content = relatedOriginsFile(ctx, application);
  if (!content || application.domain === serviceHostOf(ctx)) return undefined;
  return { url: `https://${application.domain}/.well-known/webauthn`, content };
}

/** Of one application only, and of none that shares the passkeys of this host with another. */
async function readOwnFile(ctx: Context): Promise<RelatedOrigins | undefined> {
  const host = serviceHostOf(ctx);
  const all = await listApplications(ctx.storage.reader);
  const [only, ...others] = all.filter((each) => uses(host, each, host));
  return only && others.length === 0 ? relatedOriginsFile(ctx, only) : undefined;
}

/** Read at most once in this time, even in a flood. */
const knownFor = second;

/** The file of the service's own host; undefined if there is none. */
export const ownFile = part((ctx: Context) => {
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<RelatedOrigins | undefined> | undefined;
  return async (): Promise<RelatedOrigins | undefined> => {
    if (reading === undefined || Math.abs(ctx.clock() - readAt) >= knownFor) {
      readAt = ctx.clock();
      reading = readOwnFile(ctx);
      // A failure is not kept.
      reading.catch(() => {
        readAt = Number.NEGATIVE_INFINITY;
      });
    }
    return await reading;
  };
});

/** Why these origins cannot be related; undefined if they can. */
function problemOf(serviceHost: string, application: Omit<Party, "id">): string | undefined {
  const { relatedOrigins } = application.settings;
  if (!relatedOrigins?.length) return undefined;
  if (application.domain === null || application.domain !== relyingPartyOf(serviceHost, application))
    return "only with a domain to which the application's passkeys belong";
  const names = relatedOrigins.map((origin) => nameBeforeSuffix(new URL(origin).hostname));
  if (names.includes(null)) return "only with a name before the public suffix in each host";
  // The service's own name is in the file too, unless the domain covers it.
  const isBelow = relyingPartyId(serviceHost, application.domain) === application.domain;
  const all = new Set([...names, isBelow ? null : nameBeforeSuffix(serviceHost)]);
  all.delete(null);
  return all.size > maxNames ? `at most ${maxNames} different names before the public suffix` : undefined;
}

function uses(serviceHost: string, party: Omit<Party, "id">, domain: string | null): boolean {
  return domain !== null && (party.domain === domain || relyingPartyOf(serviceHost, party) === domain);
}

function sharingProblem(serviceHost: string, { id, domain }: Party, all: Party[]): string | undefined {
  const other = all.find((each) => each.id !== id && uses(serviceHost, each, domain));
  return other && `only for a domain of one application; ${other.id} has it too`;
}

/** Why an application cannot have its related origins now; undefined if it can. */
export function partyProblem(ctx: CoreContext, application: Party, all: Party[]): string | undefined {
  const host = serviceHostOf(ctx);
  return problemOf(host, application) ?? sharingProblem(host, application, all);
}

/**
 * Refuses related origins of a domain whose passkeys are not this application's alone, and a domain
 * with related origins elsewhere. With `now`, other changes of these wait until the transaction
 * ends. Throws INVALID_REQUEST naming field and application.
 */
export async function refuseSharedParty(
  ctx: CoreContext,
  handle: Handle,
  before: Party | undefined,
  after: Party,
  now?: number,
): Promise<void> {
  const host = serviceHostOf(ctx);
  const fieldsOf = ({ domain, settings }: Party) =>
    JSON.stringify([domain, settings.relyingPartyId, settings.relatedOrigins ?? null]);
  if (before && fieldsOf(before) === fieldsOf(after)) return;
  const problem = problemOf(host, after);
  if (problem !== undefined) throw invalidRequest("settings.relatedOrigins", problem);
  if (now !== undefined) await lockId(handle, lockName, now);
  const isListed = (after.settings.relatedOrigins ?? []).length > 0;
  const all = isListed ? await listApplications(handle) : await listWithRelatedOrigins(handle);
  const sharing = isListed ? sharingProblem(host, after, all) : undefined;
  if (sharing !== undefined) throw invalidRequest("settings.relatedOrigins", sharing);
  const owner = all.find(
    ({ id, domain, settings }) => id !== after.id && settings.relatedOrigins?.length && uses(host, after, domain),
  );
  if (owner)
    throw invalidRequest(
      after.domain === owner.domain ? "domain" : "settings.relyingPartyId",
      `not that of ${owner.id}, which has related origins and shares its passkeys with no other application`,
    );
}

/** The same for the application of the console. Throws CONFLICT. */
export async function refuseConsole(ctx: CoreContext, tx: Handle, after: Party, now: number): Promise<void> {
  try {
    await refuseSharedParty(ctx, tx, undefined, after, now);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError(
      "CONFLICT",
      "The passkeys of this host belong to one application alone, which has related origins. The console needs them too.",
      { details: error.details, cause: error },
    );
  }
}
