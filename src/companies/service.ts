/** An organization's provider: who sets it, and when it begins to work (docs/decisions/0107). */
import { hasOrganizations } from "../applications/application.ts";
import { ProviderFailure } from "../credentials/identities/provider-fetch.ts";
import { day, hour, isoTime } from "../lib/clock.ts";
import { AppError, invalidRequest } from "../lib/errors.ts";
import { changeOf, type Wanted } from "../lib/wanted.ts";
import { rateLimits } from "../rate-limits/service.ts";
import { changedValues } from "../records/audit/changes.ts";
import type { Context } from "../runtime/context.ts";
import type { SettingChanges } from "../storage/column-types.ts";
import type { Handle } from "../storage/storage.ts";
import { note, organizationChanged, tokensEnd } from "../organizations/announcements.ts";
import { lockFor } from "../organizations/members.ts";
import { findMember, findMembership, listOwners } from "../organizations/membership-store.ts";
import { tell } from "../organizations/notices.ts";
import { notAllowed, type Acting, type Organization } from "../organizations/organization.ts";
import { rankOf, rankOfRoles, requireRank, type Rank } from "../organizations/rights.ts";
import { callbackAddress } from "./identify.ts";
import { findIdentityOf } from "../organizations/provider/identity-store.ts";
import { issuerProblem, tryIssuer } from "./issuer.ts";
import { isFailing, providerSecretContext, type OrganizationProvider } from "../organizations/provider/provider.ts";
import {
  countWithoutMethod,
  deleteProvider,
  findProvider,
  findWaitingProvider,
  hasEarlierIdentities,
  listDueProviders,
  lockSettings,
  saveProvider,
} from "../organizations/provider/provider-store.ts";
import { requireWorking } from "../organizations/provider/setup-links.ts";

/** Undefined: unchanged, or the default. */
export type ProviderInput = {
  issuer: string;
  clientId: string;
  /** Needed for another issuer, to which the stored one is never sent. */
  clientSecret?: string | undefined;
  fixedAddresses?: boolean | undefined;
  /** Only the server says it. */
  trustsSecondFactor?: string | null | undefined;
  sessionSeconds?: number | undefined;
};

export type ProviderAnswer = {
  issuer: string;
  clientId: string;
  fixedAddresses: boolean;
  trustsSecondFactor: string | null;
  sessionSeconds: number;
  /** Since when members must sign in by it; null: they need not. */
  requiredSince: string | null;
  /** The member who set it; null: the server, an operator, or who had a set-up link. */
  setterId: string | null;
  setupLinkId: string | null;
  /** When a sign-in or a test by it first succeeded. */
  triedAt: string | null;
  /** Of one that waits and is confirmed: when it begins to work. */
  worksAt: string | null;
  createdAt: string;
  updatedAt: string;
  failingSince: string | null;
  failure: string | null;
};

/** `provider`: the one that works. `waiting`: it is to be tried and confirmed, or for its time. */
export type Providers = {
  callbackUrl: string;
  provider: ProviderAnswer | null;
  waiting: ProviderAnswer | null;
};

export const defaultSessionSeconds = 12 * 3600;
const [minSeconds, maxSeconds] = [300, 7 * 24 * 3600];
const maxSecretCharacters = 1024;
const worksAfter = day;
const usedWithin = hour;
const testsPerMinute = 10;
const batchSize = 20;
const byItself: Acting = { actor: { kind: "service", name: "organizations" } };

/** Throws INSUFFICIENT_SCOPE for everybody but owners and the server. */
export async function show(ctx: Context, organization: Organization, acting: Acting): Promise<Providers> {
  const { reader } = ctx.storage;
  requireRank(await rankOf(reader, organization, acting), "owner");
  return await answer(ctx, reader, organization);
}

async function answer(ctx: Context, handle: Handle, { id }: Pick<Organization, "id">): Promise<Providers> {
  const [provider, waiting] = [await findProvider(handle, id), await findWaitingProvider(handle, id)];
  return {
    callbackUrl: callbackAddress(ctx, { organizationId: id }),
    provider: provider ? answerFor(provider) : null,
    waiting: waiting ? answerFor(waiting) : null,
  };
}

