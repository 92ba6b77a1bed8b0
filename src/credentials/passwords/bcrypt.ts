import type { Worker } from "node:worker_threads";
import { programFiles } from "../../lib/program-files.ts";
import type { BcryptAnswer, BcryptQuestion } from "./bcrypt-worker.ts";

type Waiting = { resolve(isRight: boolean): void; reject(error: unknown): void };

/**
 * Verifies bcrypt hashes, and those of crypt.ts, in a worker thread: in JavaScript they would block
 * requests for 0.01 to 0.3 s. It starts with the first hash and does not keep the process alive.
 */
export function createBcrypt(): (hash: string, password: string) => Promise<boolean> {
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let worker: Worker | undefined;

  function open(): Worker {
    const opened = programFiles.worker("src/credentials/passwords/bcrypt-worker.ts");
    opened.unref();
    opened.on("message", ({ id, isRight }: BcryptAnswer) => {
      waiting.get(id)?.resolve(isRight);
      waiting.delete(id);
      if (waiting.size === 0) opened.unref();
    });
    opened.on("error", (error) => {
      worker = undefined;
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    });
    return opened;
  }

  return async (hash, password) => {
    worker ??= open();
    lastId += 1;
    const question: BcryptQuestion = { id: lastId, password, hash };
    const answer = Promise.withResolvers<boolean>();
    waiting.set(question.id, answer);
    worker.ref();
    worker.postMessage(question);
    return await answer.promise;
  };
}
