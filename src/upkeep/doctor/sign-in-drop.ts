import { day, hour } from "../../lib/clock.ts";

/** An hour with fewer sign-ins than this is too small to say that some are missing. */
const leastUsual = 20;
const week = 7 * day;
const weeks = [1, 2, 3, 4];
/** How far the first quiet hour is looked for. */
const looksBack = 24 * hour;

/** The hours that `signInDrop` asks for. */
export const hoursOfDrop = (now: number): { from: number; to: number }[] =>
  [0, ...weeks].map((back) => ({ from: now - back * week - looksBack - 4 * hour, to: now - back * week + 2 * hour }));

export type Drop = { since: number; counted: number; usual: number };

/**
 * Whether the last two whole hours each had under a third of what is usual; since the first of
 * such hours in a row. `signInsIn`: in the UTC hour that starts then.
 */
export function signInDrop(signInsIn: (startsAt: number) => number, now: number): Drop | undefined {
  const current = now - (now % hour);
  const isLow = (at: number): boolean => {
    const usual = usualIn(signInsIn, at);
    return usual >= leastUsual && 3 * signInsIn(at) < usual;
  };
  const lastTwo = [current - hour, current - 2 * hour];
  if (!lastTwo.every(isLow)) return undefined;
  let since = current - 2 * hour;
  while (since > current - looksBack && isLow(since - hour)) since -= hour;
  const sum = (of: (at: number) => number): number => lastTwo.reduce((total, at) => total + of(at), 0);
  return { since, counted: sum(signInsIn), usual: sum((at) => usualIn(signInsIn, at)) };
}

/**
 * The median of the same hour in four weeks; of that hour and its neighbours the smallest, because
 * a clock change moves people's day by an hour.
 */
function usualIn(signInsIn: (startsAt: number) => number, at: number): number {
  const medianAt = (shifted: number): number => median(weeks.map((back) => signInsIn(shifted - back * week)));
  return Math.min(...[-hour, 0, hour].map((shift) => medianAt(at + shift)));
}

function median(values: number[]): number {
  const [, low = 0, high = 0] = values.toSorted((a, b) => a - b);
  return (low + high) / 2;
}
