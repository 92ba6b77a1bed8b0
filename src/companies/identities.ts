/** Who a person is at the providers of organizations, as their download and `user show` say it. */
import { isoTime } from "../lib/clock.ts";
import { findOrganization } from "../organizations/store.ts";
import type { Context } from "../runtime/context.ts";
import { listIdentitiesOf } from "../organizations/provider/identity-store.ts";

/** `organization`: its slug. */
export type NamedIdentity = {
  organization: string;
  issuer: string;
  subject: string;
  email: string | null;
  createdAt: string;
  lastUsedAt: string | null;
};

export async function identitiesFor(ctx: Context, userId: string): Promise<NamedIdentity[]> {
  const { reader } = ctx.storage;
  const named: NamedIdentity[] = [];
  for (const { organizationId, issuer, subject, email, createdAt, lastUsedAt } of await listIdentitiesOf(
    reader,
    userId,
  ))
    named.push({
      organization: (await findOrganization(reader, organizationId))?.slug ?? organizationId,
      issuer,
      subject,
      email,
      createdAt: isoTime(createdAt),
      lastUsedAt: lastUsedAt === null ? null : isoTime(lastUsedAt),
    });
  return named;
}
