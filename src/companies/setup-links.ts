/**
 * Links by which somebody who is no owner adds a domain and a provider. Nothing that they add has
 * an effect before an owner or the server confirms it (docs/decisions/0110).
 */
import { codeFrom, isLinkSecret, maxCodeTries } from "../credentials/mailed/rules.ts";
import { day, hour, isoTime, minute } from "../lib/clock.ts";
import { AppError, invalidRequest } from "../lib/errors.ts";
import { digestOf, newId, newSecret } from "../lib/random.ts";
import type { RequestSource } from "../lib/request-source.ts";
import { checkedNewEmail } from "../lib/user-fields.ts";
import * as allowance from "../records/mail/allowance.ts";
import * as mail from "../records/mail/service.ts";
import type { Context } from "../runtime/context.ts";
import * as users from "../users/service.ts";
import { note } from "../organizations/announcements.ts";
import * as domains from "../organizations/domains/service.ts";
import type { OrganizationDomain } from "../organizations/domains/service.ts";
import { lockFor } from "../organizations/members.ts";
import { organizationNotFound, tooMany, type Acting, type Organization } from "../organizations/organization.ts";
import { rankOf, requireRank } from "../organizations/rights.ts";
import { findWaitingProvider, lockSettings } from "../organizations/provider/provider-store.ts";
import * as provider from "./service.ts";
import {
  countTry,
  endSetupLinks,
  insertSetupLink,
  listSetupLinks,
  recordCode,
  recordOpened,
  sweepSetupLinks,
  type SetupLink,
} from "../organizations/provider/setup-link-store.ts";
import { findWorking, type OpenLink } from "../organizations/provider/setup-links.ts";

const linkLasts = 7 * day;
const codeLasts = 10 * minute;
const staysOpen = hour;
const maxOpen = 10;
const keptFor = 30 * day;
const batchSize = 100;

export type SetupLinkAnswer = {
  id: string;
  email: string;
  makerId: string | null;
  createdAt: string;
  expiresAt: string;
};

function answerFor({ id, email, makerId, createdAt, expiresAt }: SetupLink): SetupLinkAnswer {
  return { id, email, makerId, createdAt: isoTime(createdAt), expiresAt: isoTime(expiresAt) };
}

/**
 * Mails a link to one address, in place of an earlier one. Throws INVALID_REQUEST,
 * INSUFFICIENT_SCOPE, CONFLICT, RATE_LIMITED.
 */
export async function make(
  ctx: Context,
  given: Organization,
  wanted: { email: string },
  acting: Acting,
): Promise<SetupLinkAnswer> {
  const now = ctx.clock();
  const email = checkedNewEmail(wanted.email);
  if (!mail.takesMail(ctx)) throw invalidRequest("email", "the service has no mail server");
  const secret = newSecret(ctx.random);
  return await ctx.storage.write<SetupLinkAnswer>(async (tx, rollBack) => {
    provider.requireCompanySignIn(await lockSettings(tx, given.appId));
    const { organization } = await lockFor(tx, given, acting, "owner");
    const { id: organizationId, appId, disabledAt, name } = organization;
    if (disabledAt !== null) throw new AppError("CONFLICT", "The organization is disabled.");
    await endSetupLinks(tx, { organizationId, email }, now);
    if ((await listSetupLinks(tx, organizationId, now)).length >= maxOpen)
      throw new AppError("CONFLICT", `An organization has at most ${maxOpen} open set-up links.`);
    if (!(await allowance.countInvite(ctx, tx, { purpose: "organization-setup", appId, email }, now)))
      throw tooMany("This address, or the application, has had its mails of this hour.", hour);
    const makerId = acting.member?.userId ?? null;
    const maker = makerId === null ? undefined : await users.find(tx, makerId);
    const link: SetupLink = {
      id: newId("sul", now, ctx.random),
      organizationId,
      appId,
      digest: digestOf(secret),
      email,
      makerId,
      createdAt: now,
      expiresAt: now + linkLasts,
      endedAt: null,
      codeDigest: null,
      codeTries: 0,
      codeExpiresAt: null,
      browserDigest: null,
      openUntil: null,
    };
    await insertSetupLink(tx, link);
    await note(ctx, tx, organization, { action: "setup-link.make", details: { link: link.id } }, acting, now);
    const inviter = maker?.emailVerified ? maker.email : null;
    const about = { organization: name, inviter, link: addressOf(ctx, link, secret), expiresAt: link.expiresAt };
    await mail.enqueue(ctx, tx, { kind: "organization-setup", ...recipientOf(link), ...about }, now);
    if (acting.dryRun) throw rollBack(answerFor(link));
    return answerFor(link);
  });
}

function recipientOf({ appId, email }: SetupLink) {
  return { appId, userId: null, to: email, locale: null, origin: { ipAddress: null, userAgent: null } };
}

function addressOf({ baseUrl }: Context, { appId }: SetupLink, secret: string): string {
  return `${baseUrl}/organization/setup/${secret}?app_id=${encodeURIComponent(appId)}`;
}

/** Those that work. Throws INSUFFICIENT_SCOPE. */
export async function list(ctx: Context, { id }: Organization, acting: Acting): Promise<SetupLinkAnswer[]> {
  const { reader } = ctx.storage;
  requireRank(await rankOf(reader, { id }, acting), "owner");
  return (await listSetupLinks(reader, id, ctx.clock())).map(answerFor);
}

