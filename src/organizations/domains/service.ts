/** Domains of organizations: claims, proofs by DNS, and what happens when a proof is gone. */
import { isoTime, minute } from "../../lib/clock.ts";
import { AppError, invalidRequest } from "../../lib/errors.ts";
import { changeOf, type Wanted } from "../../lib/wanted.ts";
import { rateLimits } from "../../rate-limits/service.ts";
import { changedValues } from "../../records/audit/changes.ts";
import type { Context } from "../../runtime/context.ts";
import type { DomainAnswer, DomainJoin, DomainState } from "../../storage/column-types.ts";
import type { Handle } from "../../storage/storage.ts";
import { note } from "../announcements.ts";
import { lockFor } from "../members.ts";
import { listOwners } from "../membership-store.ts";
import { tell } from "../notices.ts";
import type { Acting, Organization } from "../organization.ts";
import { requireWorking } from "../provider/setup-links.ts";
import { rankOf, requireRank } from "../rights.ts";
import { challengeName, lookUp } from "./lookup.ts";
import { parseDomain } from "./name.ts";
import { isByOperator, maxDomains, outcomeOf, proofOf, successorOf, type Claim, type Domain } from "./rules.ts";
import {
  countDomains,
  deleteDomain,
  findDomain,
  hasDueDomain,
  insertDomain,
  listDomains,
  lockClaims,
  takeDueDomains,
  updateDomain,
} from "./store.ts";

export type OrganizationDomain = {
  domain: string;
  state: DomainState;
  join: DomainJoin;
  /** The TXT record that proves it; null: an operator vouches for it. */
  record: { name: string; value: string } | null;
  createdAt: string;
  provedAt: string | null;
  /** When joining begins to work, after the domain moved here. */
  worksAt: string | null;
  /** When it was last asked about, and what the answer was. */
  checkedAt: string | null;
  answer: DomainAnswer | null;
  /** Days on which the record of a proved domain was not there. */
  misses: number;
  /** The set-up link that added it: it has no effect until it is confirmed; null: it is. */
  setupLinkId: string | null;
};

const checksPerMinute = 10;
/** No other node asks about the same domain until then. */
const leaseLasts = minute;
const batchSize = 20;
const tokenBytes = 16;
const byItself: Acting = { actor: { kind: "service", name: "domains" } };

/** Sorted by name. Throws INSUFFICIENT_SCOPE for a plain member. */
export async function list(ctx: Context, organization: Organization, acting: Acting): Promise<OrganizationDomain[]> {
  const { reader } = ctx.storage;
  requireRank(await rankOf(reader, organization, acting), "admin");
  return (await listDomains(reader, organization.id)).map(answerFor);
}

/**
 * Claims a domain, or returns the claim that the organization has. `isProved`: an operator vouches
 * for it. Throws INVALID_REQUEST, INSUFFICIENT_SCOPE, CONFLICT if another organization has proved
 * the domain, and ORGANIZATION_NOT_FOUND if the set-up link has ended.
 */
export async function add(
  ctx: Context,
  given: Organization,
  {
    domain: text,
    join = "off",
    isProved = false,
    setupLinkId = null,
  }: { domain: string; join?: DomainJoin; isProved?: boolean; setupLinkId?: string | null },
  acting: Acting,
): Promise<OrganizationDomain> {
  const now = ctx.clock();
  const parsed = parseDomain(text);
  if ("problem" in parsed) throw invalidRequest("domain", parsed.problem);
  return await ctx.storage.write<OrganizationDomain>(async (tx, rollBack) => {
    const { id: organizationId, appId } = (await lockFor(tx, given, acting, "owner")).organization;
    if (setupLinkId !== null) await requireWorking(tx, setupLinkId, now);
    const claim: Domain = {
      organizationId,
      appId,
      domain: parsed.domain,
      state: "pending",
      token: tokenFor(ctx, organizationId, parsed.domain),
      join,
      createdAt: now,
      provedAt: null,
      worksAt: null,
      checkedAt: null,
      nextCheckAt: now,
      answer: null,
      misses: 0,
      setupLinkId,
      missedAt: null,
    };
    if (await insertDomain(tx, claim)) {
      if ((await countDomains(tx, organizationId)) > maxDomains)
        throw invalidRequest("domain", `at most ${maxDomains} for an organization; remove one that is not needed`);
      await noteDomain(ctx, tx, "add", claim, acting, now);
    }
    const { own, others } = await lockOwn(tx, claim);
    let row = own;
    // An owner who adds what a set-up link added confirms it.
    if (setupLinkId === null && own.setupLinkId !== null) {
      row = { ...own, setupLinkId };
      await updateDomain(tx, row);
      await noteDomain(ctx, tx, "confirm", row, acting, now);
    }
    if (isProved && !isByOperator(own)) {
      if (others.some((other) => other.row.state === "proved"))
        throw new AppError("CONFLICT", "Another organization has proved this domain.");
      row = proofOf(row, now);
      await save(ctx, tx, row, own.state, acting, now);
    }
    if (acting.dryRun) throw rollBack(answerFor(row));
    return answerFor(row);
  });
}

