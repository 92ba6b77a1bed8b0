import { systemClock } from "../lib/clock.ts";
import { systemRandom } from "../lib/random.ts";
import type { Cli } from "./cli.ts";
import { exitCodes } from "./exit-codes.ts";
import { createProgress } from "./output/progress.ts";

export const surroundings = { clock: systemClock, random: systemRandom };

/** Thrown by a step of long work, which then undoes what it began. */
class Interrupted extends Error {}

/**
 * Runs long work with its progress on standard error. Ctrl-C ends it at its next step; then the
 * result is undefined and the interruption was reported.
 */
export async function longWork<T>(
  cli: Cli,
  unit: string,
  work: (onProgress: (done: number, all: number | undefined) => void) => Promise<T>,
): Promise<T | undefined> {
  let progress: ReturnType<typeof createProgress> | undefined;
  let interrupted = false;
  cli.handleInterrupt(() => {
    if (interrupted) cli.io.exit(exitCodes.interrupted);
    interrupted = true;
  });
  try {
    return await work((done, all) => {
      if (interrupted) throw new Interrupted();
      progress ??= createProgress(cli, unit, all);
      // If standard error is closed, nobody can be told.
      progress.show(done, done).catch(() => {});
    });
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    await cli.note("Interrupted. Nothing was changed.");
    cli.endWith(exitCodes.interrupted);
    return undefined;
  } finally {
    progress?.end();
  }
}

const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];

export function sizeText(bytes: number): string {
  const power = bytes < 1024 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1);
  const value = bytes / 1024 ** power;
  return `${value.toFixed(power === 0 || value >= 100 ? 0 : 1)} ${units[power] ?? ""}`;
}

/** `1,234 rows in 24 tables`. */
export function rowsText(tables: { rows: number }[]): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  return `${rows.toLocaleString("en")} ${rows === 1 ? "row" : "rows"} in ${tables.length} tables`;
}
