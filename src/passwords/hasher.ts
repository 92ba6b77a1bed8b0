import { availableParallelism } from "node:os";
import { AppError } from "../lib/errors.ts";
import type { Log } from "../lib/log.ts";
import { silentMeter, type Meter } from "../lib/meter.ts";
import type { Random } from "../lib/random.ts";
import { silentLog } from "../lib/silent-log.ts";
import { loadArgon2, type Argon2 } from "./argon2.ts";
import { lowerPoolPriority } from "./pool-priority.ts";
import { verifyForeign } from "./foreign-verify.ts";

export type HashParameters = { memoryKiB: number; iterations: number; parallelism: number };

export type Hasher = ReturnType<typeof createHasher>;

/**
 * Whether a password is the right one. A refusal costs one of today's hashes and one of the other kind, whoever it is about, and be the password the
 * right one: neither imported users nor the passwords of those who must wait can be told by the time it takes. So `evenOut` comes before a refusal
 * is told, and computes what is still missing.
 */
export type Verdict = { isRight: boolean; evenOut(): Promise<void> };

const mostLikenessMilliseconds = 1000;
const phc = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=\d+\$/u;

/**
 * argon2id on the thread pool, behind a bounded queue: each hash takes memory and a core for some 20 ms, so more of them at once only
 * makes all of them late. What does not fit into the queue is refused at once (BUSY), and token calls stay fast.
 */
export function createHasher(
  options: HashParameters & { concurrency: number; queueSize: number },
  random: Random,
  meter: Meter = silentMeter,
  log: Log = silentLog,
) {
  const { memoryKiB, iterations, parallelism, concurrency, queueSize } = options;
  // One more waits in the pool itself: a thread that is done takes it at once, and not when the main thread has time. The two threads of a pool for
  // one hash would run it.
  const places = concurrency === 1 ? 1 : concurrency + 1;
  const processors = availableParallelism();
  const waiting: (() => void)[] = [];
  let running = 0;
  let loading: Promise<Argon2> | undefined;

  /** Loaded with the first password: most commands meet none. */
  const argon2 = (): Promise<Argon2> => (loading ??= lowerPoolPriority(log).then(() => loadArgon2(log)));

  // One for all: thousands are thrown a second, and a stack for each, which nobody reads, would cost as much as half a page.
  const busy = new AppError("BUSY", "Too many sign-ins at the moment.", {
    retryAfterSeconds: 1,
    details: "retry after 1 second",
  });

  function admit(): void {
    if (running >= places && waiting.length >= queueSize) throw busy;
  }

  /** Waits for its turn, however many do: `admit` comes before. */
  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running >= places) {
      const startedAt = performance.now();
      await new Promise<void>((start) => waiting.push(start));
      meter.hashWaited(performance.now() - startedAt);
    } else {
      running += 1;
      meter.hashWaited(0);
    }
    try {
      return await work();
    } finally {
      // The place passes to the next in line without becoming free in between.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  }

  const base64 = (size: number): string => Buffer.from(random(size)).toString("base64").replaceAll("=", "");
  /** A hash of no password, with today's parameters: checking against it takes as long as checking a real one. */
  const todaysForm = `$argon2id$v=19$m=${memoryKiB},t=${iterations},p=${parallelism}$`;
  const nobodysHash = `${todaysForm}${base64(16)}$${base64(32)}`;
  /** The imported or outdated hash that was checked last. */
  let otherHash: string | undefined;

  async function matches(stored: string, password: string): Promise<boolean> {
    const check = stored.startsWith("$argon2") ? (await argon2()).verify : verifyForeign;
    const form = normalised(password);
    const isRight = await check(stored, form);
    if (form === password) return isRight;
    // Another system may have hashed what was typed as it came. Looked at in any case: time must not tell which of the two was right.
    return (await check(stored, password)) || isRight;
  }

  async function matchesOther(stored: string, password: string): Promise<boolean> {
    const startedAt = performance.now();
    const isRight = await matches(stored, password);
    // One user's very dear hash must not make every refusal as dear.
    if (performance.now() - startedAt < mostLikenessMilliseconds) otherHash = stored;
    return isRight;
  }

  async function matchOtherForLikeness(password: string): Promise<void> {
    const stored = otherHash;
    if (stored !== undefined) await inTurn(() => matches(stored, password));
  }

  return {
    /** Throws BUSY when the queue is full: asked before anything is read or written for a hash that there will not be. It keeps no place. */
    admit,

    /** A PHC string with a salt of its own. Throws BUSY when the queue is full. */
    async hash(password: string): Promise<string> {
      admit();
      const settings = { memoryCost: memoryKiB, timeCost: iterations, parallelism, salt: random(16) };
      return await inTurn(async () => (await argon2()).hash(normalised(password), settings));
    },

    /** Without a stored hash it takes as long and says no. Throws BUSY when the queue is full. */
    async verify(stored: string | undefined, password: string): Promise<Verdict> {
      admit();
      const isTodays = stored?.startsWith(todaysForm) === true;
      const ofTodays = await inTurn(() => matches(isTodays ? stored : nobodysHash, password));
      if (isTodays || stored === undefined)
        return { isRight: isTodays && ofTodays, evenOut: () => matchOtherForLikeness(password) };
      return { isRight: await inTurn(() => matchesOther(stored, password)), evenOut: async () => {} };
    },

    /** Whether every processor of the machine hashes. */
    isBusy: (): boolean => concurrency >= processors && running >= processors,

    /** How many hashes are being computed or are the pool's next, and how many wait for that. */
    load: (): { running: number; waiting: number } => ({ running, waiting: waiting.length }),

    /** Whether a stored hash costs an attacker less than one of today's, as every foreign one may. A dearer argon2id stays: it does no harm. */
    isWeaker(stored: string): boolean {
      const [, memory, rounds] = phc.exec(stored) ?? [];
      return !(Number(memory) * Number(rounds) >= memoryKiB * iterations);
    },
  };
}

/** The same characters typed on two systems can arrive as different code points; NFC makes them one (RFC 8265 §4.2). Nothing is trimmed. */
function normalised(password: string): string {
  return password.normalize("NFC");
}
