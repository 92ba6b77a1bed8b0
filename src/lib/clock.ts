/** The wall clock in epoch milliseconds. Injected by `app.ts`; read once per operation. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** A timestamp as the contract writes it: ISO 8601 UTC with milliseconds. */
export function isoTime(epochMilliseconds: number): string {
  return new Date(epochMilliseconds).toISOString();
}

/** Whether the day of an ISO 8601 text exists: `Date.parse` accepts February 31. */
export function isOnRealDay(text: string): boolean {
  const at = Date.parse(text.slice(0, "2026-02-31".length));
  return !Number.isNaN(at) && text.startsWith(isoTime(at).slice(0, "2026-02-31".length));
}

export const second = 1000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

/**
 * The largest tolerated difference between the clocks of two nodes: `doctor` accepts 30 s between
 * each node and the database.
 */
export const clockSkew = 2 * (30 * second);

/**
 * Whether something short-lived has expired. A start in the future counts as expired: the clock was
 * set back, which must not extend its life (docs/decisions/0040).
 */
export function isOver(expiresAt: number, lasts: number, now: number): boolean {
  return expiresAt <= now || expiresAt > now + lasts + clockSkew;
}

/** Days since 1970-01-01 UTC. */
export function dayNumber(epochMilliseconds: number): number {
  return Math.floor(epochMilliseconds / day);
}
