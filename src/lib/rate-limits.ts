/** The four kinds of limit (docs/spec/http-api.md, 8). */
export type EndpointType = "authentication" | "userManagement" | "applicationManagement" | "webhooks";

/** Calls per minute, where an application's limits differ from the configuration. */
export type RateLimits = Partial<Record<EndpointType, number>>;

/** A caller's state in the current minute. `resetAt` is Unix time in seconds. */
export type LimitResult = {
  limit: number;
  remaining: number;
  resetAt: number;
  exceeded: boolean;
  retryAfterSeconds: number;
};

/** The counters of all threads. `key` places callers in them, so that nobody can aim at one. */
export type LimitMemory = { counters: SharedArrayBuffer; key: Uint8Array };

/**
 * A `stranger` is known only by address and may have any number of them; a `known` caller has shown
 * a credential.
 */
export type Who = "known" | "stranger";

export type RateLimiter = {
  /**
   * Counts one call, even above the limit, and returns the caller's state. Synchronous if this
   * process knows it; otherwise a promise, which rejects if the shared database does not answer.
   */
  count(key: string, limit: number, who: Who): LimitResult | Promise<LimitResult>;
};
