import { newId } from "../../lib/random.ts";
import { part, type CoreContext } from "../../runtime/context.ts";
import type { Handle } from "../../storage/storage.ts";
import { afterCommit } from "../../storage/transaction.ts";
import { findEmail, forgetUserInDeliveries, insertDelivery } from "./delivery-store.ts";
import { listEnabledEndpoints } from "./endpoint-store.ts";
import type { NewEvent } from "./event.ts";

/** A logout token says only which user and login it is about. */
const nobody = { email: null, authMethod: null, ipAddress: null, userAgent: null };

const listeners = part(() => ({ onQueued: (_endpointId: string): void => {} }));

/**
 * Database work only, so call it inside `storage.write`. Writes nothing unless the application
 * has an enabled endpoint for this kind, or the client a receiver. `user.deleted` also reduces
 * the user's waiting events to the id.
 */
export async function record(ctx: CoreContext, tx: Handle, event: NewEvent, now: number): Promise<void> {
  if (event.kind === "user.deleted" && event.userId !== null) await forgetUserInDeliveries(tx, event.userId);
  const endpoints = await listEnabledEndpoints(tx, event.appId);
  const interested = endpoints.filter(({ events }) => events.includes(event.kind));
  const receivers = endpoints.filter(({ clientId }) => clientId !== null && clientId === event.clientId);
  if (interested.length + receivers.length === 0) return;
  const { kind, userId, authMethod, sessionId } = event;
  const isForgotten = kind === "user.deleted";
  const needsEmail = userId !== null && !isForgotten && interested.length > 0;
  const email = needsEmail ? await findEmail(tx, userId, sessionId) : null;
  const { ipAddress = null, userAgent = null } = (isForgotten ? null : event.source) ?? {};
  const eventId = newId("evt", now, ctx.random);
  for (const { id: endpointId, clientId } of [...interested, ...receivers]) {
    await insertDelivery(tx, {
      endpointId,
      eventId,
      kind,
      occurredAt: now,
      userId,
      ...(clientId === null ? { email, authMethod, ipAddress, userAgent } : nobody),
      sessionId,
      organizationId: event.organization?.id ?? null,
      roles: event.organization?.roles ?? null,
      status: "waiting",
      attempts: 0,
      history: [],
      nextAttemptAt: now,
      leaseUntil: null,
    });
    afterCommit(tx, () => listeners(ctx).onQueued(endpointId));
  }
}

/**
 * Calls one listener for every endpoint with an event from this process, after its transaction
 * is committed.
 */
export function whenQueued(ctx: CoreContext, listener: (endpointId: string) => void): void {
  listeners(ctx).onQueued = listener;
}
