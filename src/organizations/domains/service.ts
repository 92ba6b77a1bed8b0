/** Domains of organizations: claims, proofs by DNS, and what happens when a proof is gone. */
import { isoTime } from "../../lib/clock.ts";
import { AppError, invalidRequest } from "../../lib/errors.ts";
import { changeOf, type Wanted } from "../../lib/wanted.ts";
import * as audit from "../../records/audit/audit.ts";
import type { Actor, By } from "../../records/audit/audit.ts";
import { changedValues } from "../../records/audit/changes.ts";
import * as events from "../../records/webhooks/events.ts";
import { rateLimits } from "../../rate-limits/service.ts";
import type { Context } from "../../runtime/context.ts";
import type { DomainAnswer, DomainJoin, DomainState, SettingChanges } from "../../storage/column-types.ts";
import type { Handle } from "../../storage/storage.ts";
import { challengeName, lookUp } from "./lookup.ts";
import { parseDomain } from "./name.ts";
import { tellOwners } from "./notices.ts";
import { isByOperator, maxDomains, outcomeOf, proofOf, successorOf, type Claim, type Domain } from "./rules.ts";
import {
  countDomains,
  deleteDomain,
  findDomain,
  insertDomain,
  listDomains,
  lockClaims,
  takeDueDomains,
  updateDomain,
  type DomainKey,
} from "./store.ts";

/** `dryRun`: checks everything and changes nothing. */
export type DomainCall = By & { dryRun?: boolean };

export type DomainAnswerOf = {
  domain: string;
  state: DomainState;
  join: DomainJoin;
  /** The TXT record that proves it; null: an operator vouches for it. */
  record: { name: string; value: string } | null;
  /** When it was last asked about, and what the answer was. */
  checkedAt: string | null;
  answer: DomainAnswer | null;
  /** Days on which the record of a proved domain was not there. */
  misses: number;
  createdAt: string;
  provedAt: string | null;
  /** When joining begins to work, after the domain moved here. */
  worksAt: string | null;
};

type Organization = { id: string; appId: string };

const checksPerMinute = 10;
/** No other node asks about the same domain until then. */
const leaseLasts = 60_000;
const batchSize = 20;
const itself: Actor = { kind: "service", name: "domains" };

/** Sorted by name. */
export async function list(ctx: Context, { id }: Pick<Organization, "id">): Promise<DomainAnswerOf[]> {
  return (await listDomains(ctx.storage.reader, id)).map(answerFor);
}

/**
 * Claims a domain, or returns the claim that the organization has. `isProved`: an operator vouches
 * for it. Throws INVALID_REQUEST, and CONFLICT if another organization proved the domain.
 */
export async function add(
  ctx: Context,
  organization: Organization,
  { domain: text, join, isProved = false }: { domain: string; join?: DomainJoin | undefined; isProved?: boolean },
  call: DomainCall,
): Promise<DomainAnswerOf> {
  const now = ctx.clock();
  const parsed = parseDomain(text);
  if ("problem" in parsed) throw invalidRequest("domain", parsed.problem);
  const { domain } = parsed;
  const about = { appId: organization.appId, organizationId: organization.id, domain };
  return await ctx.storage.write(async (tx, rollBack) => {
    const claim: Domain = {
      ...about,
      state: "pending",
      token: Buffer.from(ctx.random(16)).toString("base64url"),
      join: join ?? "off",
      createdAt: now,
      provedAt: null,
      worksAt: null,
      checkedAt: null,
      nextCheckAt: now,
      answer: null,
      misses: 0,
      missedAt: null,
    };
    const isNew = await insertDomain(tx, claim);
    if (isNew && (await countDomains(tx, organization.id)) > maxDomains)
      throw invalidRequest(
        "domain",
        `an organization can have at most ${maxDomains} domains; remove one of them first`,
      );
    if (isNew) await note(ctx, tx, "add", claim, call, now);
    const { own, others } = await lockOwn(tx, claim);
    let row = own;
    if (isProved && !isByOperator(own)) {
      if (others.some((other) => other.row.state === "proved"))
        throw new AppError("CONFLICT", "Another organization has proved this domain.");
      row = await save(ctx, tx, proofOf(own, now), own, call, now);
    }
    if (call.dryRun) throw rollBack(answerFor(row));
    return answerFor(row);
  });
}