/** The same for a claim that is made again, whose record may still be there. */
function tokenFor({ keyring }: Context, organizationId: string, domain: string): string {
  return keyring
    .mac("email", "organization-domain", organizationId, domain)
    .subarray(0, tokenBytes)
    .toString("base64url");
}

/**
 * Sets who joins by the domain, and confirms what a set-up link added. Throws DOMAIN_NOT_FOUND,
 * INSUFFICIENT_SCOPE.
 */
export async function update(
  ctx: Context,
  given: Organization,
  domain: string,
  wanted: Wanted<{ join?: DomainJoin | undefined; confirmed?: true | undefined }, OrganizationDomain>,
  acting: Acting,
): Promise<OrganizationDomain> {
  const now = ctx.clock();
  return await ctx.storage.write<OrganizationDomain>(async (tx, rollBack) => {
    const { organization } = await lockFor(tx, given, acting, "owner");
    const { own } = await lockOwn(tx, await claimed(tx, organization, domain));
    const { join = own.join, confirmed } = changeOf(wanted, answerFor(own));
    const changed = { ...own, join, setupLinkId: confirmed ? null : own.setupLinkId };
    const isConfirmed = changed.setupLinkId !== own.setupLinkId;
    if (acting.dryRun || (join === own.join && !isConfirmed)) throw rollBack(answerFor(changed));
    await updateDomain(tx, changed);
    if (isConfirmed) await noteDomain(ctx, tx, "confirm", own, acting, now);
    if (join !== own.join) await noteDomain(ctx, tx, "update", own, acting, now, { from: own.join, to: join });
    return answerFor(changed);
  });
}

/** Asks about the record now. Throws DOMAIN_NOT_FOUND, INSUFFICIENT_SCOPE, RATE_LIMITED. */
export async function check(
  ctx: Context,
  organization: Organization,
  domain: string,
  acting: Acting,
): Promise<OrganizationDomain> {
  const { reader } = ctx.storage;
  requireRank(await rankOf(reader, organization, acting), "owner");
  const asked = await claimed(reader, organization, domain);
  const { limiter } = rateLimits(ctx);
  const counted = await limiter.count(`domains of ${organization.id}`, checksPerMinute, "known");
  const { exceeded, retryAfterSeconds } = counted;
  if (exceeded) throw new AppError("RATE_LIMITED", "Too many checks of this organization.", { retryAfterSeconds });
  const row = await settle(ctx, asked, await lookUp(ctx, asked.domain, asked.token), acting);
  if (!row) throw domainNotFound();
  return answerFor(row);
}

/** Throws DOMAIN_NOT_FOUND, INSUFFICIENT_SCOPE. */
export async function remove(ctx: Context, given: Organization, domain: string, acting: Acting): Promise<void> {
  const now = ctx.clock();
  await ctx.storage.write<void>(async (tx, rollBack) => {
    const { organization } = await lockFor(tx, given, acting, "owner");
    const row = await claimed(tx, organization, domain);
    await end(ctx, tx, row, acting, now);
    if (acting.dryRun) throw rollBack(undefined);
  });
}

/** With the locked organization, which is being deleted. */
export async function removeAll(ctx: Context, tx: Handle, { id }: Organization, now: number): Promise<void> {
  for (const row of await listDomains(tx, id)) await end(ctx, tx, row, byItself, now);
}

