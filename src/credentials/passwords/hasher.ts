import { availableParallelism } from "node:os";
import { AppError } from "../../lib/errors.ts";
import type { Log } from "../../lib/log.ts";
import { silentMeter, type Meter } from "../../lib/meter.ts";
import type { Random } from "../../lib/random.ts";
import { silentLog } from "../../lib/silent-log.ts";
import { part, type Context } from "../../runtime/context.ts";
import { loadArgon2, type Argon2 } from "./argon2.ts";
import { FairSlot, type TurnOf } from "./fair-slot.ts";
import { createForeignVerify } from "./foreign-verify.ts";
import { hashCost, isExpensive, kindOfHash, pbkdf2Rounds } from "./hash-cost.ts";
import { lowerPoolPriority } from "./thread-priority.ts";

export type HashParameters = { memoryKiB: number; iterations: number; parallelism: number };

/**
 * Whether a password is correct. Every refusal costs one current hash plus as much as the
 * application's most expensive imported one, even if the password was correct. Call `evenOut` after
 * counting the attempt: it adds the missing cost, or throws BUSY without room for it.
 */
export type Verdict = { isRight: boolean; evenOut(): Promise<void> };

const nobody: TurnOf = { appId: "", account: "", isKnown: false };
/** Our own older hashes use the common queue up to this multiple of the current cost. */
const maxTodaysHashes = 2;
/** A check shorter than this says little about what longer ones take. */
const leastMeasured = 2;
/** A check that took longer had to wait: processors are not that many times slower. */
const maxShare = 4;
const phc = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=\d+\$/u;

/**
 * argon2id in the thread pool, behind a bounded queue. Each hash takes memory and a core for about
 * 20 ms, so running more at once delays all of them. If the queue is full, throws BUSY at once,
 * which keeps token calls fast.
 */
