import { getPriority, setPriority } from "node:os";

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