function answerFor(row: OrganizationProvider): ProviderAnswer {
  const { issuer, clientId, fixedAddresses, trustsSecondFactor, sessionSeconds, setterId, setupLinkId, failure } = row;
  const time = (at: number | null) => (at === null ? null : isoTime(at));
  return {
    issuer,
    clientId,
    fixedAddresses,
    trustsSecondFactor,
    sessionSeconds,
    requiredSince: time(row.requiredSince),
    setterId,
    setupLinkId,
    triedAt: time(row.triedAt),
    worksAt: time(row.worksAt),
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
    ...(isFailing(row) ? { failingSince: time(row.failingSince), failure } : { failingSince: null, failure: null }),
  };
}

/**
 * Sets the provider. The server's works at once, an owner's when it was tried and confirmed; for
 * the issuer that works, another client or secret works at once, and people stay signed in. Who was
 * let in by a mail within a day only gives that issuer another secret. `required`: as `setRequired`
 * takes it. Throws INVALID_REQUEST, INSUFFICIENT_SCOPE, CONFLICT while the application allows none;
 * for a set-up link CONFLICT if another one waits, ORGANIZATION_NOT_FOUND if the link has ended.
 */
export async function set(
  ctx: Context,
  given: Organization,
  wanted: Wanted<ProviderInput, Providers>,
  acting: Acting,
  { setupLinkId = null, required }: { setupLinkId?: string | null; required?: boolean | undefined } = {},
): Promise<Providers> {
  const now = ctx.clock();
  const { reader } = ctx.storage;
  const { member } = acting;
  const owning = member ? { ...acting, member: { ...member, isNew: false } } : acting;
  // Who has a set-up link is no member, and their provider waits like an owner's.
  const rankIn = async (handle: Handle): Promise<Rank> =>
    setupLinkId === null ? await rankOf(handle, given, owning) : "owner";
  requireRank(await rankIn(reader), "owner");
  await countTest(ctx, given);
  const asked = changeOf(wanted, await answer(ctx, reader, given));
  const problem = await problemOf(ctx, given.id, asked.issuer.trim());
  if (problem !== undefined) throw invalidRequest("issuer", problem);
  return await ctx.storage.write<Providers>(async (tx, rollBack) => {
    requireCompanySignIn(await lockSettings(tx, given.appId));
    const { organization } = await lockFor(tx, given, acting);
    const { id, appId } = organization;
    const rank = await rankIn(tx);
    requireRank(rank, "owner");
    const waiting = await findWaitingProvider(tx, id);
    if (setupLinkId !== null) {
      await requireWorking(tx, setupLinkId, now);
      const isIts = waiting?.setupLinkId === setupLinkId && waiting.worksAt === null;
      if (waiting && !isIts) throw new AppError("CONFLICT", "Another provider waits already.");
    }
    const input = changeOf(wanted, await answer(ctx, tx, given));
    const issuer = input.issuer.trim();
    // The issuer was asked about before the transaction.
    if (issuer !== asked.issuer.trim()) throw new AppError("CONFLICT", "The provider has just been changed.");
    const active = await findProvider(tx, id);
    const same = [active, waiting].find((each) => each?.issuer === issuer);
    if (rank !== "server" && (input.trustsSecondFactor ?? null) !== (same?.trustsSecondFactor ?? null))
      if (input.trustsSecondFactor !== undefined) throw notAllowed();
    const isActive = rank === "server" || (active?.issuer === issuer && setupLinkId === null);
    const entered = input.clientSecret?.trim() ?? "";
    const secret = entered === "" && same ? clientSecretOf(ctx, same) : entered;
    const row: OrganizationProvider = {
      organizationId: id,
      appId,
      state: isActive ? "active" : "waiting",
      issuer,
      clientId: checkedClientId(input.clientId),
      encryptedSecret: await ctx.keyring.encrypt(
        tx,
        checkedSecret(secret),
        providerSecretContext({ organizationId: id }),
      ),
      fixedAddresses: input.fixedAddresses ?? same?.fixedAddresses ?? false,
      trustsSecondFactor: checkedClaim(input.trustsSecondFactor, same),
      sessionSeconds: checkedSeconds(input.sessionSeconds ?? same?.sessionSeconds ?? active?.sessionSeconds),
      // One that waits takes over what is demanded when it begins.
      requiredSince: isActive ? (active?.requiredSince ?? null) : null,
      proofsFrom: active?.issuer === issuer ? active.proofsFrom : now,
      setterId: acting.member?.userId ?? null,
      setupLinkId,
      triedAt: isActive && active?.issuer === issuer ? active.triedAt : null,
      worksAt: null,
      createdAt: same?.createdAt ?? now,
      updatedAt: now,
      failingSince: null,
      failedAt: null,
      failure: null,
      failureMailedAt: null,
    };
    const isOnlySecret = isActive && active !== undefined && Object.keys(changesOf(active, row)).length === 0;
    if (member?.isNew && !isOnlySecret) throw notAllowed();
    await saveProvider(tx, row);
    if (isActive && !member?.isNew) await deleteProvider(tx, id, "waiting");
    const before = isActive ? active : same;
    await noteProvider(ctx, tx, organization, { action: "set", row, changes: changesOf(before, row) }, acting, now);
    if (isActive && active && active.issuer !== issuer) await replaced(ctx, tx, organization);
    else if (isActive) await organizationChanged(tx, organization, now);
    if (isActive && active?.issuer !== issuer) await tellOwners(ctx, tx, organization, row, now);
    else if (isActive && (row.clientId !== active?.clientId || (row.fixedAddresses && !active.fixedAddresses)))
      await tellOwners(ctx, tx, organization, row, now, member?.userId);
    if (required !== undefined) await demand(ctx, tx, organization, { required, rank }, acting, now);
    const result = await answer(ctx, tx, organization);
    if (acting.dryRun) throw rollBack(result);
    return result;
  });
}

