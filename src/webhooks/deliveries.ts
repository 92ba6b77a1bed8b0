import type { Actor, Audit } from "../audit/audit.ts";
import { day, isoTime, second, type Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { Random } from "../lib/random.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import { sweepAll } from "../storage/sweep.ts";
import { nextAttemptAt, type AttemptOutcome, type DeliveryStatus } from "./delivery.ts";
import {
  claimDeliveries,
  listDeliveries,
  listDueEndpoints,
  measureDeliveryBacklog,
  releaseDelivery,
  reviveDeliveries,
  settleDelivery,
  sweepDeliveries,
  type DeliveryFilter,
  type DeliveryRow,
} from "./delivery-store.ts";
import { disableEndpoint, findEndpoint, noteFailure, noteSuccess } from "./endpoint-store.ts";
import { endpointNotFound, secretsOf, type DisabledReason } from "./endpoint.ts";
import type { EventKind } from "./event.ts";

/** Longer than one attempt may take; after it, another process takes over from one that has died. Nodes' clocks must agree to a few seconds. */
export const leaseLasts = 25 * second;
/** An endpoint for which nothing but failure has come for so long is disabled. */
const failingIsToleratedFor = 5 * day;
const attemptsRemembered = 20;

/** A delivery in the hands of this process until `leaseUntil`, and where it goes. */
export type ClaimedDelivery = {
  row: DeliveryRow;
  leaseUntil: number;
  url: string;
  secrets: string[];
  /** As the endpoint stood when it was claimed. */
  failingSince: number | null;
};

export type DeliveryAnswer = {
  endpointId: string;
  eventId: string;
  event: EventKind;
  timestamp: string;
  status: DeliveryStatus;
  attempts: {
    at: string;
    status: number | null;
    durationMilliseconds: number;
    error: string | null;
    response: string;
  }[];
  nextAttemptAt: string | null;
};

export type Deliveries = ReturnType<typeof createDeliveries>;

/** The outbox of webhooks: taken from in small batches under a lease, so that any number of nodes deliver, each event by one of them at a time. */
export function createDeliveries(deps: {
  storage: Storage;
  keyring: Keyring;
  audit: Audit;
  clock: Clock;
  log: Log;
  random: Random;
  retentionDays: number;
}) {
  const { storage, keyring, audit, clock, random, log, retentionDays } = deps;

  /** From 0 to 1. */
  const chance = (): number => Buffer.from(random(4)).readUInt32BE() / 2 ** 32;

  async function disable(tx: Handle, tried: Parameters<typeof disableEndpoint>[1], now: number): Promise<void> {
    const disabled = await disableEndpoint(tx, tried, now);
    if (!disabled) return;
    const { id } = tried;
    const reason: DisabledReason = "goneUrl" in tried ? "gone" : "failing";
    const actor = { kind: "service", name: "webhooks" } as const;
    const details = { endpointId: id, reason };
    await audit.record(
      tx,
      { actor, action: "webhook.disable", result: "success", appId: disabled.appId, details },
      now,
    );
    log.warn("webhook endpoint disabled", { endpointId: id, reason });
  }

  async function settleOne(tx: Handle, claimed: ClaimedDelivery, outcome: AttemptOutcome, now: number): Promise<void> {
    const { row, leaseUntil } = claimed;
    const attempts = row.attempts + 1;
    const { delivered, gone, retryAfterMilliseconds, ...attempt } = outcome;
    const next = delivered || gone ? null : nextAttemptAt({ attempts, retryAfterMilliseconds }, chance(), now);
    const status = delivered ? "delivered" : next === null ? "failed" : "waiting";
    const history = [...row.history, attempt].slice(-attemptsRemembered);
    await settleDelivery(tx, { ...row, leaseUntil }, { status, attempts, history, nextAttemptAt: next });
    if (status === "failed") {
      log.warn("webhook given up", {
        endpointId: row.endpointId,
        eventId: row.eventId,
        attempts,
        reason: attempt.error,
      });
    }
  }

  /** What the outcomes say about the endpoint itself. Almost always nothing, and then nothing is written. */
  async function judge(tx: Handle, endpointId: string, settled: Settled[], now: number): Promise<void> {
    const failures = settled.filter(({ outcome }) => !outcome.delivered);
    const failingSince = settled[0]?.claimed.failingSince ?? null;
    const gone = failures.filter(({ outcome }) => outcome.gone).map(({ claimed }) => claimed.url);
    for (const goneUrl of new Set(gone)) await disable(tx, { id: endpointId, goneUrl }, now);
    if (gone.length > 0) return;
    if (failures.length < settled.length) {
      if (failingSince !== null) await noteSuccess(tx, endpointId);
    } else if (failingSince === null) await noteFailure(tx, endpointId, now);
    else if (now - failingSince >= failingIsToleratedFor) await disable(tx, { id: endpointId, failingSince }, now);
  }

  return {
    /** The endpoints for which something is due. */
    async dueEndpoints(): Promise<string[]> {
      return await listDueEndpoints(storage.reader, clock());
    },

    /** How many wait for enabled endpoints, 10,000 at most, and for how many milliseconds the first of them has been due. */
    async backlog(): Promise<{ waiting: number; overdue: number }> {
      const { waiting, firstDueAt } = await measureDeliveryBacklog(storage.reader);
      return { waiting, overdue: firstDueAt === null ? 0 : Math.max(0, clock() - firstDueAt) };
    },

    /** Takes at most `most` of an endpoint's due deliveries into this process's hands; each must be settled or released. */
    async claim(endpointId: string, most: number): Promise<ClaimedDelivery[]> {
      const now = clock();
      const leaseUntil = now + leaseLasts;
      const { endpoint, rows } = await storage.write(async (tx) => {
        const found = await findEndpoint(tx, endpointId);
        const isOn = found?.enabled === true;
        return { endpoint: found, rows: isOn ? await claimDeliveries(tx, { endpointId, now, most, leaseUntil }) : [] };
      });
      if (!endpoint || rows.length === 0) return [];
      const { url, failingSince } = endpoint;
      const secrets = secretsOf(endpoint, keyring, now);
      return rows.map((row) => ({ row, leaseUntil, url, secrets, failingSince }));
    },

    /** Notes what attempts came to, many in one transaction. */
    async settle(settled: Settled[]): Promise<void> {
      const now = clock();
      const byEndpoint = Map.groupBy(settled, ({ claimed }) => claimed.row.endpointId);
      await storage.write(async (tx) => {
        for (const { claimed, outcome } of settled) await settleOne(tx, claimed, outcome, now);
        // In one order on every node: two that meet at the same endpoints wait, and do not deadlock.
        for (const [id, ofEndpoint] of [...byEndpoint].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
          await judge(tx, id, ofEndpoint, now);
        }
      });
    },

    /** Gives back what was claimed and not tried to the end. */
    async release(claimed: ClaimedDelivery[]): Promise<void> {
      await storage.write(async (tx) => {
        for (const { row, leaseUntil } of claimed) await releaseDelivery(tx, { ...row, leaseUntil });
      });
    },

    /** The newest first. Throws WEBHOOK_NOT_FOUND. */
    async list(endpointId: string, filter: DeliveryFilter & { limit: number }): Promise<DeliveryAnswer[]> {
      if (!(await findEndpoint(storage.reader, endpointId))) throw endpointNotFound();
      return (await listDeliveries(storage.reader, endpointId, filter)).map(answerFor);
    },

    /** Makes what is finished due again; how many. Throws WEBHOOK_NOT_FOUND. */
    async redeliver(
      endpointId: string,
      wanted: DeliveryFilter & { eventId?: string | undefined },
      actor: Actor,
    ): Promise<number> {
      const now = clock();
      const endpoint = await findEndpoint(storage.reader, endpointId);
      if (!endpoint) throw endpointNotFound();
      let deliveries = 0;
      await sweepAll(
        async () => {
          const { revived, more } = await storage.write((tx) => reviveDeliveries(tx, endpointId, wanted, now));
          deliveries += revived;
          return more;
        },
        () => false,
      );
      const details = { endpointId, deliveries };
      await storage.write((tx) =>
        audit.record(
          tx,
          { actor, action: "webhook.redeliver", result: "success", appId: endpoint.appId, details },
          now,
        ),
      );
      return deliveries;
    },

    /** Removes a batch of events that are past their time; true when more may be left. */
    async sweep(): Promise<boolean> {
      const before = clock() - retentionDays * day;
      return await storage.write((tx) => sweepDeliveries(tx, before));
    },
  };
}

export type Settled = { claimed: ClaimedDelivery; outcome: AttemptOutcome };

function answerFor(row: DeliveryRow): DeliveryAnswer {
  const { endpointId, eventId, kind, occurredAt, status, history } = row;
  return {
    endpointId,
    eventId,
    event: kind,
    timestamp: isoTime(occurredAt),
    status,
    attempts: history.map(({ at, ...attempt }) => ({ at: isoTime(at), ...attempt })),
    nextAttemptAt: row.nextAttemptAt === null ? null : isoTime(row.nextAttemptAt),
  };
}
