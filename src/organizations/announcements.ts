/** What follows from a change of an organization: audit, events, and what nodes read again. */
import * as audit from "../records/audit/audit.ts";
import * as revocationRecords from "../records/revocations/records.ts";
import * as events from "../records/webhooks/events.ts";
import type { NewEvent } from "../records/webhooks/event.ts";
import type { Context } from "../runtime/context.ts";
import type { SettingChanges } from "../storage/column-types.ts";
import type { Handle } from "../storage/storage.ts";
import { personsSource } from "../lib/request-source.ts";
import type { Acting, Organization } from "./organization.ts";
import { insertChange } from "./store.ts";

type Place = Pick<Organization, "id" | "appId">;

export type Noted = {
  /** Without `organization.`. */
  action: string;
  /** The event that the application gets. */
  event?: NewEvent["kind"];
  userId?: string;
  roles?: readonly string[];
  details?: Record<string, string | number | boolean | null>;
  changes?: SettingChanges;
};

/** To the audit log, and to the application's server. */
export async function note(
  ctx: Context,
  tx: Handle,
  { id, appId }: Place,
  { action, event: kind, userId, roles, details, changes }: Noted,
  { actor, source, member }: Acting,
  now: number,
): Promise<void> {
  const about = { ...(roles && { roles: roles.join(", ") }), ...details };
  await audit.record(
    ctx,
    tx,
    {
      actor,
      source,
      action: `organization.${action}`,
      result: "success",
      appId,
      userId: userId ?? (actor.kind === "user" ? actor.name : null),
      target: id,
      organizationId: id,
      details: member?.throughServer ? { ...about, onBehalfOf: member.userId } : about,
      changes,
    },
    now,
  );
  if (kind === undefined) return;
  // Somebody else's address is not the user's, and who has a set-up link is no user.
  const isTheirs = userId !== undefined && (actor.kind !== "user" || actor.name === userId);
  const theirs = isTheirs ? personsSource({ actor, source }) : null;
  const whose = { appId, userId: userId ?? null, authMethod: null, source: theirs };
  const organization = { id, roles: roles ? [...roles] : null };
  await events.record(ctx, tx, { kind, ...whose, sessionId: null, organization }, now);
}

/** The organization changed as a whole: nodes read its memberships again within a second. */
export async function organizationChanged(tx: Handle, { id }: Place, now: number): Promise<void> {
  await insertChange(tx, id, now);
}

/**
 * Tokens that name the organization, or those of one of its users, may say more than is true from
 * now on: servers that verify tokens themselves ask about each of them once.
 */
export async function tokensEnd(ctx: Context, tx: Handle, { id, appId }: Place, userId?: string): Promise<void> {
  await revocationRecords.organization(ctx, tx, { appId, organizationId: id, userId: userId ?? null });
}
