import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * Of these, the system gives none to those who ask for any port, nor to connections. So nobody else
 * takes it until its service starts, or while that is restarted.
 */
const [first, end] = [20_000, 32_000];
/** Each worker of a test run has a part of them, and gives none twice. */
const ofWorker = 1500;
const given = new Set<number>();

/**
 * A port that nobody listens on: for a service whose address must be known before it starts, or
 * stay the same over a restart.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const worker = Number(process.env["VITEST_POOL_ID"] ?? 0) % ((end - first) / ofWorker);
    const port = first + worker * ofWorker + randomInt(ofWorker);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
}

/** On every address: programs listen on one of them, or on all. */
async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  return await new Promise<boolean>((resolve) => {
    probe.once("error", () => resolve(false));
    probe.listen(port, () => probe.close(() => resolve(true)));
  });
}