/** Why an issuer cannot be used, asked of it now. */
async function problemOf(ctx: Context, organizationId: string, issuer: string): Promise<string | undefined> {
  const problem = issuerProblem(ctx, issuer);
  if (problem !== undefined) return problem;
  try {
    await tryIssuer(ctx, { organizationId, issuer });
    return undefined;
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    return `an issuer that answers: ${error.message}`;
  }
}

function isCompanySignInOn(found: Awaited<ReturnType<typeof lockSettings>>): boolean {
  return found !== undefined && hasOrganizations(found) && found.settings.companySignIn === "on";
}

/** Throws CONFLICT. A passkey cannot be required beside it. */
export function requireCompanySignIn(found: Awaited<ReturnType<typeof lockSettings>>): void {
  if (!isCompanySignInOn(found)) throw new AppError("CONFLICT", "Providers of organizations are off: companySignIn.");
}

/** Throws RATE_LIMITED. */
async function countTest(ctx: Context, { id }: Pick<Organization, "id">): Promise<void> {
  const { limiter } = rateLimits(ctx);
  const { exceeded, retryAfterSeconds } = await limiter.count(`provider of ${id}`, testsPerMinute, "known");
  if (exceeded) throw new AppError("RATE_LIMITED", "Too many tests of this organization.", { retryAfterSeconds });
}

/** Of a row with the wanted issuer: a stored secret is never sent to another one. */
export function clientSecretOf({ keyring }: Context, provider: OrganizationProvider): string {
  return keyring.decrypt(provider.encryptedSecret, providerSecretContext(provider));
}

function checkedClientId(clientId: string): string {
  // RFC 6749 appendix A.1.
  if (!/^[\x20-\x7E]{1,512}$/u.test(clientId.trim()))
    throw invalidRequest("clientId", "1 to 512 printable ASCII characters");
  return clientId.trim();
}

function checkedSecret(secret: string): string {
  // RFC 6749 appendix A.2.
  if (!/^[\x20-\x7E]+$/u.test(secret) || secret.length > maxSecretCharacters)
    throw invalidRequest("clientSecret", `1 to ${maxSecretCharacters} printable ASCII characters`);
  return secret;
}

function checkedClaim(claim: string | null | undefined, same: OrganizationProvider | undefined): string | null {
  if (claim === undefined) return same?.trustsSecondFactor ?? null;
  if (claim !== null && !/^[\w.-]{1,64}=[\w.:/-]{1,200}$/u.test(claim))
    throw invalidRequest("trustsSecondFactor", "a claim and its value, such as amr=mfa, or null");
  return claim;
}

function checkedSeconds(value = defaultSessionSeconds): number {
  if (!Number.isInteger(value) || value < minSeconds || value > maxSeconds)
    throw invalidRequest("sessionSeconds", `a whole number from ${minSeconds} to ${maxSeconds}`);
  return value;
}

