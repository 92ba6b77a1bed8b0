/** Mails to the people of an organization about what happened there. */
import * as mail from "../records/mail/service.ts";
import type { Context } from "../runtime/context.ts";
import type { Handle } from "../storage/storage.ts";
import { listOwners, listRecentOwners, type Member } from "./membership-store.ts";
import type { Organization } from "./organization.ts";
import { day } from "../lib/clock.ts";

const origin = { ipAddress: null, userAgent: null };

type Person = Pick<Member, "userId" | "email" | "locale">;

async function tellAll(
  ctx: Context,
  tx: Handle,
  { appId, name: organization }: Organization,
  people: readonly Person[],
  notice: { kind: "organization-owner-added" | "organization-owner-removed"; person: string },
  now: number,
): Promise<void> {
  for (const { userId, email: to, locale } of people)
    if (to !== null) await mail.enqueue(ctx, tx, { appId, userId, to, locale, origin, organization, ...notice }, now);
}

/** To every owner, the new one too. */
export async function ownerAdded(
  ctx: Context,
  tx: Handle,
  organization: Organization,
  { email }: Pick<Person, "email">,
  now: number,
): Promise<void> {
  const owners = await listOwners(tx, organization.id);
  await tellAll(ctx, tx, organization, owners, { kind: "organization-owner-added", person: email ?? "–" }, now);
}

/** To every owner, and to the one who is none any more. */
export async function ownerRemoved(
  ctx: Context,
  tx: Handle,
  organization: Organization,
  removed: Person,
  now: number,
): Promise<void> {
  const owners = await listOwners(tx, organization.id);
  const { email } = removed;
  await tellAll(
    ctx,
    tx,
    organization,
    [...owners, removed],
    { kind: "organization-owner-removed", person: email ?? "–" },
    now,
  );
}

/** To the member who invited somebody who does not want to join. */
export async function declined(
  ctx: Context,
  tx: Handle,
  { appId, name: organization }: Organization,
  { inviter, person }: { inviter: Person; person: string },
  now: number,
): Promise<void> {
  const { userId, email: to, locale } = inviter;
  if (to === null) return;
  const kind = "organization-declined" as const;
  await mail.enqueue(ctx, tx, { appId, userId, to, locale, origin, organization, kind, person }, now);
}

/** To everybody who is an owner or was one in the last 30 days: with a link that undoes it. */
export async function deletionBegun(
  ctx: Context,
  tx: Handle,
  { id, appId, name: organization }: Organization,
  expiresAt: number,
  now: number,
): Promise<void> {
  const query = `app_id=${encodeURIComponent(appId)}&organization=${encodeURIComponent(id)}`;
  const link = `${ctx.baseUrl}/organization/restore?${query}`;
  for (const { userId, email: to, locale } of await listRecentOwners(tx, id, now - 30 * day)) {
    if (to === null) continue;
    const kind = "organization-deleted" as const;
    await mail.enqueue(ctx, tx, { appId, userId, to, locale, origin, organization, kind, link, expiresAt }, now);
  }
}
