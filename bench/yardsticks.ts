import { cpus } from "node:os";
import { join } from "node:path";
import { loadArgon2 } from "../src/credentials/passwords/argon2.ts";
import type { HashParameters } from "../src/credentials/passwords/hasher.ts";
import { systemRandom } from "../src/lib/random.ts";
import { silentLog } from "../src/lib/silent-log.ts";
import { repeat } from "../src/upkeep/benchmark/load.ts";
import { start, type Running } from "./process.ts";
import { password } from "./subject.ts";

/** node:http alone, answering the bytes of a validate. */
export async function startBareServer(): Promise<Running> {
  return await start([join(import.meta.dirname, "bare-server.ts")]);
}

/** argon2id alone, on all cores, with the same library. */
export async function hashesPerSecond(
  { memoryKiB, iterations, parallelism }: HashParameters,
  seconds: number,
): Promise<number> {
  const { verify, hash } = await loadArgon2(silentLog);
  const salt = systemRandom(16);
  const stored = await hash(password, { memoryCost: memoryKiB, timeCost: iterations, parallelism, salt });
  const verifies = Array.from({ length: cpus().length }, () => async () => await verify(stored, password));
  return (await repeat(verifies, (_done, elapsedSeconds) => elapsedSeconds >= seconds)).perSecond;
}
