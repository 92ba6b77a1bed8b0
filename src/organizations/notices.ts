/** Mails to the people of an organization about what happened there. */
import * as mail from "../records/mail/service.ts";
import type { Context } from "../runtime/context.ts";
import type { Handle } from "../storage/storage.ts";
import { listOwners, type Member } from "./membership-store.ts";
import type { Organization } from "./organization.ts";

type Notice =
  | {
      kind: "organization-owner-added" | "organization-owner-removed" | "organization-declined";
      organization: string;
      person: string;
    }
  | { kind: "organization-deleted"; organization: string; organizationId: string; expiresAt: number }
  | { kind: "domain-missing" | "domain-lost"; domain: string; organizationId: string }
  | ProviderNotice;

/** `provider`: the host of its issuer. */
type ProviderNotice = { organization: string; organizationId: string; provider: string } & (
  | { kind: "organization-provider-changes"; worksAt: number }
  | { kind: "organization-provider-fails"; since: number; reason: string }
  | { kind: "organization-relink"; endsAt: number; lastUsedAt: number | null }
);

type Address = Pick<Member, "email" | "emailVerified">;
type Person = Address & Pick<Member, "userId" | "locale">;

/** Mails those whose address is verified: another may be a stranger's, who would read of people. */
export async function tell(
  ctx: Context,
  tx: Handle,
  { appId }: Pick<Organization, "appId">,
  people: readonly Person[],
  notice: Notice,
  now: number,
): Promise<void> {
  const origin = { ipAddress: null, userAgent: null };
  for (const { userId, email: to, emailVerified, locale } of people)
    if (to !== null && emailVerified)
      await mail.enqueue(ctx, tx, { appId, userId, to, locale, origin, ...notice }, now);
}

/** Mails every owner, also a new one. `removed`: the former owner, who gets the mail too. */
export async function ownersChanged(
  ctx: Context,
  tx: Handle,
  organization: Organization,
  change: { added: Address } | { removed: Person },
  now: number,
): Promise<void> {
  const { email, emailVerified } = "added" in change ? change.added : change.removed;
  const kind = "added" in change ? "organization-owner-added" : "organization-owner-removed";
  const people = [...(await listOwners(tx, organization.id)), ...("removed" in change ? [change.removed] : [])];
  const person = email !== null && emailVerified ? email : "–";
  await tell(ctx, tx, organization, people, { kind, organization: organization.name, person }, now);
}
