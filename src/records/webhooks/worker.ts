import { second } from "../../lib/clock.ts";
import { part, type Context } from "../../runtime/context.ts";
import * as deliveries from "./deliveries.ts";
import type { ClaimedDelivery, Settled } from "./deliveries.ts";
import * as events from "./events.ts";
import { Lane } from "./lane.ts";
import { messageFor } from "./message.ts";
import { sender } from "./sender.ts";

/** How often every process checks for events, including those of commands and other nodes. */
const looksEvery = second;
/** Deliveries that arrive or end within this time are claimed or recorded in one transaction. */
const gathersFor = 25;
const patienceWhenStopping = 3 * second;

/** Parallel attempts to all receivers, and deliveries claimed for them in advance. */
const [maxAtOnce, maxAhead] = [1024, 4096];
/**
 * Endpoints whose deliveries are claimed in parallel. Each occupies a PostgreSQL connection, which
 * sign-ins need too.
 */
const servedTogether = 4;

/** Delivers the outbox, in the serving process only. */
export const webhookWorker = part(openWebhookWorker);

function openWebhookWorker(ctx: Context) {
  const lanes = new Map<string, Lane>();
  /** Endpoints that may have due deliveries, in the order of their turns. */
  const waiting = new Set<string>();
  /** All deliveries leased by this process, by endpoint and event. */
  const inHand = new Map<string, ClaimedDelivery>();
  const attempts = new Set<Promise<void>>();
  const ended: Settled[] = [];
  const unwanted: ClaimedDelivery[] = [];
  const cutOff = new AbortController();
  let stopped = true;
  let turn: Promise<void> | undefined;
  let gathering: NodeJS.Timeout | undefined;
  let polling: NodeJS.Timeout | undefined;
  let failing = false;

  function laneOf(endpointId: string): Lane {
    const lane = lanes.get(endpointId) ?? new Lane();
    lanes.set(endpointId, lane);
    return lane;
  }

  async function attempt(claimed: ClaimedDelivery, lane: Lane): Promise<void> {
    try {
      const outcome = await sender(ctx).send(await messageFor(ctx, claimed), cutOff.signal);
      lane.learn(outcome, ctx.clock());
      ended.push({ claimed, outcome });
      ctx.meter.webhookAttempt(outcome.durationMilliseconds, outcome.delivered ? "delivered" : "failed");
    } catch (error) {
      // Any other failure is our mistake. The lease then expires, so that it is not repeated at
      // once.
      if (cutOff.signal.aborted) unwanted.push(claimed);
      else ctx.log.error("sending a webhook failed", error, { eventId: claimed.row.eventId });
    } finally {
      lane.underWay -= 1;
      inHand.delete(keyOf(claimed));
    }
  }

  function nextOf(lane: Lane): ClaimedDelivery | undefined {
    return !stopped && attempts.size < maxAtOnce && lane.mayBegin(ctx.clock()) ? lane.claimed.shift() : undefined;
  }

  /** Starts claimed deliveries, and claims more before they run out. */
  function fill(endpointId: string, lane: Lane): void {
    for (const claimed of lane.removeUnwanted(ctx.clock())) {
      inHand.delete(keyOf(claimed));
      unwanted.push(claimed);
    }
    for (let claimed = nextOf(lane); claimed; claimed = nextOf(lane)) {
      lane.underWay += 1;
      const done = attempt(claimed, lane).finally(() => {
        attempts.delete(done);
        fill(endpointId, lane);
        gather();
      });
      attempts.add(done);
    }
    // Also if only the limit over all receivers prevented it: it gets a turn when another attempt
    // ends.
    const wantsMore = lane.mayHaveMore && lane.wants(ctx.clock()) > 0;
    if (wantsMore || (lane.claimed.length > 0 && lane.mayBegin(ctx.clock()))) waiting.add(endpointId);
  }

  async function serve(endpointId: string): Promise<void> {
    const lane = laneOf(endpointId);
    const room = maxAtOnce + maxAhead - inHand.size;
    const most = lane.mayHaveMore ? Math.min(lane.wants(ctx.clock()), Math.ceil(room / servedTogether)) : 0;
    if (most > 0) await claim(endpointId, lane, most);
    fill(endpointId, lane);
  }

  async function claim(endpointId: string, lane: Lane, most: number): Promise<void> {
    // Reset before the claim, so that new events meanwhile are not missed.
    lane.mayHaveMore = false;
    const all = await deliveries.claim(ctx, endpointId, most);
    if (all.length === most) lane.mayHaveMore = true;
    for (const claimed of all) {
      const lease = inHand.get(keyOf(claimed));
      if (lease) {
        // The clock jumped past our own lease: the attempt continues under the new lease, without a
        // second one.
        lease.leaseUntil = claimed.leaseUntil;
        continue;
      }
      inHand.set(keyOf(claimed), claimed);
      lane.claimed.push(claimed);
    }
  }

  /** Records ended attempts. If that fails, the leases expire and the events are sent again. */
  async function settle(): Promise<void> {
    if (ended.length > 0) await deliveries.settle(ctx, ended.splice(0));
    if (unwanted.length > 0) await deliveries.release(ctx, unwanted.splice(0));
  }

  async function serveAll(): Promise<void> {
    const turns = [...waiting];
    while (turns.length > 0) {
      // Endpoints without a turn now are first next time.
      if (stopped || attempts.size >= maxAtOnce) return;
      const served = turns.splice(0, servedTogether);
      for (const endpointId of served) waiting.delete(endpointId);
      await Promise.all(served.map(serve));
    }
  }

  function logHealth(error?: unknown): void {
    // Log once, not every second while the database is unavailable.
    if (error !== undefined && !failing) ctx.log.error("reading the webhook outbox failed", error);
    failing = error !== undefined;
  }

  /** One turn at a time; requests meanwhile start another one. */
  function gather(): void {
    if (stopped || gathering) return;
    gathering = setTimeout(() => {
      gathering = undefined;
      if (turn) {
        gather();
        return;
      }
      turn = Promise.all([settle(), serveAll()])
        .then(() => logHealth(), logHealth)
        .finally(() => {
          turn = undefined;
        });
    }, gathersFor);
  }

  function expect(endpointId: string): void {
    laneOf(endpointId).mayHaveMore = true;
    waiting.add(endpointId);
    gather();
  }

  async function look(): Promise<void> {
    try {
      for (const id of await deliveries.dueEndpoints(ctx)) expect(id);
    } catch (error) {
      logHealth(error);
    }
  }

  return {
    start(): void {
      stopped = false;
      polling = setInterval(() => void look(), looksEvery);
      events.whenQueued(ctx, (endpointId) => {
        if (!stopped) expect(endpointId);
      });
      void look();
    },

    /** Looks at once, after the clock was changed. */
    look,

    /**
     * Starts nothing more, and waits a few seconds for running attempts; those that are cut off are
     * returned.
     */
    async stop(): Promise<void> {
      stopped = true;
      clearInterval(polling);
      clearTimeout(gathering);
      // A restarted worker has no running attempts.
      gathering = undefined;
      await turn;
      const patience = setTimeout(() => cutOff.abort(), patienceWhenStopping);
      await Promise.all(attempts);
      clearTimeout(patience);
      for (const lane of lanes.values()) unwanted.push(...lane.claimed.splice(0));
      await settle().then(() => logHealth(), logHealth);
    },
  };
}

function keyOf({ row }: ClaimedDelivery): string {
  return `${row.endpointId} ${row.eventId}`;
}
