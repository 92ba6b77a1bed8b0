import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { minute } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import { programFiles } from "../lib/program-files.ts";
import { part, type CoreContext } from "../runtime/context.ts";
import { lookFor, type Looked, type Looking } from "./search-steps.ts";

export type SearchThreadData = { file: string };
export type FromSearchThread = { looked: Looked } | { error: Error };

const threadRests = 10 * minute;
/** Each takes a tenth of a second at most. */
const maxWaiting = 20;
/** So that no application keeps the others, and operators, from searching. */
const maxWaitingOfApp = 4;

/**
 * Runs a process's searches, one after the other, so that they take one processor or one connection
 * at most.
 */
export const searcher = part(createSearcher, (made) => made.close());

function createSearcher({ storage, config, log }: CoreContext) {
  let usesThread = false;
  let thread: Worker | undefined;
  let resting: NodeJS.Timeout | undefined;
  let last: Promise<unknown> = Promise.resolve();
  /** Of whom each search is; undefined: of all applications. */
  const waiting: (string | undefined)[] = [];

  function startThread(): Worker {
    const data: SearchThreadData = { file: join(config.dataDir, "authsvc.db") };
    const worker = programFiles.thread("search-thread", data);
    const forget = (): void => {
      if (thread === worker) thread = undefined;
    };
    // It may also die while nobody searches.
    worker.on("exit", forget).on("error", (error) => {
      forget();
      log.error("the thread of searches failed", error);
    });
    return worker;
  }

  async function endThread(): Promise<void> {
    clearTimeout(resting);
    const ending = thread;
    thread = undefined;
    if (!ending) return;
    const ended = Promise.withResolvers<void>();
    ending.once("exit", ended.resolve);
    ending.postMessage("end");
    await ended.promise;
  }

  async function inThread(looking: Looking): Promise<Looked> {
    clearTimeout(resting);
    const worker = (thread ??= startThread());
    const { promise, resolve, reject } = Promise.withResolvers<Looked>();
    const onMessage = (message: FromSearchThread): void =>
      "error" in message ? reject(message.error) : resolve(message.looked);
    const onEnd = (error: unknown): void =>
      reject(error instanceof Error ? error : new Error("the thread of searches ended"));
    worker.once("message", onMessage).once("error", onEnd).once("exit", onEnd);
    worker.postMessage(looking);
    try {
      return await promise;
    } finally {
      worker.off("message", onMessage).off("error", onEnd).off("exit", onEnd);
      resting = setTimeout(() => void endThread(), threadRests).unref();
    }
  }

  async function inTurn(looking: Looking): Promise<Looked> {
    return usesThread ? await inThread(looking) : await lookFor(storage.reader, looking);
  }

  return {
    /** In a thread from now on: SQLite is synchronous, and this process serves. */
    useThread(): void {
      usesThread = true;
    },

    /** Throws BUSY if too many wait, of all or of the application. */
    async look(looking: Looking): Promise<Looked> {
      const { appId } = looking.search.filter;
      const ofApp = appId === undefined ? 0 : waiting.filter((of) => of === appId).length;
      if (waiting.length >= maxWaiting || ofApp >= maxWaitingOfApp)
        throw new AppError("BUSY", "Too many searches at the moment.", {
          retryAfterSeconds: 1,
          details: "retry after 1 second",
        });
      waiting.push(appId);
      const looked = last.then(async () => await inTurn(looking));
      last = looked.catch(() => {});
      try {
        return await looked;
      } finally {
        waiting.splice(waiting.indexOf(appId), 1);
      }
    },

    isInThread: (): boolean => thread !== undefined,

    async close(): Promise<void> {
      await last;
      await endThread();
    },
  };
}
