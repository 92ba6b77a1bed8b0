/** How long an account waits after wrong passwords or codes, from any network. */

/** Consecutive failures without a wait. */
export const freeFailures = 5;
export const longestWaitSeconds = 900;

/** The wait after the n-th consecutive failure: none for five, then 1, 2, 4 … 900 s. */
export function waitSecondsAfter(failures: number): number {
  return failures <= freeFailures ? 0 : Math.min(2 ** (failures - freeFailures - 1), longestWaitSeconds);
}

/**
 * After this many consecutive failures, a password is refused for a day unless it is replaced (NIST
 * SP 800-63B-4 §3.2.2). An attacker needs 22 hours; other methods, the reset and known browsers
 * still work.
 */
export const maxFailures = 100;

/** The number of failures from which the wait no longer grows. */
export const failuresOfLongestWait = freeFailures + 1 + Math.ceil(Math.log2(longestWaitSeconds));
