/** The wall clock, epoch milliseconds. Handed in by `app.ts`; one reading per operation. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** A timestamp of the contract: ISO 8601 UTC with milliseconds. */
export function isoTime(epochMilliseconds: number): string {
  return new Date(epochMilliseconds).toISOString();
}

export const second = 1000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

/** UTC days since 1970. */
export function dayNumber(epochMilliseconds: number): number {
  return Math.floor(epochMilliseconds / day);
}
