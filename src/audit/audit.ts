import { day, isoTime, type Clock } from "../lib/clock.ts";
import { newId, type Random } from "../lib/random.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import {
  forgetAddressesInAudit,
  forgetOldAddresses,
  insertAuditEvent,
  listAuditEvents,
  sweepAuditEvents,
  type AuditRow,
} from "./store.ts";
import { createTally } from "./tally.ts";

/** Who caused it: a person in a browser, an app with its key, a command by an operating-system user, or the service itself. */
export type Actor = { kind: "user" | "app" | "cli" | "service"; name: string };

/** Where a request came from; null for commands and the service itself. */
export type Origin = { ipAddress: string; userAgent: string | null; requestId: string };

/** Who asks for a change, and from where; a command comes from nowhere. */
export type By = { actor: Actor; origin?: Origin | undefined };

export type AuditEvent = {
  actor: Actor;
  action: string;
  result: "success" | "failure";
  appId?: string | null;
  userId?: string | null;
  origin?: Origin | undefined;
  /** Bare facts; never a secret, a token, an address or text that a stranger chose. */
  details?: Record<string, string | number | boolean | null>;
};

/** An event as commands show it. */
export type AuditEventAnswer = Omit<AuditRow, "at"> & { at: string };

const eventsAreKept = 90 * day;
/** Whoever looks into what happened last month finds from where; after that, what happened is enough. */
const addressesAreKept = 30 * day;

export type Audit = ReturnType<typeof createAudit>;

/** The audit log. Events are written in the transaction of what they describe, so neither exists without the other. */
export function createAudit(deps: { storage: Storage; clock: Clock; random: Random }) {
  const { storage, clock, random } = deps;
  const tally = createTally(deps);
  return {
    /** What strangers can cause at will: not a row each, and in no transaction. */
    tally,

    async record(tx: Handle, event: AuditEvent, now: number): Promise<void> {
      await insertAuditEvent(tx, {
        id: newId("aud", now, random),
        at: now,
        actor: `${event.actor.kind}:${event.actor.name}`,
        action: event.action,
        result: event.result,
        appId: event.appId ?? null,
        userId: event.userId ?? null,
        ipAddress: event.origin?.ipAddress ?? null,
        requestId: event.origin?.requestId ?? null,
        details: event.details ?? {},
      });
    },

    /** The newest events that fit, at most `limit`, oldest first, with what is counted here so far. `since` is in epoch milliseconds. */
    async list(wanted: {
      appId?: string | undefined;
      userId?: string | undefined;
      since?: number | undefined;
      limit: number;
    }): Promise<AuditEventAnswer[]> {
      await tally.flush();
      const events = await listAuditEvents(storage.reader, wanted);
      return events.toReversed().map((event) => ({ ...event, at: isoTime(event.at) }));
    },

    /** Takes out of every event about a user what is more than the bare id (decision 6). */
    async forgetUser(tx: Handle, userId: string): Promise<void> {
      await forgetAddressesInAudit(tx, userId);
    },

    /** Removes a batch of what has expired; true when more may be left. */
    async sweep(): Promise<boolean> {
      const now = clock();
      const events = await storage.write((tx) => sweepAuditEvents(tx, now - eventsAreKept));
      return (await storage.write((tx) => forgetOldAddresses(tx, now - addressesAreKept))) || events;
    },
  };
}
