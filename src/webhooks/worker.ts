import { second, type Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { Meter } from "../lib/meter.ts";
import type { ClaimedDelivery, Deliveries, Settled } from "./deliveries.ts";
import { bodyOf } from "./event.ts";
import type { Events } from "./events.ts";
import { createLane, type Lane } from "./lane.ts";
import type { Sender } from "./sender.ts";
import { signedHeaders } from "./signature.ts";

/** Every process looks that often, whoever put an event in: a command, another node, a transaction that took long. */
const looksEvery = second;
/** What comes within this time is claimed, and what ends within it noted, in one transaction. */
const gathersFor = 25;
/** A transaction tells of its event before it is committed: one more look, for those that took their time. */
const looksAgainAfter = 250;
const patienceWhenStopping = 3 * second;

/** Attempts under way at the same time, to all receivers, and deliveries claimed for them beforehand. */
const [mostAtOnce, mostAhead] = [1024, 4096];
/** Endpoints whose deliveries are claimed side by side: each holds a connection to PostgreSQL meanwhile, which sign-ins need as well. */
const servedTogether = 4;

/** Delivers what the outbox holds, in the serving process only. */
export function createWebhookWorker(deps: {
  events: Events;
  deliveries: Deliveries;
  sender: Sender;
  clock: Clock;
  log: Log;
  meter: Meter;
}) {
  const { events, deliveries, sender, clock, log, meter } = deps;
  const lanes = new Map<string, Lane>();
  /** Endpoints that may have something due, in the order in which they get their turn. */
  const waiting = new Set<string>();
  /** Those whose transaction may not have been committed yet when they were looked at. */
  const lateComers = new Set<string>();
  /** Everything that is leased to this process, by endpoint and event. */
  const inHand = new Map<string, ClaimedDelivery>();
  const attempts = new Set<Promise<void>>();
  const ended: Settled[] = [];
  const unwanted: ClaimedDelivery[] = [];
  const cutOff = new AbortController();
  let stopped = true;
  let turn: Promise<void> | undefined;
  let gathering: NodeJS.Timeout | undefined;
  let polling: NodeJS.Timeout | undefined;
  let lookingAgain: NodeJS.Timeout | undefined;
  let failing = false;

  function laneOf(endpointId: string): Lane {
    const lane = lanes.get(endpointId) ?? createLane();
    lanes.set(endpointId, lane);
    return lane;
  }

  async function attempt(claimed: ClaimedDelivery, lane: Lane): Promise<void> {
    const { row, url, secrets } = claimed;
    try {
      const body = bodyOf(row);
      const headers = signedHeaders({ id: row.eventId, body }, secrets, clock());
      const outcome = await sender.send({ url, headers, body }, cutOff.signal);
      lane.learn(outcome, clock());
      ended.push({ claimed, outcome });
      meter.webhookAttempt(outcome.durationMilliseconds, outcome.delivered ? "delivered" : "failed");
    } catch (error) {
      // Anything but an end in good order is a mistake of ours: then the lease runs out, so that it is not made again at once.
      if (cutOff.signal.aborted) unwanted.push(claimed);
      else log.error("a webhook could not be sent", error, { eventId: row.eventId });
    } finally {
      lane.underWay -= 1;
      inHand.delete(keyOf(claimed));
    }
  }

  function nextOf(lane: Lane): ClaimedDelivery | undefined {
    return !stopped && attempts.size < mostAtOnce && lane.mayBegin(clock()) ? lane.held.shift() : undefined;
  }

  /** Begins what is claimed and may begin, and asks for more before there is none. */
  function fill(endpointId: string, lane: Lane): void {
    for (const claimed of lane.takeUnwanted(clock())) {
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
    // Also where only the bound over all receivers stood in the way: its turn comes again when another attempt has ended.
    const wantsMore = lane.mayHaveMore && lane.wants(clock()) > 0;
    if (wantsMore || (lane.held.length > 0 && lane.mayBegin(clock()))) waiting.add(endpointId);
  }

  async function serve(endpointId: string): Promise<void> {
    const lane = laneOf(endpointId);
    const room = mostAtOnce + mostAhead - inHand.size;
    const most = lane.mayHaveMore ? Math.min(lane.wants(clock()), Math.ceil(room / servedTogether)) : 0;
    if (most > 0) await claim(endpointId, lane, most);
    fill(endpointId, lane);
  }

  async function claim(endpointId: string, lane: Lane, most: number): Promise<void> {
    // Before, so that what is told of meanwhile is not forgotten.
    lane.mayHaveMore = false;
    const all = await deliveries.claim(endpointId, most);
    if (all.length === most) lane.mayHaveMore = true;
    for (const claimed of all) {
      const known = inHand.get(keyOf(claimed));
      if (known) {
        // The clock has jumped past our own lease: the attempt goes on under the new one, and there is no second beside it.
        known.leaseUntil = claimed.leaseUntil;
        continue;
      }
      inHand.set(keyOf(claimed), claimed);
      lane.held.push(claimed);
    }
  }

  /** Notes what has ended; where that fails the leases run out, and the events are sent again. */
  async function settle(): Promise<void> {
    if (ended.length > 0) await deliveries.settle(ended.splice(0));
    if (unwanted.length > 0) await deliveries.release(unwanted.splice(0));
  }

  async function serveAll(): Promise<void> {
    const turns = [...waiting];
    while (turns.length > 0) {
      // Whoever gets no turn now is first next time.
      if (stopped || attempts.size >= mostAtOnce) return;
      const served = turns.splice(0, servedTogether);
      for (const endpointId of served) waiting.delete(endpointId);
      await Promise.all(served.map(serve));
    }
  }

  function noteHealth(error?: unknown): void {
    // Once, and not every second for as long as the database is away.
    if (error !== undefined && !failing) log.error("the outbox of webhooks cannot be used", error);
    failing = error !== undefined;
  }

  /** One turn at a time; what is asked for meanwhile follows it. */
  function gather(): void {
    if (stopped || gathering) return;
    gathering = setTimeout(() => {
      gathering = undefined;
      if (turn) {
        gather();
        return;
      }
      turn = Promise.all([settle(), serveAll()])
        .then(() => noteHealth(), noteHealth)
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
      for (const id of await deliveries.dueEndpoints()) expect(id);
    } catch (error) {
      noteHealth(error);
    }
  }

  function lookAgain(): void {
    lookingAgain = undefined;
    for (const id of lateComers) expect(id);
    lateComers.clear();
  }

  return {
    start(): void {
      stopped = false;
      polling = setInterval(() => void look(), looksEvery);
      events.whenQueued((endpointId) => {
        if (stopped) return;
        expect(endpointId);
        lateComers.add(endpointId);
        lookingAgain ??= setTimeout(lookAgain, looksAgainAfter);
      });
      void look();
    },

    /** Looks at once, for whoever has moved the clock. */
    look,

    /** Begins nothing more, and waits a few seconds for what is under way; what is cut off then is given back. */
    async stop(): Promise<void> {
      stopped = true;
      clearInterval(polling);
      clearTimeout(gathering);
      clearTimeout(lookingAgain);
      // A worker that is started again has nothing under way.
      gathering = undefined;
      lookingAgain = undefined;
      await turn;
      const patience = setTimeout(() => cutOff.abort(), patienceWhenStopping);
      await Promise.all(attempts);
      clearTimeout(patience);
      for (const lane of lanes.values()) unwanted.push(...lane.held.splice(0));
      await settle().then(() => noteHealth(), noteHealth);
    },
  };
}

function keyOf({ row }: ClaimedDelivery): string {
  return `${row.endpointId} ${row.eventId}`;
}