/** Asks about some of the domains that are due; true if more may be. */
export async function checkDue(ctx: Context): Promise<boolean> {
  const now = ctx.clock();
  if (!(await hasDueDomain(ctx.storage.reader, now))) return false;
  const taken = { now, until: now + leaseLasts, limit: batchSize };
  const due = await ctx.storage.write((tx) => takeDueDomains(tx, taken));
  await Promise.all(
    due.map(async (row) => {
      try {
        await settle(ctx, row, await lookUp(ctx, row.domain, row.token), byItself);
      } catch (error) {
        // The others are settled all the same. This one is asked about again after its lease.
        ctx.log.error("checking a domain failed", error);
      }
    }),
  );
  return due.length === batchSize;
}

/**
 * Writes what an answer changes, if the claim is still the one that was asked about. Undefined: it
 * is gone.
 */
async function settle(ctx: Context, asked: Domain, answer: DomainAnswer, acting: Acting): Promise<Domain | undefined> {
  const now = ctx.clock();
  return await ctx.storage.write(async (tx) => {
    const claims = await lockClaims(tx, asked);
    const own = claims.find(isOf(asked.organizationId));
    if (own?.row.createdAt !== asked.createdAt) return undefined;
    const others = claims.filter((claim) => claim !== own);
    const { own: next, other, isFirstMiss, loser } = outcomeOf(own, others, answer, now);
    if (next === "ends") {
      await end(ctx, tx, own.row, byItself, now);
      return undefined;
    }
    // At most one claim is proved at any moment, so a holder loses before another one gets it.
    for (const row of next.state === "proved" ? [other, next] : [next, other])
      if (row) await save(ctx, tx, row, claims.find(isOf(row.organizationId))?.row.state, acting, now);
    const tellOwners = async (kind: "domain-missing" | "domain-lost", { organizationId, appId, domain }: Domain) =>
      await tell(ctx, tx, { appId }, await listOwners(tx, organizationId), { kind, domain, organizationId }, now);
    if (isFirstMiss) await tellOwners("domain-missing", next);
    if (loser) await tellOwners("domain-lost", loser);
    return next;
  });
}

/** Writes a claim, and reports that its domain was proved or lost. */
async function save(
  ctx: Context,
  tx: Handle,
  row: Domain,
  was: DomainState | undefined,
  acting: Acting,
  now: number,
): Promise<void> {
  await updateDomain(tx, row);
  const isProved = row.state === "proved";
  if (isProved !== (was === "proved")) await noteDomain(ctx, tx, isProved ? "proved" : "lost", row, acting, now);
}

/** Removes a claim. A proved domain goes to the claim that waited for it. */
async function end(ctx: Context, tx: Handle, row: Domain, acting: Acting, now: number): Promise<void> {
  const { others } = await lockOwn(tx, row);
  await deleteDomain(tx, row);
  await noteDomain(ctx, tx, "remove", row, acting, now);
  if (row.state !== "proved") return;
  await noteDomain(ctx, tx, "lost", row, acting, now);
  const successor = successorOf(others, now);
  if (successor) await save(ctx, tx, successor, "waiting", acting, now);
}

/** `join`: who joined by it before, and who does now. */
async function noteDomain(
  ctx: Context,
  tx: Handle,
  action: "add" | "update" | "confirm" | "remove" | "proved" | "lost",
  { organizationId: id, appId, domain }: Domain,
  acting: Acting,
  now: number,
  join?: { from: DomainJoin; to: DomainJoin },
): Promise<void> {
  const event = action === "proved" || action === "lost" ? { event: `organization.domain.${action}` as const } : {};
  const changes = join && { changes: changedValues("join", [join.from], [join.to]) };
  const noted = { action: `domain.${action}`, ...event, details: { domain }, ...changes };
  await note(ctx, tx, { id, appId }, noted, acting, now);
}

async function claimed(handle: Handle, { id }: Organization, text: string): Promise<Domain> {
  const parsed = parseDomain(text);
  const row = "domain" in parsed && (await findDomain(handle, { organizationId: id, domain: parsed.domain }));
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

function answerFor(row: Domain): OrganizationDomain {
  const { domain, state, join, token, checkedAt, answer, misses, createdAt, provedAt, worksAt, setupLinkId } = row;
  const time = (at: number | null) => (at === null ? null : isoTime(at));
  return {
    domain,
    state,
    join,
    record: isByOperator(row) ? null : { name: challengeName(domain), value: token },
    createdAt: isoTime(createdAt),
    provedAt: time(provedAt),
    worksAt: time(worksAt),
    checkedAt: time(checkedAt),
    answer,
    misses,
    setupLinkId,
  };
}
