/** "Try it": an owner signs in at a provider before it counts. It opens nothing. */
import { ProviderFailure } from "../credentials/identities/provider-fetch.ts";
import type { RequestSource } from "../lib/request-source.ts";
import type { Context } from "../runtime/context.ts";
import type { CompanyIdentity } from "../storage/column-types.ts";
import type { Handle } from "../storage/storage.ts";
import { findUser } from "../users/store.ts";
import { note } from "../organizations/announcements.ts";
import { lockFor } from "../organizations/members.ts";
import { findMember } from "../organizations/membership-store.ts";
import { asMember, type Acting, type Organization } from "../organizations/organization.ts";
import { rankOf, requireRank } from "../organizations/rights.ts";
import { recordFailure, recordSuccess } from "./failing.ts";
import { identify, type EmailProblem } from "./identify.ts";
import {
  findIdentity,
  insertIdentity,
  listIdentitiesOf,
  recordIdentityUse,
} from "../organizations/provider/identity-store.ts";
import type { OrganizationProvider } from "../organizations/provider/provider.ts";
import { findProvider, findWaitingProvider, recordTried } from "../organizations/provider/provider-store.ts";
import { noProvider } from "./service.ts";
import * as visits from "./visits.ts";

/** `failure`: why the provider named nobody, for owners. */
export type Trial = { issuer: string } & (
  | { failure: string }
  | { identity: CompanyIdentity; emailProblem: EmailProblem | undefined }
);

/** The provider's address for an owner, of the one that waits, if any. Throws ProviderFailure. */
export async function beginTrial(
  ctx: Context,
  organization: Pick<Organization, "id">,
  { browserDigest, userId }: { browserDigest: string; userId: string },
  acting: Acting,
): Promise<string> {
  const { reader } = ctx.storage;
  requireRank(await rankOf(reader, organization, acting), "owner");
  const waiting = await findWaitingProvider(reader, organization.id);
  const provider = waiting ?? (await findProvider(reader, organization.id));
  if (!provider) throw noProvider();
  const visit = { purpose: "trial", sessionId: null, userId, browserDigest } as const;
  return await visits.start(ctx, provider, visit, { loginHint: null, asksLogin: false });
}

/** The owner who tries it. */
type Tester = { userId: string; source: RequestSource };

/**
 * What the provider said. An owner whom it names is linked to its subject: this browser has proved
 * them here, too. Throws METHOD_NOT_FOUND if another provider was set since.
 */
export async function finishTrial(
  ctx: Context,
  { organizationId, issuer, ...by }: { organizationId: string; issuer: string } & Tester,
  answer: { state: string; code: string; iss: string | undefined },
): Promise<Trial> {
  const { reader } = ctx.storage;
  const both = [await findWaitingProvider(reader, organizationId), await findProvider(reader, organizationId)];
  const provider = both.find((each) => each?.issuer === issuer);
  if (!provider) throw noProvider();
  try {
    const { identity, emailProblem } = await identify(ctx, provider, answer);
    if (emailProblem === undefined) {
      await recordSuccess(ctx, provider);
      await link(ctx, provider, identity, by);
    }
    return { issuer, identity, emailProblem };
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    await recordFailure(ctx, provider, error);
    return { issuer, failure: error.message };
  }
}

async function link(
  ctx: Context,
  provider: OrganizationProvider,
  identity: CompanyIdentity,
  { userId, source }: Tester,
): Promise<void> {
  const { organizationId, appId } = provider;
  const now = ctx.clock();
  const acting = asMember(userId, source);
  await ctx.storage.write(async (tx) => {
    const { organization } = await lockFor(tx, { id: organizationId }, acting, "owner");
    await recordTried(tx, provider, now);
    const { issuer, subject, email } = identity;
    const known = await findIdentity(tx, identity);
    if (known?.userId === userId) await recordIdentityUse(tx, { organizationId, issuer, subject, email }, now);
    const links = !known && (await isTheirs(tx, identity, userId));
    if (links) {
      const row = { organizationId, appId, issuer, subject, userId, email, createdAt: now, lastUsedAt: now };
      await insertIdentity(tx, row);
    }
    await note(ctx, tx, organization, { action: "provider.try", userId, details: { issuer, links } }, acting, now);
  });
}

/** Nobody is linked to a second subject; the address is the one that the owner proved here. */
async function isTheirs(tx: Handle, { organizationId, email }: CompanyIdentity, userId: string): Promise<boolean> {
  const user = await findUser(tx, userId);
  const member = await findMember(tx, { organizationId, userId });
  const others = (await listIdentitiesOf(tx, userId)).filter((each) => each.organizationId === organizationId);
  return member !== undefined && user?.emailVerified === true && user.email === email && others.length === 0;
}
