/** Searches for people on SQLite, beside the thread that serves (`people/searcher.ts`). */
import { parentPort, workerData, type MessagePort } from "node:worker_threads";
import { lookFor, type Looking } from "../people/search-steps.ts";
import type { FromSearchThread, SearchThreadData } from "../people/searcher.ts";
import { openReadingStorage } from "../storage/open.ts";

const main = parentPort as MessagePort;
const storage = openReadingStorage((workerData as SearchThreadData).file);

async function answer(looking: Looking): Promise<FromSearchThread> {
  try {
    return { looked: await lookFor(storage.reader, looking) };
  } catch (error) {
    return { error: error as Error };
  }
}

async function end(): Promise<void> {
  await storage.close();
  main.close();
}

main.on("message", (message: Looking | "end") => {
  if (message === "end") void end();
  else void answer(message).then((answered) => main.postMessage(answered));
});
