/**
 * The webhook outbox. Deliveries are leased in small batches, so any number of nodes can deliver,
 * each event by one node at a time.
 */
import { clockSkew, day, isoTime } from "../../lib/clock.ts";
import { AppError } from "../../lib/errors.ts";
import { part, type Context } from "../../runtime/context.ts";
import type { DeliveryStatus, DisabledReason, EventKind } from "../../storage/column-types.ts";
import { sweepAll } from "../../storage/queries/sweep.ts";
import type { Handle } from "../../storage/storage.ts";
import * as activity from "../activity/activity.ts";
import * as audit from "../audit/audit.ts";
import type { By } from "../audit/audit.ts";
import {
  findEventAtPlace,
  listDeliveries,
  listUndelivered,
  reviveDeliveries,
  type DeliveryFilter,
} from "./delivery-list-store.ts";
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
import { nextAttemptAt, type AttemptOutcome } from "./delivery.ts";
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
const maxLookedThrough = 5000;

/** A delivery claimed by this process until `leaseUntil`, and its destination. */
export type ClaimedDelivery = {
  row: DeliveryRow;
  leaseUntil: number;
  appId: string;
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

const deliveryQueue = part(() => ({ lookedAt: Number.POSITIVE_INFINITY }));

const keyWatch = part((ctx: Context) => ctx.keyring.watch(ctx, "the outbox of webhooks"));

/** From 0 to 1. */
function chance(ctx: Context): number {
  return Buffer.from(ctx.random(4)).readUInt32BE() / 2 ** 32;
}

async function disable(
  ctx: Context,
  tx: Handle,
  tried: Parameters<typeof disableEndpoint>[1],
  now: number,
): Promise<void> {
  const disabled = await disableEndpoint(tx, tried, now);
  if (!disabled) return;
  const { id } = tried;
  const reason: DisabledReason = "goneUrl" in tried ? "gone" : "failing";
  const actor = { kind: "service", name: "webhooks" } as const;
  const details = { endpointId: id, reason };
  await audit.record(
    ctx,
    tx,
    { actor, action: "webhook.disable", result: "success", appId: disabled.appId, details, target: id },
    now,
  );
  ctx.log.warn("webhook endpoint disabled", { endpointId: id, reason });
}

async function settleOne(
  ctx: Context,
  tx: Handle,
  claimed: ClaimedDelivery,
  outcome: AttemptOutcome,
  now: number,
): Promise<void> {
  const { row, leaseUntil, appId, client } = claimed;
  const attempts = row.attempts + 1;
  const { delivered, gone, retryAfterMilliseconds, ...attempt } = outcome;
  activity.count(tx, { event: delivered ? "webhook.delivered" : "webhook.failed", kind: "" }, { appId, at: now });
  // OpenID Connect Back-Channel Logout 1.0 §2.8: the client does not accept this logout.
  const refused = client !== null && attempt.status === 400;
  const next =
    delivered || gone || refused ? null : nextAttemptAt({ attempts, retryAfterMilliseconds }, chance(ctx), now);
  const status = delivered ? "delivered" : next === null ? "failed" : "waiting";
  const history = [...row.history, attempt].slice(-attemptsRemembered);
  const triedAt = next === null ? null : now;
  await settleDelivery(tx, { ...row, leaseUntil }, { status, attempts, history, nextAttemptAt: next, triedAt });
  if (status === "failed") {
    ctx.log.warn("webhook given up", {
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
async function judge(ctx: Context, tx: Handle, endpointId: string, settled: Settled[], now: number): Promise<void> {
  const failures = settled.filter(({ outcome }) => !outcome.delivered);
  const { failingSince = null, client = null } = settled[0]?.claimed ?? {};
  // A client's receiver is never disabled: nobody would see it, and logouts would stay unknown.
  const gone = failures.filter(({ outcome }) => outcome.gone && client === null).map(({ claimed }) => claimed.url);
  for (const goneUrl of new Set(gone)) await disable(ctx, tx, { id: endpointId, goneUrl }, now);
  if (gone.length > 0) return;
  if (failures.length < settled.length) {
    if (failingSince !== null) await recordSuccess(tx, endpointId);
  } else if (failingSince === null) await recordFailure(tx, endpointId, now);
  else if (client === null && now - failingSince >= failingIsToleratedFor)
    await disable(ctx, tx, { id: endpointId, failingSince }, now);
}

async function hasten(ctx: Context, now: number): Promise<void> {
  for (const id of await listAheadEndpoints(ctx.storage.reader, now)) {
    await sweepAll(
      async () => await ctx.storage.write((tx) => hastenDeliveries(tx, id, now)),
      () => false,
    );
  }
}

/**
 * The endpoints with due deliveries. After the clock was set back, attempts in the future are
 * due too.
 */
export async function dueEndpoints(ctx: Context): Promise<string[]> {
  const now = ctx.clock();
  // At the start too: the previous process may have had another clock.
  if (now < deliveryQueue(ctx).lookedAt - clockSkew) await hasten(ctx, now);
  deliveryQueue(ctx).lookedAt = now;
  return await listDueEndpoints(ctx.storage.reader, now);
}

/**
 * How many deliveries wait for enabled endpoints (at most 10,000), and for how many
 * milliseconds the first one has been due.
 */
export async function backlog(ctx: Context): Promise<{ waiting: number; overdue: number }> {
  const { waiting, firstDueAt } = await measureDeliveryBacklog(ctx.storage.reader);
  return { waiting, overdue: firstDueAt === null ? 0 : Math.max(0, ctx.clock() - firstDueAt) };
}

/**
 * Claims at most `most` due deliveries of an endpoint for this process; each must be settled or
 * released.
 */
export async function claim(ctx: Context, endpointId: string, most: number): Promise<ClaimedDelivery[]> {
  const now = ctx.clock();
  const leaseUntil = now + leaseLasts;
  if (!(await keyWatch(ctx)())) return [];
  return await ctx.storage.write(async (tx) => {
    const target = await findTarget(tx, endpointId);
    if (!target?.enabled) return [];
    const { appId, url, failingSince, client } = target;
    // Before the claim: deliveries that cannot be signed here are left to other processes.
    const secrets = client ? [] : secretsOf(target, ctx.keyring, now);
    const rows = await claimDeliveries(tx, { endpointId, now, most, leaseUntil });
    return rows.map((row) => ({ row, leaseUntil, appId, url, secrets, client, failingSince }));
  });
}

/** Records the results of attempts, many in one transaction. */
export async function settle(ctx: Context, settled: Settled[]): Promise<void> {
  const now = ctx.clock();
  const byEndpoint = Map.groupBy(settled, ({ claimed }) => claimed.row.endpointId);
  await ctx.storage.write(async (tx) => {
    for (const { claimed, outcome } of settled) await settleOne(ctx, tx, claimed, outcome, now);
    // In the same order on every node, so that they never deadlock.
    for (const [id, ofEndpoint] of [...byEndpoint].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      await judge(ctx, tx, id, ofEndpoint, now);
    }
  });
}

/** Returns claimed deliveries without a completed attempt. */
export async function release(ctx: Context, claimed: ClaimedDelivery[]): Promise<void> {
  await ctx.storage.write(async (tx) => {
    for (const { row, leaseUntil } of claimed) await releaseDelivery(tx, { ...row, leaseUntil });
  });
}

/** Newest first. Throws WEBHOOK_NOT_FOUND. */
export async function list(
  ctx: Context,
  endpointId: string,
  filter: DeliveryFilter & { limit: number },
): Promise<DeliveryAnswer[]> {
  if (!asWebhook(await findEndpoint(ctx.storage.reader, endpointId))) throw endpointNotFound();
  return (await listDeliveries(ctx.storage.reader, endpointId, filter)).map(asDeliveryAnswer);
}

/**
 * A page of them, newest first, and the event after which the next page begins. Looks at so many
 * deliveries at most, because few may have this status: a page may be empty, but not the last one.
 */
export async function page(
  ctx: Context,
  endpointId: string,
  { status, after, limit }: { status: DeliveryStatus | undefined; after: string | undefined; limit: number },
): Promise<{ deliveries: DeliveryAnswer[]; next: string | null }> {
  const { reader } = ctx.storage;
  const range = { before: after, place: maxLookedThrough };
  const from = status === undefined ? undefined : await findEventAtPlace(reader, endpointId, range);
  const rows = await listDeliveries(reader, endpointId, { status, before: after, from, limit: limit + 1 });
  const deliveries = rows.slice(0, limit).map(asDeliveryAnswer);
  return { deliveries, next: (rows.length > limit ? deliveries.at(-1)?.eventId : from) ?? null };
}

/** Throws WEBHOOK_NOT_FOUND. */
export async function get(ctx: Context, endpointId: string, eventId: string): Promise<DeliveryAnswer> {
  const [row] = await listDeliveries(ctx.storage.reader, endpointId, { eventId, limit: 1 });
  if (!row) throw deliveryNotFound();
  return asDeliveryAnswer(row);
}

export function deliveryNotFound(): AppError {
  return new AppError("WEBHOOK_NOT_FOUND", "This endpoint has no such event.");
}

/** Of the first 2,000 deliveries of events of this time, those that failed or wait. */
export async function undelivered(
  ctx: Context,
  wanted: Parameters<typeof listUndelivered>[1],
): Promise<DeliveryAnswer[]> {
  return (await listUndelivered(ctx.storage.reader, wanted)).map(asDeliveryAnswer);
}

/** Makes finished deliveries due again and returns their number. Throws WEBHOOK_NOT_FOUND. */
export async function redeliver(
  ctx: Context,
  endpointId: string,
  wanted: DeliveryFilter & { eventId?: string | undefined },
  by: By,
): Promise<number> {
  const now = ctx.clock();
  const endpoint = asWebhook(await findEndpoint(ctx.storage.reader, endpointId));
  if (!endpoint) throw endpointNotFound();
  let deliveries = 0;
  await sweepAll(
    async () => {
      const { revived, more } = await ctx.storage.write((tx) => reviveDeliveries(tx, endpointId, wanted, now));
      deliveries += revived;
      return more;
    },
    () => false,
  );
  const details: audit.AuditEvent["details"] = { endpointId, deliveries };
  if (wanted.since !== undefined) details["since"] = isoTime(wanted.since);
  await ctx.storage.write((tx) =>
    audit.record(
      ctx,
      tx,
      { ...by, action: "webhook.redeliver", result: "success", appId: endpoint.appId, details, target: endpointId },
      now,
    ),
  );
  return deliveries;
}

/** Removes a batch of expired events; true if more may be left. */
export async function sweep(ctx: Context): Promise<boolean> {
  const before = ctx.clock() - ctx.config.webhooks.retentionDays * day;
  return await ctx.storage.write((tx) => sweepDeliveries(tx, before));
}

export type Settled = { claimed: ClaimedDelivery; outcome: AttemptOutcome };

export function asDeliveryAnswer(row: DeliveryRow): DeliveryAnswer {
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
