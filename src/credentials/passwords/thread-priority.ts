import { readdir, readFile } from "node:fs/promises";
import { getPriority, setPriority } from "node:os";
import type { Log } from "../../lib/log.ts";

/** Hashing gets a tenth of the main thread's share of a busy processor, and all of a free one. */
const niceness = 10;
const lowest = 19;

/**
 * Lowers the priority of a hashing thread. `thread` is a Linux thread id, 0 the calling thread.
 * Does nothing on other systems, which have no priority per thread.
 */
export function lowerThreadPriority(thread = 0): void {
  if (process.platform === "linux") setPriority(thread, Math.min(getPriority(process.pid) + niceness, lowest));
}

/** Lowers the priority of the hashing thread pool below the main thread's. Linux only. */
export async function lowerPoolPriority(log: Log): Promise<void> {
  if (process.platform !== "linux") return;
  try {
    // The pool itself answers this, so all of its threads exist afterwards.
    for (const thread of await readdir("/proc/self/task")) {
      const name = await readFile(`/proc/self/task/${thread}/comm`, "utf8");
      if (name.trim() === "libuv-worker") lowerThreadPriority(Number(thread));
    }
  } catch (error) {
    log.debug("could not lower the priority of the hashing threads", { reason: (error as Error).message });
  }
}
