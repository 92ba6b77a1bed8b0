import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * Of these, the system gives none to those who ask for any port, nor to connections. So nobody else
 * takes it until its service starts, or while that is restarted.
 */
const [first, end] = [20_000, 32_000];

/**
 * A port that nobody listens on: for a service whose address must be known before it starts, or
 * stay the same over a restart.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(first, end);
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
