import { day, second, type Clock } from "../lib/clock.ts";

/** More than the longest life of anything but the accounts themselves. */
export const maxAdvanceSeconds = (366 * day) / second;

export type DevClock = ReturnType<typeof createDevClock>;

/** A clock that tests of applications move forward. A restart restores the real time. */
export function createDevClock(real: Clock) {
  let ahead = 0;
  return {
    now: (): number => real() + ahead,
    /** How far it is ahead of the real time. */
    aheadSeconds: (): number => ahead / second,
    /** False if that is too far in total. */
    advance(seconds: number): boolean {
      if (ahead / second + seconds > maxAdvanceSeconds) return false;
      ahead += seconds * second;
      return true;
    },
    reset(): void {
      ahead = 0;
    },
  };
}
