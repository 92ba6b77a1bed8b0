import type { Worker } from "node:worker_threads";
import { minute } from "../../lib/clock.ts";
import { AppError } from "../../lib/errors.ts";
import { programFiles } from "../../lib/program-files.ts";
import type { Strength } from "./rules.ts";
import type { StrengthQuestion } from "./strength-worker.ts";

type Waiting = {
  network: string | undefined;
  resolve(strength: Strength): void;
  reject(error: unknown): void;
};

/** Each takes some milliseconds. */
const maxWaiting = 200;
/** These come before the network's attempts are counted. */
const maxWaitingOfNetwork = 40;
const threadIsKeptFor = minute;

/** `network`: of the caller; undefined for an operator. */
export type StrengthOf = (
  asked: { password: string; words: string[] },
  network: string | undefined,
) => Promise<Strength>;

/**
 * Estimates passwords in a worker thread, which starts with the first new password and ends a
 * minute after the last. It does not keep the process alive. Throws BUSY if too many wait,
 * RATE_LIMITED if too many of one network do.
 */
export function createStrength(): StrengthOf {
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;

  function open(): Worker {
    const opened = programFiles.worker("src/credentials/passwords/strength-worker.ts");
    opened.unref();
    opened.on("message", ({ id, ...strength }: Strength & { id: number }) => {
      waiting.get(id)?.resolve(strength);
      waiting.delete(id);
      if (waiting.size > 0) return;
      opened.unref();
      idle = setTimeout(() => {
        worker = undefined;
        void opened.terminate();
      }, threadIsKeptFor).unref();
    });
    opened.on("error", (error) => {
      worker = undefined;
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    });
    return opened;
  }

  function admit(network: string | undefined): void {
    if (waiting.size >= maxWaiting)
      throw new AppError("BUSY", "Too many new passwords are being checked.", { retryAfterSeconds: 1 });
    const ofNetwork = [...waiting.values()].filter((other) => other.network === network).length;
    if (network !== undefined && ofNetwork >= maxWaitingOfNetwork)
      throw new AppError("RATE_LIMITED", "Too many new passwords at once.", {
        retryAfterSeconds: 1,
        details: "too many new passwords at once",
      });
  }

  return async (asked, network) => {
    admit(network);
    clearTimeout(idle);
    worker ??= open();
    lastId += 1;
    const question: StrengthQuestion = { id: lastId, ...asked };
    const answer = Promise.withResolvers<Strength>();
    waiting.set(question.id, { network, ...answer });
    worker.ref();
    worker.postMessage(question);
    return await answer.promise;
  };
}
