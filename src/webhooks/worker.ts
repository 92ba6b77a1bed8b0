import { minute, second, type Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { ClaimedDelivery, Deliveries, Settled } from "./deliveries.ts";
import type { AttemptOutcome } from "./delivery.ts";
import { bodyOf } from "./event.ts";
import type { Events } from "./events.ts";
import { mostConnections, type Sender } from "./sender.ts";
import { signedHeaders } from "./signature.ts";

/** Every process looks that often, whoever put an event in: a command, another node, a transaction that took long. */
const looksEvery = second;
/** What comes within this time is claimed, and what ends within it noted, in one transaction. */
const gathersFor = 10;
/** A transaction tells of its event before it is committed: one more look, for those that took their time. */
const looksAgainAfter = 250;
/** Endpoints whose deliveries are claimed side by side: each holds a connection to PostgreSQL meanwhile, which sign-ins need as well. */
const servedTogether = 4;
const patienceWhenStopping = 3 * second;

/** At the same time: to all receivers, and to one that has just been met. */
const mostAtOnce = 1024;
const atFirst = 8;
/** A receiver that asks for time gets it for everything that waits for it, but not longer: its next event may be in another mood. */
const longestRest = 10 * minute;

/** What this process knows of one receiver. Each has its own, so that a slow one keeps nobody waiting. */
type Lane = {
  underWay: number;
  /** How many at once: one more with each success, one after a failure. */
  width: number;
  restsUntil: number;
};

export type WebhookWorker = ReturnType<typeof createWebhookWorker>;

/** Delivers what the outbox holds, in the serving process only. */
export function createWebhookWorker(deps: {
  events: Events;
  deliveries: Deliveries;
  sender: Sender;
  clock: Clock;
  log: Log;
}) {
  const { events, deliveries, sender, clock, log } = deps;
  const lanes = new Map<string, Lane>();
  /** Endpoints that may have something due, in the order in which they get their turn. */
  const waiting = new Set<string>();
  /** Those whose transaction may not have been committed yet when they were looked at. */
  const lateComers = new Set<string>();
  const attempts = new Map<string, { claimed: ClaimedDelivery; done: Promise<void> }>();
  const ended: Settled[] = [];
  const cutOff = new AbortController();
  let stopped = true;
  let turn: Promise<void> | undefined;
  let gathering: NodeJS.Timeout | undefined;
  let polling: NodeJS.Timeout | undefined;
  let lookingAgain: NodeJS.Timeout | undefined;
  let failing = false;

  function laneOf(endpointId: string): Lane {
    let lane = lanes.get(endpointId);
    if (!lane) {
      lane = { underWay: 0, width: atFirst, restsUntil: 0 };
      lanes.set(endpointId, lane);
    }
    return lane;
  }

  function learn(lane: Lane, { delivered, retryAfterMilliseconds }: AttemptOutcome): void {
    lane.width = delivered ? Math.min(lane.width + 1, mostConnections) : 1;
    if (retryAfterMilliseconds !== undefined) lane.restsUntil = clock() + Math.min(retryAfterMilliseconds, longestRest);
  }

  async function attempt(claimed: ClaimedDelivery, lane: Lane): Promise<void> {
    const { row, url, secrets } = claimed;
    try {
      const body = bodyOf(row);
      const headers = signedHeaders({ id: row.eventId, body }, secrets, clock());
      const outcome = await sender.send({ url, headers, body }, cutOff.signal);
      learn(lane, outcome);
      ended.push({ claimed, outcome });
    } catch (error) {
      // Cut off while stopping. Anything else is a mistake of ours, and the lease runs out.
      if (!cutOff.signal.aborted) log.error("a webhook could not be sent", error, { eventId: row.eventId });
    } finally {
      lane.underWay -= 1;
      attempts.delete(keyOf(claimed));
      waiting.add(row.endpointId);
      gather();
    }
  }

  /** Notes what has ended; where that fails the leases run out, and the events are sent again. */
  async function settle(): Promise<void> {
    if (ended.length === 0) return;
    const settled = ended.splice(0);
    await deliveries.settle(settled);
  }

  async function serve(endpointId: string): Promise<void> {
    const lane = laneOf(endpointId);
    const free = Math.min(lane.width - lane.underWay, Math.ceil((mostAtOnce - attempts.size) / servedTogether));
    if (free <= 0 || lane.restsUntil > clock()) return;
    for (const claimed of await deliveries.claim(endpointId, free)) {
      const underWay = attempts.get(keyOf(claimed));
      if (underWay) {
        // The clock has jumped past our own lease: the attempt goes on under the new one, and there is no second beside it.
        underWay.claimed.leaseUntil = claimed.leaseUntil;
        continue;
      }
      lane.underWay += 1;
      attempts.set(keyOf(claimed), { claimed, done: attempt(claimed, lane) });
    }
  }

  async function takeTurns(): Promise<void> {
    await settle();
    const turns = [...waiting];
    while (turns.length > 0) {
      // Whoever gets no turn now is first next time.
      if (stopped || attempts.size >= mostAtOnce) return;
      const served = turns.splice(0, servedTogether);
      for (const endpointId of served) waiting.delete(endpointId);
      await Promise.all(served.map(serve));
    }
  }

  function noteHealth(error: unknown): void {
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
      turn = takeTurns()
        .then(() => noteHealth(undefined), noteHealth)
        .finally(() => {
          turn = undefined;
        });
    }, gathersFor);
  }

  async function look(): Promise<void> {
    try {
      for (const id of await deliveries.dueEndpoints()) waiting.add(id);
      if (waiting.size > 0) gather();
    } catch (error) {
      noteHealth(error);
    }
  }

  return {
    start(): void {
      stopped = false;
      polling = setInterval(() => void look(), looksEvery);
      events.whenQueued((endpointId) => {
        waiting.add(endpointId);
        lateComers.add(endpointId);
        gather();
        lookingAgain ??= setTimeout(() => {
          lookingAgain = undefined;
          for (const id of lateComers) waiting.add(id);
          lateComers.clear();
          gather();
        }, looksAgainAfter);
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
      await turn;
      const patience = setTimeout(() => cutOff.abort(), patienceWhenStopping);
      const underWay = [...attempts.values()];
      await Promise.all(underWay.map(({ done }) => done));
      clearTimeout(patience);
      const settled = new Set(ended.map((entry) => entry.claimed));
      try {
        await settle();
        await deliveries.release(underWay.flatMap(({ claimed }) => (settled.has(claimed) ? [] : claimed)));
      } catch (error) {
        noteHealth(error);
      }
    },
  };
}

function keyOf({ row }: ClaimedDelivery): string {
  return `${row.endpointId} ${row.eventId}`;
}