/** Without the secret, of which the audit log says only that it changed. */
function changesOf(before: OrganizationProvider | undefined, after: OrganizationProvider): SettingChanges {
  const fields = ["issuer", "clientId", "fixedAddresses", "trustsSecondFactor", "sessionSeconds"] as const;
  const texts = (value: string | number | boolean | null = null) => (value === null ? [] : [String(value)]);
  const changes = fields.map((field) => changedValues(field, texts(before?.[field]), texts(after[field])));
  return Object.assign({}, ...changes) as SettingChanges;
}

type NotedProvider = {
  action: string;
  row: Pick<OrganizationProvider, "issuer">;
  changes?: SettingChanges;
  details?: Record<string, string | number | boolean | null>;
  userId?: string;
};

async function noteProvider(
  ctx: Context,
  tx: Handle,
  organization: Organization,
  { action, row: { issuer }, changes, details, userId }: NotedProvider,
  acting: Acting,
  now: number,
): Promise<void> {
  const about = { issuer, ...details };
  const noted = {
    action: `provider.${action}`,
    event: "organization.provider.updated" as const,
    details: about,
    ...(changes && { changes }),
    ...(userId !== undefined && { userId }),
  };
  await note(ctx, tx, organization, noted, acting, now);
}

/** What follows when another issuer, or none, takes the place of the one that worked. */
async function replaced(ctx: Context, tx: Handle, organization: Organization): Promise<void> {
  await organizationChanged(tx, organization, ctx.clock());
  await tokensEnd(ctx, tx, organization);
}

/** Mails the owners about another issuer or client, `but` who set it. */
async function tellOwners(
  ctx: Context,
  tx: Handle,
  { id: organizationId, appId, name: organization }: Organization,
  { issuer, worksAt }: { issuer: string; worksAt: number | null },
  now: number,
  but?: string,
): Promise<void> {
  const about = { organization, organizationId, provider: new URL(issuer).host, worksAt: worksAt ?? now };
  const notice = { kind: "organization-provider-changes", ...about } as const;
  const owners = (await listOwners(tx, organizationId)).filter(({ userId }) => userId !== but);
  await tell(ctx, tx, { appId }, owners, notice, now);
}

/** The waiting one that a form or a call names by its issuer. Throws CONFLICT. */
async function waitingOf(tx: Handle, { id }: Organization, issuer: string): Promise<OrganizationProvider> {
  const waiting = await findWaitingProvider(tx, id);
  if (waiting?.issuer !== issuer) throw new AppError("CONFLICT", "No such provider waits: it has been changed.");
  return waiting;
}

type Changing = { organization: Organization; rank: Rank; now: number };

/** One change by an owner or the server. `mayBeOff`: also while the application allows none. */
async function change(
  ctx: Context,
  given: Organization,
  { acting, mayBeOff = false }: { acting: Acting; mayBeOff?: boolean },
  act: (tx: Handle, changing: Changing) => Promise<void>,
): Promise<Providers> {
  const now = ctx.clock();
  return await ctx.storage.write<Providers>(async (tx, rollBack) => {
    if (!mayBeOff) requireCompanySignIn(await lockSettings(tx, given.appId));
    await act(tx, { ...(await lockFor(tx, given, acting, "owner")), now });
    const result = await answer(ctx, tx, given);
    if (acting.dryRun) throw rollBack(result);
    return result;
  });
}

/**
 * Confirms the provider that waits, after an owner tried it. It works at once, or after a day if
 * people of the organization had identities before. `required`: members must sign in by it. Throws
 * INSUFFICIENT_SCOPE, CONFLICT.
 */
export async function confirm(
  ctx: Context,
  given: Organization,
  { issuer, required = false }: { issuer: string; required?: boolean | undefined },
  acting: Acting,
): Promise<Providers> {
  return await change(ctx, given, { acting }, async (tx, { organization, rank, now }) => {
    const waiting = await waitingOf(tx, organization, issuer);
    const active = await findProvider(tx, organization.id);
    const demands = required && !active?.requiredSince;
    if (waiting.worksAt !== null && rank !== "server") throw new AppError("CONFLICT", "It is confirmed already.");
    if (rank !== "server" && waiting.triedAt === null) throw new AppError("CONFLICT", "Try the provider first.");
    if (demands) await requireUse(tx, waiting, rank, acting, now);
    const row = {
      ...waiting,
      setterId: acting.member?.userId ?? waiting.setterId,
      requiredSince: demands ? now : waiting.requiredSince,
    };
    const waits = rank !== "server" && (active !== undefined || (await hasEarlierIdentities(tx, waiting)));
    if (waits) {
      const worksAt = now + worksAfter;
      await saveProvider(tx, { ...row, worksAt, updatedAt: now });
      const details = { worksAt: isoTime(worksAt) };
      await noteProvider(ctx, tx, organization, { action: "confirm", row, details }, acting, now);
      await tellOwners(ctx, tx, organization, { ...row, worksAt }, now);
    } else {
      await activate(ctx, tx, organization, { row, active, action: "confirm" }, acting, now);
      await tellOwners(ctx, tx, organization, { ...row, worksAt: now }, now);
    }
  });
}

