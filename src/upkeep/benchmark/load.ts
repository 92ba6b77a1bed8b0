import { setTimeout as pause } from "node:timers/promises";
import { percentile } from "./percentiles.ts";

/** One call, or several in sequence. Throws if it fails. */
export type Work = () => Promise<unknown>;

/** The work that is repeated on open connections. */
export type OpenWorks = Disposable & { works: Work[] };

export type Load = {
  atOnce: number;
  calls: number;
  perSecond: number;
  medianMilliseconds: number;
  p99Milliseconds: number;
  maxMilliseconds: number;
};

/**
 * Repeats each of `works` until `isOver`, all in parallel, with a pause after each call if wanted.
 * Throws if more than one call in a hundred failed, because the figure would measure errors.
 */
export async function repeat(
  works: Work[],
  isOver: (done: number, elapsedSeconds: number) => boolean,
  { pauseMilliseconds }: { pauseMilliseconds?: number | undefined } = {},
): Promise<Load> {
  const took: number[] = [];
  const failures: unknown[] = [];
  const began = performance.now();
  const elapsedSeconds = (): number => (performance.now() - began) / 1000;
  await Promise.all(
    works.map(async (work) => {
      while (!isOver(took.length + failures.length, elapsedSeconds())) {
        const start = performance.now();
        try {
          await work();
          took.push(performance.now() - start);
        } catch (error) {
          failures.push(error);
        }
        if (pauseMilliseconds !== undefined) await pause(pauseMilliseconds);
      }
    }),
  );
  const seconds = elapsedSeconds();
  if (failures.length > took.length / 100)
    throw new Error(`${failures.length} calls failed, ${took.length} did not`, { cause: failures[0] });
  return {
    atOnce: works.length,
    calls: took.length,
    perSecond: took.length / seconds,
    medianMilliseconds: percentile(took, 0.5),
    p99Milliseconds: percentile(took, 0.99),
    maxMilliseconds: percentile(took, 1),
  };
}
