import { requestFields } from "../http/request-log.ts";
import type { Answered } from "../http/router.ts";
import { isoTime, minute, second, type Clock } from "../lib/clock.ts";
import type { Meter } from "../lib/meter.ts";
import { count, newTally, percentilesOf, rounded, sumOf, type Percentiles, type Tally } from "./tally.ts";

/** A request as the request log shows it, and when it was answered. */
export type AnsweredRequest = { at: string } & ReturnType<typeof requestFields>;

/** Per second. `refused`: 4xx without 429, which is `limited`; `failed`: 5xx. */
type Rates = { calls: number; refused: number; limited: number; failed: number };
/** `milliseconds`: without waits by design, such as those of a long poll. */
export type RouteCounts = { route: string } & Rates & { milliseconds: Percentiles };

export type Counts = {
  /** The seconds that rates and percentiles cover: ten, or fewer right after the start. */
  seconds: number;
  requests: Rates & { milliseconds: Percentiles; validates: number; refreshes: number };
  /** Per second. */
  signIns: { method: string; success: number; failure: number }[];
  hashesPerSecond: number;
  transactions: { perSecond: number; milliseconds: Percentiles };
  /** The busiest first. */
  routes: RouteCounts[];
  /** The slowest calls of the last five minutes, the slowest first. */
  slowest: AnsweredRequest[];
};

const windowSeconds = 10;
const slowestMinutes = 5;
const slowestShown = 10;
const countsOnFor = 30 * second;
const none = "(no route)";

/** The counts of one second, or the slowest calls of one minute. */
type Second = {
  at: number;
  routes: Map<string, Tally>;
  signIns: Map<string, { success: number; failure: number }>;
  hashes: number;
  transactions: Tally;
};
type Minute = { at: number; slowest: AnsweredRequest[] };

export type LiveCounts = ReturnType<typeof createCounts>;

/**
 * Counts the service's work while somebody watches: from the first read until 30 seconds after the
 * last one. Otherwise, a response costs two comparisons.
 */
export function createCounts(clock: Clock) {
  let counting: { since: number; seconds: Second[]; minutes: Minute[] } | undefined;
  let ending: NodeJS.Timeout | undefined;
  const readers = new Set<(request: AnsweredRequest) => void>();
  const watched = new Int32Array(new SharedArrayBuffer(4));

  function end(): void {
    clearTimeout(ending);
    counting = undefined;
    noteWatching();
  }

  function noteWatching(): void {
    Atomics.store(watched, 0, counting || readers.size > 0 ? 1 : 0);
  }

  function thisSecond({ seconds }: NonNullable<typeof counting>): Second {
    const at = Math.floor(performance.now() / second);
    const last = seconds.at(-1);
    if (last?.at === at) return last;
    const made = { at, routes: new Map(), signIns: new Map(), hashes: 0, transactions: newTally() };
    seconds.push(made);
    if ((seconds[0]?.at ?? 0) <= at - windowSeconds) seconds.shift();
    return made;
  }

  function noteSlow({ minutes }: NonNullable<typeof counting>, answered: Answered): void {
    const at = Math.floor(performance.now() / minute);
    if (minutes.at(-1)?.at !== at) minutes.push({ at, slowest: [] });
    if ((minutes[0]?.at ?? 0) <= at - slowestMinutes) minutes.shift();
    const current = minutes.at(-1) as Minute;
    const { slowest } = current;
    const milliseconds = answered.milliseconds - answered.request.waited;
    if (slowest.length === slowestShown && milliseconds <= (slowest.at(-1)?.milliseconds ?? 0)) return;
    current.slowest = slowestOf([...slowest, { ...lineOf(answered), milliseconds: rounded(milliseconds) }]);
  }

  function lineOf(answered: Answered): AnsweredRequest {
    return { at: isoTime(clock()), ...requestFields(answered) };
  }

  return {
    /** Shared with other threads: not 0 while somebody watches. */
    watched,

    /** An answer of the service. */
    answered(answered: Answered): void {
      if (!counting && readers.size === 0) return;
      const { route, status, milliseconds, request } = answered;
      if (counting) {
        const { routes } = thisSecond(counting);
        const name = route ? `${route.method} ${route.path}` : none;
        let tally = routes.get(name);
        if (!tally) routes.set(name, (tally = newTally()));
        count(tally, status, milliseconds - request.waited);
        noteSlow(counting, answered);
      }
      if (readers.size === 0) return;
      const line = lineOf(answered);
      for (const read of readers) read(line);
    },

    /** Reports to `inner`, and counts. */
    metered: (inner: Meter): Meter => ({
      ...inner,
      signIn(method, result) {
        inner.signIn(method, result);
        if (!counting) return;
        const { signIns } = thisSecond(counting);
        const of = signIns.get(method) ?? { success: 0, failure: 0 };
        of[result] += 1;
        signIns.set(method, of);
      },
      hashWaited(milliseconds) {
        inner.hashWaited(milliseconds);
        if (counting) thisSecond(counting).hashes += 1;
      },
      transaction(milliseconds, result) {
        inner.transaction(milliseconds, result);
        if (counting) count(thisSecond(counting).transactions, result === "success" ? 200 : 500, milliseconds);
      },
    }),

    /** Calls `read` with every answer until the returned function is called. */
    follow(read: (request: AnsweredRequest) => void): () => void {
      readers.add(read);
      noteWatching();
      return () => {
        readers.delete(read);
        noteWatching();
      };
    },

    /** The counts so far; keeps counting for 30 seconds. */
    look(): Counts {
      counting ??= { since: performance.now(), seconds: [], minutes: [] };
      noteWatching();
      clearTimeout(ending);
      ending = setTimeout(end, countsOnFor).unref();
      thisSecond(counting);
      return countsOf(counting, performance.now());
    },

    end,
  };
}

