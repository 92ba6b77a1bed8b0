import { readdir, readFile } from "node:fs/promises";
import type { Log } from "../../lib/log.ts";
import { lowerThreadPriority } from "./thread-priority.ts";

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
