import { newId, type Random } from "../lib/random.ts";
import type { Handle } from "../storage/storage.ts";
import { findEmail, forgetUserInDeliveries, insertDelivery } from "./delivery-store.ts";
import { listEnabledEndpoints } from "./endpoint-store.ts";
import type { NewEvent } from "./event.ts";

export type Events = ReturnType<typeof createEvents>;

/**
 * Tells apps' servers what happened, once the caller's transaction is committed, and not if it is not. What is written is delivered by `worker.ts`
 * of whichever process serves.
 */
export function createEvents({ random }: { random: Random }) {
  let onQueued = (_endpointId: string): void => {};

  return {
    /**
     * Database work only, so it belongs inside of `storage.write`. Writes nothing unless the application has an enabled endpoint for this kind.
     * `user.deleted` also takes everything but the id of that user out of what still waits.
     */
    async record(tx: Handle, event: NewEvent, now: number): Promise<void> {
      if (event.kind === "user.deleted" && event.userId !== null) await forgetUserInDeliveries(tx, event.userId);
      const endpoints = await listEnabledEndpoints(tx, event.appId);
      const interested = endpoints.filter(({ events }) => events.includes(event.kind));
      if (interested.length === 0) return;
      const { kind, userId, authMethod, sessionId } = event;
      const isForgotten = kind === "user.deleted";
      const email = userId === null || isForgotten ? null : await findEmail(tx, userId);
      const origin = isForgotten ? null : event.origin;
      const eventId = newId("evt", now, random);
      for (const { id: endpointId } of interested) {
        await insertDelivery(tx, {
          endpointId,
          eventId,
          kind,
          occurredAt: now,
          userId,
          email,
          authMethod,
          ipAddress: origin?.ipAddress ?? null,
          userAgent: origin?.userAgent ?? null,
          sessionId,
          status: "waiting",
          attempts: 0,
          history: [],
          nextAttemptAt: now,
          leaseUntil: null,
        });
        onQueued(endpointId);
      }
    },

    /** Tells one listener of every endpoint that this process has an event for, before its transaction is committed. */
    whenQueued(listener: (endpointId: string) => void): void {
      onQueued = listener;
    },
  };
}
