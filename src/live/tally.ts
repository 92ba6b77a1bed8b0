import { second } from "../lib/clock.ts";

/** Eight for each doubling, so a percentile is at most 5 % off, however many calls there are. */
const bucketsPerDoubling = 8;
/** From a microsecond to four minutes. */
const buckets = 28 * bucketsPerDoubling;

export type Percentiles = { p50: number; p95: number; p99: number };

/** Calls, and how long they took. */
export type Tally = { calls: number; refused: number; limited: number; failed: number; times: Uint32Array };

export function newTally(): Tally {
  return { calls: 0, refused: 0, limited: 0, failed: 0, times: new Uint32Array(buckets) };
}

export function count(tally: Tally, status: number, milliseconds: number): void {
  tally.calls += 1;
  if (status === 429) tally.limited += 1;
  else if (status >= 500) tally.failed += 1;
  else if (status >= 400) tally.refused += 1;
  const bucket = Math.floor(Math.log2(milliseconds * second) * bucketsPerDoubling);
  add(tally.times, Math.max(0, Math.min(buckets - 1, bucket)), 1);
}

function add(times: Uint32Array, bucket: number, number: number): void {
  times[bucket] = (times[bucket] ?? 0) + number;
}

export function sumOf(tallies: Tally[]): Tally {
  const sum = newTally();
  for (const { calls, refused, limited, failed, times } of tallies) {
    sum.calls += calls;
    sum.refused += refused;
    sum.limited += limited;
    sum.failed += failed;
    for (const [bucket, number] of times.entries()) add(sum.times, bucket, number);
  }
  return sum;
}

/** In milliseconds; 0 without calls. */
export function percentilesOf({ calls, times }: Tally): Percentiles {
  const at = (share: number): number => {
    let left = Math.ceil(calls * share);
    const bucket = times.findIndex((number) => (left -= number) <= 0);
    return bucket <= 0 ? 0 : rounded(2 ** ((bucket + 0.5) / bucketsPerDoubling) / second);
  };
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

/** Three significant digits. */
export function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
