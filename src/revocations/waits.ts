import { second } from "../lib/clock.ts";

const looksEvery = second / 4;
/** A waiting call is a connection and a timer. Beyond these, calls are answered at once. */
const maxWaits = { ofApplication: 200, inAll: 1000 };

/** `changed`: the applications with something new. Without `after`: none, where the database is. */
type Look = (appIds: string[], after: string | undefined) => Promise<{ position: string; changed: string[] }>;

/**
 * Wakes waiting calls at a commit of this process (`wake`), and of others by one question for all
 * of them four times a second. A waiting call uses no database connection.
 */
export function createWaits(look: Look) {
  const waiting = new Map<string, Set<() => void>>();
  let count = 0;
  let isEnded = false;
  let seen: string | undefined;
  /** The last look. Who begins to wait before it has ended might be missed by it. */
  let looking: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  function wake(appId: string): void {
    const woken = appId === "" ? [...waiting.values()] : [waiting.get(appId) ?? []];
    for (const calls of woken) for (const call of calls) call();
  }

  async function lookOnce(): Promise<void> {
    try {
      const found = await look([...waiting.keys()], seen);
      seen = found.position;
      for (const appId of found.changed) wake(appId);
    } catch (error) {
      // Each call finds out for itself, and answers the error.
      wake("");
      throw error;
    } finally {
      looking = undefined;
      schedule();
    }
  }

  function lookNow(): Promise<void> {
    timer = undefined;
    looking = lookOnce();
    looking.catch(() => {});
    return looking;
  }

  function schedule(): void {
    if (count === 0) seen = undefined;
    else if (!isEnded) timer ??= setTimeout(() => void lookNow(), looksEvery);
  }

  return {
    wake,

    count: (): number => count,

    /**
     * Begins to wait for an application's entries. Undefined if too many wait. Read what is there
     * only after `ready`: whatever is committed after that wakes the call.
     */
    enter(appId: string) {
      const calls = waiting.get(appId) ?? new Set();
      if (isEnded || count >= maxWaits.inAll || calls.size >= maxWaits.ofApplication) return undefined;
      let isWoken = false;
      let onWoken = (): void => {};
      const call = (): void => {
        isWoken = true;
        onWoken();
      };
      waiting.set(appId, calls.add(call));
      count += 1;
      return {
        ready: async (): Promise<void> => {
          if (looking) await looking.catch(() => {});
          if (seen === undefined) await (looking ?? lookNow());
        },

        /** Ends the next wait, or the one that is going on. */
        wake: call,

        /** Resolves when there may be something new, or the time is over. */
        async next(milliseconds: number): Promise<void> {
          if (!isWoken) {
            const { promise, resolve } = Promise.withResolvers<void>();
            onWoken = resolve;
            const late = setTimeout(resolve, milliseconds);
            await promise;
            clearTimeout(late);
          }
          isWoken = isEnded;
        },

        leave(): void {
          if (!calls.delete(call)) return;
          count -= 1;
          if (calls.size === 0) waiting.delete(appId);
        },
      };
    },

    isEnded: (): boolean => isEnded,

    /** Ends all waits, and lets nobody wait any more. */
    end(): void {
      isEnded = true;
      clearTimeout(timer);
      wake("");
    },
  };
}
