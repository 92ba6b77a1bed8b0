import { systemClock } from "../lib/clock.ts";
import { systemRandom } from "../lib/random.ts";
import type { Cli } from "./cli.ts";
import { exitCodes } from "./exit-codes.ts";
import { createProgress } from "./output/progress.ts";

export const surroundings = { clock: systemClock, random: systemRandom };

/** Thrown by a step of long work, or when its signal aborts; the work then undoes what it began. */
class Interrupted extends Error {}

/**
 * Runs long work with its progress on standard error. Ctrl-C aborts the signal and ends the
 * work at its next step; then the result is undefined and the interruption was reported.
 */
export async function longWork<T>(
  cli: Cli,
  unit: string,
  work: (onProgress: (done: number, all: number | undefined) => void, signal: AbortSignal) => Promise<T>,
  saidWhenInterrupted = "Interrupted. Nothing was changed.",
): Promise<T | undefined> {
  let progress: ReturnType<typeof createProgress> | undefined;
  const interruption = new AbortController();
  cli.handleInterrupt(() => {
    if (interruption.signal.aborted) cli.io.exit(exitCodes.interrupted);
    interruption.abort(new Interrupted());
  });
  try {
    return await work((done, all) => {
      interruption.signal.throwIfAborted();
      progress ??= createProgress(cli, unit, all);
      // If standard error is closed, nobody can be told.
      progress.show(done, done).catch(() => {});
    }, interruption.signal);
  } catch (error) {
    // Streams and timers wrap the reason of the signal.
    if (!(error instanceof Interrupted || (error as Error).cause instanceof Interrupted)) throw error;
    await cli.note(saidWhenInterrupted);
    cli.endWith(exitCodes.interrupted);
    return undefined;
  } finally {
    progress?.end();
  }
}

/** `1,234 rows in 24 tables`. */
export function rowsText(tables: { rows: number }[]): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  return `${rows.toLocaleString("en")} ${rows === 1 ? "row" : "rows"} in ${tables.length} tables`;
}
