/** Personal access tokens, which people make for their own programs (docs/decisions/0100). */
import type { Application } from "../../applications/application.ts";
import { admitsGroups } from "../../applications/clients/proxy.ts";
import { findResource, listResources } from "../../applications/resources/store.ts";
import type { Resource } from "../../applications/resources/resource.ts";
import * as applications from "../../applications/service.ts";
import { day, isoTime, minute, second } from "../../lib/clock.ts";
import { isPersonalToken, newCredential } from "../../lib/credentials.ts";
import { userNotFound } from "../../lib/errors.ts";
import { digestOf, newId } from "../../lib/random.ts";
import * as audit from "../../records/audit/audit.ts";
import type { By } from "../../records/audit/audit.ts";
import * as events from "../../records/webhooks/events.ts";
import { part, type Context } from "../../runtime/context.ts";
import { LastUses } from "../../storage/queries/last-uses.ts";
import type { PersonalTokenEnd } from "../../storage/column-types.ts";
import type { Handle } from "../../storage/storage.ts";
import { readClaimSources } from "../../users/claim-sources-store.ts";
import { lockUser } from "../../users/store.ts";
import type { User } from "../../users/user.ts";
import { findWaitingStep, type WaitingStep } from "../../users/waiting-steps.ts";
import * as notices from "../mailed/notices.ts";
import * as ends from "./ends.ts";
import {
  checkedToken,
  isOn,
  isTooLong,
  maxPersonalTokens,
  offeredScopes,
  scopesNow,
  scopesOfResource,
  type NewPersonalToken,
  type PersonalToken,
  type PersonalTokenProblem,
} from "./rules.ts";
import {
  countLiveTokens,
  countTokensBeyond,
  findToken,
  insertToken,
  listLiveTokensOf,
  listProtectedHosts,
  listTokens,
  listTokensToWarn,
  markWarned,
  recordTokenUse,
  removeOlderTokens,
  sweepTokens,
  type FoundPersonalToken,
} from "./store.ts";

const usesAreWrittenEvery = 5 * minute;
const usesWait = second;
/** As long as the audit log keeps entries by default. */
const endedAreKept = 90 * day;
const warnedBefore = 7 * day;
const pageSize = 2000;
/** Somebody still needs a token that was used since. */
const inUseSince = 30 * day;

/** When tokens were last used. A timer writes it: threads that only answer do not sweep. */
const uses = part(
  (ctx: Context) => {
    const lastUses = new LastUses(ctx.storage, recordTokenUse, usesAreWrittenEvery);
    let timer: NodeJS.Timeout | undefined;
    const flush = async (): Promise<void> => {
      timer = undefined;
      try {
        await lastUses.flush();
      } catch (error) {
        ctx.log.warn("last uses of personal access tokens could not be written", { error: String(error) });
      }
    };
    return {
      note(id: string, now: number): void {
        lastUses.note(id, now);
        timer ??= setTimeout(() => void flush(), usesWait).unref();
      },
      async close(): Promise<void> {
        clearTimeout(timer);
        await lastUses.flush();
      },
    };
  },
  ({ close }) => close(),
);

/** What a person may choose for a token. */
export type OfferedToken = {
  scopes: string[];
  resources: Pick<Resource, "identifier" | "name" | "scopes">[];
  hosts: string[];
};

/** Of which a token may be for one. */
export async function resourcesOf(ctx: Context, { id }: Application): Promise<Resource[]> {
  return await listResources(ctx.storage.reader, id);
}

/** Undefined if the application has none. */
export async function offered(
  ctx: Context,
  application: Application,
  user: Pick<User, "id">,
): Promise<OfferedToken | undefined> {
  if (!isOn(application)) return undefined;
  const resources = await resourcesOf(ctx, application);
  return {
    scopes: offeredScopes(application),
    resources: resources.filter((resource) => scopesOfResource(resource, application).length > 0),
    hosts: await hostsFor(ctx.storage.reader, application.id, user.id),
  };
}

/** The protected hosts that a person may use. */
async function hostsFor(handle: Handle, appId: string, userId: string): Promise<string[]> {
  const hosts = await listProtectedHosts(handle, appId);
  if (hosts.length === 0) return [];
  const { groups } = await readClaimSources(handle, userId);
  return hosts.flatMap(({ host, proxy, allowedGroups }) =>
    proxy && admitsGroups({ proxy, allowedGroups }, groups) ? [host] : [],
  );
}

/**
 * Makes a token, shown only once, for a person with a proved address. Undefined if they may make
 * none now.
 */