export function createHasher(
  options: HashParameters & { concurrency: number; queueSize: number },
  random: Random,
  meter: Meter = silentMeter,
  log: Log = silentLog,
) {
  const { memoryKiB, iterations, parallelism, concurrency, queueSize } = options;
  // One extra job waits in the pool itself, so a free thread need not wait for the main thread. Not
  // with a pool for one hash, whose second thread would run it.
  const places = concurrency === 1 ? 1 : concurrency + 1;
  const processors = availableParallelism();
  const waiting: (() => void)[] = [];
  let running = 0;
  let loading: Promise<Argon2> | undefined;
  const verifyForeign = createForeignVerify();

  /** Loaded with the first password: most commands need none. */
  const argon2 = (): Promise<Argon2> => (loading ??= lowerPoolPriority(log).then(() => loadArgon2(log)));

  function admit(): void {
    if (running >= places && waiting.length >= queueSize) throw busy();
  }

  /** Waits without limit; call `admit` first. */
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
      // Hands the slot to the next job without freeing it.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  }

  const base64 = (size: number): string => Buffer.from(random(size)).toString("base64").replaceAll("=", "");
  const todaysForm = `$argon2id$v=19$m=${memoryKiB},t=${iterations},p=${parallelism}$`;
  /** Of no password, with current parameters: checking it takes as long as checking a real one. */
  const nobodysHash = `${todaysForm}${base64(16)}$${base64(32)}`;
  const todaysMilliseconds = hashCost(nobodysHash).milliseconds;
  /** The most expensive known hash per application, unless in the current form. */
  const comparisons = new Map<string, string>();
  /**
   * For each kind of hash, what its fastest check took, as a share of the estimate. Processors
   * differ most between argon2 and the rest.
   */
  const shares = new Map<string, number>();
  /** Imported hashes have their own queue, because they may take ten times as long as ours. */
  const importedSlot = new FairSlot();

  function isLikeOurs(stored: string): boolean {
    return stored.startsWith("$argon2id$") && hashCost(stored).milliseconds <= maxTodaysHashes * todaysMilliseconds;
  }

  /** One core's time for a check, as this machine has shown; until then the estimate. */
  function millisecondsOf(stored: string): number {
    return hashCost(stored).milliseconds * shareOf(kindOfHash(stored));
  }

  function shareOf(kind: string): number {
    return shares.get(kind) ?? 1;
  }

  async function check(stored: string, password: string): Promise<boolean> {
    const verify = stored.startsWith("$argon2") ? (await argon2()).verify : verifyForeign;
    const startedAt = performance.now();
    const isRight = await verify(stored, password);
    const estimate = hashCost(stored).milliseconds;
    const kind = kindOfHash(stored);
    if (estimate >= leastMeasured)
      shares.set(kind, Math.min(shares.get(kind) ?? maxShare, (performance.now() - startedAt) / estimate));
    return isRight;
  }

  async function matches(stored: string, password: string): Promise<boolean> {
    const form = normalised(password);
    const isRight = await check(stored, form);
    if (form === password) return isRight;
    // Another system may have hashed the password without normalising it. Always checked, so that
    // timing does not reveal which one matched.
    return (await check(stored, password)) || isRight;
  }

  function learn(appId: string, stored: string): void {
    const costliest = comparisons.get(appId);
    // One account with an allowed expensive hash must not make every refusal expensive.
    if (stored.startsWith(todaysForm) || isExpensive(stored)) return;
    if (costliest === undefined || millisecondsOf(stored) > millisecondsOf(costliest)) comparisons.set(appId, stored);
  }

  /**
   * A hash of no password that makes up the difference to the application's most expensive one, if
   * any.
   */
  function missing(appId: string, stored: string): string | undefined {
    const comparison = comparisons.get(appId);
    const milliseconds = comparison === undefined ? 0 : millisecondsOf(comparison) - millisecondsOf(stored);
    const rounds = pbkdf2Rounds(milliseconds / shareOf("pbkdf2-sha512"));
    return milliseconds > 0 ? `$pbkdf2-sha512$i=${rounds}$${base64(16)}$${base64(64)}` : undefined;
  }

  /**
   * Checks a hash and ignores the result. Uses the queue of the application's most expensive hash.
   */
  async function spend(turn: TurnOf, hash: string | undefined, password: string): Promise<void> {
    const comparison = comparisons.get(turn.appId);
    if (hash === undefined || comparison === undefined) return;
    const check = (): Promise<boolean> => matches(hash, password);
    if (isLikeOurs(comparison)) {
      await inTurn(check);
      return;
    }
    if (!importedSlot.hasRoom(turn)) throw busy();
    await importedSlot.run(turn, check);
  }

  /** In one turn: two would take twice as long while others wait. */
  async function verifyImported(stored: string, password: string, turn: TurnOf): Promise<Verdict> {
    // Counts as a failure without a check: BUSY must not be a free attempt or reveal an imported
    // account.
    if (!importedSlot.hasRoom(turn)) return { isRight: false, evenOut: () => Promise.reject(busy()) };
    const isRight = await importedSlot.run(turn, async () => {
      const rest = missing(turn.appId, stored);
      const matched = await matches(stored, password);
      if (rest !== undefined) await matches(rest, password);
      return matched;
    });
    return { isRight, evenOut: async () => {} };
  }

  return {
    /**
     * Throws BUSY if the queue is full, before anything is read or written for a hash. Reserves
     * nothing.
     */
    admit,

    /** A PHC string with a new salt. Throws BUSY if the queue is full. */
    async hash(password: string): Promise<string> {
      admit();
      const settings = { memoryCost: memoryKiB, timeCost: iterations, parallelism, salt: random(16) };
      return await inTurn(async () => (await argon2()).hash(normalised(password), settings));
    },

    /** Without a stored hash it takes as long and refuses. Throws BUSY if the queue is full. */
    async verify(stored: string | undefined, password: string, turn: TurnOf = nobody): Promise<Verdict> {
      admit();
      const isTodays = stored?.startsWith(todaysForm) === true;
      const ofTodays = await inTurn(() => matches(isTodays ? stored : nobodysHash, password));
      if (stored === undefined || isTodays)
        return {
          isRight: isTodays && ofTodays,
          evenOut: async () => await spend(turn, comparisons.get(turn.appId), password),
        };
      learn(turn.appId, stored);
      if (!isLikeOurs(stored)) return await verifyImported(stored, password, turn);
      const isRight = await inTurn(() => matches(stored, password));
      return { isRight, evenOut: async () => await spend(turn, missing(turn.appId, stored), password) };
    },

    /** The prefix of every hash with current parameters. */
    todaysForm,

    /** Whether checking this stored hash already includes evening out its application's costs. */
    isImported: (stored: string): boolean => !isLikeOurs(stored),

    /**
     * Registers a stored hash, so that refusals in its application take as long as checking it.
     */
    learn,

    /** Whether all processors of the machine compute hashes. */
    isBusy: (): boolean => concurrency >= processors && running >= processors,

    /** The number of hashes in the pool and in the queue. */
    load: (): { running: number; waiting: number } => ({ running, waiting: waiting.length }),

    /**
     * Whether a stored hash is cheaper to attack than a current one; any foreign one may be. A more
     * expensive argon2id stays.
     */
    isWeaker(stored: string): boolean {
      const [, memory, rounds] = phc.exec(stored) ?? [];
      return !(Number(memory) * Number(rounds) >= memoryKiB * iterations);
    },
  };
}

function busy(): AppError {
  return new AppError("BUSY", "Too many sign-ins at the moment.", {
    retryAfterSeconds: 1,
    details: "retry after 1 second",
  });
}

/**
 * The same characters can arrive as different code points; NFC unifies them (RFC 8265 §4.2).
 * Nothing is trimmed.
 */
function normalised(password: string): string {
  return password.normalize("NFC");
}

/** The process's hasher. While it is busy, writes share their commits. */
export const hasher = part((ctx: Context) => {
  const made = createHasher(ctx.config.passwords, ctx.random, ctx.meter, ctx.log);
  ctx.storage.shareCommitsWhile(made.isBusy);
  return made;
});