function countsOf({ since, seconds, minutes }: { since: number; seconds: Second[]; minutes: Minute[] }, now: number) {
  const newest = Math.floor(now / second);
  const recent = seconds.filter(({ at }) => at > newest - windowSeconds);
  const start = Math.max(since, (newest - windowSeconds + 1) * second);
  // The first moment must not turn one call into a rate of thousands.
  const span = Math.max(1, (now - start) / second);
  const perSecond = (number: number): number => rounded(number / span);
  const ratesOf = ({ calls, refused, limited, failed }: Tally): Rates => ({
    calls: perSecond(calls),
    refused: perSecond(refused),
    limited: perSecond(limited),
    failed: perSecond(failed),
  });
  const of = (name: string): Tally => sumOf(recent.flatMap(({ routes }) => routes.get(name) ?? []));
  const names = [...new Set(recent.flatMap(({ routes }) => [...routes.keys()]))];
  const all = sumOf(recent.flatMap(({ routes }) => [...routes.values()]));
  const methods = [...new Set(recent.flatMap(({ signIns }) => [...signIns.keys()]))].toSorted();
  const signInsOf = (method: string, result: "success" | "failure"): number =>
    perSecond(recent.reduce((sum, { signIns }) => sum + (signIns.get(method)?.[result] ?? 0), 0));
  const transactions = sumOf(recent.map((each) => each.transactions));
  return {
    seconds: rounded(span),
    requests: {
      ...ratesOf(all),
      milliseconds: percentilesOf(all),
      validates: perSecond(of("GET /auth/validate").calls),
      refreshes: perSecond(of("POST /auth/refresh").calls),
    },
    signIns: methods.map((method) => ({
      method,
      success: signInsOf(method, "success"),
      failure: signInsOf(method, "failure"),
    })),
    hashesPerSecond: perSecond(recent.reduce((sum, { hashes }) => sum + hashes, 0)),
    transactions: { perSecond: perSecond(transactions.calls), milliseconds: percentilesOf(transactions) },
    routes: names
      .map((route) => {
        const tally = of(route);
        return { route, ...ratesOf(tally), milliseconds: percentilesOf(tally) };
      })
      .toSorted((a, b) => b.calls - a.calls),
    slowest: slowestOf(
      minutes.filter(({ at }) => at > Math.floor(now / minute) - slowestMinutes).flatMap((each) => each.slowest),
    ),
  };
}

function slowestOf(requests: AnsweredRequest[]): AnsweredRequest[] {
  return requests.toSorted((a, b) => b.milliseconds - a.milliseconds).slice(0, slowestShown);
}