export async function make(
  ctx: Context,
  { userId, appId }: { userId: string; appId: string },
  wanted: NewPersonalToken,
  by: By,
): Promise<
  { token: string; made: PersonalToken } | { problem: PersonalTokenProblem } | { waiting: WaitingStep } | undefined
> {
  const now = ctx.clock();
  const token = newCredential("pat", ctx.random);
  return await ctx.storage.write(async (tx) => {
    // Locked, so that concurrent calls count each other's token.
    const user = await lockUser(tx, userId);
    const application = await applications.find(ctx, tx, appId);
    if (user?.appId !== appId || user.disabledAt !== null || !user.emailVerified || !application || !isOn(application))
      return undefined;
    const waiting = await findWaitingStep(tx, application, user, { onlyRequired: true });
    if (waiting) return { waiting };
    const resource = wanted.resource === null ? undefined : await findResource(tx, wanted.resource);
    if (wanted.resource !== null && resource?.appId !== appId) return { problem: "nothing-chosen" };
    const choice = resource
      ? { scopes: scopesOfResource(resource, application), hosts: [] }
      : { scopes: offeredScopes(application), hosts: await hostsFor(tx, appId, userId) };
    const checked = checkedToken(wanted, application, choice, now);
    if ("problem" in checked) return checked;
    if ((await countLiveTokens(tx, userId, now)) >= maxPersonalTokens) return { problem: "full" };
    const { name, hosts, timeZone, twoFactors } = wanted;
    const made = {
      id: newId("ptk", now, ctx.random),
      appId,
      userId,
      digest: digestOf(token),
      name,
      scopes: wanted.scopes,
      resource: resource?.identifier ?? null,
      hosts,
      twoFactors,
      timeZone,
      createdAt: now,
      expiresAt: checked.expiresAt,
      lastUsedAt: null,
      endedAt: null,
      endReason: null,
      warnedAt: null,
    };
    await removeOlderTokens(tx, userId, maxPersonalTokens, now);
    await insertToken(tx, made);
    const about = { appId, userId, target: made.id, details: { tokenId: made.id } };
    await audit.record(ctx, tx, { ...by, action: "personal-token.create", result: "success", ...about }, now);
    const source = by.source ?? null;
    const event = { appId, userId, authMethod: null, source, sessionId: null };
    await events.record(ctx, tx, { kind: "personal-token.created", ...event }, now);
    await notices.personalTokenMade(ctx, tx, { user, source: by.source }, made, now);
    return { token, made };
  });
}

/** A token as its owner and operators see it. */
export type PersonalTokenAnswer = Pick<PersonalToken, "id" | "name" | "scopes" | "resource" | "hosts"> & {
  createdAt: string;
  expiresAt: string;
  /** Accurate to five minutes; null if never used. */
  lastUsedAt: string | null;
  endedAt: string | null;
  endReason: PersonalTokenEnd | null;
};

/** Newest first. */
export async function list(ctx: Context, userId: string, { all }: { all: boolean }): Promise<PersonalToken[]> {
  return await listTokens(ctx.storage.reader, userId, { all, now: ctx.clock() });
}

export function answerFor(token: PersonalToken): PersonalTokenAnswer {
  const { id, name, scopes, resource, hosts, createdAt, expiresAt, lastUsedAt, endedAt, endReason } = token;
  return {
    id,
    name,
    scopes,
    resource,
    hosts,
    createdAt: isoTime(createdAt),
    expiresAt: isoTime(expiresAt),
    lastUsedAt: lastUsedAt === null ? null : isoTime(lastUsedAt),
    endedAt: endedAt === null ? null : isoTime(endedAt),
    endReason,
  };
}

/**
 * Ends a person's tokens, or one. Returns how many; 0 if it has ended or is somebody else's. Throws
 * USER_NOT_FOUND.
 */
export async function end(
  ctx: Context,
  which: { userId: string; id?: string | undefined },
  because: { reason: PersonalTokenEnd; by: By },
  { dryRun = false }: { dryRun?: boolean } = {},
): Promise<number> {
  const now = ctx.clock();
  return await ctx.storage.write<number>(async (tx, rollBack) => {
    if (!(await lockUser(tx, which.userId))) throw userNotFound();
    const ended = await ends.end(ctx, tx, which, because, now);
    if (dryRun) throw rollBack(ended);
    return ended;
  });
}

/** How many live tokens of an application last longer than that. */
export async function countBeyond(ctx: Context, appId: string, days: number): Promise<number> {
  return await countTokensBeyond(ctx.storage.reader, appId, days * day, ctx.clock());
}

