/**
 * The calls to repeat: GETs with alternating headers, or refreshes, each with the token of an
 * earlier answer.
 */
export type Traffic =
  | { kind: "get"; url: string; headers: Record<string, string>[] }
  | { kind: "refresh"; url: string; headers: Record<string, string>; tokens: string[] };

export type Pace = {
  seconds: number;
  /** Keep-alive connections, one call at a time each. 32 by default. */
  connections?: number;
  /** The pause between an answer and the next call on its connection; none by default. */
  pauseMilliseconds?: number;
};

export type Load = {
  calls: number;
  perSecond: number;
  medianMilliseconds: number;
  p99Milliseconds: number;
  /** Failed connections, timeouts, unsuccessful answers. */
  failures: number;
};

export const defaultConnections = 32;
