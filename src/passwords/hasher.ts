import { AppError } from "../lib/errors.ts";
import { silentLog, type Log } from "../lib/log.ts";
import { silentMeter, type Meter } from "../lib/meter.ts";
import type { Random } from "../lib/random.ts";
import { loadArgon2, type Argon2 } from "./argon2.ts";
import { lowerPoolPriority } from "./pool-priority.ts";
import { verifyForeign } from "./foreign-verify.ts";

export type HashParameters = { memoryKiB: number; iterations: number; parallelism: number };

export type Hasher = ReturnType<typeof createHasher>;

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
    if (running >= concurrency && waiting.length >= queueSize) throw busy;
  }

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    admit();
    if (running >= concurrency) {
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

  /**
   * A refusal costs one of today's hashes while the try is counted, and then one of the other kind, whoever it is about, and be the password the right
   * one: neither imported users nor the passwords of those who must wait can be told by the time it takes.
   */
  async function matchesInLikeTime(
    stored: string | undefined,
    password: string,
    counted: Promise<boolean>,
  ): Promise<boolean> {
    const isTodays = stored?.startsWith(todaysForm) === true;
    const ofTodays = await matches(isTodays ? stored : nobodysHash, password);
    const isAdmitted = await counted;
    if (isTodays && ofTodays && isAdmitted) return true;
    const own = isTodays ? undefined : stored;
    const other = own ?? otherHash;
    if (other === undefined) return false;
    const startedAt = performance.now();
    const ofOther = await matches(other, password);
    // One user's very dear hash must not make every refusal as dear.
    if (own !== undefined && performance.now() - startedAt < mostLikenessMilliseconds) otherHash = own;
    return own !== undefined && ofOther && isAdmitted;
  }

  return {
    /** Throws BUSY when the queue is full: asked before anything is read or written for a hash that there will not be. It keeps no place. */
    admit,

    /** A PHC string with a salt of its own. Throws BUSY when the queue is full. */
    async hash(password: string): Promise<string> {
      const settings = { memoryCost: memoryKiB, timeCost: iterations, parallelism, salt: random(16) };
      return await inTurn(async () => (await argon2()).hash(normalised(password), settings));
    },

    /**
     * Without a stored hash it takes as long and says no. `count` begins when the password's turn has come, for it counts passwords that really
     * are looked at; while it reaches the disk, the hash is computed, and a password that it does not admit was wrong. Throws BUSY when the
     * queue is full, before anything else.
     */
    async verify(stored: string | undefined, password: string, count: () => Promise<boolean>): Promise<boolean> {
      return await inTurn(async () => {
        const counted = count();
        // Waited for in any case, once the hash is there.
        counted.catch(() => {});
        return await matchesInLikeTime(stored, password, counted);
      });
    },

    /** How many hashes are being computed, and how many wait for that. */
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
