/** Who joins an organization because their address is at one of its domains. */
import type { Context } from "../../runtime/context.ts";
import type { Handle } from "../../storage/storage.ts";
import type { User } from "../../users/user.ts";
import { addressDigest, join } from "../members.ts";
import { countMembers, findMember, hasLeft, listOrganizationsOf } from "../membership-store.ts";
import { maxMembers, maxOrganizationsOfUser, type Acting } from "../organization.ts";
import { findProvider } from "../provider/provider-store.ts";
import { isBlocked, lockOrganization } from "../store.ts";
import { domainOf } from "./name.ts";
import { findProved } from "./store.ts";

/**
 * An organization that a person may join by their domain. `asks`: only if they say so; otherwise
 * they join at their next sign-in.
 */
export type DomainOffer = { organizationId: string; slug: string; name: string; domain: string; asks: boolean };

/**
 * Mailboxes that several people or a program read, such as those of RFC 2142: a mailed code proves
 * nobody there.
 */
const shared = new Set(
  "abuse accounts accounting admin administrator all billing bookings career careers compliance contact customer customers customerservice dev developers enquiries everyone feedback finance ftp hello help helpdesk hostmaster hr info inquiries invoice invoices it jobs legal list mail mailer-daemon marketing media news newsletter no-reply noc noreply office operations orders payments postmaster press privacy purchasing recruiting reception registrar reply returns root sales security service services shop spam staff subscribe support sysadmin team tech technical test tickets usenet users uucp webmaster www".split(
    " ",
  ),
);

type Person = Pick<User, "id" | "appId" | "email" | "emailVerified" | "disabledAt" | "createdAt">;

/**
 * What a person may join now, if anything: a domain is proved for one organization at most. One
 * with a provider is joined `byProvider` only.
 */
export async function offerFor(
  ctx: Context,
  handle: Handle,
  user: Person,
  { byProvider = false } = {},
): Promise<DomainOffer | undefined> {
  const { id: userId, appId, email } = user;
  if (email === null || !user.emailVerified || user.disabledAt !== null || !isPersonal(email)) return undefined;
  const found = await findProved(handle, { appId, domain: domainOf(email) });
  if (!found || found.join === "off" || (found.worksAt !== null && found.worksAt > ctx.clock())) return undefined;
  const { organizationId, slug, name, domain } = found;
  if ((await findProvider(handle, organizationId)) !== undefined && !byProvider) return undefined;
  if (!(await hasRoom(handle, found, userId))) return undefined;
  const place = { organizationId, userId };
  if (await findMember(handle, place)) return undefined;
  if (await isBlocked(handle, { ...place, addressDigest: addressDigest(ctx, { id: organizationId }, email) }))
    return undefined;
  // Who was there before the proof, or left, has not agreed to join.
  const isEarlier = user.createdAt <= (found.provedAt ?? Number.POSITIVE_INFINITY);
  const asks = found.join === "ask" || isEarlier || (await hasLeft(handle, place));
  return { organizationId, slug, name, domain, asks };
}

/**
 * Makes a locked person a member of the organization, if it is still what they may join; false if
 * not. `agreed`: the person pressed.
 */
export async function joinByDomain(
  ctx: Context,
  tx: Handle,
  user: User,
  { organizationId, agreed, byProvider = false }: { organizationId: string; agreed: boolean; byProvider?: boolean },
  acting: Acting,
): Promise<boolean> {
  const mayJoin = async (): Promise<boolean> => {
    const offer = await offerFor(ctx, tx, user, { byProvider });
    return offer?.organizationId === organizationId && (agreed || !offer.asks);
  };
  // Before the lock: a stranger's id must lock nothing, and the answer must say nothing about it.
  if (!(await mayJoin())) return false;
  const organization = await lockOrganization(tx, organizationId);
  if (!organization || !(await mayJoin())) return false;
  await join(ctx, tx, organization, { user, roles: ["member"], joinedBy: "domain" }, acting, ctx.clock());
  return true;
}

/** A sign-in continues without an organization that is full. */
async function hasRoom(
  handle: Handle,
  { organizationId, maxMembers: max }: { organizationId: string; maxMembers: number | null },
  userId: string,
): Promise<boolean> {
  const isFull = (await countMembers(handle, organizationId)) >= Math.min(max ?? maxMembers, maxMembers);
  return !isFull && (await listOrganizationsOf(handle, userId)).length < maxOrganizationsOfUser;
}

/** Not one with a tag, which its owner can have any number of. */
function isPersonal(email: string): boolean {
  const local = email.slice(0, email.lastIndexOf("@"));
  return !local.includes("+") && !shared.has(local);
}