/**
 * How many live tokens an application has, how many of them allow nothing now, and an owner of
 * such a one. Reads each.
 */
export async function countUseless(
  ctx: Context,
  application: Application,
): Promise<{ live: number; useless: number; owner?: string }> {
  const { reader } = ctx.storage;
  const counts: { live: number; useless: number; owner?: string } = { live: 0, useless: 0 };
  for (let after = ""; ;) {
    const page = { after, now: ctx.clock(), limit: pageSize };
    const tokens = await listLiveTokensOf(reader, application.id, page);
    const last = tokens.at(-1);
    if (!last) return counts;
    after = last.id;
    const hosts = (await listProtectedHosts(reader, application.id)).map(({ host }) => host);
    const resources = await resourcesOf(ctx, application);
    const isUseless = (token: PersonalToken): boolean => {
      const resource = resources.find(({ identifier }) => identifier === token.resource);
      return scopesNow(token, application, resource).length === 0 && !token.hosts.some((host) => hosts.includes(host));
    };
    counts.live += tokens.length;
    const useless = isOn(application) ? tokens.filter(isUseless) : tokens;
    counts.useless += useless.length;
    counts.owner ??= useless[0]?.userId;
  }
}

/** A token that is good now, with what it allows now. */
export type GoodPersonalToken = FoundPersonalToken & { scopes: string[] };

/** `reason`: for the log. `since`: when it ended, which only who has it may know. */
export type BadPersonalToken = { reason: string; since?: number };

/** Decides by the present state of token, person and application. */
export async function verify(ctx: Context, text: string): Promise<GoodPersonalToken | BadPersonalToken> {
  if (!isPersonalToken(text)) return { reason: "it is not a personal access token" };
  const now = ctx.clock();
  const { reader } = ctx.storage;
  const found = await findToken(reader, digestOf(text));
  if (!found) return { reason: "there is no such personal access token" };
  const problem = problemOf(found, now);
  if (problem) return problem;
  const { token } = found;
  if (!applications.isSurelyUsable(ctx, token.appId) && !(await applications.find(ctx, reader, token.appId)))
    return { reason: "its application belongs to development mode" };
  const resource = token.resource === null ? undefined : await findResource(reader, token.resource);
  if (token.lastUsedAt === null || token.lastUsedAt <= now - usesAreWrittenEvery) uses(ctx).note(token.id, now);
  return { ...found, scopes: scopesNow(token, found, resource) };
}

/**
 * The token if its owner made it for this protected host and it is good now. Whether its owner may
 * use the host is the caller's decision.
 */
export async function findAt(
  ctx: Context,
  text: string,
  { host, appId }: { host: string; appId: string },
): Promise<GoodPersonalToken | undefined> {
  const verdict = await verify(ctx, text);
  if ("reason" in verdict) return undefined;
  const { token } = verdict;
  return token.appId === appId && token.resource === null && token.hosts.includes(host) ? verdict : undefined;
}

function problemOf({ token, user, settings }: FoundPersonalToken, now: number): BadPersonalToken | undefined {
  if (token.endedAt !== null) return { reason: `it was ended (${token.endReason})`, since: token.endedAt };
  if (token.expiresAt <= now) return { reason: "it has expired", since: token.expiresAt };
  if (user.disabledAt !== null) return { reason: "its user is disabled" };
  if (!isOn({ settings })) return { reason: "its application has no personal access tokens now" };
  return isTooLong(token, settings) ? { reason: "it lasts longer than its application allows" } : undefined;
}

/** Removes a batch of tokens that ended long ago; true if more may be left. */
export async function sweep(ctx: Context): Promise<boolean> {
  return await ctx.storage.write((tx) => sweepTokens(tx, ctx.clock() - endedAreKept));
}

/** Tells owners of tokens in use that these end within a week; true if more may be left. */
export async function warn(ctx: Context): Promise<boolean> {
  const now = ctx.clock();
  const due = { endsBy: now + warnedBefore, lasts: warnedBefore, usedSince: now - inUseSince, now };
  const tokens = await listTokensToWarn(ctx.storage.reader, due);
  for (const token of tokens) await ctx.storage.write((tx) => warnOf(ctx, tx, token, now));
  return tokens.length > 0;
}

async function warnOf(ctx: Context, tx: Handle, token: PersonalToken, now: number): Promise<void> {
  const user = await lockUser(tx, token.userId);
  if (!user || !(await markWarned(tx, token.id, now))) return;
  const application = await applications.find(ctx, tx, token.appId);
  if (application && isOn(application) && user.disabledAt === null)
    await notices.personalTokenEnds(ctx, tx, user, token, now);
}
