/**
 * Virtual time. Import this before anything else: it takes the place of Node's timers, clocks and
 * key pairs for the whole process.
 */
import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import { createRequire, syncBuiltinESMExports } from "node:module";

type Act = () => void;

/** How far a machine's wall clock is ahead of the true time. */
export type Machine = { ahead: number };

/** The process that a piece of work belongs to; it ends with it. */
export type Owner = { isDead: boolean; machine?: Machine };

class Timer {
  at = 0;
  order = 0;
  isCancelled = false;
  readonly act: Act;
  readonly every: number | undefined;
  readonly owner: Owner | undefined;
  readonly wait: number;

  constructor(act: Act, wait: number, every: number | undefined) {
    this.act = AsyncResource.bind(act);
    this.wait = wait;
    this.every = every;
    this.owner = owners.getStore();
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }

  refresh(): this {
    add(this);
    return this;
  }

  close(): this {
    this.isCancelled = true;
    return this;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

const owners = new AsyncLocalStorage<Owner>();
const realImmediate = globalThis.setImmediate;
const realTimeout = globalThis.setTimeout;
/** What happens outside, in real time. */
const outside = new Set<Promise<unknown>>();
/** Of one moment: a sweep takes a turn for each batch. */
const mostTurns = 5000;
const start = Date.UTC(2026, 0, 5, 9);
let now = start;
let count = 0;
const heap: Timer[] = [];
const immediates: Timer[] = [];

function isBefore(one: Timer, other: Timer): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}

function add(timer: Timer): void {
  count += 1;
  timer.at = now + Math.max(1, Math.trunc(timer.wait) || 1);
  timer.order = count;
  let at = heap.push(timer) - 1;
  while (at > 0) {
    const above = (at - 1) >> 1;
    const parent = heap[above] as Timer;
    if (isBefore(parent, timer)) break;
    heap[at] = parent;
    heap[above] = timer;
    at = above;
  }
}

function removeFirst(): Timer {
  const [first] = heap;
  const last = heap.pop() as Timer;
  if (heap.length > 0) {
    heap[0] = last;
    for (let at = 0; ;) {
      const left = 2 * at + 1;
      const right = left + 1;
      let least = at;
      if (left < heap.length && isBefore(heap[left] as Timer, heap[least] as Timer)) least = left;
      if (right < heap.length && isBefore(heap[right] as Timer, heap[least] as Timer)) least = right;
      if (least === at) break;
      [heap[at], heap[least]] = [heap[least] as Timer, heap[at] as Timer];
      at = least;
    }
  }
  return first as Timer;
}

function startTimer(act: (...given: unknown[]) => void, wait = 1, ...given: unknown[]): Timer {
  const timer = new Timer(() => act(...given), wait, undefined);
  add(timer);
  return timer;
}

function cancel(timer: unknown): void {
  if (timer instanceof Timer) timer.isCancelled = true;
}

/** As `timers/promises` has it. */
async function pause<T>(wait = 1, value?: T, { signal }: { signal?: AbortSignal } = {}): Promise<T> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const timer = startTimer(() => resolve(value as T), wait);
  const give = (): void => {
    cancel(timer);
    reject(signal?.reason as Error);
  };
  signal?.addEventListener("abort", give, { once: true });
  try {
    return await promise;
  } finally {
    signal?.removeEventListener("abort", give);
  }
}

function atOnce(act: (...given: unknown[]) => void, ...given: unknown[]): Timer {
  const timer = new Timer(() => act(...given), 0, undefined);
  immediates.push(timer);
  return timer;
}

Object.assign(globalThis, {
  setTimeout: startTimer,
  clearTimeout: cancel,
  setInterval(act: (...given: unknown[]) => void, wait = 1, ...given: unknown[]): Timer {
    const timer = new Timer(() => act(...given), wait, wait);
    add(timer);
    return timer;
  },
  clearInterval: cancel,
  setImmediate: atOnce,
  clearImmediate: cancel,
});
/** Timers and `performance.now()` are monotonic: they know nothing of a clock that was set. */
const wallClock = (): number => now + (owners.getStore()?.machine?.ahead ?? 0);
globalThis.Date = new Proxy(Date, {
  construct: (date, given, constructor) =>
    Reflect.construct(date, given.length === 0 ? [wallClock()] : given, constructor) as Date,
});
Date.now = wallClock;
performance.now = () => now - start;
AbortSignal.timeout = (wait) => {
  const controller = new AbortController();
  startTimer(() => controller.abort(new DOMException("The operation timed out", "TimeoutError")), wait);
  return controller.signal;
};
const require = createRequire(import.meta.url);
Object.assign(require("node:timers/promises") as object, {
  setTimeout: pause,
  setImmediate: async <T>(value?: T): Promise<T> => {
    const { promise, resolve } = Promise.withResolvers<T>();
    atOnce(() => resolve(value as T));
    return await promise;
  },
});
Object.assign(require("node:timers") as object, {
  setTimeout: globalThis.setTimeout,
  setInterval: globalThis.setInterval,
  setImmediate: atOnce,
  clearTimeout: cancel,
  clearInterval: cancel,
  clearImmediate: cancel,
});
// SQLite asks for the folder of a backup, which is always there.
Object.assign(require("node:fs") as object, {
  access: (_path: string, done: (error: null) => void) => process.nextTick(done, null),
});
syncBuiltinESMExports();

/** All that happens without virtual time: promises, ticks and streams, and what is outside. */
async function settle(): Promise<void> {
  do {
    await Promise.all(outside);
    await new Promise<void>((done) => realImmediate(done));
  } while (outside.size > 0);
}

let steps = 0;

function run(timer: Timer): void {
  if (timer.isCancelled || timer.owner?.isDead === true) return;
  steps += 1;
  timer.act();
}

export const time = {
  /** Everything from the beginning: nothing that an earlier run left behind happens. */
  begin(): void {
    now = start;
    count = 0;
    heap.length = 0;
    immediates.length = 0;
  },

  now: (): number => now,
  steps: (): number => steps,
  pause,

  owner: (): Owner | undefined => owners.getStore(),

  /** Virtual time waits for `work`, which another process does. */
  async outside<T>(work: Promise<T>): Promise<T> {
    const done = work.catch(() => {}).finally(() => outside.delete(done));
    outside.add(done);
    return await work;
  },

  realPause: async (wait: number): Promise<void> => await new Promise((done) => realTimeout(done, wait)),

  /** Runs `work` so that all that it starts ends with `owner`. */
  belongingTo<T>(owner: Owner, work: () => T): T {
    return owners.run(owner, work);
  },

  /** Lets time pass until `isOver`, or nothing is left to happen. Throws if it stands still. */
  async pass(isOver: () => boolean): Promise<void> {
    let turns = 0;
    for (;;) {
      await settle();
      const due = immediates.splice(0);
      if (due.length > 0) {
        turns += 1;
        if (turns > mostTurns) throw new Error("something goes on without an end, and no time passes");
        for (const each of due) {
          run(each);
          await settle();
        }
        continue;
      }
      if (isOver() || heap.length === 0) return;
      const timer = removeFirst();
      if (timer.isCancelled || timer.owner?.isDead === true) continue;
      if (timer.at > now) turns = 0;
      now = Math.max(now, timer.at);
      run(timer);
      if (timer.every !== undefined && !timer.isCancelled) add(timer);
    }
  },
};
