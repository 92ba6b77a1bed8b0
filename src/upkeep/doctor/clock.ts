import type { Clock } from "../../lib/clock.ts";
import type { Log } from "../../lib/log.ts";
import type { Storage } from "../../storage/storage.ts";
import type { Finding } from "./finding.ts";
import { clockFindings } from "./rules.ts";

/** Compares the clock of this process with the database's. */
export async function examineClock({ time }: Storage, clock: Clock): Promise<Finding[]> {
  const before = clock();
  const there = await time();
  // The database answered at some time in between.
  return clockFindings({ here: (before + clock()) / 2, there });
}

/**
 * Logs once when the clock goes wrong and once when it is right again. To be called periodically.
 */
export function createClockWatch({ storage, clock, log }: { storage: Storage; clock: Clock; log: Log }) {
  let wasWrong = false;
  return async function watchClock(): Promise<void> {
    const [wrong] = await examineClock(storage, clock);
    if (wrong && !wasWrong) log.warn(wrong.message, { fix: wrong.fix });
    if (!wrong && wasWrong) log.info("The clock agrees with the database again.");
    wasWrong = wrong !== undefined;
  };
}
