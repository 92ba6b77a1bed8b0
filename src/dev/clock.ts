import { day, second, type Clock } from "../lib/clock.ts";

/** More than every lifetime except that of accounts. */
export const maxAdvanceSeconds = (366 * day) / second;

/** A clock that tests of applications move forward. A restart restores the real time. */
export class DevClock {
  #ahead = 0;
  readonly now: Clock;

  constructor(real: Clock) {
    this.now = () => real() + this.#ahead;
  }

  /** How far it is ahead of the real time. */
  aheadSeconds(): number {
    return this.#ahead / second;
  }

  /** False if that is too far in total. */
  advance(seconds: number): boolean {
    if (this.aheadSeconds() + seconds > maxAdvanceSeconds) return false;
    this.#ahead += seconds * second;
    return true;
  }

  reset(): void {
    this.#ahead = 0;
  }
}
