import type { Actor, Audit } from "../audit/audit.ts";
import { clockSkew, day, isoTime, type Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { Random } from "../lib/random.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { DeliveryStatus, DisabledReason, EventKind } from "../storage/column-types.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import { sweepAll } from "../storage/queries/sweep.ts";
import { nextAttemptAt, type AttemptOutcome } from "./delivery.ts";
import { listDeliveries, reviveDeliveries, type DeliveryFilter } from "./delivery-list-store.ts";
import {
  claimDeliveries,
  hastenDeliveries,
  listAheadEndpoints,
  leaseLasts,
  listDueEndpoints,
  measureDeliveryBacklog,
  releaseDelivery,
  settleDelivery,
  sweepDeliveries,
  type DeliveryRow,
} from "./delivery-store.ts";
import {
  disableEndpoint,
  findEndpoint,
  findTarget,
  recordFailure,
  recordSuccess,
  type DeliveryTarget,
} from "./endpoint-store.ts";
import { asWebhook, endpointNotFound, secretsOf } from "./endpoint.ts";

/** An endpoint that has only failed for this long is disabled. */
const failingIsToleratedFor = 5 * day;
const attemptsRemembered = 20;

/** A delivery claimed by this process until `leaseUntil`, and its destination. */
export type ClaimedDelivery = {
  row: DeliveryRow;
  leaseUntil: number;
  url: string;
  secrets: string[];
  client: DeliveryTarget["client"];
  /** The endpoint's state at the claim. */
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

/**
 * The webhook outbox. Deliveries are leased in small batches, so any number of nodes can deliver,
 * each event by one node at a time.
 */
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
    const { row, leaseUntil, client } = claimed;
    const attempts = row.attempts + 1;
    const { delivered, gone, retryAfterMilliseconds, ...attempt } = outcome;
    // OpenID Connect Back-Channel Logout 1.0 §2.8: the client does not accept this logout.
    const refused = client !== null && attempt.status === 400;
    const next =
      delivered || gone || refused ? null : nextAttemptAt({ attempts, retryAfterMilliseconds }, chance(), now);
    const status = delivered ? "delivered" : next === null ? "failed" : "waiting";
    const history = [...row.history, attempt].slice(-attemptsRemembered);
    const triedAt = next === null ? null : now;
    await settleDelivery(tx, { ...row, leaseUntil }, { status, attempts, history, nextAttemptAt: next, triedAt });
    if (status === "failed") {
      log.warn("webhook given up", {
        endpointId: row.endpointId,
        ...(client ? { clientId: client.id } : {}),
        eventId: row.eventId,
        attempts,
        reason: attempt.error,
      });
    }
  }

  /**
   * Updates the endpoint by the results of its deliveries. Usually nothing changes and nothing is
   * written.
   */
  async function judge(tx: Handle, endpointId: string, settled: Settled[], now: number): Promise<void> {
    const failures = settled.filter(({ outcome }) => !outcome.delivered);
    const { failingSince = null, client = null } = settled[0]?.claimed ?? {};
    // A client's receiver is never disabled: nobody would see it, and logouts would stay unknown.
    const gone = failures.filter(({ outcome }) => outcome.gone && client === null).map(({ claimed }) => claimed.url);
    for (const goneUrl of new Set(gone)) await disable(tx, { id: endpointId, goneUrl }, now);
    if (gone.length > 0) return;
    if (failures.length < settled.length) {
      if (failingSince !== null) await recordSuccess(tx, endpointId);
    } else if (failingSince === null) await recordFailure(tx, endpointId, now);
    else if (client === null && now - failingSince >= failingIsToleratedFor)
      await disable(tx, { id: endpointId, failingSince }, now);
  }

  let lookedAt = Number.POSITIVE_INFINITY;
  const hasKey = keyring.watch(deps, "the outbox of webhooks");

  async function hasten(now: number): Promise<void> {
    for (const id of await listAheadEndpoints(storage.reader, now)) {
      await sweepAll(
        async () => await storage.write((tx) => hastenDeliveries(tx, id, now)),
        () => false,
      );
    }
  }

  return {
    /**
     * The endpoints with due deliveries. After the clock was set back, attempts in the future are
     * due too.
     */
    async dueEndpoints(): Promise<string[]> {
      const now = clock();
      // At the start too: the previous process may have had another clock.
      if (now < lookedAt - clockSkew) await hasten(now);
      lookedAt = now;
      return await listDueEndpoints(storage.reader, now);
    },

    /**
     * How many deliveries wait for enabled endpoints (at most 10,000), and for how many
     * milliseconds the first one has been due.
     */
    async backlog(): Promise<{ waiting: number; overdue: number }> {
      const { waiting, firstDueAt } = await measureDeliveryBacklog(storage.reader);
      return { waiting, overdue: firstDueAt === null ? 0 : Math.max(0, clock() - firstDueAt) };
    },

    /**
     * Claims at most `most` due deliveries of an endpoint for this process; each must be settled or
     * released.
     */
    async claim(endpointId: string, most: number): Promise<ClaimedDelivery[]> {
      const now = clock();
      const leaseUntil = now + leaseLasts;
      if (!(await hasKey())) return [];
      return await storage.write(async (tx) => {
        const target = await findTarget(tx, endpointId);
        if (!target?.enabled) return [];
        const { url, failingSince, client } = target;
        // Before the claim: deliveries that cannot be signed here are left to other processes.
        const secrets = client ? [] : secretsOf(target, keyring, now);
        const rows = await claimDeliveries(tx, { endpointId, now, most, leaseUntil });
        return rows.map((row) => ({ row, leaseUntil, url, secrets, client, failingSince }));
      });
    },

    /** Records the results of attempts, many in one transaction. */
    async settle(settled: Settled[]): Promise<void> {
      const now = clock();
      const byEndpoint = Map.groupBy(settled, ({ claimed }) => claimed.row.endpointId);
      await storage.write(async (tx) => {
        for (const { claimed, outcome } of settled) await settleOne(tx, claimed, outcome, now);
        // In the same order on every node, so that they never deadlock.
        for (const [id, ofEndpoint] of [...byEndpoint].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
          await judge(tx, id, ofEndpoint, now);
        }
      });
    },

    /** Returns claimed deliveries without a completed attempt. */
    async release(claimed: ClaimedDelivery[]): Promise<void> {
      await storage.write(async (tx) => {
        for (const { row, leaseUntil } of claimed) await releaseDelivery(tx, { ...row, leaseUntil });
      });
    },

    /** Newest first. Throws WEBHOOK_NOT_FOUND. */
    async list(endpointId: string, filter: DeliveryFilter & { limit: number }): Promise<DeliveryAnswer[]> {
      if (!asWebhook(await findEndpoint(storage.reader, endpointId))) throw endpointNotFound();
      return (await listDeliveries(storage.reader, endpointId, filter)).map(answerFor);
    },

    /** Makes finished deliveries due again and returns their number. Throws WEBHOOK_NOT_FOUND. */
    async redeliver(
      endpointId: string,
      wanted: DeliveryFilter & { eventId?: string | undefined },
      actor: Actor,
    ): Promise<number> {
      const now = clock();
      const endpoint = asWebhook(await findEndpoint(storage.reader, endpointId));
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

    /** Removes a batch of expired events; true if more may be left. */
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