/** Throws ORGANIZATION_NOT_FOUND, INSUFFICIENT_SCOPE. */
export async function end(ctx: Context, given: Organization, id: string, acting: Acting): Promise<void> {
  const now = ctx.clock();
  await ctx.storage.write<void>(async (tx, rollBack) => {
    const { organization } = await lockFor(tx, given, acting, "owner");
    const [link] = await endSetupLinks(tx, { organizationId: organization.id, id }, now);
    if (!link) throw organizationNotFound();
    await note(ctx, tx, organization, { action: "setup-link.end", details: { link: id } }, acting, now);
    if (acting.dryRun) throw rollBack(undefined);
  });
}

/** The link of a mailed address; undefined if it does not work, or no longer. */
export async function findByLink(ctx: Context, secret: string): Promise<OpenLink | undefined> {
  if (!isLinkSecret(secret)) return undefined;
  return await findWorking(ctx.storage.reader, { digest: digestOf(secret) }, ctx.clock());
}

/** Whether a code opened the link in this browser lately. */
export function isOpenIn({ browserDigest, openUntil }: SetupLink, browser: string, now: number): boolean {
  return browserDigest === browser && openUntil !== null && openUntil > now;
}

/** Mails a code, with which only this browser opens the link. False: too many were asked for. */
export async function sendCode(
  ctx: Context,
  { link, organization }: OpenLink,
  { secret, browserDigest, source }: { secret: string; browserDigest: string; source: RequestSource },
): Promise<boolean> {
  const now = ctx.clock();
  const { id, appId, email } = link;
  const code = codeFrom(ctx.random(8));
  const expiresAt = now + codeLasts;
  return await ctx.storage.write(async (tx) => {
    const asked = { purpose: "organization-setup", appId, email, source } as const;
    if (!(await allowance.count(ctx, tx, asked, now))) return false;
    await recordCode(tx, id, { codeDigest: codeDigest(ctx, id, code), codeExpiresAt: expiresAt, browserDigest });
    const about = { organization: organization.name, link: addressOf(ctx, link, secret), code, expiresAt };
    await mail.enqueue(ctx, tx, { kind: "organization-setup-code", ...recipientOf(link), ...about }, now);
    return true;
  });
}

function codeDigest(ctx: Context, id: string, code: string): string {
  return ctx.keyring.mac("email", "setup-link code", id, code).toString("base64url");
}

/** Opens the link in this browser, if the code is right. `code`: eight digits. */
export async function open(
  ctx: Context,
  { link: { id }, organization }: OpenLink,
  { code, browserDigest, source }: { code: string; browserDigest: string; source: RequestSource },
): Promise<boolean> {
  const now = ctx.clock();
  return await ctx.storage.write(async (tx) => {
    const expected = await countTry(tx, { id, browserDigest, maxTries: maxCodeTries }, now);
    if (expected === undefined || expected !== codeDigest(ctx, id, code)) return false;
    await recordOpened(tx, id, now + staysOpen);
    await note(ctx, tx, organization, { action: "setup-link.open" }, byLink({ id }, source), now);
    return true;
  });
}

function byLink({ id }: Pick<SetupLink, "id">, source: RequestSource): Acting {
  return { actor: { kind: "service", name: id }, source };
}

/** What the link added. */
export async function added(
  ctx: Context,
  { link: { id }, organization }: OpenLink,
): Promise<{ domains: OrganizationDomain[]; issuer: string | undefined }> {
  const all = await domains.list(ctx, organization, { actor: { kind: "service", name: id } });
  const waiting = await findWaitingProvider(ctx.storage.reader, organization.id);
  return {
    domains: all.filter(({ setupLinkId }) => setupLinkId === id),
    issuer: waiting?.setupLinkId === id ? waiting.issuer : undefined,
  };
}

/**
 * Adds a domain, or asks about one that the link added. Throws as the same of an owner, and
 * ORGANIZATION_NOT_FOUND if the link has ended.
 */
export async function addDomain(
  ctx: Context,
  openLink: OpenLink,
  { domain, checks }: { domain: string; checks: boolean },
  source: RequestSource,
): Promise<void> {
  const { link, organization } = openLink;
  const acting = byLink(link, source);
  if (!checks) await domains.add(ctx, organization, { domain, setupLinkId: link.id }, acting);
  else if ((await added(ctx, openLink)).domains.some((each) => each.domain === domain))
    await domains.check(ctx, organization, domain, acting);
}

/** Adds a provider that waits. Throws as `service.set`. */
export async function addProvider(
  ctx: Context,
  { link: { id }, organization }: OpenLink,
  input: { issuer: string; clientId: string; clientSecret: string },
  source: RequestSource,
): Promise<void> {
  // The stored secret is the owners'.
  if (input.clientSecret.trim() === "") throw invalidRequest("clientSecret", "required");
  await provider.set(ctx, organization, input, byLink({ id }, source), { setupLinkId: id });
}

/** Removes a batch of those that expired long ago; true if more may be left. */
export async function sweep(ctx: Context): Promise<boolean> {
  const before = ctx.clock() - keptFor;
  return await ctx.storage.write((tx) => sweepSetupLinks(tx, before, batchSize));
}
