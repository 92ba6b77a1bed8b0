import { second } from "../../lib/clock.ts";

const queryInterval = second / 4;
/** A waiting call keeps a connection and a timer. Further calls are answered at once. */
const maxWaits = { perApplication: 200, total: 1000 };

/** `changed`: which of the applications have entries after `after`. */
type FindChanged = (appIds: string[], after: string | undefined) => Promise<{ position: string; changed: string[] }>;

/**
 * Wakes waiting calls when this process commits an entry (`wake`). For the entries of other
 * processes, it asks the database four times a second, once for all waiting calls.
 */
export function createWaits(findChanged: FindChanged) {
  const waiting = new Map<string, Set<() => void>>();
  let count = 0;
  let isEnded = false;
  /** The position of the last query. */
  let seen: string | undefined;
  /** The running query, which does not know of calls that began to wait after it. */
  let querying: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  function wake(appId: string): void {
    const woken = appId === "" ? [...waiting.values()] : [waiting.get(appId) ?? []];
    for (const calls of woken) for (const call of calls) call();
  }

  async function queryAndWake(): Promise<void> {
    try {
      const changes = await findChanged([...waiting.keys()], seen);
      seen = changes.position;
      for (const appId of changes.changed) wake(appId);
    } catch (error) {
      // Each call then reads for itself, and answers with its error.
      wake("");
      throw error;
    } finally {
      querying = undefined;
      schedule();
    }
  }

  function queryNow(): Promise<void> {
    timer = undefined;
    querying = queryAndWake();
    querying.catch(() => {});
    return querying;
  }

  function schedule(): void {
    if (count === 0) seen = undefined;
    else if (!isEnded) timer ??= setTimeout(() => void queryNow(), queryInterval);
  }

  return {
    wake,

    count: (): number => count,

    /**
     * Begins to wait for an application's entries; undefined if too many calls wait. Read the
     * entries only after `ready`: what is committed later wakes the call.
     */
    enter(appId: string) {
      const calls = waiting.get(appId) ?? new Set();
      if (isEnded || count >= maxWaits.total || calls.size >= maxWaits.perApplication) return undefined;
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
          if (querying) await querying.catch(() => {});
          if (seen === undefined) await (querying ?? queryNow());
        },

        /** Ends the current wait, or the next one. */
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

    /** Ends all waits; from then on, no call waits. */
    end(): void {
      isEnded = true;
      clearTimeout(timer);
      wake("");
    },
  };
}
