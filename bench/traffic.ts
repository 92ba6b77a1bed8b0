/** What to ask, over and over: GETs with one set of headers after the other, or refreshes, each with the token that an earlier one answered. */
export type Traffic =
  | { kind: "get"; url: string; headers: Record<string, string>[] }
  | { kind: "refresh"; url: string; headers: Record<string, string>; tokens: string[] };

export type Pace = {
  seconds: number;
  /** Kept alive, one call at a time each. 32 unless told otherwise. */
  connections?: number;
  /** Between an answer and the next call of its connection; none: as fast as answers come. */
  pauseMilliseconds?: number;
};

export type Load = {
  calls: number;
  perSecond: number;
  medianMilliseconds: number;
  p99Milliseconds: number;
  /** Connections that failed, timeouts, answers that were no success. */
  failures: number;
};

export const defaultConnections = 32;
