/** The value below which `part` (0 to 1) of the values lie; 0 without values. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = Float64Array.from(values).toSorted();
  return sorted[Math.floor(part * (sorted.length - 1))] ?? 0;
}

/** Rounds to three significant digits. */
export function rounded(value: number): number {
  return value >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}