/** Sets who joins by the domain. Throws INVALID_REQUEST if the organization does not claim it. */
export async function update(
  ctx: Context,
  { id: organizationId }: Organization,
  domain: string,
  wanted: Wanted<{ join?: DomainJoin | undefined }, DomainAnswerOf>,
  call: DomainCall,
): Promise<DomainAnswerOf> {
  const now = ctx.clock();
  return await ctx.storage.write(async (tx, rollBack) => {
    const { own } = await lockOwn(tx, await claimed(tx, { organizationId, domain }));
    const { join = own.join } = changeOf(wanted, answerFor(own));
    const changed = { ...own, join };
    if (call.dryRun || join === own.join) throw rollBack(answerFor(changed));
    await updateDomain(tx, changed);
    await note(ctx, tx, "update", own, call, now, changedValues("join", [own.join], [join]));
    return answerFor(changed);
  });
}

/**
 * Asks about the record now. Throws RATE_LIMITED, INVALID_REQUEST if the organization does not
 * claim the domain.
 */
export async function check(
  ctx: Context,
  { id: organizationId }: Organization,
  domain: string,
  call: By,
): Promise<DomainAnswerOf> {
  const asked = await claimed(ctx.storage.reader, { organizationId, domain });
  const { limiter } = rateLimits(ctx);
  const { exceeded, retryAfterSeconds } = await limiter.count(`domains of ${organizationId}`, checksPerMinute, "known");
  if (exceeded) throw new AppError("RATE_LIMITED", "Too many checks of this organization.", { retryAfterSeconds });
  const row = await settle(ctx, asked, await lookUp(ctx, asked.domain, asked.token), call);
  if (!row) throw domainNotFound();
  return answerFor(row);
}

/** Throws INVALID_REQUEST if the organization does not claim the domain. */
export async function remove(
  ctx: Context,
  { id: organizationId }: Organization,
  domain: string,
  call: DomainCall,
): Promise<void> {
  const now = ctx.clock();
  await ctx.storage.write(async (tx, rollBack) => {
    const { own, others } = await lockOwn(tx, await claimed(tx, { organizationId, domain }));
    await deleteDomain(tx, own);
    await note(ctx, tx, "remove", own, call, now);
    if (own.state === "proved") {
      await report(ctx, tx, "lost", own, call, now);
      await passOn(ctx, tx, others, call, now);
    }
    if (call.dryRun) throw rollBack(undefined);
  });
}

/** With the organization itself, whose deletion tells about its domains. */
export async function removeAll(ctx: Context, tx: Handle, organizationId: string, now: number): Promise<void> {
  for (const row of await listDomains(tx, organizationId)) {
    const { others } = await lockOwn(tx, row);
    await deleteDomain(tx, row);
    if (row.state === "proved") await passOn(ctx, tx, others, { actor: itself }, now);
  }
}

/** Asks about some of the domains that are due; true if more may be. */
export async function checkDue(ctx: Context): Promise<boolean> {
  const now = ctx.clock();
  const due = await ctx.storage.write((tx) => takeDueDomains(tx, { now, until: now + leaseLasts, limit: batchSize }));
  await Promise.all(
    due.map(async (row) => await settle(ctx, row, await lookUp(ctx, row.domain, row.token), { actor: itself })),
  );
  return due.length === batchSize;
}

/**
 * Writes what an answer changes, if the claim is still the one that was asked about. Undefined:
 * the claim is gone, or ends now.
 */
