import { readdir, readFile } from "node:fs/promises";
import { getPriority, setPriority } from "node:os";
import type { Log } from "../lib/log.ts";

/** More than the process has: a tenth of the main thread's share where there is not enough for both, and all of it where there is. */
const niceness = 10;
const lowest = 19;

/**
 * Has the thread pool, which hashes, give way to the thread that answers: with a hash on every core that one would wait for its turn in the middle of
 * a call. Linux alone gives threads priorities of their own; elsewhere nothing is changed.
 */
export async function lowerPoolPriority(log: Log): Promise<void> {
  if (process.platform !== "linux") return;
  try {
    const priority = Math.min(getPriority() + niceness, lowest);
    // Asked of the pool itself, whose threads are all there from its first work on.
    for (const thread of await readdir("/proc/self/task")) {
      const name = await readFile(`/proc/self/task/${thread}/comm`, "utf8");
      if (name.trim() === "libuv-worker") setPriority(Number(thread), priority);
    }
  } catch (error) {
    log.debug("the threads that hash keep their priority", { reason: (error as Error).message });
  }
}
