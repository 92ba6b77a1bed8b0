import { availableParallelism, cpus } from "node:os";
import { AppError } from "../../lib/errors.ts";

import { measureHashes } from "../../upkeep/benchmark/hashes.ts";
import { part, type Context } from "../../runtime/context.ts";

/** How many password hashes this machine makes, one at a time and as many as the service runs. */
export type Measurement = {
  at: number;
  processor: string;
  cores: number;
  figures: { atOnce: number; perSecond: number; medianMilliseconds: number; p99Milliseconds: number }[];
};

const secondsEach = 1;

const measurement = part((): { isRunning: boolean; last: Measurement | undefined } => ({
  isRunning: false,
  last: undefined,
}));

/** The last one of this process. */
export function lastMeasurement(ctx: Context): Measurement | undefined {
  return measurement(ctx).last;
}

/** Takes two seconds of all cores. One at a time: throws CONFLICT during another one. */
export async function measure(ctx: Context): Promise<void> {
  const own = measurement(ctx);
  if (own.isRunning) throw new AppError("CONFLICT", "It is being measured right now. Try again in a moment.");
  own.isRunning = true;
  try {
    const { memoryKiB, iterations, parallelism, concurrency } = ctx.config.passwords;
    const figures: Measurement["figures"] = [];
    for (const atOnce of new Set([1, concurrency])) {
      const isOver = (_done: number, elapsed: number): boolean => elapsed >= secondsEach;
      figures.push(await measureHashes({ memoryKiB, iterations, parallelism }, atOnce, isOver));
    }
    const processor = cpus()[0]?.model.trim() ?? "unknown";
    own.last = { at: ctx.clock(), processor, cores: availableParallelism(), figures };
  } finally {
    own.isRunning = false;
  }
}

/** Maximum password sign-ins per second: each costs one hash. */
export function signInsPerSecond({ figures }: Measurement): number {
  return Math.max(...figures.map(({ perSecond }) => perSecond));
}