async function settle(ctx: Context, asked: Domain, answer: DomainAnswer, by: By): Promise<Domain | undefined> {
  const now = ctx.clock();
  return await ctx.storage.write(async (tx) => {
    const claims = await lockClaims(tx, asked);
    const own = claims.find(isOf(asked.organizationId));
    if (own?.row.token !== asked.token) return undefined;
    const others = claims.filter((claim) => claim !== own);
    const outcome = outcomeOf(own, others, answer, now);
    if (outcome.own === "ends") {
      await deleteDomain(tx, asked);
      await note(ctx, tx, "remove", asked, { actor: itself }, now);
      return undefined;
    }
    const { own: next, other, isFirstMiss, loser } = outcome;
    // At most one claim is proved at any moment, so a holder loses before another one gets it.
    const changed = next.state === "proved" ? [other, next] : [next, other];
    for (const row of changed) if (row) await save(ctx, tx, row, claims.find(isOf(row.organizationId))?.row, by, now);
    if (isFirstMiss) await tellOwners(ctx, tx, "domain-missing", next, now);
    if (loser) await tellOwners(ctx, tx, "domain-lost", loser, now);
    return next;
  });
}

/** Writes a claim, and reports that its domain was proved or lost. */
async function save(
  ctx: Context,
  tx: Handle,
  row: Domain,
  was: Pick<Domain, "state"> | undefined,
  by: By,
  now: number,
): Promise<Domain> {
  await updateDomain(tx, row);
  const isProved = row.state === "proved";
  if (isProved !== (was?.state === "proved")) await report(ctx, tx, isProved ? "proved" : "lost", row, by, now);
  return row;
}

/** Gives a domain without a holder to the claim that waited for it. */
async function passOn(ctx: Context, tx: Handle, others: readonly Claim[], by: By, now: number): Promise<void> {
  const successor = successorOf(others, now);
  if (successor) await save(ctx, tx, successor, { state: "waiting" }, by, now);
}

async function report(ctx: Context, tx: Handle, what: "proved" | "lost", row: Domain, by: By, now: number) {
  await note(ctx, tx, what, row, by, now);
  const { appId, organizationId: id } = row;
  const nobody = { userId: null, authMethod: null, source: null, sessionId: null };
  const kind = `organization.domain.${what}` as const;
  await events.record(ctx, tx, { kind, appId, ...nobody, organization: { id, roles: null } }, now);
}

async function note(
  ctx: Context,
  tx: Handle,
  action: "add" | "update" | "remove" | "proved" | "lost",
  { appId, organizationId, domain }: Pick<Domain, "appId" | "organizationId" | "domain">,
  { actor, source }: By,
  now: number,
  changes: SettingChanges = {},
): Promise<void> {
  const about = { appId, source, organizationId, target: organizationId, details: { domain }, changes };
  const event = { actor, action: `organization.domain.${action}`, result: "success", ...about } as const;
  await audit.record(ctx, tx, event, now);
}

async function claimed(handle: Handle, { organizationId, domain }: DomainKey): Promise<Domain> {
  const parsed = parseDomain(domain);
  const row = "domain" in parsed ? await findDomain(handle, { organizationId, domain: parsed.domain }) : undefined;
  if (!row) throw domainNotFound();
  return row;
}

/** The claim of an organization, and those of others. Throws DOMAIN_NOT_FOUND. */
async function lockOwn(tx: Handle, key: Domain): Promise<{ own: Domain; others: Claim[] }> {
  const claims = await lockClaims(tx, key);
  const own = claims.find(isOf(key.organizationId));
  if (!own) throw domainNotFound();
  return { own: own.row, others: claims.filter((claim) => claim !== own) };
}

function isOf(organizationId: string): (claim: Claim) => boolean {
  return ({ row }) => row.organizationId === organizationId;
}

function domainNotFound(): AppError {
  return new AppError("DOMAIN_NOT_FOUND", "The organization has no such domain.");
}

function answerFor(row: Domain): DomainAnswerOf {
  const { domain, state, join, token, checkedAt, answer, misses, createdAt, provedAt, worksAt } = row;
  return {
    domain,
    state,
    join,
    record: isByOperator(row) ? null : { name: challengeName(domain), value: token },
    checkedAt: checkedAt === null ? null : isoTime(checkedAt),
    answer,
    misses,
    createdAt: isoTime(createdAt),
    provedAt: provedAt === null ? null : isoTime(provedAt),
    worksAt: worksAt === null ? null : isoTime(worksAt),
  };
}