/**
 * A second owner, who has been one for a day, or the server agrees to another issuer, which works
 * at once then. Throws INSUFFICIENT_SCOPE, CONFLICT.
 */
export async function agree(
  ctx: Context,
  given: Organization,
  { issuer }: { issuer: string },
  acting: Acting,
): Promise<Providers> {
  return await change(ctx, given, { acting }, async (tx, { organization, rank, now }) => {
    const row = await waitingOf(tx, organization, issuer);
    if (row.worksAt === null) throw new AppError("CONFLICT", "It is not confirmed yet.");
    if (rank !== "server") await requireSecondOwner(tx, row, acting, now);
    const active = await findProvider(tx, organization.id);
    await activate(ctx, tx, organization, { row, active, action: "agree" }, acting, now);
  });
}

/** Not somebody whom the first one has just made an owner: the others read of that for a day. */
async function requireSecondOwner(
  tx: Handle,
  { organizationId, setterId }: OrganizationProvider,
  { member }: Acting,
  now: number,
): Promise<void> {
  const userId = member?.userId ?? "";
  const owner = await findMember(tx, { organizationId, userId });
  if (!owner || userId === setterId || (owner.ownerSince ?? 0) > now - worksAfter) throw notAllowed();
}

/** The waiting one takes the place of the one that works. */
async function activate(
  ctx: Context,
  tx: Handle,
  organization: Organization,
  { row, active, action }: { row: OrganizationProvider; active: OrganizationProvider | undefined; action: string },
  acting: Acting,
  now: number,
): Promise<void> {
  // Enforcement never ends by itself, and begins with the provider.
  const requiredSince = active?.requiredSince ?? (row.requiredSince === null ? null : now);
  const next = { ...row, state: "active", requiredSince, proofsFrom: now, worksAt: null, updatedAt: now } as const;
  await deleteProvider(tx, organization.id, "waiting");
  await saveProvider(tx, next);
  await noteProvider(ctx, tx, organization, { action, row, changes: changesOf(active, next) }, acting, now);
  if (active || requiredSince !== null) await replaced(ctx, tx, organization);
  else await organizationChanged(tx, organization, now);
}

/**
 * Providers whose day is over begin to work; true if more may be due. One that may not begin any
 * more, or whose setter is no owner, waits for a confirmation again.
 */
export async function beginDue(ctx: Context): Promise<boolean> {
  const due = await listDueProviders(ctx.storage.reader, ctx.clock(), batchSize);
  for (const { organizationId: id, appId } of due)
    await ctx.storage.write(async (tx) => {
      const now = ctx.clock();
      const isOn = isCompanySignInOn(await lockSettings(tx, appId));
      const { organization } = await lockFor(tx, { id }, byItself);
      const row = await findWaitingProvider(tx, id);
      if (!row || row.worksAt === null || row.worksAt > now) return;
      const setter = await findMembership(tx, { organizationId: id, userId: row.setterId ?? "" });
      const active = await findProvider(tx, id);
      if (isOn && setter && rankOfRoles(setter.roles) === "owner")
        await activate(ctx, tx, organization, { row, active, action: "begin" }, byItself, now);
      else {
        const details = { worksAt: null };
        await saveProvider(tx, { ...row, worksAt: null, updatedAt: now });
        await noteProvider(ctx, tx, organization, { action: "confirm", row, details }, byItself, now);
      }
    });
  return due.length === batchSize;
}

/** The `cause` of CONFLICT where an owner must first sign in by the provider. */
export const needsUse = "sign in by the provider first";

