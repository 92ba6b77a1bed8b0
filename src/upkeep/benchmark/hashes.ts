import { createHasher, type HashParameters } from "../../credentials/passwords/hasher.ts";
import { systemRandom } from "../../lib/random.ts";
import { repeat, type Load } from "./load.ts";

/** Hashes passwords until `isOver`, `atOnce` at any time. */
export async function measureHashes(
  parameters: HashParameters,
  atOnce: number,
  isOver: (done: number, elapsedSeconds: number) => boolean,
): Promise<Load> {
  const hasher = createHasher({ ...parameters, concurrency: atOnce, queueSize: 0 }, systemRandom);
  return await repeat(
    Array.from({ length: atOnce }, () => async () => await hasher.hash("correct horse battery")),
    isOver,
  );
}
