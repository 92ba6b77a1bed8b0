/**
 * Who a person is whom an organization's provider named, and what they have to do first
 * (docs/decisions/0109). The subject decides; an address only finds whom it may be linked to.
 */
import type { Application } from "../../applications/application.ts";
import * as signUpRules from "../../applications/sign-up/service.ts";
import { offerFor } from "../../organizations/domains/joining.ts";
import * as invitations from "../../organizations/invitations.ts";
import { findMember } from "../../organizations/membership-store.ts";
import * as companies from "../../organizations/provider/companies.ts";
import { findIdentity, listIdentitiesOf } from "../../organizations/provider/identity-store.ts";
import { asksOwner } from "../../companies/relinks.ts";
import { findProvider } from "../../organizations/provider/provider-store.ts";
import { findRelink } from "../../organizations/provider/relink-store.ts";
import type { Context } from "../../runtime/context.ts";
import type { CompanyIdentity } from "../../storage/column-types.ts";
import type { Handle } from "../../storage/storage.ts";
import * as users from "../../users/service.ts";
import type { User } from "../../users/user.ts";

/** Why the person does not come in. */
export type Refused =
  /** Nobody here, or no member, and not invited. */
  | "stranger"
  /** The account was linked to another subject, which only a relink replaces. */
  | "other-subject"
  /** A relink that an owner has to agree to. */
  | "asks-owner"
  /** Nobody proved the address of the account. */
  | "unproven"
  | "address-refused"
  | "disabled";

/** How they become a member; undefined: they are one. */
type Joining = { invitationId: string } | "domain" | undefined;

/**
 * `known`: by their subject. `new`: an account is made. `link`: to the account of their address,
 * which somebody has to prove; `replaces`: by a relink. `mailbox`: the address is proved by a code,
 * because the provider does not say that it is.
 */
export type Arrival =
  | { kind: "known"; user: User; joins: Joining }
  | { kind: "new"; joins: Exclude<Joining, undefined> }
  | { kind: "link"; user: User; joins: Joining; replaces: boolean }
  | { kind: "mailbox"; joins: Exclude<Joining, undefined> }
  | { kind: "refused"; why: Refused };

function refused(why: Refused): Arrival {
  return { kind: "refused", why };
}

/** Nothing is written. `identity.email`: null if the provider may not speak for it. */
export async function find(
  ctx: Context,
  handle: Handle,
  application: Application,
  identity: CompanyIdentity,
): Promise<Arrival> {
  const { organizationId, email } = identity;
  const known = await findIdentity(handle, identity);
  if (known) {
    const user = await users.find(handle, known.userId);
    if (user?.disabledAt !== null) return refused("disabled");
    const joins = await joiningOf(ctx, handle, organizationId, user);
    return joins === "none" ? refused("stranger") : { kind: "known", user, joins };
  }
  if (email === null || !(await companies.maySpeakFor(ctx, handle, organizationId, email))) return refused("stranger");
  const account = await users.findByEmail(handle, application.id, email);
  if (account) return await linkingOf(ctx, handle, identity, account);
  const person = { id: "", appId: application.id, email, emailVerified: true, disabledAt: null };
  const joins = await joiningOf(ctx, handle, organizationId, { ...person, createdAt: ctx.clock() });
  // Who is new joins at once, or is not made.
  if (joins === "none" || joins === undefined) return refused("stranger");
  if (signUpRules.problemWith(ctx, application, email)) return refused("address-refused");
  return { kind: identity.emailVerified === true ? "new" : "mailbox", joins };
}

async function linkingOf(
  ctx: Context,
  handle: Handle,
  { organizationId, issuer }: CompanyIdentity,
  user: User,
): Promise<Arrival> {
  if (user.disabledAt !== null) return refused("disabled");
  const joins = await joiningOf(ctx, handle, organizationId, user);
  if (joins === "none") return refused("stranger");
  // Nothing unproven is removed by a company's word, and nothing is linked beside it.
  if (!user.emailVerified) return refused("unproven");
  const place = { organizationId, userId: user.id };
  const before = (await listIdentitiesOf(handle, user.id)).filter((each) => each.organizationId === organizationId);
  if (before.length === 0) return { kind: "link", user, joins, replaces: false };
  const relink = await findRelink(handle, place, ctx.clock());
  const provider = await findProvider(handle, organizationId);
  // A subject that was used is not replaced again, but for another client, whose subjects are new.
  const isUsed = before.some(
    (each) =>
      each.issuer === issuer &&
      (each.createdAt >= (relink?.openedAt ?? 0) || each.relinkedClientId === provider?.clientId),
  );
  if (!relink || isUsed) return refused("other-subject");
  const roles = (await findMember(handle, place))?.roles ?? [];
  if (asksOwner(relink, roles) && relink.agreedAt === null) return refused("asks-owner");
  return { kind: "link", user, joins, replaces: true };
}

/** Who has an account joins by the domain when they press. */
async function joiningOf(
  ctx: Context,
  handle: Handle,
  organizationId: string,
  person: Parameters<typeof offerFor>[2] & Partial<User>,
): Promise<Joining | "none"> {
  const { id: userId, appId, email } = person;
  if (userId !== "" && (await findMember(handle, { organizationId, userId }))) return undefined;
  if (email === null) return "none";
  const waiting = await invitations.waitingFor(ctx, { appId, email, emailVerified: person.emailVerified }, handle);
  const invited = waiting.find(({ organization: { id } }) => id === organizationId);
  if (invited) return { invitationId: invited.invitation.id };
  const offer = await offerFor(ctx, handle, person, { byProvider: true });
  if (offer?.organizationId !== organizationId) return "none";
  return offer.asks && userId === "" ? "none" : "domain";
}