/** Whether to demand it is decided by an owner whom it has let in within the hour (57). */
async function requireUse(
  tx: Handle,
  { organizationId, issuer, triedAt }: OrganizationProvider,
  rank: Rank,
  { member }: Acting,
  now: number,
): Promise<void> {
  if (rank === "server") {
    if (triedAt === null) throw new AppError("CONFLICT", "Nobody has signed in by the provider yet.");
    return;
  }
  const own = await findIdentityOf(tx, { organizationId, issuer, userId: member?.userId ?? "" });
  if ((own?.lastUsedAt ?? 0) <= now - usedWithin)
    throw new AppError("CONFLICT", "Sign in by the provider first: your identity there was not used within the hour.", {
      cause: needsUse,
    });
}

/** Whether members must sign in by the provider. Throws INSUFFICIENT_SCOPE, CONFLICT. */
export async function setRequired(
  ctx: Context,
  given: Organization,
  { required }: { required: boolean },
  acting: Acting,
): Promise<Providers> {
  return await change(ctx, given, { acting, mayBeOff: true }, async (tx, { organization, rank, now }) => {
    await demand(ctx, tx, organization, { required, rank }, acting, now);
  });
}

/** The same within a transaction, with the organization locked. */
async function demand(
  ctx: Context,
  tx: Handle,
  organization: Organization,
  { required, rank }: { required: boolean; rank: Rank },
  acting: Acting,
  now: number,
): Promise<void> {
  const active = await findProvider(tx, organization.id);
  if (!active) throw noProvider();
  if ((active.requiredSince !== null) === required) return;
  if (required) await requireUse(tx, active, rank, acting, now);
  const row = { ...active, requiredSince: required ? now : null, updatedAt: now };
  await saveProvider(tx, row);
  const changes = changedValues("required", [String(!required)], [String(required)]);
  await noteProvider(ctx, tx, organization, { action: "require", row, changes }, acting, now);
  await organizationChanged(tx, organization, now);
  if (required) await tokensEnd(ctx, tx, organization);
}

export function noProvider(): AppError {
  return new AppError("METHOD_NOT_FOUND", "The organization has no provider.");
}

/**
 * Removes the provider and one that waits: proofs by it end at once, identities stay. Returns how
 * many people have no method of their own. Throws METHOD_NOT_FOUND, INSUFFICIENT_SCOPE.
 */
export async function remove(
  ctx: Context,
  given: Organization,
  { onlyWaiting = false }: { onlyWaiting?: boolean },
  acting: Acting,
): Promise<{ withoutMethod: number }> {
  const now = ctx.clock();
  return await ctx.storage.write<{ withoutMethod: number }>(async (tx, rollBack) => {
    const { organization } = await lockFor(tx, given, acting, "owner");
    const { id } = organization;
    const [active, waiting] = [await findProvider(tx, id), await findWaitingProvider(tx, id)];
    const row = onlyWaiting ? waiting : (active ?? waiting);
    if (!row) throw noProvider();
    const ends = active !== undefined && !onlyWaiting;
    const result = { withoutMethod: ends ? await countWithoutMethod(tx, active) : 0 };
    await deleteProvider(tx, id, onlyWaiting ? "waiting" : undefined);
    await noteProvider(ctx, tx, organization, { action: "remove", row, details: result }, acting, now);
    if (ends) await replaced(ctx, tx, organization);
    if (acting.dryRun) throw rollBack(result);
    return result;
  });
}

/** How many people would have no way in without the provider. */
export async function withoutMethod(ctx: Context, { id }: Organization): Promise<number> {
  const active = await findProvider(ctx.storage.reader, id);
  return active ? await countWithoutMethod(ctx.storage.reader, active) : 0;
}

/**
 * Asks the issuer for its metadata and keys now. Throws METHOD_NOT_FOUND, INSUFFICIENT_SCOPE,
 * RATE_LIMITED.
 */
export async function test(
  ctx: Context,
  organization: Organization,
  acting: Acting,
): Promise<{ issuer: string; problem: string | null }> {
  const { reader } = ctx.storage;
  requireRank(await rankOf(reader, organization, acting), "owner");
  const { id } = organization;
  const row = (await findWaitingProvider(reader, id)) ?? (await findProvider(reader, id));
  if (!row) throw noProvider();
  await countTest(ctx, organization);
  return { issuer: row.issuer, problem: (await problemOf(ctx, id, row.issuer)) ?? null };
}
